package policy

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

func whenRule(expr string) string {
	text, _ := json.Marshal(expr)
	return `{"match":{"when":` + string(text) + `},"fail":{}}`
}

func TestExpressionsSee(t *testing.T) {
	q := form()
	q.Round = 3
	q.Request.Args = json.RawMessage(`{"s":"a\"b","i":9007199254740993,"u":18446744073709551615,"big":123456789012345678901234567890,"d":1.5,"e":1e400,
		"b":true,"n":null,"o":{"x":{"y":[1,"z",{"k":1}]}},"odd-key":1,"empty":{}}`)
	for _, expr := range []string{
		`request.method == 'tools/call' && request.name == 'deploy_here'`,
		`request.args.s == 'a"b'`,
		`request.args.i == 9007199254740993`,
		`request.args.i != 9007199254740992`,
		`request.args.i + 1 == 9007199254740994`,
		`request.args.u == 18446744073709551615u`,
		`request.args.big != 5 && has(request.args.big)`,
		`request.args.big == request.args.big`,
		`request.args.d == 1.5 && request.args.d < 2`,
		`request.args.b`,
		`request.args.n == null`,
		`request.args.o.x.y[1] == 'z' && request.args.o.x.y[2].k == 1`,
		`request.args.o.x.y == [1, 'z', {'k': 1}]`,
		`{'x': {'y': [1, 'z', {'k': 1}]}} == request.args.o`,
		`request.args.o != {'x': 1}`,
		`'z' in request.args.o.x.y && 'x' in request.args.o && !('q' in request.args.o)`,
		`request.args['odd-key'] == 1`,
		`request.args.empty == {} && size(request.args.empty) == 0`,
		`size(request.args.o.x.y) == 3`,
		`request.args.o.x.y.exists(v, v == 'z')`,
		`request.args.exists(k, k == 'odd-key')`,
		`request.args.map(k, k)[0] == 's'`,
		`has(request.args.o.x) && !has(request.args.absent) && !has(request.args.o.absent)`,
		`type(request.args.s) == string && type(request.args) == map`,
		`ask.key == 'q' && ask.method == 'elicitation/create' && ask.mode == 'form'`,
		`ask.message.contains('PRODUCTION')`,
		`ask.message.matches('^Deploy .*[?]$')`,
		`ask.params.requestedSchema.properties.confirm.type == 'boolean'`,
		`client.name == 'some-client' && client.version.startsWith('1.') && client.protocol == '2025-06-18'`,
		`has(client.capabilities.roots) && !has(client.capabilities.sampling)`,
		`has(client.name) && has(request.args)`,
		`route == '/mcp' && round == 3`,
		`request.args.absent == 1 || request.args.b`,
	} {
		set := compiled(t, whenRule(expr))
		if r, err := set.Decide(q); r == nil || err != nil {
			t.Errorf("%s: %v, %v", expr, r, err)
		}
	}
	q = asked(wire.Roots, "")
	q.Request.Args = nil
	for _, expr := range []string{`!has(ask.mode) && !has(ask.message) && ask.params == {}`, `request.args == {}`} {
		if r, err := compiled(t, whenRule(expr)).Decide(q); r == nil || err != nil {
			t.Errorf("%s: %v, %v", expr, r, err)
		}
	}
}

// An expression that fails fails the ask, whatever its rule or a later one would have said.
func TestExpressionsFailClosed(t *testing.T) {
	q := form()
	q.Request.Args = json.RawMessage(`{"s":"x","big":123456789012345678901234567890,"list":[` + strings.Repeat("1,", 4000) + `1]}`)
	for _, expr := range []string{
		`request.args.absent == 1`,
		`request.args.s.absent`,
		`request.args.s`,
		`request.args.s > 5`,
		`request.args.big > 5`,
		`request.args.big + 1 > 5`,
		`request.args.list[5000] == 1`,
		`int(request.args.s) == 1`,
		`mrtr.Ask{}.key == 'x'`,
		`request.args.s.matches(request.args.s + '(')`,
		`request.args.list.all(a, request.args.list.all(b, a == b))`,
	} {
		set := compiled(t, whenRule(expr), `{"accept":{}}`)
		start := time.Now()
		r, err := set.Decide(q)
		var failed *EvalError
		if r != nil || !errors.As(err, &failed) {
			t.Errorf("%s: rule %v, %v, want it to fail", expr, r, err)
			continue
		}
		if failed.Rule != set.Rules()[0] || failed.Field != "match.when" || len(failed.Error()) > 300 {
			t.Errorf("%s: %v", expr, failed)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: took %v", expr, d)
		}
	}
	for _, args := range []string{`[1]`, `"x"`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`} {
		q.Request.Args = json.RawMessage(args)
		if r, err := compiled(t, whenRule(`!has(request.args.x)`)).Decide(q); r != nil || err == nil {
			t.Errorf("arguments %s: rule %v, %v, want it to fail", args, r, err)
		}
	}
}

// Deep nesting cannot make an expression look at the same bytes again and again.
func TestExpressionsDoNotLookBelowTheirDepth(t *testing.T) {
	q := form()
	deep := strings.Repeat(`[`, 200) + strings.Repeat(`]`, 200)
	q.Request.Args = json.RawMessage(`{"a":` + deep + `,"b":` + strings.Replace(deep, "[[", "[ [", 1) + `}`)
	for expr, want := range map[string]bool{`request.args.a == request.args.a`: true, `request.args.a == request.args.b`: true} {
		r, err := compiled(t, whenRule(expr)).Decide(q)
		if err != nil || (r != nil) != want {
			t.Errorf("%s: %v, %v", expr, r, err)
		}
	}
}

func TestExpressionProblems(t *testing.T) {
	for expr, want := range map[string]string{
		`request.args.dry_run ==`:  "1:24: ",
		`request.arg.x == 1`:       "1:8: ",
		"true &&\n  nothing":       "2:3: ",
		`request.name == 5`:        "1:14: ",
		`request.name`:             "1:1: ",
		`round + 1`:                "1:1: ",
		``:                         "1:1: ",
		`ask.message.matches('[')`: "1:21: ",
		`request == ask`:           "1:9: ",
		`true ` + strings.Repeat("&& true ", 1000):     "",
		`[1,2].exists(x, x == request.args.n) && stop`: "1:41: ",
	} {
		_, problems := Compile(specs(t, whenRule(expr)), nil)
		if len(problems) == 0 || problems[0].Field != "match.when" || !strings.HasPrefix(problems[0].Message, want) || len(problems[0].Message) > 200 {
			t.Errorf("%.40s: %+v, want %q", expr, problems, want)
		}
	}
	rule := `{"accept":{"expr":{"ok":"request.args.x","a":"request.","b":"{'x': 1}","c":"timestamp('2020-01-01T00:00:00Z')","d":"null"}}}`
	_, problems := Compile(specs(t, rule), nil)
	var fields []string
	for _, p := range problems {
		fields = append(fields, p.Field)
	}
	if strings.Join(fields, " ") != "accept.expr.a accept.expr.b accept.expr.c accept.expr.d" {
		t.Errorf("%+v", problems)
	}
}
