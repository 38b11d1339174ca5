package policy

import (
	"encoding/json"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// FuzzDecide feeds foreign params and arguments to one set of rules: no panic, Explain agrees with
// Decide, and what an accept builds is one JSON object without repeated members.
func FuzzDecide(f *testing.F) {
	set := compiled(f,
		`{"match":{"fields":["a"],"only_fields":["a","b"],"when":"has(request.args.x) && request.args.x == ask.params.message"},"accept":{"content":{"z":1},"expr":{"a":"request.args.x"},"defaults":true}}`,
		`{"match":{"message":"*[a-c]?"},"decline":{}}`,
		`{"match":{"mode":"url","url_host":"*.example"},"accept":{}}`,
		`{"match":{"method":"sampling/createMessage","when":"size(request.args) > 2 || request.args.exists(k, request.args[k] == 1)"},"reply":{"text":"x"}}`,
		`{"match":{"when":"size(ask.params) == 1"},"webhook":{"url":"x"}}`,
		`{"match":{"mode":"form"},"accept":{"defaults":true}}`,
	)
	f.Add(byte(1), `{"message":"m","requestedSchema":{"properties":{"a":{"default":1}},"required":["a"]}}`, `{"x":"m"}`)
	f.Add(byte(2), `{"message":"m","url":"https://a.example/"}`, `{}`)
	f.Add(byte(3), `{"messages":[]}`, `{"a":1,"b":[1e999,{"c":null}]}`)
	f.Add(byte(4), ``, `[`)
	f.Add(byte(1), `{"message":"a","message":"b"}`, `{"x":1,"x":2}`)
	f.Fuzz(func(t *testing.T, kind byte, params, args string) {
		q := asked(kindList[int(kind)%len(kindList)], params)
		q.Request.Args = json.RawMessage(args)
		r, err := set.Decide(q)
		agree(t, set, q, r, err)
		if r == nil {
			return
		}
		a, ok := r.Action.(*Accept)
		if !ok {
			return
		}
		content, err := a.ContentFor(q)
		if err == nil && q.Kind != wire.ElicitationURL {
			if wire.KindOf(content) != '{' || wire.Each(content, func(string, []byte) error { return nil }) != nil || !json.Valid(content) {
				t.Fatalf("content %s", content)
			}
		}
	})
}

func agree(t *testing.T, set *Set, q *Question, r *Rule, err error) {
	t.Helper()
	for _, v := range set.Explain(q) {
		if v.Err != nil {
			if r != nil && !decidedBefore(set, r, v.Rule) || r == nil && err == nil {
				t.Fatalf("decided %v, %v, but %+v", r, err, v)
			}
		}
		if v.Decides != (v.Rule == r) {
			t.Fatalf("decided %v, %v, but %+v", r, err, v)
		}
	}
}

// decidedBefore reports whether r stands before other.
func decidedBefore(set *Set, r, other *Rule) bool {
	for _, rule := range set.Rules() {
		if rule == r || rule == other {
			return rule == r
		}
	}
	return false
}
