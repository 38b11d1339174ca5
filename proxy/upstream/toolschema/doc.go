// Package toolschema knows which arguments of a tool go into headers: those whose schema has an x-mcp-header annotation
// (MCP, Streamable HTTP: Custom Headers from Tool Parameters). It judges the annotations of a tool, and reads the values
// from the arguments of a call. It is pure.
package toolschema
