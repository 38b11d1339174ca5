package wire

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// reply is a tool result of about size bytes.
func reply(size int) []byte {
	head := `{"jsonrpc":"2.0","id":"a-17","result":{"content":[{"type":"text","text":"`
	tail := `"}],"structuredContent":{"ok":true,"n":12345,"list":[1,2,3]},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1.0"}},"isError":false,"resultType":"complete"}}`
	text := "The quick brown fox jumps over the lazy dog; "
	n := max(0, size-len(head)-len(tail))
	return []byte(head + strings.Repeat(text, n/len(text)+1)[:n] + tail)
}

// prose is a result whose text has escapes and other scripts in it.
func prose(size int) []byte {
	return []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` +
		text(size, texts["mixed"]...) + `"}],"resultType":"complete"}}`)
}

func benchScan(b *testing.B, role Role, msg []byte) {
	b.Helper()
	var s Scanner
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	buf := make([]byte, 0, len(msg)+1)
	for b.Loop() {
		s.Init(role, buf)
		copy(s.Room(len(msg)), msg)
		if err := s.Added(len(msg)); err != nil {
			b.Fatal(err)
		}
		if err := s.End(); err != nil {
			b.Fatal(err)
		}
		buf = s.Release()
	}
}

func BenchmarkScan360(b *testing.B)     { benchScan(b, FromServer, reply(360)) }
func BenchmarkScan64K(b *testing.B)     { benchScan(b, FromServer, reply(64<<10)) }
func BenchmarkScan1M(b *testing.B)      { benchScan(b, FromServer, reply(1<<20)) }
func BenchmarkScanProse(b *testing.B)   { benchScan(b, FromServer, prose(64<<10)) }
func BenchmarkScan1MProse(b *testing.B) { benchScan(b, FromServer, prose(1<<20)) }
func BenchmarkScanTools(b *testing.B)   { benchScan(b, FromServer, tools) }
func BenchmarkScanList(b *testing.B)    { benchScan(b, FromServer, list(83<<10)) }
func BenchmarkScanClient(b *testing.B)  { benchScan(b, FromClient, call) }

var call = []byte(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"get_weather","arguments":{"location":"Seattle, WA","units":"metric","days":5},"_meta":{"progressToken":"p-1","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}`)

var tools = []byte(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[` +
	strings.TrimSuffix(strings.Repeat(`{"name":"deploy_service","title":"Deploy","description":"Deploys a service to an environment.","inputSchema":{"type":"object","properties":{"env":{"type":"string","enum":["dev","prod"]},"dry_run":{"type":"boolean","default":false},"replicas":{"type":"integer","minimum":1,"maximum":10}},"required":["env"]}},`, 200), ",") +
	`],"ttlMs":0,"cacheScope":"public"}}`)

// list is a tool list of about size bytes, no two tools of which look the same.
func list(size int) []byte {
	r := rand.New(rand.NewPCG(5, 6))
	words := strings.Fields("a absolute at brings content description file find folder how in is long many most name of one or page path query search service that the to tool URL use value what when with")
	sentence := func(n int) string {
		var s []string
		for range 1 + r.IntN(n) {
			s = append(s, words[r.IntN(len(words))])
		}
		return strings.Join(s, " ")
	}
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[`)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `{"name":"%s_%d","description":"%s.","inputSchema":{"type":"object","properties":{`, words[r.IntN(len(words))], i, sentence(40))
		for j := range 1 + r.IntN(4) {
			types := []string{`"string"`, `"integer","minimum":1`, `"boolean","default":false`, `"array","items":{"type":"string"}`}
			fmt.Fprintf(&b, `"%s%d":{"type":%s,"description":"%s."},`, words[r.IntN(len(words))], j, types[r.IntN(len(types))], sentence(12))
		}
		b.WriteString(`"cursor":{"type":"string"}},"required":["cursor"]}},`)
	}
	b.WriteString(`{"name":"last","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"public"}}`)
	return []byte(b.String())
}

func scanned(tb testing.TB, role Role, msg []byte) *Scanner {
	tb.Helper()
	s := new(Scanner)
	s.Init(role, nil)
	if err := s.Feed(msg); err != nil {
		tb.Fatal(err)
	}
	if err := s.End(); err != nil {
		tb.Fatal(err)
	}
	return s
}

func BenchmarkAppendRequest(b *testing.B) {
	s := scanned(b, FromClient, call)
	meta := []byte(`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`)
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out = s.AppendRequest(out[:0], []byte("1"), meta, nil)
	}
}

func BenchmarkAppendReply(b *testing.B) {
	s := scanned(b, FromServer, reply(360))
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out = s.AppendReply(out[:0], []byte("17"))
	}
}

func BenchmarkDrain1M(b *testing.B) {
	msg := reply(1 << 20)
	var s Scanner
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	buf := make([]byte, 0, 64<<10)
	for b.Loop() {
		s.Init(FromServer, buf)
		for at := 0; at < len(msg); {
			n := copy(s.Room(16<<10), msg[at:])
			at += n
			if err := s.Added(n); err != nil {
				b.Fatal(err)
			}
			if err := s.Drain(io.Discard, []byte("17")); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.End(); err != nil {
			b.Fatal(err)
		}
		if err := s.Drain(io.Discard, []byte("17")); err != nil {
			b.Fatal(err)
		}
		buf = s.Release()
	}
}

type discardSink struct{ events, bytes int }

func (d *discardSink) Data(p []byte) error   { d.bytes += len(p); return nil }
func (d *discardSink) Dispatch(string) error { d.events++; return nil }
func (d *discardSink) Comment()              {}

func BenchmarkEventReader(b *testing.B) {
	for name, msg := range map[string][]byte{"360B": reply(360), "64KiB": reply(64 << 10)} {
		b.Run(name, func(b *testing.B) {
			event := AppendEvent(nil, "", msg, false)
			var r EventReader
			var d discardSink
			b.SetBytes(int64(len(event)))
			b.ReportAllocs()
			for b.Loop() {
				if err := r.Feed(event, &d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
