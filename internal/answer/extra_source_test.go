package answer

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// channelFunc is a client made of a function.
type channelFunc func(context.Context, resolver.Ask) (json.RawMessage, error)

func (f channelFunc) Ask(ctx context.Context, a resolver.Ask) (json.RawMessage, error) {
	return f(ctx, a)
}

// source is a source of its own, for the action "desk".
type source struct {
	answer func(context.Context) (json.RawMessage, error)
}

func (*source) Verb() string   { return "desk" }
func (*source) Source() string { return "hook" }
func (s *source) Parse(json.RawMessage) (Answerer, []policy.Problem) {
	return s, nil
}

func (s *source) Answer(ctx context.Context, _ *Context, _ resolver.Ask) (json.RawMessage, error) {
	return s.answer(ctx)
}

func TestASourceOfARule(t *testing.T) {
	for _, tc := range []struct {
		said string
		err  error
		want settled
	}{
		{`{"action":"accept","content":{"port":1}}`, nil, settled{`{"action":"accept","content":{"port":1}}`, 0, "hook", "accept"}},
		{`{"action":"decline","content":{}}`, nil, settled{`{"action":"decline"}`, 0, "hook", "decline"}},
		{``, ErrForward, settled{`{"action":"accept","content":{"port":7}}`, 0, "client", "accept"}},
		{``, errors.New("the desk is closed"), settled{"", resolver.HandlerError, "hook", "error"}},
		{``, context.DeadlineExceeded, settled{"", resolver.Timeout, "hook", "timeout"}},
		{`{"action":"accept","content":{"port":"1"}}`, nil, settled{"", resolver.InvalidResponse, "hook", "invalid"}},
		{`{"action":"reject"}`, nil, settled{"", resolver.InvalidResponse, "hook", "invalid"}},
		{`{"action":"accept"`, nil, settled{"", resolver.InvalidResponse, "hook", "invalid"}},
		{``, nil, settled{"", resolver.InvalidResponse, "hook", "invalid"}},
	} {
		hook := &source{answer: func(context.Context) (json.RawMessage, error) { return json.RawMessage(tc.said), tc.err }}
		b := newBench(t, Settings{OnClientError: Cancel, OnTimeout: Cancel, OnNoChannel: Cancel}, Parsers(hook), policy.Spec{Name: "r", Action: "desk"})
		f := b.want(t, b.about(says(`{"action":"accept","content":{"port":7}}`)), formAsk(portSchema), tc.want)
		if tc.want.outcome == "error" && (!strings.Contains(f.Text, "the desk is closed") || strings.Contains(f.Text, "client")) {
			t.Errorf("%q does not name the source's reason", f.Text)
		}
		if b.counted(t, "policy_decisions_total", "r", "desk") != 1 {
			t.Error("the decision was not counted")
		}
	}
}
