package policy

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// manyRules are n rules of which none matches formQuestion; each one's match is made by its index.
func manyRules(t testing.TB, n int, match func(i int) string) *Set {
	specs := make([]Spec, n)
	for i := range specs {
		specs[i] = Spec{Name: fmt.Sprintf("rule-%d", i), Match: json.RawMessage(match(i)), Action: "decline"}
	}
	return mustCompile(t, specs...)
}

func formQuestion() *Question {
	q := QuestionOf("q", wire.ElicitationForm, wire.MethodElicit, json.RawMessage(`{"message":"Deploy the service to production?",`+
		`"requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean"},"environment":{"type":"string"}},"required":["confirm"]}}`))
	q.Request = Request{Method: wire.MethodToolsCall, Name: "deploy_service", Args: json.RawMessage(`{"dry_run":false,"env":"prod","replicas":3,"build":9007199254740993}`)}
	q.Client = Client{Name: "some-client", Version: "1.2.3", Protocol: "2025-06-18", Can: wire.CanForm}
	q.ClientCan = true
	q.Route, q.Round = "/mcp", 1
	return &q
}

func BenchmarkDecide(b *testing.B) {
	cheap := func(i int) string {
		return fmt.Sprintf(`{"tool":"tool_%d_*","message":"*delete*","fields":["reason"]}`, i)
	}
	mixed := func(i int) string {
		if i%10 != 0 {
			return fmt.Sprintf(`{"tool":"tool_%d_*","when":"request.args.dry_run == true"}`, i)
		}
		return fmt.Sprintf(`{"tool":"deploy_*","when":"has(request.args.region) && request.args.region == 'r%d'"}`, i)
	}
	every := func(i int) string {
		return fmt.Sprintf(`{"when":"has(request.args.env) && request.args.env == 'env%d'"}`, i)
	}
	for _, bm := range []struct {
		name  string
		match func(int) string
	}{{"cheap", cheap}, {"expressions", mixed}, {"every-expression-runs", every}} {
		b.Run(bm.name, func(b *testing.B) {
			set, q := manyRules(b, 200, bm.match), formQuestion()
			b.ReportAllocs()
			for b.Loop() {
				if r, err := set.Decide(q); r != nil || err != nil {
					b.Fatal(r, err)
				}
			}
		})
	}
}

func BenchmarkDeclares(b *testing.B) {
	set := manyRules(b, 200, func(i int) string { return fmt.Sprintf(`{"tool":"tool_%d_*"}`, i) })
	q := formQuestion()
	b.ReportAllocs()
	for b.Loop() {
		set.Declares(&q.Request, &q.Client, "/mcp", wire.CanForm)
	}
}

func BenchmarkContentFor(b *testing.B) {
	set := mustCompile(b, Spec{Name: "a", Action: "accept", Args: json.RawMessage(`{"content":{"confirm":true},"expr":{"environment":"request.args.env","size":"request.args.replicas + 1"}}`)})
	a, q := set.Rules()[0].Action.(*Accept), formQuestion()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.ContentFor(q); err != nil {
			b.Fatal(err)
		}
	}
}
