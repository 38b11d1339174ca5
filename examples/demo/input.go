package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ask is a result that is none yet: the server needs a form to be filled in. state comes back with the answer; "" is none.
func (s *server) ask(key, message, state string, fields map[string]any) (*mcp.CallToolResult, any, error) {
	names := slices.Sorted(maps.Keys(fields))
	with := ""
	if state != "" {
		with = ", and a requestState to bring back"
	}
	s.transcript.says(theServer, theProxy, "input_required: ask %q, %q, fields %s%s", key, message, strings.Join(names, ", "), with)
	schema := map[string]any{"type": "object", "properties": fields, "required": names}
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{key: &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: schema}},
		RequestState:  state,
	}, nil, nil
}

// complete is a final result.
func (s *server) complete(format string, args ...any) (*mcp.CallToolResult, any, error) {
	text := fmt.Sprintf(format, args...)
	s.transcript.says(theServer, theProxy, "complete: %q", text)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}

// answerTo is the answer to an ask of the attempt before, or nil.
func answerTo(req *mcp.CallToolRequest, key string) *mcp.ElicitResult {
	answer, _ := req.Params.InputResponses[key].(*mcp.ElicitResult)
	return answer
}

// draft is what a server that remembers nothing gives away until the next attempt.
type draft struct {
	Step string `json:"step"`
	Name string `json:"name,omitempty"`
}

// seal makes a requestState. It comes back from outside, so it is signed.
func (s *server) seal(d draft) string {
	plain, _ := json.Marshal(d) // two strings: cannot fail
	return base64.RawURLEncoding.EncodeToString(append(s.sign(plain), plain...))
}

// open reads a requestState and refuses one that this server has not made.
func (s *server) open(state string) (d draft, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil || len(raw) < sha256.Size || !hmac.Equal(raw[:sha256.Size], s.sign(raw[sha256.Size:])) {
		return d, errors.New("this requestState is not mine")
	}
	return d, json.Unmarshal(raw[sha256.Size:], &d)
}

func (s *server) sign(plain []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(plain)
	return mac.Sum(nil)
}
