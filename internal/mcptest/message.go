package mcptest

import (
	"bytes"
	"encoding/json"
)

// Message is one JSON-RPC message that the client received. Absent members are nil.
type Message struct {
	Raw     json.RawMessage
	ID      json.RawMessage
	Method  string
	Params  json.RawMessage
	Result  json.RawMessage
	Error   json.RawMessage
	EventID string // of the event that brought it, "" for none
}

// IsRequest tells a question of the proxy from a notification or a response.
func (m *Message) IsRequest() bool { return m.Method != "" && m.ID != nil }

// IsResponse tells whether the message ends a request.
func (m *Message) IsResponse() bool { return m.Method == "" }

// Code is the code of a JSON-RPC error, 0 for anything else.
func (m *Message) Code() (code int) {
	_ = json.Unmarshal(Member(m.Error, "code"), &code) // 0 says it
	return code
}

// ErrorText is the message of a JSON-RPC error, "" for anything else.
func (m *Message) ErrorText() string { return textOf(Member(m.Error, "message")) }

// Text is the first text block of a tool result, "" when there is none.
func (m *Message) Text() string {
	var blocks []json.RawMessage
	if json.Unmarshal(Member(m.Result, "content"), &blocks) != nil || len(blocks) == 0 {
		return ""
	}
	return textOf(Member(blocks[0], "text"))
}

// IsToolError tells whether a tool result reports a failure.
func (m *Message) IsToolError() bool { return string(Member(m.Result, "isError")) == "true" }

// Failure is the machine-readable part of a failed round trip.
type Failure struct {
	Kind   string `json:"kind"`
	Limit  string `json:"limit"`
	Reason string `json:"reason"`
	Key    string `json:"key"`
	Rounds int    `json:"rounds"`
}

// Failure returns what the proxy says about a failed round trip, from a tool
// result or an error; nil when it says nothing.
func (m *Message) Failure() *Failure {
	raw := Member(m.Result, "_meta", "mrtr-proxy/failure")
	if raw == nil {
		raw = Member(m.Error, "data")
	}
	var f Failure
	if raw == nil || json.Unmarshal(raw, &f) != nil || f.Kind == "" {
		return nil
	}
	return &f
}

// parseMessages reads one message, or the messages of a batch. A repeated
// member, or anything else that is no JSON-RPC message, is an error.
func parseMessages(raw []byte) ([]*Message, error) {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '[' {
		var parts []json.RawMessage
		if err := json.Unmarshal(raw, &parts); err != nil {
			return nil, err
		}
		var batch []*Message
		for _, part := range parts {
			one, err := parseMessages(part)
			if err != nil {
				return nil, err
			}
			batch = append(batch, one...)
		}
		return batch, nil
	}
	members, err := objectOf(raw)
	if err != nil {
		return nil, err
	}
	return []*Message{{
		Raw: bytes.Clone(raw), ID: members["id"], Method: textOf(members["method"]),
		Params: members["params"], Result: members["result"], Error: members["error"],
	}}, nil
}
