package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// Whatever rule decides on whatever form, and whatever the client says: what is accepted fits the schema.
func TestNoDecisionAcceptsWhatTheSchemaRefuses(t *testing.T) {
	kinds := slices.Sorted(maps.Keys(generated))
	accepted := 0
	property := func(rt *rapid.T) {
		var properties, content, args []string
		expr := map[string]string{}
		for i := range rapid.IntRange(0, 3).Draw(rt, "fields") {
			kind := rapid.SampledFrom(kinds).Draw(rt, "kind")
			name, value := string(rune('a'+i)), rapid.SampledFrom(generated[kind]).Draw(rt, "value")
			if k, ok := strings.CutSuffix(kind, "}"); ok && rapid.Bool().Draw(rt, "default") {
				kind = k + `,"default":` + value + "}"
				kind = strings.Replace(kind, "{,", "{", 1)
			}
			properties = append(properties, fmt.Sprintf("%q:%s", name, kind))
			switch rapid.IntRange(0, 2).Draw(rt, "from") {
			case 0:
				content = append(content, fmt.Sprintf("%q:%s", name, value))
			case 1:
				args = append(args, fmt.Sprintf("%q:%s", name, value))
				expr[name] = "request.args." + name
			}
		}
		schema := `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":["a"]}`
		exprs, _ := json.Marshal(expr)
		rule := policy.Spec{Name: "r", Action: "accept", Args: json.RawMessage(fmt.Sprintf(
			`{"content":{%s},"expr":%s,"defaults":%t}`, strings.Join(content, ","), exprs, rapid.Bool().Draw(rt, "defaults")))}
		set, problems := policy.Compile([]policy.Spec{rule}, nil)
		if len(problems) > 0 {
			return // such a value no rule may hold
		}
		if rapid.Bool().Draw(rt, "the client") {
			set = nil
		}
		c := &Context{Request: policy.Request{Method: "tools/call", Args: json.RawMessage("{" + strings.Join(args, ",") + "}")}, Can: wire.CanForm,
			Channel: says(`{"action":"accept","content":{` + strings.Join(append(content, args...), ",") + `}}`)}
		got, _ := NewDesk(Options{Policy: set}).Settle(t.Context(), c, formAsk(schema))
		if action, _ := wire.Unquote(wire.Get(got, "action")); action != "accept" {
			return
		}
		accepted++
		filled := string(wire.Get(got, "content"))
		if fits, known := oracle(schema, filled); known && !fits {
			rt.Fatalf("schema %s\naccepted %s", schema, got)
		}
	}
	for range 10 { // of a few draws, as with -short, all may be refused
		if rapid.Check(t, property); accepted > 0 {
			break
		}
	}
	if accepted == 0 {
		t.Error("nothing was ever accepted: the test shows nothing")
	}
}
