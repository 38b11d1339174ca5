package daemon

import (
	"context"
	"strings"
	"testing"
)

// hang opens a request that runs until the traffic is released.
func (w *world) hang(t *testing.T) <-chan string {
	t.Helper()
	done := make(chan string, 1)
	url := "http://" + w.Addr().String() + "/hang"
	go func() {
		_, body := w.get(t, "GET", url)
		done <- body
	}()
	<-w.traffic.entered
	return done
}

func TestStopLetsRunningRequestsEnd(t *testing.T) {
	w := start(t, oneRoute)
	answered := w.hang(t)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		w.Stop(context.Background())
	}()
	<-w.traffic.drained
	if status, body := w.get(t, "GET", "/-/ready"); status != 503 || !strings.Contains(body, "draining") {
		t.Errorf("ready while draining: HTTP %d %s", status, body)
	}
	if status, _ := w.get(t, "GET", "/-/healthy"); status != 200 {
		t.Errorf("healthy while draining: HTTP %d", status)
	}
	// Answers to open questions come in as new requests.
	if status, _ := w.get(t, "GET", "http://"+w.Addr().String()+"/"); status != 200 {
		t.Errorf("a request while draining: HTTP %d", status)
	}
	select {
	case <-stopped:
		t.Fatal("stopped while a request was running")
	default:
	}
	close(w.traffic.release)
	<-stopped
	if body := <-answered; body != "served" {
		t.Errorf("the running request got %q", body)
	}
	if got := w.traffic.noted(); got != "begin:/one drain close" {
		t.Errorf("traffic saw %s", got)
	}
	for _, addr := range []string{w.Addr().String(), w.AdminAddr().String()} {
		if status, _ := w.get(t, "GET", "http://"+addr+"/-/healthy"); status != 0 {
			t.Errorf("%s still answers", addr)
		}
	}
}

func TestStopWaitsNoLongerThanConfigured(t *testing.T) {
	w := start(t, oneRoute+"shutdown_timeout: 10ms\n")
	answered := w.hang(t)
	w.Stop(context.Background())
	if body := <-answered; body != "served" {
		t.Errorf("the running request got %q", body)
	}
	if !strings.Contains(w.log.String(), "requests were still running") {
		t.Errorf("the log: %s", w.log)
	}
}

func TestStopCanBeCutShort(t *testing.T) {
	w := start(t, oneRoute+"shutdown_timeout: 1h\n")
	w.hang(t)
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		w.Stop(ctx)
	}()
	cancel()
	<-stopped
}

func TestNoReloadWhileStopping(t *testing.T) {
	w := start(t, oneRoute)
	w.Stop(cancelled())
	if _, err := w.Reload(context.Background()); err == nil {
		t.Error("reloaded after the end")
	}
	w.Stop(context.Background()) // a second call is nothing
	if got := w.traffic.noted(); got != "begin:/one drain close" {
		t.Errorf("traffic saw %s", got)
	}
}
