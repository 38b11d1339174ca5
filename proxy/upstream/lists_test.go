package upstream

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// scannedList is a list as an attempt takes it in.
func scannedList(tb testing.TB, l *Lists, result string) *wire.Scanner {
	tb.Helper()
	m := new(wire.Scanner)
	m.Init(wire.FromServer, nil)
	m.Recall(new(wire.Recall), l.recall(nil))
	if err := m.Feed([]byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)); err != nil {
		tb.Fatal(err)
	}
	if err := m.End(); err != nil {
		tb.Fatal(err)
	}
	l.remember(m)
	return m
}

// many is a list of some length that has tool in it.
func many(tool string) string {
	return `{"tools":[` + strings.Repeat(plainTool+",", 50) + tool + `]}`
}

// What is known of a list is known of it alone, and each thing for itself.
func TestListsAreToldApart(t *testing.T) {
	var l Lists
	for range 3 {
		plain, other := scannedList(t, &l, many(plainTool)), scannedList(t, &l, many(marked("a", "A")))
		if l.marked(plain) || !l.marked(other) {
			t.Error("an annotation is overlooked, or one found that is not there")
		}
		if l.Unchanged(plain) || l.Unchanged(other) {
			t.Error("a list goes as it is that nobody has looked at")
		}
	}
	l.NoteUnchanged(scannedList(t, &l, many(plainTool)))
	plain, other := scannedList(t, &l, many(plainTool)), scannedList(t, &l, many(marked("a", "A")))
	if !l.Unchanged(plain) || l.Unchanged(other) || l.marked(plain) || !l.marked(other) {
		t.Error("lists are mixed up")
	}
}

// Another array that stays the same says nothing of the tools.
func TestListsAreKnownByTheirTools(t *testing.T) {
	same := `["` + strings.Repeat("x", 5000) + `"]`
	for _, form := range []string{`{"catalog":%s,"tools":[%s]}`, `{"_meta":{"catalog":%s},"tools":[%s]}`, `{"icons":[],"more":%s,"tools":[%s]}`} {
		var l Lists
		for range 2 {
			plain := scannedList(t, &l, fmt.Sprintf(form, same, strings.Repeat(plainTool+",", 50)+plainTool))
			l.NoteUnchanged(plain)
			if l.marked(plain) || !l.Unchanged(plain) {
				t.Errorf("%s: a plain list is not known", form)
			}
		}
		other := scannedList(t, &l, fmt.Sprintf(form, same, strings.Repeat(plainTool+",", 50)+marked("a", "A")))
		if !l.marked(other) || l.Unchanged(other) {
			t.Errorf("%s: traits of another list are taken for this one's", form)
		}
	}
}

// However many lists there are, the memory for them has a bound; one that is forgotten is looked at again.
func TestListsAreForgotten(t *testing.T) {
	var l Lists
	of := func(i int) *wire.Scanner { return scannedList(t, &l, many(fmt.Sprint(i))) }
	l.NoteUnchanged(of(0))
	for i := range listsMax - 1 {
		l.NoteUnchanged(of(i + 1))
	}
	for i := range forgetEvery - 1 {
		if l.NoteUnchanged(of(100 + i)); !l.Unchanged(of(0)) {
			t.Fatal("forgotten too early")
		}
	}
	l.NoteUnchanged(of(listsMax))
	if m := of(0); l.Unchanged(m) || l.marked(m) {
		t.Error("not forgotten, or misjudged then")
	}
}

// Of a short list nothing is remembered, and it is looked at each time.
func TestShortLists(t *testing.T) {
	var l Lists
	m := scannedList(t, &l, `{"tools":[`+marked("a", "A")+`]}`)
	l.NoteUnchanged(m)
	if l.Unchanged(m) || !l.marked(m) || l.marked(scannedList(t, &l, `{"tools":[]}`)) {
		t.Error("misjudged")
	}
}

func TestListsAreForAll(t *testing.T) {
	var l Lists
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 200 {
				plain, other := scannedList(t, &l, many(fmt.Sprint(i%20))), scannedList(t, &l, many(marked("a", "A")))
				l.NoteUnchanged(plain)
				if l.marked(plain) || !l.marked(other) || l.Unchanged(other) {
					t.Error("lists are mixed up")
				}
			}
		})
	}
	wg.Wait()
}

// A list that comes again goes down as it did the first time, whatever it comes in.
func TestAListThatComesAgain(t *testing.T) {
	body := strings.Replace(result(many(plainTool)), `{"tools"`, `{"resultType":"complete","ttlMs":1000,"cacheScope":"public","tools"`, 1)
	var times atomic.Int32
	u := to(t, serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		if times.Add(1)%2 == 0 {
			say(200, "application/json", body)(w, r, q)
		} else {
			say(200, "text/event-stream", "data: "+body+"\n\n")(w, r, q)
		}
	}))
	var first string
	for i := range 6 {
		got, _, err := try(t, u, request(t, `{"jsonrpc":"2.0","id":"x","method":"tools/list"}`), Retry{})
		if err != nil || len(got.replies) != 1 {
			t.Fatalf("%d: %+v, %d replies", i, err, len(got.replies))
		}
		if i == 0 {
			first = got.replies[0]
		}
		if got.replies[0] != first || strings.Contains(first, "ttlMs") {
			t.Fatalf("%d: %s\nwant %s", i, got.replies[0], first)
		}
	}
}

// BenchmarkKnownList is what a long list costs that has come before.
func BenchmarkKnownList(b *testing.B) {
	var l Lists
	m := new(wire.Scanner)
	msg := []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + strings.TrimSuffix(strings.Repeat(plainTool+",", 83_000/len(plainTool)), ",") + `]}}`)
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	var r wire.Recall
	room := make([]*wire.Known, 0, listsMax)
	for b.Loop() {
		m.Init(wire.FromServer, m.Release())
		m.Recall(&r, l.recall(room))
		if m.Feed(msg) != nil || m.End() != nil {
			b.Fatal("refused")
		}
		l.remember(m)
		if l.marked(m) || l.Unchanged(m) {
			b.Fatal("misjudged")
		}
	}
}

// incoming is a list that is not remembered yet.
func incoming(t *testing.T, l *Lists, result string) *wire.Scanner {
	t.Helper()
	m := new(wire.Scanner)
	m.Init(wire.FromServer, nil)
	m.Recall(new(wire.Recall), l.recall(nil))
	if m.Feed([]byte(`{"jsonrpc":"2.0","id":1,"result":`+result+`}`)) != nil || m.End() != nil {
		t.Fatal("no message")
	}
	return m
}

func (l *Lists) rememberAll(ms []*wire.Scanner) {
	var wg sync.WaitGroup
	for _, m := range ms {
		wg.Go(func() { l.remember(m) })
	}
	wg.Wait()
}

// Clients that come at once after a start get the same list, which takes one place.
func TestAListThatComesTwiceAtOnceTakesOnePlace(t *testing.T) {
	var l Lists
	var same []*wire.Scanner
	for range listsMax {
		same = append(same, incoming(t, &l, many(plainTool)))
	}
	l.rememberAll(same)
	if n := len(l.recall(nil)); n != 1 {
		t.Errorf("%d places for one list", n)
	}
}

// Lists that come at once push no more others out than those that come in turn.
func TestListsThatComeAtOnceForgetFew(t *testing.T) {
	var l Lists
	for i := range listsMax {
		scannedList(t, &l, many(fmt.Sprint(i)))
	}
	var others []*wire.Scanner
	for i := range forgetEvery - 1 {
		others = append(others, incoming(t, &l, many(strings.Repeat("9", i+1))))
	}
	l.rememberAll(others)
	for i := range listsMax {
		if incoming(t, &l, many(fmt.Sprint(i))).Recognised() == nil {
			t.Errorf("list %d is forgotten", i)
		}
	}
}
