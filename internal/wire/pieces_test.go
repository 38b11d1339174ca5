package wire

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// A list of tools is found the same in whatever two pieces it comes, with white space
// or without, and a fault in it is found in the same place.
func TestListsAreTheSameInPieces(t *testing.T) {
	compact := list(1500)
	var indented bytes.Buffer
	if err := json.Indent(&indented, compact, "", "   "); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 10))
	for _, msg := range [][]byte{compact, indented.Bytes(), bytes.ReplaceAll(compact, []byte(`:"`), []byte(`: "`))} {
		whole := scanned(t, FromServer, msg)
		for cut := range msg {
			s, err := fed(FromServer, msg, cut)
			if err != nil || s.Found != whole.Found {
				t.Fatalf("torn at %d: %v, %+v\nwant %+v", cut, err, s.Found, whole.Found)
			}
		}
		for range 500 {
			at, by := r.IntN(len(msg)), "\" \\,:{}[]\n\t0e\x00\xc3"
			was := msg[at]
			msg[at] = by[r.IntN(len(by))]
			checkScan(t, msg, r.Uint64())
			msg[at] = was
		}
	}
}
