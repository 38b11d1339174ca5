package peer

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// ListSize is about how long the long tool list is, in bytes.
const ListSize = 83_000

const (
	discovery = `"supportedVersions":["` + wire.Modern + `"],"capabilities":{"tools":{}},` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench-stub","version":"1"}},"ttlMs":3600000,"cacheScope":"public"`
	textBegin = `"content":[{"type":"text","text":"`
	textEnd   = `"}],"isError":false`
	// Done is the text of a call's result where no other was asked for.
	Done = "all of it is done"
)

func (q *request) call(w http.ResponseWriter) {
	switch name := q.Name.Of(q.Bytes()); string(name) {
	case `"small"`:
		q.result(w, complete, textBegin, q.text("text"), textEnd)
	case `"large"`:
		q.large(w, q.number("bytes"))
	case `"ask"`:
		q.ask(w, q.number("rounds"))
	case `"progress"`:
		q.progress(w, q.number("events"))
	default:
		q.refuse(w, http.StatusOK, wire.CodeInvalidParams, "no such tool")
	}
}

func (q *request) text(name string) string {
	s, _ := wire.Unquote(wire.Get(q.args, name))
	return s
}

func (q *request) number(name string) int {
	n, _ := strconv.Atoi(string(wire.Get(q.args, name)))
	return n
}

// block is text as it stands in a JSON string, with escapes and more than ASCII.
var block = func() []byte {
	const line = `\"Fast\" is what the quick brown fox is, says the café owner.\n`
	b := []byte(strings.Repeat(line, 64<<10/len(line)))
	return append(b, strings.Repeat(".", 64<<10-len(b))...)
}()

// large sends a text of n bytes in pieces.
func (q *request) large(w http.ResponseWriter, n int) {
	b := append(q.begin(), textBegin...)
	cut := len(b)
	q.out = q.end(append(b, textEnd...), complete)
	header(w, len(q.out)+n)
	_, _ = w.Write(q.out[:cut])
	for ; n >= len(block); n -= len(block) {
		_, _ = w.Write(block)
	}
	_, _ = w.Write([]byte(strings.Repeat(".", n)))
	_, _ = w.Write(q.out[cut:])
}

// state is as long as a sealed one; the round it belongs to comes after it.
var state = strings.Repeat("K3-sealed_", 20)

// ask asks for a name in each of so many rounds, and greets at the end.
func (q *request) ask(w http.ResponseWriter, rounds int) {
	done := 0
	if raw := q.RequestState.Of(q.Bytes()); raw != nil {
		s, _ := wire.Unquote(raw)
		n, found := strings.CutPrefix(s, state)
		done, _ = strconv.Atoi(n)
		answer := wire.Get(q.InputResponses.Of(q.Bytes()), "question-"+n)
		name, _ := wire.Unquote(wire.Get(answer, "content", "name"))
		if !found || done < 1 || done > rounds || name != "Ada" {
			q.refuse(w, http.StatusBadRequest, wire.CodeInvalidParams, "the state or the answer is not right")
			return
		}
	}
	if done == rounds {
		q.result(w, complete, textBegin, Done, textEnd)
		return
	}
	n := strconv.Itoa(done + 1)
	q.result(w, inputRequired, `"inputRequests":{"question-`, n,
		`":{"method":"elicitation/create","params":{"mode":"form","message":"Question `, n, `: who is to be greeted?",`+
			`"requestedSchema":{"type":"object","properties":{"name":{"type":"string","title":"Name","minLength":1}},"required":["name"]}}}},"requestState":"`,
		state, n, `"`)
}

// progress sends events on a stream, each flushed, and the result.
func (q *request) progress(w http.ResponseWriter, events int) {
	token := wire.Get(q.Meta.Of(q.Bytes()), "progressToken")
	h := w.Header()
	h["Content-Type"] = streamType
	flusher := w.(http.Flusher)
	for i := 1; i <= events && token != nil; i++ {
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":%d,\"total\":%d,\"message\":\"step %d\"}}\n\n", token, i, events, i)
		flusher.Flush()
	}
	q.out = q.end(append(q.begin(), textBegin+Done+textEnd...), complete)
	_, _ = fmt.Fprintf(w, "data: %s\n\n", q.out)
}

// toolList is a tool list of about size bytes, with the tools that there are at least.
func toolList(size int) string {
	var b strings.Builder
	b.WriteString(`"tools":[`)
	for i, t := range [...][2]string{{"small", "text"}, {"large", "bytes"}, {"ask", "rounds"}, {"progress", "events"}} {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":%q,"description":"A tool of the benchmark.","inputSchema":{"type":"object","properties":{%q:{}}}}`, t[0], t[1])
	}
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `,{"name":"filler_%03d","description":"A tool with a description as long as those of real servers are: what it does, when it is of use, and what it brings.",`+
			`"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"An absolute path."},`+
			`"limit":{"type":"integer","minimum":1,"maximum":1000,"description":"How many at most."}},"required":["path"]}}`, i)
	}
	b.WriteString(`],"ttlMs":0,"cacheScope":"public"`)
	return b.String()
}
