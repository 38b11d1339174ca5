package policy

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// specs reads rules as they stand in a configuration: {"match":{…},"accept":{…}}. A rule without a
// name is called by its place: r1, r2, …
func specs(t testing.TB, rules ...string) []Spec {
	t.Helper()
	list := make([]Spec, len(rules))
	for i, rule := range rules {
		list[i].Name = fmt.Sprintf("r%d", i+1)
		err := wire.Each([]byte(rule), func(key string, value []byte) error {
			switch key {
			case "name":
				list[i].Name, _ = wire.Unquote(value)
			case "match":
				list[i].Match = value
			default:
				list[i].Action, list[i].Args = key, value
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", rule, err)
		}
	}
	return list
}

// compiled compiles rules that have no problem.
func compiled(t testing.TB, rules ...string) *Set {
	t.Helper()
	return mustCompile(t, specs(t, rules...)...)
}

func mustCompile(t testing.TB, specs ...Spec) *Set {
	t.Helper()
	set, problems := Compile(specs, map[string]ActionParser{"webhook": parseHook})
	if problems != nil {
		t.Fatalf("problems: %+v", problems)
	}
	return set
}

// parseHook stands for a source of another package: it wants a url.
func parseHook(args json.RawMessage) (any, []Problem) {
	url, ok := wire.Unquote(wire.Get(args, "url"))
	if !ok {
		return nil, []Problem{{Field: "url", Message: "must be a string"}, {Message: "needs more"}}
	}
	return url, nil
}

// asked is a question on a tools/call of deploy_here by a client that can be asked it.
func asked(kind wire.AskKind, params string) *Question {
	method := map[wire.AskKind]string{wire.Sampling: wire.MethodCreateMessage, wire.Roots: wire.MethodRootsList}[kind]
	if method == "" {
		method = wire.MethodElicit
	}
	q := QuestionOf("q", kind, method, json.RawMessage(params))
	q.Request = Request{Method: wire.MethodToolsCall, Name: "deploy_here", Args: json.RawMessage(`{"dry_run":true,"env":"prod","n":9007199254740993}`)}
	q.Client = Client{Name: "some-client", Version: "1.2", Protocol: "2025-06-18", Can: wire.CanForm | wire.CanRoots}
	q.ClientCan, q.Route, q.Round = true, "/mcp", 1
	return &q
}

func form() *Question {
	return asked(wire.ElicitationForm, `{"message":"Deploy to PRODUCTION?","requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean"},"note":{"type":"string"}},"required":["confirm"]}}`)
}

func link(url string) *Question {
	return asked(wire.ElicitationURL, `{"mode":"url","message":"Sign in","url":"`+url+`"}`)
}

func sampling() *Question {
	return asked(wire.Sampling, `{"messages":[],"maxTokens":10}`)
}

func roots() *Question { return asked(wire.Roots, ``) }

func with(q *Question, change func(*Question)) *Question {
	change(q)
	return q
}
