package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

const (
	methodDiscover = "server/discover"
	methodCall     = "tools/call"
)

// received is a request as it reached the server.
type received struct {
	header http.Header

	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name           string                     `json:"name"`
		Meta           map[string]json.RawMessage `json:"_meta"`
		InputResponses map[string]json.RawMessage `json:"inputResponses"`
		RequestState   *string                    `json:"requestState"`
	} `json:"params"`
}

// The members of _meta that make a request a modern one.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// isModern tells whether the request is one that the server takes.
func (r *received) isModern() bool {
	return r.header.Get("Mcp-Protocol-Version") == modernRevision && r.header.Get("Mcp-Session-Id") == "" && len(r.ID) > 0
}

// isWellFormed tells whether the request is what the modern revision wants: headers that tell what the body is about, and
// the version and the client's capabilities in the body.
func (r *received) isWellFormed() bool {
	return r.isModern() &&
		r.header.Get("Mcp-Method") == r.Method && r.header.Get("Mcp-Name") == r.Params.Name &&
		string(r.Params.Meta[metaVersion]) == `"`+modernRevision+`"` && r.Params.Meta[metaCapabilities] != nil
}

// carried tells what a request brings beyond the call itself.
func (r *received) carried() string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(r.Params.InputResponses)) {
		parts = append(parts, fmt.Sprintf("the answer to %q: %s", key, r.Params.InputResponses[key]))
	}
	if r.Params.RequestState != nil {
		parts = append(parts, "the server's requestState")
	}
	if parts == nil {
		return ""
	}
	return ", with " + strings.Join(parts, " and ")
}

// answers is what it brings, as an object.
func (r *received) answers() []byte {
	if r.Params.InputResponses == nil {
		return nil
	}
	raw, err := json.Marshal(r.Params.InputResponses)
	if err != nil {
		return []byte(err.Error())
	}
	return raw
}

// describe notes what the proxy has put to a client's request.
func (r *received) describe(t *transcript) {
	label := "the proxy added"
	for _, name := range []string{"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"} {
		t.note(label, "%s: %s", name, r.header.Get(name))
		label = ""
	}
	for _, name := range []string{metaVersion, metaCapabilities} {
		t.note("", "_meta.%s: %s", name, r.Params.Meta[name])
	}
}

// calls are the requests among those received that call a tool.
func calls(seen []received) []received {
	return slices.DeleteFunc(slices.Clone(seen), func(r received) bool { return r.Method != methodCall })
}

// areDistinct tells whether no two requests have the same id.
func areDistinct(seen []received) bool {
	ids := map[string]bool{}
	for _, r := range seen {
		ids[string(r.ID)] = true
	}
	return len(ids) == len(seen)
}
