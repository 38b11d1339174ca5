package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// door stands before the SDK's handler and makes it modern only: the SDK by itself also answers the legacy handshake. It
// notes every request that comes in.
type door struct {
	next       http.Handler
	transcript *transcript

	mu   sync.Mutex
	seen []received // since the last take
}

// maxBody is far more than any request of the demo has, in bytes.
const maxBody = 1 << 20

// ServeHTTP lets modern requests in. To others a server of this revision answers as to a method it does not have.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	in := received{header: r.Header}
	if err != nil || json.Unmarshal(body, &in) != nil {
		http.Error(w, "this is no message", http.StatusBadRequest)
		return
	}
	attempt := d.note(in)
	switch {
	case !in.isModern():
		d.refuse(w, in)
		return
	case in.Method == methodCall:
		d.transcript.says(theProxy, theServer, "attempt %d: tools/call %s%s", attempt, in.Params.Name, in.carried())
	default:
		d.transcript.says(theProxy, theServer, "%s", in.Method)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	d.next.ServeHTTP(w, r)
}

// refuse turns away who does not speak the modern revision: in this demo only the client, when it comes without the proxy.
func (d *door) refuse(w http.ResponseWriter, in received) {
	id := in.ID
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	d.transcript.says(theServer, theClient, "HTTP 404, error -32601: %s is unknown here", in.Method)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, id)
}

// note keeps a request, and tells how many calls have come since the last take.
func (d *door) note(in received) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = append(d.seen, in)
	return len(calls(d.seen))
}

// take gives the requests that have come in since the last time.
func (d *door) take() []received {
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := d.seen
	d.seen = nil
	return seen
}
