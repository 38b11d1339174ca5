package answer

import (
	"errors"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

func TestTheClientsAnswer(t *testing.T) {
	for _, tc := range []struct {
		ask     resolver.Ask
		said    string
		want    string // "": does not fit
		outcome string
	}{
		{formAsk(portSchema), `{"action":"accept","content":{"port":9007199254740993}}`, `{"action":"accept","content":{"port":9007199254740993}}`, "accept"},
		{formAsk(portSchema), ` { "x" : "\u003c" , "content":{"port":1.0}, "action":"accept" } `, ` { "x" : "\u003c" , "content":{"port":1.0}, "action":"accept" } `, "accept"},
		{formAsk(portSchema), `{"action":"accept","content":{"port":"1"}}`, ``, "invalid"},
		{formAsk(portSchema), `{"action":"accept"}`, ``, "invalid"},
		{formAsk(portSchema), `{"action":"accept","content":null}`, ``, "invalid"},
		{formAsk(`{}`), `{"action":"accept"}`, `{"action":"accept"}`, "accept"},
		{formAsk(`null`), `{"action":"accept","content":null}`, `{"action":"accept"}`, "accept"},
		{formAsk(portSchema), `{"action":"reject"}`, `{"action":"decline"}`, "decline"},
		{formAsk(portSchema), `{"action":"decline","content":null}`, `{"action":"decline"}`, "decline"},
		{formAsk(portSchema), `{"action":"cancel","content":{"port":"old"}}`, `{"action":"cancel"}`, "cancel"},
		{formAsk(portSchema), `{"action":"maybe","content":{"port":1}}`, `{"action":"cancel"}`, "cancel"},
		{formAsk(portSchema), `{"action":"reject","_meta":{"a":1e2},"content":{}}`, `{"action":"decline","_meta":{"a":1e2}}`, "decline"},
		{formAsk(portSchema), `{"action":"accept","action":"decline","content":{"port":1}}`, ``, "invalid"},
		{formAsk(portSchema), `{"action":"decline","action":"maybe"}`, ``, "invalid"},
		{formAsk(portSchema), `{"content":{"port":1}}`, ``, "invalid"},
		{formAsk(portSchema), `{"action":null}`, ``, "invalid"},
		{formAsk(portSchema), `"accept"`, ``, "invalid"},
		{linkAsk("https://u.example/a"), `{"action":"accept","content":{"x":1}}`, `{"action":"accept"}`, "accept"},
		{linkAsk("https://u.example/a"), `{"action":"accept"}`, `{"action":"accept"}`, "accept"},
		{samplingAsk, `{"role":"assistant","content":{"type":"text","text":"\u003c"},"model":"m","x":9007199254740993}`, `{"role":"assistant","content":{"type":"text","text":"\u003c"},"model":"m","x":9007199254740993}`, "answered"},
		{samplingAsk, `{"role":"assistant","content":[{"type":"tool_use"},{"type":"text"}],"model":"m"}`, `{"role":"assistant","content":[{"type":"tool_use"},{"type":"text"}],"model":"m"}`, "answered"},
		{samplingAsk, `{"role":"assistant","content":[{"type":"text"},7],"model":"m"}`, ``, "invalid"},
		{samplingAsk, `{"role":"assistant","content":"hi","model":"m"}`, ``, "invalid"},
		{samplingAsk, `{"role":"system","content":{"type":"text"},"model":"m"}`, ``, "invalid"},
		{samplingAsk, `{"role":"assistant","content":{"type":"text"}}`, ``, "invalid"},
		{samplingAsk, `{"action":"accept"}`, ``, "invalid"},
		{samplingAsk, `[]`, ``, "invalid"},
		{rootsAsk, `{"roots":[]}`, `{"roots":[]}`, "answered"},
		{rootsAsk, `{"roots":[ {"uri":"C:/plain"},{"uri":""}],"_meta":{}}`, `{"roots":[ {"uri":"C:/plain"},{"uri":""}],"_meta":{}}`, "answered"},
		{rootsAsk, `{"roots":[{"uri":"file:///c%3A/My%20Docs","name":null,"x":1.0},{"uri":"file:///\u00e9","name":"e"}]}`, `{"roots":[{"uri":"file:///c%3A/My%20Docs","x":1.0},{"uri":"file:///\u00e9","name":"e"}]}`, "answered"},
		{rootsAsk, `{"roots":[{"name":"x"}]}`, ``, "invalid"},
		{rootsAsk, `{"roots":[{"uri":"a","uri":"b"}]}`, ``, "invalid"},
		{rootsAsk, `{"roots":[null]}`, ``, "invalid"},
		{rootsAsk, `{"roots":null}`, ``, "invalid"},
		{rootsAsk, `{}`, ``, "invalid"},
	} {
		// Cancelling for the client never covers up an answer that does not fit.
		b := newBench(t, Settings{OnClientError: Cancel, OnTimeout: Cancel, OnNoChannel: Cancel}, nil)
		f := b.want(t, b.about(says(tc.said)), tc.ask, settled{tc.want, resolver.InvalidResponse, "client", tc.outcome})
		if f != nil && f.Kind != resolver.InputHandler {
			t.Errorf("%s: kind %s", tc.said, f.Kind)
		}
		if b.counted(t, "ask_wait_seconds", tc.ask.Kind.String(), "client") != 1 {
			t.Errorf("%s: the wait was not measured", tc.said)
		}
	}
}

func TestAClientThatGivesNoAnswer(t *testing.T) {
	secret := &ClientError{Code: -32601, Message: "Unsupported\x1b[31m server request " + strings.Repeat("x", 300)}
	for _, tc := range []struct {
		name    string
		channel Channel
		can     wire.Can
		reason  resolver.Reason
		outcome string
		text    string
	}{
		{"error", fails{secret}, everything, resolver.HandlerError, "error", "-32601 Unsupported"},
		{"no stream", nil, everything, resolver.NoChannel, "no_channel", "event"},
		{"cannot be asked now", says(`{}`), 0, resolver.NoChannel, "no_channel", "event"},
		{"no channel after all", fails{ErrNoChannel}, everything, resolver.NoChannel, "no_channel", ""},
		{"no form in its revision", fails{&Inexpressible{Why: "its revision has no audio"}}, everything, resolver.NoChannel, "no_channel", "its revision has no audio"},
		{"stream broke", fails{errors.New("write: broken pipe")}, everything, resolver.NoChannel, "no_channel", ""},
	} {
		for _, choice := range []Choice{Fail, Cancel} {
			for _, ask := range []resolver.Ask{formAsk(portSchema), linkAsk("https://u.example"), samplingAsk, rootsAsk} {
				b := newBench(t, Settings{OnClientError: choice, OnNoChannel: choice}, nil)
				c := b.about(tc.channel)
				c.Can = tc.can
				want := settled{"", tc.reason, "client", tc.outcome}
				if choice == Cancel && strings.HasPrefix(ask.Method, "elicitation") {
					want.answer = `{"action":"cancel"}`
				}
				f := b.want(t, c, ask, want)
				if f == nil {
					continue
				}
				word, _, _ := strings.Cut(ask.Method, "/")
				if !strings.Contains(f.Text, word) || !strings.Contains(f.Text, `"q"`) || !strings.Contains(f.Text, tc.text) {
					t.Errorf("%s: %q does not name kind, key and reason", tc.name, f.Text)
				}
				if strings.Contains(f.Text, "\x1b") || strings.Contains(f.Text, strings.Repeat("x", 100)) || strings.Contains(f.Text, "pipe") {
					t.Errorf("%s: %q is not clean", tc.name, f.Text)
				}
			}
		}
	}
}
