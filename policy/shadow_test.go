package policy

import (
	"strings"
	"testing"
)

func TestShadowed(t *testing.T) {
	for _, tc := range []struct {
		earlier, later string
		want           bool
	}{
		{`{"forward":{}}`, `{"match":{"tool":"a"},"decline":{}}`, true},
		{`{"match":{"tool":"deploy_*"},"forward":{}}`, `{"match":{"tool":"deploy_here"},"fail":{}}`, true},
		{`{"match":{"tool":"deploy_here"},"forward":{}}`, `{"match":{"tool":"deploy_*"},"fail":{}}`, false},
		{`{"match":{"request":"tools/call"},"forward":{}}`, `{"match":{"tool":"a"},"fail":{}}`, true},
		{`{"match":{"request":"prompts/get"},"forward":{}}`, `{"match":{"tool":"a"},"fail":{}}`, false},
		{`{"match":{"mode":"form"},"forward":{}}`, `{"match":{"method":"elicitation/create"},"fail":{}}`, false},
		{`{"match":{"method":"elicitation/create"},"forward":{}}`, `{"accept":{}}`, true},
		{`{"accept":{}}`, `{"match":{"mode":"form"},"fail":{}}`, true},
		{`{"accept":{}}`, `{"fail":{}}`, false},
		{`{"roots":[]}`, `{"match":{"method":"roots/list"},"roots":[]}`, true},
		{`{"match":{"fields":["a"]},"fail":{}}`, `{"match":{"fields":["a","b"]},"fail":{}}`, true},
		{`{"match":{"fields":["a","b"]},"fail":{}}`, `{"match":{"fields":["a"]},"fail":{}}`, false},
		{`{"match":{"only_fields":["a","b"]},"fail":{}}`, `{"match":{"only_fields":["a"]},"fail":{}}`, true},
		{`{"match":{"only_fields":["a"]},"fail":{}}`, `{"match":{"only_fields":["a","b"]},"fail":{}}`, false},
		{`{"match":{"message":"*RM*"},"fail":{}}`, `{"match":{"message":"*rm*"},"fail":{}}`, false},
		{`{"match":{"message":"*"},"fail":{}}`, `{"match":{"message":"*rm*"},"fail":{}}`, true},
		{`{"match":{"client_can":true},"fail":{}}`, `{"fail":{}}`, false},
		{`{"match":{"client_can":true},"fail":{}}`, `{"match":{"client_can":false},"fail":{}}`, false},
		{`{"match":{"client_can":true},"fail":{}}`, `{"match":{"client_can":true,"client":"x"},"fail":{}}`, true},
		{`{"match":{"when":"round > 1"},"fail":{}}`, `{"match":{"tool":"a","when":"round > 1"},"fail":{}}`, true},
		{`{"match":{"when":"round > 1"},"fail":{}}`, `{"match":{"when":"round > 2"},"fail":{}}`, false},
		{`{"match":{"url_host":"*.example"},"fail":{}}`, `{"match":{"mode":"url","url_host":"a.example"},"accept":{}}`, true},
		{`{"webhook":{"url":"x"}}`, `{"fail":{}}`, true},
		{`{"match":{"tool":"["},"forward":{}}`, `{"match":{"tool":"a"},"fail":{}}`, false},
		{`{"name":"same","fail":{}}`, `{"name":"same","fail":{}}`, true},
	} {
		warnings := Shadowed(specs(t, tc.earlier, tc.later))
		if (len(warnings) == 1) != tc.want || len(warnings) > 1 {
			t.Errorf("%s before %s: %+v, want a warning: %v", tc.earlier, tc.later, warnings, tc.want)
		}
		for _, w := range warnings {
			if w.Rule != 1 || !strings.Contains(w.Message, "rule 1") {
				t.Errorf("warning %+v", w)
			}
		}
	}
}
