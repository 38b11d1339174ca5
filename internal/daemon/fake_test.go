package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// fake is a traffic handler that notes what is done to it. Its requests hang until release is closed.
type fake struct {
	mu      sync.Mutex
	calls   []string
	refuse  error         // of a reload
	entered chan struct{} // gets one for every request that hangs
	drained chan struct{} // closed by Drain
	release chan struct{}
}

func newFake() *fake {
	return &fake{entered: make(chan struct{}, 8), drained: make(chan struct{}), release: make(chan struct{})}
}

func (f *fake) note(call string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
}

func (f *fake) noted() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.calls, " ")
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/hang" {
		f.entered <- struct{}{}
		<-f.release
	}
	_, _ = io.WriteString(w, "served")
}

func (f *fake) Reload(c *config.Config) (func(), error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	f.note("build:" + c.Routes[0].Path)
	return func() { f.note("swap:" + c.Routes[0].Path) }, nil
}

// Drain waits for the one request that may hang.
func (f *fake) Drain(ctx context.Context) error {
	f.note("drain")
	close(f.drained)
	select {
	case <-f.release:
		return nil
	case <-ctx.Done():
		close(f.release)
		return ctx.Err()
	}
}

func (f *fake) Close() { f.note("close") }

// world is a daemon under test: its file, its traffic, its log.
type world struct {
	*Daemon
	traffic *fake
	log     *output

	mu   sync.Mutex
	yaml string
}

// output is a log that tests read.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) { o.mu.Lock(); defer o.mu.Unlock(); return o.b.Write(p) }
func (o *output) Sync() error                 { return nil }
func (o *output) String() string              { o.mu.Lock(); defer o.mu.Unlock(); return o.b.String() }

const base = "listen: 127.0.0.1:0\nadmin: {listen: 127.0.0.1:0}\n"

const oneRoute = "routes: [{path: /one, upstream: {url: 'http://127.0.0.1:9'}}]\n"

func (w *world) write(yaml string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.yaml = yaml
}

// options make a daemon of the world.
func (w *world) options() Options {
	return Options{
		Version: "v0", Revision: "r0",
		Output: w.log,
		Load: func(o config.Options) (*config.Config, config.Problems) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return config.Parse("c.yaml", []byte(w.yaml), o)
		},
		Build: func(p Parts) (Traffic, error) {
			if w.traffic == nil {
				return nil, errors.New("cannot build")
			}
			w.traffic.note("begin:" + p.Config.Routes[0].Path)
			return w.traffic, nil
		},
	}
}

// start runs a daemon until the end of the test.
func start(t *testing.T, yaml string) *world {
	t.Helper()
	w := &world{traffic: newFake(), log: &output{}, yaml: base + yaml}
	d, err := New(w.options())
	if err != nil {
		t.Fatal(err)
	}
	w.Daemon = d
	d.Start()
	t.Cleanup(func() { d.Stop(cancelled()) })
	return w
}

// cancelled is a context that gives no time at all.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// get asks the admin listener, or with an absolute URL anyone.
func (w *world) get(t *testing.T, method, url string) (int, string) {
	t.Helper()
	if strings.HasPrefix(url, "/") {
		url = "http://" + w.AdminAddr().String() + url
	}
	return send(t, method, url, "")
}

// put sends a body to the admin listener.
func (w *world) put(t *testing.T, path, body string) (int, string) {
	t.Helper()
	return send(t, "PUT", "http://"+w.AdminAddr().String()+path, body)
}

func send(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(answer)
}

// metric gives the line of a metric.
func (w *world) metric(t *testing.T, name string) string {
	t.Helper()
	_, text := w.get(t, "GET", "/metrics")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, name) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// logs waits for a text in the log: the server may write it after its client has gone on.
func (w *world) logs(t *testing.T, text string) {
	t.Helper()
	mcptest.Eventually(t, "the log tells: "+text, func() bool { return strings.Contains(w.log.String(), text) })
}
