package legacy_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// What stands in a message where an id goes that is not known yet.
const someID = "\x00"

// One exchange of a random request and a random reply a case. What each side sees is
// what the other has sent, to the byte, but for the edits that docs/protocol.md lists.
func TestFidelityOfRandomMessages(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.Text("")}))
	client.CallTool("0", "release", "{}").Response()
	added := string(w.upstream.Await("tools/call", 1).Param("_meta"))

	const cases, long = 300, 8
	kept, inStreams := 0, 0
	for seed := range uint64(cases) {
		d := &dice{Rand: rand.New(rand.NewPCG(seed, 1))}
		fromStream, toStream := d.odds(2), d.odds(2) && seed >= long
		method := []string{"tools/call", "prompts/get", "resources/read"}[d.IntN(3)]
		id := d.pick(strconv.FormatUint(seed+1, 10), fmt.Sprintf(`"%d\ud800\u0061"`, seed), fmt.Sprintf(`"%d é"`, seed), fmt.Sprintf("-9007199254740993%03d", seed))
		request := d.request(id, method, added[1:len(added)-1])
		d.noCR = fromStream // which says no more there than a line feed
		reply := d.reply(id, method, seed < long)

		w.upstream.Handle(method, reply.script(fromStream, d.odds(2) || seed < long))
		client.Header["Accept"] = []string{"application/json, text/event-stream"}
		if toStream {
			client.Header["Accept"] = []string{"text/event-stream"}
			inStreams++
		}
		before := len(w.upstream.Attempts(method))
		got := client.Post(d.space() + request.sent + d.space())
		down := got.Body()
		up := w.upstream.Attempts(method)
		if len(up) != before+1 {
			t.Fatalf("case %d: %d attempts for\n%s\n%s", seed, len(up)-before, request.sent, down)
		}
		identical(t, seed, "up", string(up[before].Body), strings.Replace(request.want, someID, string(up[before].ID), 1))
		want := reply.want
		if toStream {
			want = oneLine.Replace(want)
			down = data(got)
		}
		if len(down) > 1<<20 {
			down = strings.TrimRight(down, " ") // it has a length that was told before it had come
		}
		identical(t, seed, "down", down, want)
		kept += len(down)
	}
	if inStreams < cases/4 || kept < long<<20 {
		t.Errorf("%d replies as streams, %d bytes in all: the cases are not what they should be", inStreams, kept)
	}
}

// oneLine is what event streams to the client do to line breaks.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// identical compares, and shows the place where the two part.
func identical(t *testing.T, seed uint64, way, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	around := func(s string) string { return s[min(len(s), max(0, at-60)):min(len(s), at+60)] }
	t.Errorf("case %d, %s, byte %d:\n got %q\nwant %q", seed, way, at, around(got), around(want))
}

// data is what the events of a stream carry.
func data(s *mcptest.Stream) (all string) {
	for _, e := range s.Events() {
		all += e.Data
	}
	return all
}

// passage is a message as one side sends it and as the other has to see it.
type passage struct{ sent, want string }

func (p passage) script(stream, sized bool) mcptest.Script {
	return func(a *mcptest.Attempt) mcptest.Reply {
		message := strings.Replace(p.sent, someID, string(a.ID), 1)
		return mcptest.Reply{Write: func(out *mcptest.Writer) {
			switch {
			case stream:
				out.OpenStream()
				out.Bytes("data: " + strings.ReplaceAll(message, "\n", "\ndata: ") + "\n\n")
			case sized:
				out.Header().Set("Content-Length", strconv.Itoa(len(message)))
				fallthrough
			default:
				out.Open(http.StatusOK, "application/json")
				out.Bytes(message)
			}
		}}
	}
}
