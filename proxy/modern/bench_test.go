package modern

import (
	"net/http"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// BenchmarkVisit is what a valid request costs before it goes up.
func BenchmarkVisit(b *testing.B) {
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"1.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}},"name":"release","arguments":{"x":1}}}`
	m := new(wire.Scanner)
	m.Init(wire.FromClient, nil)
	if err := m.Feed([]byte(body)); err != nil {
		b.Fatal(err)
	}
	if err := m.End(); err != nil {
		b.Fatal(err)
	}
	r := &http.Request{Header: http.Header{headerVersion: {wire.Modern}, headerMethod: {"tools/call"}, headerName: {"release"}}}
	h := New(Options{})
	b.ReportAllocs()
	for b.Loop() {
		v, f := h.visit(r, m)
		if f != nil {
			b.Fatal(f)
		}
		if v.declared.as(v.declared.can) != nil {
			b.Fatal("changed")
		}
	}
}
