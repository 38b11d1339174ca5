package upstream

import (
	"net/http"
	"sync"
	"testing"
)

// Two routes' options are equal when their Upstreams would do the same.
func TestOptionsEqual(t *testing.T) {
	make := func() Options {
		return Options{Route: "/mcp", URL: mustParse("http://server.example/mcp"), Headers: http.Header{"X": {"1"}}, ResultTypes: []string{"task"}, Timeout: 1, CallTimeout: 2, MaxMessageBytes: 3}
	}
	a, b := make(), make()
	if !a.Equal(&b) {
		t.Error("equal options differ")
	}
	for name, change := range map[string]func(*Options){
		"route": func(o *Options) { o.Route = "/x" }, "url": func(o *Options) { o.URL = mustParse("http://server.example/other") },
		"era": func(o *Options) { o.Era = Legacy }, "headers": func(o *Options) { o.Headers = http.Header{"X": {"2"}} },
		"authorization": func(o *Options) { o.Authorization = Fixed("x") }, "timeout": func(o *Options) { o.Timeout = 9 },
		"call timeout": func(o *Options) { o.CallTimeout = 9 }, "result types": func(o *Options) { o.ResultTypes = nil },
		"size": func(o *Options) { o.MaxMessageBytes = 9 }, "version": func(o *Options) { o.Version = "2" },
	} {
		b := make()
		if change(&b); a.Equal(&b) {
			t.Errorf("%s makes no difference", name)
		}
	}
}

// Attempts that run at once keep their memory apart.
func TestAttemptsAtOnce(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		how := "application/json"
		body := result(`{"content":` + string(q.params["name"]) + `}`)
		if q.params["name"][1]%2 == 0 {
			how, body = "text/event-stream", "data: "+body+"\n\n"
		}
		say(200, how, body)(w, r, q)
	})
	u := to(t, s)
	var wg sync.WaitGroup
	for i := range 8 {
		name := string(rune('a' + i))
		wg.Go(func() {
			c := request(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`"}}`)
			for range 20 {
				got := &sink{}
				if _, err := u.Attempt(t.Context(), c, Retry{}, got); err != nil || len(got.replies) != 1 || got.replies[0] != `{"jsonrpc":"2.0","id":"x","result":{"content":"`+name+`"}}` {
					t.Errorf("%s: %v %q", name, err, got.replies)
				}
			}
		})
	}
	wg.Wait()
}
