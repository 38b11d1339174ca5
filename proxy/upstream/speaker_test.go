package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

const everythingChanges = `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true}}`

// speaker is a server that can be listened to, without a network: it is for tests whose time is not the world's.
type speaker struct {
	t  *testing.T
	up *Upstream

	mu           sync.Mutex
	capabilities string
	listen       func(*spoken) // answers a listen; nil acknowledges it
	refuse       func(q seen) *http.Response
	opened       []*spoken // every listen so far
	dropped      map[metrics.DropReason]int
	log          *observer.ObservedLogs
}

// spoken is one listen as the server sees it.
type spoken struct {
	t             *testing.T
	id            string
	filter        string // raw
	authorization string
	at            time.Time
	out           *io.PipeWriter
	ctx           context.Context
}

// speak makes a speaker and an Upstream of it, which is closed at the end.
func speak(t *testing.T, change ...func(*Options)) *speaker {
	core, logs := observer.New(zap.DebugLevel)
	s := &speaker{t: t, capabilities: everythingChanges, dropped: map[metrics.DropReason]int{}, log: logs}
	o := Options{
		Route: "/mcp", URL: &url.URL{Scheme: "http", Host: "server.example", Path: "/mcp"}, Timeout: time.Minute, CallTimeout: time.Minute,
		MaxMessageBytes: 1 << 20, Transport: s, Log: zap.New(core),
		Dropped: func(_ metrics.Direction, why metrics.DropReason) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.dropped[why]++
		},
	}
	for _, f := range change {
		f(&o)
	}
	s.up = New(o)
	t.Cleanup(func() { s.up.Close(); synctest.Wait() })
	return s
}

// RoundTrip implements http.RoundTripper.
func (s *speaker) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	q := parse(r, body)
	s.mu.Lock()
	refuse, listen, capabilities := s.refuse, s.listen, s.capabilities
	s.mu.Unlock()
	if q.method == "subscriptions/listen" {
		in, out := io.Pipe()
		l := &spoken{t: s.t, id: q.id, filter: string(q.params["notifications"]), authorization: r.Header.Get("Authorization"), at: time.Now(), out: out, ctx: r.Context()}
		s.mu.Lock()
		s.opened = append(s.opened, l)
		s.mu.Unlock()
		if refuse != nil {
			if resp := refuse(q); resp != nil {
				return resp, nil
			}
		}
		context.AfterFunc(r.Context(), func() { out.CloseWithError(context.Cause(r.Context())) })
		if listen == nil {
			listen = (*spoken).acknowledge
		}
		go listen(l)
		return &http.Response{StatusCode: 200, ProtoMajor: 1, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: in, ContentLength: -1}, nil
	}
	if refuse != nil {
		if resp := refuse(q); resp != nil {
			return resp, nil
		}
	}
	return answered(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":%s}}`, q.id, capabilities)), nil
}

func answered(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// set changes how the server behaves.
func (s *speaker) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// listens are the open ones.
func (s *speaker) listens() (open []*spoken) {
	synctest.Wait()
	for _, l := range s.every() {
		if l.ctx.Err() == nil {
			open = append(open, l)
		}
	}
	return open
}

// every are all listens so far.
func (s *speaker) every() []*spoken {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.opened)
}

// one is the only open listen, which must ask for a filter.
func (s *speaker) one(filter string) *spoken {
	s.t.Helper()
	open := s.listens()
	if len(open) != 1 {
		s.t.Fatalf("%d listens are open, want one", len(open))
	}
	if open[0].filter != filter {
		s.t.Fatalf("the listen asks for %s, want %s", open[0].filter, filter)
	}
	return open[0]
}

// lost is how many messages were dropped for a reason.
func (s *speaker) lost(why metrics.DropReason) int {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped[why]
}

func (l *spoken) acknowledge() {
	l.say("notifications/subscriptions/acknowledged", `"notifications":`+l.filter)
}

// say sends a notification.
func (l *spoken) say(method, params string) {
	if params != "" {
		params = "," + params
	}
	l.raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s,"v":1}%s}}`, method, l.id, params))
}

func (l *spoken) toolsChanged()      { l.say("notifications/tools/list_changed", "") }
func (l *spoken) updated(uri string) { l.say("notifications/resources/updated", `"uri":"`+uri+`"`) }

func (l *spoken) raw(message string) {
	_, _ = io.WriteString(l.out, "data: "+strings.ReplaceAll(message, "\n", "\ndata: ")+"\n\n")
}

// finish ends the listen as a server does that means it.
func (l *spoken) finish() {
	l.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete"}}`, l.id))
	_ = l.out.Close()
}

// breakOff ends the listen as a network does.
func (l *spoken) breakOff() { _ = l.out.CloseWithError(io.ErrUnexpectedEOF) }

// ear is a stream of a session.
type ear struct {
	mu    sync.Mutex
	heard []string
	ended bool
}

func (e *ear) Announce(message []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, string(message))
}

func (e *ear) Over() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
}

func (e *ear) over() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended
}

// news takes what has been heard: lists by name, resources by URI.
func (e *ear) news(t *testing.T) (news []string) {
	t.Helper()
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, raw := range e.heard {
		var m struct {
			Method string
			Params struct{ URI string }
		}
		if err := json.Unmarshal([]byte(raw), &m); err != nil || strings.Contains(raw, "subscriptionId") || strings.ContainsAny(raw, "\r\n") {
			t.Errorf("heard %q", raw)
		}
		switch parts := strings.Split(m.Method, "/"); {
		case m.Params.URI != "":
			news = append(news, m.Params.URI)
		default:
			news = append(news, parts[1])
		}
	}
	e.heard = nil
	return news
}

// hears compares what has been heard since the last time, in any order.
func (e *ear) hears(t *testing.T, want ...string) {
	t.Helper()
	got := e.news(t)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

// person is a session of a client.
type person struct {
	s    *speaker
	id   session.ID
	cred Credential
	uris []string
}

// come gives a session under a credential, "" for none.
func (s *speaker) come(authorization string) *person {
	return &person{s: s, id: session.NewID(), cred: Credential{Authorization: authorization, Digest: session.CredentialOf(authorization)}}
}

func (p *person) resources() []string { return p.uris }

// stand opens a stream.
func (p *person) stand() (e *ear, leave func()) {
	p.s.t.Helper()
	e = &ear{}
	leave, err := p.s.up.Hub().Stand(p.id, p.cred, p.resources, e)
	if err != nil {
		p.s.t.Fatal(err)
	}
	return e, leave
}

// want subscribes to these resources and no others.
func (p *person) want(uris ...string) error {
	p.uris = uris
	return p.s.up.Hub().Want(p.id, p.cred, p.resources)
}
