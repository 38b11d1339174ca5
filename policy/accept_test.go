package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// accepted decides on q with one accepting rule and builds its content.
func accepted(t *testing.T, rule string, q *Question) (string, error) {
	t.Helper()
	r, err := compiled(t, rule).Decide(q)
	if r == nil || err != nil {
		t.Fatalf("%s: rule %v, %v", rule, r, err)
	}
	content, err := r.Action.(*Accept).ContentFor(q)
	return string(content), err
}

func TestContent(t *testing.T) {
	q := form()
	q.Request.Args = json.RawMessage(`{"env":"stag\"ing","esc":"\u00e9\ud800","i":9007199254740993,"big":123456789012345678901234567890,"d":1.10,"e":1e400,"f":8080.0,
		"b":false,"l":[ "a","b" ],"o":{"deep":{"v":0.30000000000000004441}}}`)
	for accept, want := range map[string]string{
		`{}`:                             `{}`,
		`{"content":{}}`:                 `{}`,
		`{"content":{"confirm":true}}`:   `{"confirm":true}`,
		`{"content":{"n":1.10,"m":1e5}}`: `{"n":1.10,"m":1e5}`,
		`{"content":{"confirm":true},"expr":{"environment":"request.args.env"}}`: `{"confirm":true,"environment":"stag\"ing"}`,
		`{"expr":{"a":"request.args.i"}}`:                                        `{"a":9007199254740993}`,
		`{"expr":{"a":"request.args.i + 1"}}`:                                    `{"a":9007199254740994}`,
		`{"expr":{"a":"request.args.big"}}`:                                      `{"a":123456789012345678901234567890}`,
		`{"expr":{"a":"has(request.args.big) ? request.args.big : 1"}}`:          `{"a":123456789012345678901234567890}`,
		`{"expr":{"a":"request.args.d"}}`:                                        `{"a":1.10}`,
		`{"expr":{"a":"request.args.d + 1.0"}}`:                                  `{"a":2.1}`,
		`{"expr":{"a":"request.args.e"}}`:                                        `{"a":1e400}`,
		`{"expr":{"a":"request.args.f"}}`:                                        `{"a":8080.0}`,
		`{"expr":{"a":"request.args.esc"}}`:                                      `{"a":"\u00e9\ud800"}`,
		`{"expr":{"a":"request.args.b"}}`:                                        `{"a":false}`,
		`{"expr":{"a":"request.args.l"}}`:                                        `{"a":[ "a","b" ]}`,
		`{"expr":{"a":"request.args.l + ['c']"}}`:                                `{"a":["a","b","c"]}`,
		`{"expr":{"a":"request.args['o'].deep.v"}}`:                              `{"a":0.30000000000000004441}`,
		`{"expr":{"a":"ask.params.message"}}`:                                    `{"a":"Deploy to PRODUCTION?"}`,
		`{"expr":{"a":"'x' + request.args.env"}}`:                                `{"a":"xstag\"ing"}`,
		`{"expr":{"a":"18446744073709551615u","b":"-1","c":"3.0","d":"'é'"}}`:    `{"a":18446744073709551615,"b":-1,"c":3,"d":"é"}`,
	} {
		got, err := accepted(t, `{"accept":`+accept+`}`, q)
		if err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", accept, got, err, want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s: not JSON", got)
		}
	}
}

func TestContentThatCannotBeBuilt(t *testing.T) {
	q := form()
	q.Request.Args = json.RawMessage(`{"o":{},"n":null,"s":"x","l":[{}],"huge":"` + strings.Repeat("x", maxComputed) + `"}`)
	for _, expr := range []string{
		`request.args.absent`, `request.args.s.absent`, `request.args.o`, `request.args.n`, `request.args.huge`,
		`request.args.s + 1`, `1.0 / 0.0`, `[dyn(request.args.huge), request.args.huge]`, `true ? request.args.o : 1`,
	} {
		text, _ := json.Marshal(expr)
		if got, err := accepted(t, `{"accept":{"expr":{"a":`+string(text)+`}}}`, q); err == nil || got != "" {
			t.Errorf("%s: %.60s, want an error", expr, got)
		} else if len(err.Error()) > 300 || !strings.Contains(err.Error(), "accept.expr.a") {
			t.Errorf("%s: %v", expr, err)
		}
	}
}

func TestDefaults(t *testing.T) {
	ask := func(properties, required string) *Question {
		return asked(wire.ElicitationForm, `{"message":"?","requestedSchema":{"type":"object","properties":`+properties+`,"required":`+required+`}}`)
	}
	for _, tc := range []struct {
		rule string
		q    *Question
		want string // "" means refused
	}{
		{`{"accept":{"defaults":true}}`, ask(`{"a":{"default":1.10},"b":{"default":"x"},"c":{}}`, `["a"]`), `{"a":1.10,"b":"x"}`},
		{`{"accept":{"defaults":true}}`, ask(`{"a":{"default":false},"b":{}}`, `["b"]`), ``},
		{`{"accept":{"defaults":true}}`, ask(`{"a":{"default":null}}`, `["a"]`), ``},
		{`{"accept":{"defaults":true}}`, ask(`{}`, `["a"]`), ``},
		{`{"accept":{"defaults":false}}`, ask(`{"a":{"default":1}}`, `["a"]`), `{}`},
		{`{"accept":{"defaults":true,"content":{"a":2},"expr":{"b":"3"}}}`, ask(`{"a":{"default":1},"b":{"default":1},"c":{"default":1}}`, `["a","b"]`), `{"a":2,"b":3,"c":1}`},
		{`{"accept":{"defaults":true}}`, ask(`{"a":{"default":1},"api_token":{"default":"t"}}`, `[]`), `{"a":1}`},
		{`{"accept":{"defaults":true}}`, ask(`{"api_token":{"default":"t"}}`, `["api_token"]`), ``},
		{`{"match":{"fields":["api_token"]},"accept":{"defaults":true}}`, ask(`{"api_token":{"default":"t"}}`, `["api_token"]`), `{"api_token":"t"}`},
		{`{"match":{"only_fields":["api_token"]},"accept":{"defaults":true}}`, ask(`{"api_token":{"default":"t"}}`, `[]`), `{}`},
		{`{"accept":{"defaults":true,"content":{"api_token":"mine"}}}`, ask(`{"api_token":{"default":"t"}}`, `["api_token"]`), `{"api_token":"mine"}`},
		{`{"accept":{"defaults":true,"expr":{"api_token":"'mine'"}}}`, ask(`{"api_token":{"default":"t"}}`, `["api_token"]`), `{"api_token":"mine"}`},
		{`{"accept":{"defaults":true}}`, ask(`{"x":{"title":"Your password","default":"t"},"y":{"format":"password","default":"t"}}`, `[]`), `{}`},
		{`{"accept":{"defaults":true}}`, asked(wire.ElicitationForm, `{"message":"?"}`), `{}`},
	} {
		got, err := accepted(t, tc.rule, tc.q)
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s on %s: %s, %v, want %s", tc.rule, tc.q.Params, got, err, tc.want)
		}
	}
}

func TestConsent(t *testing.T) {
	set := compiled(t, `{"match":{"mode":"url","url_host":"*.example"},"accept":{}}`)
	for url, want := range map[string]bool{
		"https://a.example/x":         true,
		"https://a.example.evil.com/": false,
		"http://a.example/x":          false,
		"https://u@a.example/x":       false,
		`https://evil.com\\.example/`: false,
	} {
		r, err := set.Decide(link(url))
		if err != nil || (r != nil) != want {
			t.Errorf("%s: %v, %v", url, r, err)
		}
	}
	a := set.Rules()[0].Action.(*Accept)
	if content, err := a.ContentFor(link("https://a.example/")); content != nil || err != nil {
		t.Errorf("a link: %s, %v, want no content", content, err)
	}
	if _, err := a.ContentFor(link("http://a.example/")); err == nil {
		t.Error("consent to a bad link")
	}
}

func TestLooksSensitive(t *testing.T) {
	for name, want := range map[string]bool{
		"password": true, "userPassword": true, "API_TOKEN": true, "client-secret": true, "card_number": true,
		"Card Number": true, "creditCardNumber": true, "CVV": true, "pin": true, "PIN code": true, "apiKey": true,
		"ssn": true, "otp": true, "accessKeyId": true, "x.credentials": true,
		"confirm": false, "environment": false, "spinner": false, "pinned": false, "company": false, "author": false,
		"keyboard": false, "passenger": false, "cardinal": false, "port": false, "": false,
	} {
		if got := looksSensitive(name, []byte(`{}`)); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
