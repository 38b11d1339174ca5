package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const accept = `{"action":"accept","content":{"port":9090}}`

var (
	about = answer.Context{Route: "/mcp", Principal: "9219", Round: 2,
		Request: policy.Request{Method: "tools/call", Name: "deploy", Args: json.RawMessage(`{"n":12345678901234567890.10,"s":"\u003c"}`)},
		Client:  policy.Client{Name: "tester \"1\"", Version: "1"}}
	port = resolver.Ask{Key: "q", Kind: wire.ElicitationForm, Method: "elicitation/create", Params: json.RawMessage(`{"message":"Which port?"}`)}
)

// failures keeps what a factory reports.
type failures struct {
	mu  sync.Mutex
	all []error
}

func (f *failures) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, err)
}

// hookOf parses a rule that must be good.
func hookOf(t *testing.T, args string, failed func(error)) answer.Answerer {
	t.Helper()
	f := New(Options{Failed: failed, LookupEnv: func(name string) (string, bool) { return "t0p", name == "DESK_SECRET" }})
	t.Cleanup(f.Close)
	h, problems := f.Parse(json.RawMessage(args))
	if len(problems) > 0 {
		t.Fatalf("%s: %v", args, problems)
	}
	return h
}

func TestTheRequest(t *testing.T) {
	type request struct {
		header http.Header
		body   []byte
	}
	var got []request
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got = append(got, request{r.Header, b})
		if r.Method != http.MethodPost || r.URL.RequestURI() != "/mrtr?x=1" {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		_, _ = io.WriteString(w, " "+accept+"\n")
	}))
	defer desk.Close()
	for _, more := range []string{`,"secret":{"env":"DESK_SECRET"}`, ``} {
		raw, err := hookOf(t, `{"url":"`+desk.URL+`/mrtr?x=1"`+more+`}`, nil).Answer(t.Context(), &about, port)
		if err != nil || string(raw) != accept {
			t.Fatalf("%s, %v", raw, err)
		}
	}
	var sent struct {
		ID, Time, Route, Principal string
		Request                    struct {
			Method, Name string
			Args         json.RawMessage
		}
		Ask struct {
			Key, Method string
			Params      json.RawMessage
		}
		Client struct{ Name, Version string }
		Round  int
	}
	if err := json.Unmarshal(got[0].body, &sent); err != nil {
		t.Fatalf("%s: %v", got[0].body, err)
	}
	if _, err := time.Parse(time.RFC3339, sent.Time); err != nil || len(sent.ID) != 32 || sent.Route != "/mcp" || sent.Principal != "9219" || sent.Round != 2 ||
		sent.Request.Method != "tools/call" || sent.Request.Name != "deploy" || string(sent.Request.Args) != string(about.Request.Args) ||
		sent.Ask.Key != "q" || sent.Ask.Method != port.Method || string(sent.Ask.Params) != string(port.Params) || sent.Client.Name != about.Client.Name || sent.Client.Version != "1" {
		t.Errorf("sent %s", got[0].body)
	}
	mac := hmac.New(sha256.New, []byte("t0p"))
	mac.Write(got[0].body)
	if sig := got[0].header.Get("X-Mrtr-Signature"); sig != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
		t.Errorf("signature %q", sig)
	}
	if got[1].header["X-Mrtr-Signature"] != nil {
		t.Error("signed without a secret")
	}
	if string(got[0].body) == string(got[1].body) {
		t.Error("two asks have one id")
	}
}

func TestWhatComesBack(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status int
		body   string
		says   string // of the error
	}{
		{"an answer", 200, accept, ""},
		{"forward", 200, `{"forward":true}`, answer.ErrForward.Error()},
		{"no content", 204, ``, "HTTP 204"},
		{"another success", 201, accept, "HTTP 201"},
		{"a redirect", 307, accept, "HTTP 307"},
		{"an error", 500, accept, "HTTP 500"},
		{"nothing", 200, ``, "no JSON object"},
		{"a page", 200, `<html>`, "no JSON object"},
		{"an array", 200, `[` + accept + `]`, "no JSON object"},
		{"two answers", 200, accept + accept, "no JSON object"},
		{"too long", 200, `{"x":"` + strings.Repeat("x", maxAnswerBytes) + `"}`, "too long"},
	} {
		var reported failures
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
		desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(tc.status)
			_, _ = io.WriteString(w, tc.body)
		}))
		raw, err := hookOf(t, `{"url":"`+desk.URL+`/?token=s3cret"}`, reported.add).Answer(t.Context(), &about, port)
		desk.Close()
		elsewhere.Close()
		if tc.says == "" {
			if err != nil || string(raw) != tc.body {
				t.Errorf("%s: %.100s, %v", tc.name, raw, err)
			}
			continue
		}
		if raw != nil || err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %.100s, %v", tc.name, raw, err)
		}
		for _, e := range append(reported.all, err) {
			if strings.Contains(e.Error(), "s3cret") || strings.Contains(e.Error(), "9090") {
				t.Errorf("%s: %v", tc.name, e)
			}
		}
		if errors.Is(err, answer.ErrForward) != (tc.name == "forward") {
			t.Errorf("%s: forwarded", tc.name)
		}
	}
}

func TestALateWebhookIsATimeout(t *testing.T) {
	desk := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-r.Context().Done()
	}))
	defer desk.Close()
	var reported failures
	_, err := hookOf(t, `{"url":"`+desk.URL+`","timeout":"50ms"}`, reported.add).Answer(t.Context(), &about, port)
	if !errors.Is(err, context.DeadlineExceeded) || len(reported.all) != 1 || !strings.Contains(reported.all[0].Error(), desk.URL) {
		t.Errorf("%v, reported %v", err, reported.all)
	}
}

func TestAnAnswerThatBreaksOff(t *testing.T) {
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, accept)
	}))
	defer desk.Close()
	if raw, err := hookOf(t, `{"url":"`+desk.URL+`"}`, nil).Answer(t.Context(), &about, port); raw != nil || !errors.Is(err, errBroken) {
		t.Errorf("%s, %v", raw, err)
	}
}

// network makes a hook's connections without a network.
func network(h answer.Answerer, dial func() (net.Conn, error)) {
	h.(*hook).factory.client.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
		return dial()
	}
}

func TestOnlyWhatWasNotSentIsTriedAgain(t *testing.T) {
	for _, tc := range []struct {
		name  string
		sent  bool
		tries int
		took  time.Duration
	}{
		{"no connection", false, mostTries, 700 * time.Millisecond},
		{"a connection that breaks", true, 1, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var reported failures
				h := hookOf(t, `{"url":"http://desk.example/"}`, reported.add)
				tries := 0
				network(h, func() (net.Conn, error) {
					tries++
					if !tc.sent {
						return nil, errors.New("refused by 10.0.0.7")
					}
					here, there := net.Pipe()
					go func() {
						_, _ = there.Read(make([]byte, 10))
						_ = there.Close()
					}()
					return here, nil
				})
				begun := time.Now()
				raw, err := h.Answer(t.Context(), &about, port)
				if raw != nil || !errors.Is(err, errUnreachable) || strings.Contains(err.Error(), "10.0.0.7") || tries != tc.tries || time.Since(begun) != tc.took {
					t.Errorf("%s, %v after %d tries and %v", raw, err, tries, time.Since(begun))
				}
				if len(reported.all) != 1 {
					t.Errorf("reported %v", reported.all)
				}
			})
		})
	}
}

func TestTriesEndWithTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hookOf(t, `{"url":"http://desk.example/","timeout":"250ms"}`, nil)
		network(h, func() (net.Conn, error) { return nil, errors.New("refused") })
		begun := time.Now()
		if _, err := h.Answer(t.Context(), &about, port); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != 250*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

func TestNoProxyOfTheEnvironment(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	h := hookOf(t, `{"url":"http://desk.example/"}`, nil)
	if h.(*hook).factory.client.Transport.(*http.Transport).Proxy != nil {
		t.Error("a proxy may come in between")
	}
}

func TestRules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("t0p\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, fields := range map[string]string{
		`{"url":"https://desk.example/mrtr","timeout":"30s","secret":{"env":"DESK_SECRET"}}`: "",
		`{"url":"http://desk","secret":{"file":"` + file + `"}}`:                             "",
		`{}`:                                 "url",
		`null`:                               "",
		`"https://desk.example"`:             "",
		`{"url":"desk.example"}`:             "url",
		`{"url":"ftp://desk.example"}`:       "url",
		`{"url":"https:///x"}`:               "url",
		`{"url":"https://a:b@desk.example"}`: "url",
		`{"url":"https://desk.example/#x"}`:  "url",
		`{"url":7,"timeout":30,"secret":"t0p","retries":1}`:            "url timeout secret retries",
		`{"url":"https://d","timeout":"0s"}`:                           "timeout",
		`{"url":"https://d","secret":{"env":"NONE"}}`:                  "secret.env",
		`{"url":"https://d","secret":{"file":"/no/such/file"}}`:        "secret.file",
		`{"url":"https://d","secret":{"env":"DESK_SECRET","file":""}}`: "secret",
		`{"url":"https://d","secret":{"path":"x"}}`:                    "secret",
	} {
		f := New(Options{LookupEnv: func(name string) (string, bool) { return "t0p", name == "DESK_SECRET" }})
		h, problems := f.Parse(json.RawMessage(args))
		var got []string
		for _, p := range problems {
			got = append(got, p.Field)
			if strings.Contains(p.Message, "t0p") {
				t.Errorf("%s: %s", args, p.Message)
			}
		}
		if strings.Join(got, " ") != fields {
			t.Errorf("%s: problems %v, want of %q", args, problems, fields)
		}
		if bad := args == `null` || args[0] == '"'; bad != (fields == "" && len(problems) > 0) {
			t.Errorf("%s: %v", args, problems)
		}
		if strings.Contains(fmt.Sprintf("%+v %#v %x", h, h, h), "t0p") {
			t.Errorf("%s: the secret can be printed", args)
		}
	}
}
