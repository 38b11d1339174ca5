package wire

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// events collects what a reader finds as "type|data", and comments as ":".
type events struct {
	got  []string
	data bytes.Buffer
}

func (e *events) Data(p []byte) error { e.data.Write(p); return nil }
func (e *events) Comment()            { e.got = append(e.got, ":") }
func (e *events) Dispatch(eventType string) error {
	e.got = append(e.got, eventType+"|"+e.data.String())
	e.data.Reset()
	return nil
}

func read(t *testing.T, stream string, pieces ...int) []string {
	t.Helper()
	var r EventReader
	var e events
	p := []byte(stream)
	for _, n := range append(pieces, len(p)) {
		n = min(n, len(p))
		if err := r.Feed(p[:n], &e); err != nil {
			t.Fatal(err)
		}
		p = p[n:]
	}
	return e.got
}

func TestEventReader(t *testing.T) {
	long := strings.Repeat("t", 70)
	for stream, want := range map[string][]string{
		"data: {}\n\n":                               {"|{}"},
		"event: message\ndata: 1\n\n":                {"message|1"},
		"data:1\r\n\r\ndata:2\r\rdata:3\n\n":         {"|1", "|2", "|3"},
		"data: a\ndata:b\ndata\ndata:  c\n\n":        {"|a\nb\n\n c"},
		"\xef\xbb\xbfdata: x\n\n":                    {"|x"},
		"\xefdata: x\n\n":                            nil,
		": ping\n\n:\n\ndata: x\n\n":                 {":", ":", "|x"},
		"id: 7\nretry: 10\ndata: x\nunknown: y\n\n":  {"|x"},
		"id: 7\ndata: \n\n":                          {"|"},
		"id: 7\n\n":                                  nil,
		"event: a\n\ndata: x\n\n":                    {"|x"},
		"event: a\nevent: b\ndata: x\n\ndata: y\n\n": {"b|x", "|y"},
		"data: cut off\n":                            nil,
		"datax: 1\ndat: 2\n data: 3\n\n":             nil,
		"data: a:b\n\n":                              {"|a:b"},
		"event:" + long + "\ndata:x\n\n":             {long[:64] + "|x"},
		"data: x\r\n\r\n\r\n\n":                      {"|x"},
	} {
		if got := read(t, stream); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", stream, got, want)
		}
	}
}

// naive reads a stream by splitting it into lines.
func naive(stream string) (got []string) {
	stream = strings.TrimPrefix(stream, "\ufeff")
	stream = strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(stream, "\n")
	var typ string
	var data []string
	for _, line := range lines[:len(lines)-1] {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				got = append(got, typ+"|"+strings.Join(data, "\n"))
			}
			typ, data = "", nil
		case name == "":
			got = append(got, ":")
		case name == "data":
			data = append(data, value)
		case name == "event":
			typ = value[:min(len(value), 64)]
		}
	}
	return got
}

func FuzzEventReader(f *testing.F) {
	for i, s := range []string{"data: a\r\ndata: b\n\n: c\rid: 1\n\n", "\xef\xbb\xbfevent:x\ndata\n\n", "\xef\xbbdata:1\n\n", "data: \xef\xbb\xbf\n\n", "\r\r\n\n", "event: \ndata:  \n\n", "data"} {
		f.Add(s, uint64(i))
	}
	f.Fuzz(func(t *testing.T, stream string, seed uint64) {
		want := naive(stream)
		if got := read(t, stream); !slices.Equal(got, want) {
			t.Fatalf("%q, want %q: %q", got, want, stream)
		}
		if got := read(t, stream, randomPieces(seed, len(stream))...); !slices.Equal(got, want) {
			t.Fatalf("in pieces %q, want %q: %q", got, want, stream)
		}
	})
}

type failing struct{ events }

var errSink = errors.New("sink")

func (f *failing) Dispatch(string) error { return errSink }

func TestEventReaderStopsAtTheSinksError(t *testing.T) {
	var r EventReader
	var f failing
	if err := r.Feed([]byte("data: 1\n\ndata: 2\n\n"), &f); !errors.Is(err, errSink) || f.data.String() != "1" {
		t.Errorf("%v after %q", err, f.data.String())
	}
}

func TestEventsAreReadAsWritten(t *testing.T) {
	stream := AppendEvent(nil, "4-2", []byte("{\r\n\"a\": 1}"), true)
	stream = AppendComment(stream, "keep\nalive")
	stream = AppendEvent(stream, "", []byte(`{"b":"\n"}`), false)
	stream = AppendEvent(stream, "4-3", nil, false)
	const want = "id: 4-2\ndata: {  \"a\": 1}\n\n: keep alive\n\ndata: {\"b\":\"\\n\"}\n\nid: 4-3\ndata: \n\n"
	if string(stream) != want {
		t.Errorf("%q, want %q", stream, want)
	}
	if got, want := read(t, string(stream)), []string{`|{  "a": 1}`, ":", `|{"b":"\n"}`, "|"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{"plain", 10, "plain"},
		{"exactly", 7, "exactly"},
		{"too long", 5, "too …"},
		{"日本語テキスト", 3, "日本…"},
		{"a\nb\x00c\x1b[31m\u0085", 20, "a b c [31m "},
		{"a\u202eb\u2066c\u200ed\u2028e", 20, "a b c d e"},
		{"bad\xffbyte", 20, "bad\ufffdbyte"},
		{"x", 0, ""},
		{"", 5, ""},
		{"xy", 1, "…"},
	} {
		if got := Clean(c.in, c.max); got != c.want {
			t.Errorf("Clean(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}

func ExampleAppendEvent() {
	fmt.Printf("%q\n", AppendEvent(nil, "1", []byte(`{}`), false))
	// Output: "id: 1\ndata: {}\n\n"
}
