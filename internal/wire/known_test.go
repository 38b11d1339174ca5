package wire

import (
	"bytes"
	"strings"
	"testing"
)

// recallScan scans msg in pieces, and looks out for known arrays.
func recallScan(t *testing.T, msg []byte, known []*Known, pieces ...int) (*Scanner, error) {
	t.Helper()
	s := new(Scanner)
	s.Init(FromServer, nil)
	s.Recall(new(Recall), append([]*Known(nil), known...))
	for _, n := range append(pieces, len(msg)) {
		n = min(n, len(msg))
		if err := s.Feed(msg[:n]); err != nil {
			return s, err
		}
		msg = msg[n:]
	}
	return s, s.End()
}

func listOf(id, tools, rest string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","tools":` + tools + rest + `}}`)
}

var someTools = `[` + strings.Repeat(`{"name":"a","inputSchema":{"type":"object"}}, `, 40) + `"last"]`

// know makes known arrays of lists.
func know(t *testing.T, tools ...string) (known []*Known) {
	t.Helper()
	for _, text := range tools {
		s, err := recallScan(t, listOf("1", text, ""), nil)
		if err != nil {
			t.Fatal(err)
		}
		k := s.Know()
		if k == nil || s.Recognised() != k {
			t.Fatalf("%.40s… is not worth it", text)
		}
		known = append(known, k)
	}
	return known
}

func TestAKnownArrayIsRecognised(t *testing.T) {
	longer, other := strings.Replace(someTools, `"last"`, `"last",1`, 1), strings.Replace(someTools, `"last"`, `"next"`, 1)
	broken := strings.Replace(someTools, ", ", ",\n", 1)
	known := know(t, someTools, longer, other, broken)
	for i, tools := range []string{someTools, longer, other, broken} {
		for _, rest := range []string{``, ` `, `,"ttlMs":5,"cacheScope":"public"`, `,"_meta":{"io.modelcontextprotocol/x":1}`, `,"more":` + tools} {
			msg := listOf(`"long-id"`, tools, rest)
			for seed := range uint64(20) {
				plain, _ := fed(FromServer, msg)
				s, err := recallScan(t, msg, known, randomPieces(seed, len(msg))...)
				if err != nil || s.Found != plain.Found || s.Recognised() != known[i] {
					t.Fatalf("%v, recognised %v\n%+v\n%+v", err, s.Recognised() == known[i], s.Found, plain.Found)
				}
				if got, want := s.AppendReply(nil, []byte("7")), plain.AppendReply(nil, []byte("7")); !bytes.Equal(got, want) {
					t.Fatalf("%s\nwant %s", got, want)
				}
				if s.Know() != known[i] {
					t.Error("it is known twice")
				}
			}
		}
	}
}

// What is nearly known is scanned as ever, and its faults are found where they are.
func TestWhatIsNotQuiteKnown(t *testing.T) {
	known := know(t, someTools)
	for name, msg := range map[string][]byte{
		"another end":      listOf("1", strings.Replace(someTools, `"last"`, `"lost"`, 1), ""),
		"a fault":          listOf("1", strings.Replace(someTools, `"last"`, `"last`+"\x01", 1), ""),
		"no end":           listOf("1", someTools[:len(someTools)-1], ""),
		"cut off":          listOf("1", someTools, "")[:500],
		"cut off at once":  listOf("1", someTools, "")[:60],
		"shorter":          listOf("1", `[{"name":"a"}]`, ""),
		"after the end":    append(listOf("1", someTools, ""), 'x'),
		"twice":            listOf("1", someTools, `,"tools":`+someTools),
		"another place":    []byte(`{"jsonrpc":"2.0","id":1,"result":{},"tools":` + someTools + `}`),
		"deeper":           listOf("1", `{"tools":`+someTools+`}`, ""),
		"a member's value": []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":` + someTools + `}}`),
		"the message":      []byte(someTools),
	} {
		plain, want := fed(FromServer, msg)
		for seed := range uint64(20) {
			s, err := recallScan(t, msg, known, randomPieces(seed, len(msg))...)
			switch {
			case want == nil && err != nil, want != nil && (err == nil || err.Error() != want.Error()):
				t.Fatalf("%s: %v, want %v", name, err, want)
			case want == nil && s.Found != plain.Found:
				t.Fatalf("%s:\n%+v\n%+v", name, s.Found, plain.Found)
			}
		}
	}
}

// Line breaks around known tools are none in them.
func TestLineBreaksAroundKnownTools(t *testing.T) {
	s, err := recallScan(t, append([]byte("{\n"), listOf("1", someTools, "")[1:]...), nil)
	if err != nil || !s.Newlines {
		t.Fatal(err, s.Newlines)
	}
	known := []*Known{s.Know()}
	if s, err = recallScan(t, listOf("1", someTools, ""), known); err != nil || s.Recognised() != known[0] || s.Newlines {
		t.Errorf("%v, line breaks %v", err, s.Newlines)
	}
}

func TestWhatIsNotWorthToBeKnown(t *testing.T) {
	for name, tools := range map[string]string{
		"short": `[1,2,3]`, "no array": `{"a":"` + strings.Repeat("x", minKnown) + `"}`, "endless": `["` + strings.Repeat("x", maxKnown) + `"]`,
	} {
		s, err := recallScan(t, listOf("1", tools, ""), nil)
		if err != nil || s.Know() != nil || s.Recognised() != nil {
			t.Errorf("%s: %v, known %v", name, err, s.Know())
		}
	}
}

func BenchmarkScanKnownList(b *testing.B) {
	msg := list(83 << 10)
	var s Scanner
	buf := make([]byte, 0, len(msg)+1)
	var r Recall
	var known []*Known
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	room := make([]*Known, 0, 1)
	for b.Loop() {
		s.Init(FromServer, buf)
		s.Recall(&r, append(room, known...))
		copy(s.Room(len(msg)), msg)
		if err := s.Added(len(msg)); err != nil {
			b.Fatal(err)
		}
		if err := s.End(); err != nil {
			b.Fatal(err)
		}
		if known == nil {
			known = append(known, s.Know())
		}
		buf = s.Release()
	}
	if s.Recognised() == nil {
		b.Error("it is not recognised")
	}
}
