package policy

import (
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

func TestDeclares(t *testing.T) {
	question := form()
	const (
		form, url, sampling, tools, roots = wire.CanForm, wire.CanURL, wire.CanSampling, wire.CanSamplingTools, wire.CanRoots
		rootsRule                         = `{"match":{"method":"roots/list"},"roots":[]}`
	)
	for _, tc := range []struct {
		name  string
		rules []string
		can   wire.Can
		want  wire.Can
	}{
		{"no rules", nil, form | sampling | tools, form | sampling | tools},
		{"policy alone", []string{rootsRule, `{"match":{"tool":"dep*","fields":["confirm"]},"accept":{}}`}, 0, form | roots},
		{"another tool", []string{`{"match":{"tool":"other"},"accept":{}}`}, 0, 0},
		{"another client", []string{`{"match":{"client":"other"},"roots":[]}`}, form, form},
		{"fail takes a kind whole", []string{`{"match":{"method":"sampling/createMessage"},"fail":{}}`}, form | sampling | tools, form},
		{"fail takes all", []string{`{"fail":{}}`}, form | url | roots, 0},
		{"fail under a condition takes nothing whole", []string{`{"match":{"message":"*rm*"},"fail":{}}`}, form | url, form | url},
		{"an answer before the fail", []string{`{"match":{"fields":["confirm"]},"accept":{}}`, `{"match":{"method":"elicitation/create"},"fail":{}}`}, url, form},
		{"a fail before the answer", []string{`{"match":{"method":"roots/list"},"fail":{}}`, rootsRule}, roots, 0},
		{"a fail for clients that cannot", []string{`{"match":{"client_can":false},"fail":{}}`}, form, form},
		{"a stand-in for clients that cannot", []string{`{"match":{"client_can":false},"decline":{}}`}, form, form | url},
		{"only where the client can", []string{`{"match":{"client_can":true,"method":"roots/list"},"roots":[]}`}, 0, 0},
		{"forward answers nothing itself", []string{`{"forward":{}}`}, form, form},
		{"forward before an answer", []string{`{"match":{"method":"roots/list"},"forward":{}}`, rootsRule}, 0, 0},
		{"a reply is plain", []string{`{"reply":{"text":"x"}}`}, sampling | tools, sampling},
		{"a hook answers everything", []string{`{"webhook":{"url":"x"}}`}, sampling | tools, form | url | sampling | tools | roots},
		{"consent", []string{`{"match":{"mode":"url","url_host":"a.example"},"accept":{}}`}, 0, url},
		{"when is not foreseen", []string{`{"match":{"when":"false"},"roots":[]}`}, 0, roots},
	} {
		q := question
		if got := compiled(t, tc.rules...).Declares(&q.Request, &q.Client, "/mcp", tc.can); got != tc.want {
			t.Errorf("%s: %06b, want %06b", tc.name, got, tc.want)
		}
	}
	if got := (*Set)(nil).Declares(&Request{}, &Client{}, "/", form); got != form {
		t.Errorf("no set: %b", got)
	}
}
