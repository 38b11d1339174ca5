package mcptest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// JSON-RPC error codes of a server that refuses (MCP: Streamable HTTP, Server Validation).
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeHeaderMismatch = -32020
)

// validate applies every rule that a server may hold a client to. problem is
// what the envelope already has wrong. It runs under the lock.
func (u *Upstream) validate(a *Attempt, problem *refusal) *refusal {
	checks := []func(*Attempt) *refusal{checkHTTP, checkID, checkHeaders, checkMeta, checkCapabilities, checkLoop}
	for _, check := range checks {
		if problem == nil {
			problem = check(a)
		}
	}
	if other := u.open[string(a.ID)]; problem == nil && other != nil && other.isOpen() {
		problem = fault(http.StatusBadRequest, codeInvalidRequest, "id %s is in use", a.ID)
	}
	if problem == nil {
		problem = checkParamHeaders(a, u.params)
	}
	if problem != nil && problem.fault {
		u.faults = append(u.faults, fmt.Sprintf("%s %s: %s", a.HTTPMethod, a.Method, problem.text))
	}
	return problem
}

func checkHTTP(a *Attempt) *refusal {
	if kind, _, err := mime.ParseMediaType(a.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return fault(http.StatusUnsupportedMediaType, codeInvalidRequest, "Content-Type %q", a.Header.Get("Content-Type"))
	}
	accept := strings.Join(a.Header.Values("Accept"), ",")
	for _, kind := range []string{"application/json", "text/event-stream"} {
		if !strings.Contains(accept, kind) {
			return fault(http.StatusNotAcceptable, codeInvalidRequest, "Accept %q lacks %s", accept, kind)
		}
	}
	for _, legacy := range []string{"Mcp-Session-Id", "Last-Event-Id"} {
		if a.Header.Values(legacy) != nil {
			return fault(http.StatusBadRequest, codeInvalidRequest, "a modern request has no %s", legacy)
		}
	}
	return nil
}

func checkID(a *Attempt) *refusal {
	if !isString(a.ID) && !isInteger(a.ID) {
		return fault(http.StatusBadRequest, codeInvalidRequest, "id %s of %s", a.ID, a.Method)
	}
	if !isObject(a.Params) {
		return fault(http.StatusBadRequest, codeInvalidParams, "params are no object: %.80s", a.Params)
	}
	if _, err := objectOf(a.Params); err != nil {
		return fault(http.StatusBadRequest, codeInvalidParams, "params: %v", err)
	}
	return nil
}

// checkHeaders compares the mirrored headers with the body (MCP: Streamable HTTP, Request Metadata).
func checkHeaders(a *Attempt) *refusal {
	want := map[string]string{
		"Mcp-Protocol-Version": textOf(a.Meta(MetaProtocolVersion)),
		"Mcp-Method":           a.Method,
	}
	switch a.Method {
	case "tools/call", "prompts/get":
		want["Mcp-Name"] = textOf(a.Param("name"))
	case "resources/read":
		want["Mcp-Name"] = textOf(a.Param("uri"))
	default:
		if a.Header.Values("Mcp-Name") != nil {
			return fault(http.StatusBadRequest, codeHeaderMismatch, "Mcp-Name on %s", a.Method)
		}
	}
	for name, value := range want {
		got := a.Header.Values(name)
		if len(got) != 1 {
			return fault(http.StatusBadRequest, codeHeaderMismatch, "%d values of %s", len(got), name)
		}
		if decoded, ok := DecodeHeader(got[0]); !ok || decoded != value {
			return fault(http.StatusBadRequest, codeHeaderMismatch, "%s is %q, the body says %q", name, got[0], value)
		}
	}
	return nil
}

func checkMeta(a *Attempt) *refusal {
	if _, err := objectOf(a.Param("_meta")); err != nil {
		return fault(http.StatusBadRequest, codeInvalidParams, "_meta: %v", err)
	}
	if version := textOf(a.Meta(MetaProtocolVersion)); version != ModernVersion {
		return fault(http.StatusBadRequest, codeInvalidParams, "protocolVersion %q", version)
	}
	if info := a.Meta(MetaClientInfo); info != nil && (!isString(Member(info, "name")) || !isString(Member(info, "version"))) {
		return fault(http.StatusBadRequest, codeInvalidParams, "clientInfo %s lacks a name or a version", info)
	}
	if token := a.Meta("progressToken"); token != nil && !isString(token) && !isInteger(token) {
		return fault(http.StatusBadRequest, codeInvalidParams, "progressToken %s", token)
	}
	levels := []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	if level := a.Meta(MetaLogLevel); level != nil && !slices.Contains(levels, textOf(level)) {
		return fault(http.StatusBadRequest, codeInvalidParams, "logLevel %s", level)
	}
	return nil
}

// checkCapabilities holds the declaration to ClientCapabilities of the schema.
func checkCapabilities(a *Attempt) *refusal {
	declared := a.Meta(MetaClientCapabilities)
	if _, err := objectOf(declared); err != nil {
		return fault(http.StatusBadRequest, codeInvalidParams, "clientCapabilities: %v", err)
	}
	for _, gone := range [][]string{{"tasks"}, {"roots", "listChanged"}, {"extensions", "io.modelcontextprotocol/tasks"}} {
		if Member(declared, gone...) != nil {
			return fault(http.StatusBadRequest, codeInvalidParams, "clientCapabilities declare %s", strings.Join(gone, "."))
		}
	}
	objects := [][]string{
		{"elicitation"}, {"elicitation", "form"}, {"elicitation", "url"}, {"sampling"}, {"sampling", "tools"},
		{"sampling", "context"}, {"roots"}, {"experimental"}, {"extensions"},
	}
	for _, path := range objects {
		if value := Member(declared, path...); value != nil && !isObject(value) {
			return fault(http.StatusBadRequest, codeInvalidParams, "clientCapabilities.%s is %s, no object", strings.Join(path, "."), value)
		}
	}
	return nil
}

// checkLoop holds what a retry carries to the specification (MCP: Multi Round-Trip Requests).
func checkLoop(a *Attempt) *refusal {
	if a.Param("task") != nil {
		return fault(http.StatusBadRequest, codeInvalidParams, "params.task is gone")
	}
	if !a.IsRetry() {
		return nil
	}
	if !slices.Contains([]string{"tools/call", "prompts/get", "resources/read"}, a.Method) {
		return fault(http.StatusBadRequest, codeInvalidParams, "answers or state on %s", a.Method)
	}
	if state := a.State(); state != nil && !isString(state) {
		return fault(http.StatusBadRequest, codeInvalidParams, "requestState %s is no string", state)
	}
	responses := a.Param("inputResponses")
	if responses == nil {
		return nil
	}
	answers, err := objectOf(responses)
	if err != nil {
		return fault(http.StatusBadRequest, codeInvalidParams, "inputResponses: %v", err)
	}
	for key, answer := range answers {
		if !isObject(answer) || Member(answer, "jsonrpc") != nil {
			return fault(http.StatusBadRequest, codeInvalidParams, "answer %q is no bare result: %.80s", key, answer)
		}
	}
	return nil
}

// DecodeHeader undoes the Base64 sentinel of a mirrored header; ok is false
// when its Base64 is broken, or the value should have been encoded.
func DecodeHeader(value string) (decoded string, ok bool) {
	inner, found := strings.CutPrefix(value, "=?base64?")
	if found {
		inner, found = strings.CutSuffix(inner, "?=")
	}
	if found {
		text, err := base64.StdEncoding.Strict().DecodeString(inner)
		return string(text), err == nil
	}
	unsafe := func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }
	return value, !strings.ContainsFunc(value, unsafe) && strings.Trim(value, " \t") == value
}

// paramHeader is one x-mcp-header annotation of a tool.
type paramHeader struct {
	header string
	path   []string // of properties, from the arguments down
}

// Tools sets what tools/list answers, each as the raw JSON of a tool. Calls of
// them must mirror the arguments that x-mcp-header names; a call that does not
// is refused as -32020, which a proxy with an older list may run into.
func (u *Upstream) Tools(tools ...string) {
	params := map[string][]paramHeader{}
	for _, tool := range tools {
		raw := json.RawMessage(tool)
		params[textOf(Member(raw, "name"))] = annotations(Member(raw, "inputSchema"), nil)
	}
	u.look(func() { u.params = params })
	u.Handle("tools/list", Always(Reply{
		Result: `{"resultType":"complete","tools":[` + strings.Join(tools, ",") + `],"ttlMs":0,"cacheScope":"public"}`,
	}))
}

func annotations(schema json.RawMessage, path []string) (found []paramHeader) {
	if name := Member(schema, "x-mcp-header"); isString(name) {
		found = append(found, paramHeader{header: "Mcp-Param-" + textOf(name), path: slices.Clone(path)})
	}
	properties, err := objectOf(Member(schema, "properties"))
	if err != nil {
		return found // a schema without properties
	}
	for name, property := range properties {
		found = append(found, annotations(property, append(path, name))...)
	}
	return found
}

func checkParamHeaders(a *Attempt, tools map[string][]paramHeader) *refusal {
	if a.Method != "tools/call" {
		return nil
	}
	expected := map[string]bool{}
	for _, p := range tools[a.Name()] {
		value := a.Param(append([]string{"arguments"}, p.path...)...)
		if value == nil || string(value) == "null" {
			continue
		}
		want := string(value)
		if isString(value) {
			want = textOf(value)
		}
		expected[http.CanonicalHeaderKey(p.header)] = true
		got := a.Header.Values(p.header)
		if len(got) == 1 {
			if decoded, ok := DecodeHeader(got[0]); ok && decoded == want {
				continue
			}
		}
		return &refusal{status: http.StatusBadRequest, code: codeHeaderMismatch, text: fmt.Sprintf("Header mismatch: %s is %q, want %q", p.header, got, want)}
	}
	for name := range a.Header {
		if strings.HasPrefix(name, "Mcp-Param-") && !expected[name] {
			return &refusal{status: http.StatusBadRequest, code: codeHeaderMismatch, text: "Header mismatch: " + name + " mirrors nothing"}
		}
	}
	return nil
}
