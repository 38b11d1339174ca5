//go:build soak

package soak

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// call is what the server reads of a request.
type call struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name           string          `json:"name"`
		InputResponses json.RawMessage `json:"inputResponses"`
		RequestState   json.RawMessage `json:"requestState"`
		Meta           struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

const (
	question   = `{"resultType":"input_required","requestState":"s","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"form","message":"Which port?","requestedSchema":{"type":"object","properties":{"port":{"type":"integer"}},"required":["port"]}}}}}`
	done       = `{"resultType":"complete","content":[{"type":"text","text":"done"}]}`
	discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":60000,"cacheScope":"public"}`
)

var long = strings.Repeat("x", 1500<<10)

// serve is a modern server whose tools are called for what they do.
func serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var c call
	if err != nil || json.Unmarshal(body, &c) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	say := func(result string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, c.ID, result)
	}
	retry := c.Params.InputResponses != nil || c.Params.RequestState != nil
	switch name := c.Params.Name; {
	case c.Method == "server/discover":
		say(discovered)
	case name == "error":
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no"}}`, c.ID)
	case name == "unavailable":
		w.WriteHeader(http.StatusServiceUnavailable)
	case name == "cut":
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0",`)
		panic(http.ErrAbortHandler)
	case name == "nonsense":
		say(`{"resultType":"input_required","inputRequests":null}`)
	case name == "hang":
		<-r.Context().Done()
	case name == "long":
		say(`{"resultType":"complete","content":[{"type":"text","text":"` + long + `"}]}`)
	case name == "progress":
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":%d}}\n\n", c.Params.Meta.Token, i)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Millisecond) // a server that works: its events come one by one
		}
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", c.ID, done)
	case name == "auto_for_ever":
		say(question)
	case name == "later" && !retry:
		say(`{"resultType":"input_required","requestState":"later"}`)
	case (name == "ask" || name == "silent" || strings.HasPrefix(name, "auto_")) && !retry:
		say(question)
	default:
		say(done)
	}
}
