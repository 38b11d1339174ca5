package upstream

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

func scannedList(tb testing.TB, result string) *wire.Scanner {
	tb.Helper()
	m := new(wire.Scanner)
	m.Init(wire.FromServer, nil)
	if err := m.Feed([]byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)); err != nil {
		tb.Fatal(err)
	}
	if err := m.End(); err != nil {
		tb.Fatal(err)
	}
	return m
}

// What is known of a list is known of it alone, and each thing for itself.
func TestListsAreToldApart(t *testing.T) {
	var l Lists
	l.init()
	plain, other := scannedList(t, `{"tools":[`+plainTool+`]}`), scannedList(t, `{"tools":[`+marked("a", "A")+`]}`)
	for range 2 {
		if l.marked(plain) || !l.marked(other) {
			t.Error("an annotation is overlooked, or one found that is not there")
		}
		if l.Unchanged(plain) || l.Unchanged(other) {
			t.Error("a list goes as it is that nobody has looked at")
		}
	}
	l.NoteUnchanged(plain)
	if !l.Unchanged(plain) || l.Unchanged(other) || l.marked(plain) || !l.marked(other) {
		t.Error("lists are mixed up")
	}
}

// However many lists there are, the memory for them has a bound; one that is forgotten is looked at again.
func TestListsAreForgotten(t *testing.T) {
	var l Lists
	l.init()
	of := func(i int) *wire.Scanner { return scannedList(t, fmt.Sprintf(`{"tools":[],"n":%d}`, i)) }
	first := of(0)
	l.NoteUnchanged(first)
	for i := range listsMax - 1 {
		l.NoteUnchanged(of(i + 1))
	}
	if !l.Unchanged(first) {
		t.Error("forgotten too early")
	}
	l.NoteUnchanged(of(listsMax))
	if l.Unchanged(first) || l.marked(first) {
		t.Error("not forgotten, or misjudged then")
	}
}

func TestListsAreForAll(t *testing.T) {
	var l Lists
	l.init()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 200 {
				plain, other := scannedList(t, fmt.Sprintf(`{"tools":[],"n":%d}`, i%20)), scannedList(t, `{"tools":[`+marked("a", "A")+`]}`)
				l.NoteUnchanged(plain)
				if l.marked(plain) || !l.marked(other) || l.Unchanged(other) {
					t.Error("lists are mixed up")
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkKnownList is what a long list costs that has come before.
func BenchmarkKnownList(b *testing.B) {
	var l Lists
	l.init()
	m := new(wire.Scanner)
	msg := `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + strings.TrimSuffix(strings.Repeat(plainTool+",", 83_000/len(plainTool)), ",") + `]}}`
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		m.Init(wire.FromServer, m.Release())
		if m.Feed([]byte(msg)) != nil || m.End() != nil {
			b.Fatal("refused")
		}
		b.StartTimer()
		if l.marked(m) || l.Unchanged(m) {
			b.Fatal("misjudged")
		}
	}
}
