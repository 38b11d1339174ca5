package explain

import (
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

const form = `{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}`

// An ask is read in every form in which somebody has it at hand.
func TestRead(t *testing.T) {
	for _, tc := range []struct{ document, want string }{
		{form, "ask=elicitation_form"},
		{`{"ask":` + form + `}`, "ask=elicitation_form"},
		{`{"ask":{"key":"q","method":"roots/list"}}`, "q=roots"},
		{`{"inputRequests":{"a":` + form + `,"b":{"method":"roots/list"}}}`, "a=elicitation_form b=roots"},
		{`{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"roots/list"}}}`, "a=roots"},
		{`{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"request":{"name":"x"}}}`, "a=roots"},
		{` {"inputRequests":{"a":{"method":"roots/list"}},"route":"/x","round":3} `, "a=roots"},
	} {
		q, err := Read([]byte(tc.document))
		if err != nil {
			t.Errorf("%s: %v", tc.document, err)
			continue
		}
		var got []string
		for _, a := range q.Asks {
			got = append(got, a.Key+"="+a.Kind.String())
		}
		if strings.Join(got, " ") != tc.want || q.Request.Method != "tools/call" || q.Request.Name != "" || !q.Assumed || q.Client.Can != Everything {
			t.Errorf("%s: %+v", tc.document, q)
		}
	}
}

func TestReadWhatTheAskBelongsTo(t *testing.T) {
	q, err := Read([]byte(`{"ask":` + form + `,"route":"/x","round":2,"request":{"method":"prompts/get","name":"p","args":{"n":9007199254740993}},` +
		`"client":{"name":"c","version":"1","protocol":"2025-06-18","capabilities":{"elicitation":{"url":{}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if q.Route != "/x" || q.Round != 2 || q.Request.Method != "prompts/get" || q.Request.Name != "p" || string(q.Request.Args) != `{"n":9007199254740993}` ||
		q.Client.Name != "c" || q.Client.Version != "1" || q.Client.Protocol != "2025-06-18" || q.Client.Can != wire.CanURL || q.Assumed {
		t.Errorf("%+v", q)
	}
}

func TestReadRefuses(t *testing.T) {
	for document, says := range map[string]string{
		``:                             "no JSON",
		`{`:                            "no JSON",
		`[]`:                           "no JSON object",
		`{}`:                           "there is no ask",
		`{"result":{}}`:                "there is no ask",
		`{"result":[]}`:                "JSON",
		`{"result":{"content":[]}}`:    "there is no ask",
		`{"resultType":"complete"}`:    "asks for nothing",
		`{"inputRequests":{}}`:         "no ask in inputRequests",
		`{"inputRequests":[]}`:         "no object",
		`{"ask":1}`:                    "no object",
		`{"ask":{"method":"x/y"}}`:     "none that a client can be asked",
		`{"ask":{"key":1,"method":1}}`: "ask.key is no string",
		`{"method":"elicitation/create","params":[]}`:                                 "no object",
		`{"ask":` + form + `,"request":1}`:                                            "request is no object",
		`{"ask":` + form + `,"request":{"tool":"x"}}`:                                 `unknown member "tool"`,
		`{"ask":` + form + `,"request":{"method":"tools/list"}}`:                      "never answered with asks",
		`{"ask":` + form + `,"request":{"args":[]}}`:                                  "no JSON object",
		`{"ask":` + form + `,"client":{"capabilities":true}}`:                         "no JSON object",
		`{"ask":` + form + `,"client":{"title":"x"}}`:                                 `unknown member "title"`,
		`{"ask":` + form + `,"round":0}`:                                              "no whole number",
		`{"ask":` + form + `,"route":1}`:                                              "route is no string",
		`{"ask":` + form + `,"ask":` + form + `}`:                                     "",
		`{"inputRequests":{"a":{"method":"roots/list"},"a":{"method":"roots/list"}}}`: "",
	} {
		if q, err := Read([]byte(document)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %+v, %v, want %q", document, q, err, says)
		}
	}
}

func TestOverride(t *testing.T) {
	q, _ := Read([]byte(form))
	o := Override{Route: "/y", Resource: "file:///a", Args: `{"a":1}`, Client: "c", Capabilities: `{"roots":{}}`}
	if err := q.Override(o); err != nil || q.Route != "/y" || q.Request.Method != "resources/read" || q.Request.Name != "file:///a" ||
		string(q.Request.Args) != `{"a":1}` || q.Client.Name != "c" || q.Client.Can != wire.CanRoots || q.Assumed {
		t.Errorf("%+v, %v", q, err)
	}
	for _, o := range []Override{
		{Tool: "a", Prompt: "b"}, {Tool: "a", Method: "prompts/get"}, {Method: "tools/list"}, {Args: "[]"}, {Args: "{"}, {Capabilities: "x"},
	} {
		if err := New().Override(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(form))
	f.Add([]byte(`{"result":{"inputRequests":{"a":` + form + `}},"client":{"capabilities":{}}}`))
	f.Add([]byte(`{"ask":{"key":"q","method":"roots/list"},"request":{"args":{}}}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		if q, err := Read(document); err == nil && len(q.Asks) == 0 {
			t.Errorf("%s: no error and no ask", document)
		}
	})
}
