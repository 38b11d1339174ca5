package upstream

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// marked is a tool whose argument n goes into a header.
func marked(tool, header string) string {
	return `{"name":"` + tool + `","inputSchema":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"` + header + `"}}}}`
}

func listed(members string, tools ...string) string {
	return result(`{"resultType":"complete","tools":[` + strings.Join(tools, ",") + `]` + members + `}`)
}

const plainTool = `{"name":"plain","inputSchema":{"type":"object"}}`

// shelf is a server without a network: it lists its pages of tools and wants the header of deploy to be right.
type shelf struct {
	mu     sync.Mutex
	pages  []string // answers to tools/list
	status int      // of them; 0 is 200
	header string   // that deploy needs; "" is none
	seen   []seen
}

func (s *shelf) answer(q seen) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, q)
	if q.method == wire.MethodToolsList {
		at := 0
		if cursor, ok := wire.Unquote(q.params["cursor"]); ok {
			_, _ = fmt.Sscanf(cursor, "é%d", &at)
		}
		return max(s.status, 200), s.pages[min(at, len(s.pages)-1)]
	}
	if s.header != "" && q.header.Get("Mcp-Param-"+s.header) == "" {
		return 400, rpcError(`{"code":-32020,"message":"Header mismatch: ` + s.header + ` is missing"}`)
	}
	return 200, result(done)
}

// methods are those of the requests so far, in short: l for a list, c for a call.
func (s *shelf) methods() (m string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.seen {
		m += strings.TrimPrefix(q.method, "tools/")[:1]
	}
	return m
}

// mirrored are the values of the calls' mirrored headers, by call.
func (s *shelf) mirrored() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.seen {
		if q.method != wire.MethodToolsCall {
			continue
		}
		var headers []string
		for name, values := range q.header {
			if strings.HasPrefix(name, "Mcp-Param-") {
				headers = append(headers, name[len("Mcp-Param-"):]+"="+strings.Join(values, "|"))
			}
		}
		slices.Sort(headers)
		all = append(all, strings.Join(headers, " "))
	}
	return all
}

func (s *shelf) upstream(change ...func(*Options)) *Upstream {
	o := Options{Route: "/mcp", URL: mustParse("http://server.example/mcp"), Timeout: time.Minute, CallTimeout: time.Minute}
	o.Transport = roundTrip(func(r *http.Request) *http.Response {
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		q := parse(r, body)
		status, answer := s.answer(q)
		r.Body, _ = r.GetBody()
		return answerTo(r, status, answer)
	})
	for _, f := range change {
		f(&o)
	}
	return New(o)
}

func as(c *Call, credential byte) *Call {
	if credential != 0 {
		c.Credential = Credential{Authorization: "Bearer " + string(rune('a'+credential)), Digest: session.Digest{credential}}
	}
	return c
}

func list(t testing.TB, cursor string) *Call {
	if cursor != "" {
		cursor = `,"params":{"cursor":` + cursor + `}`
	}
	return request(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"`+cursor+`}`)
}

func must(t testing.TB, u *Upstream, calls ...*Call) {
	t.Helper()
	for _, c := range calls {
		if _, _, err := try(t, u, c, Retry{}); err != nil {
			t.Fatal(err)
		}
	}
}

type roundTripUntil func(*http.Request) (*http.Response, error)

func (f roundTripUntil) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
