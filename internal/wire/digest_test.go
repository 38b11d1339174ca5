package wire

import (
	"hash/maphash"
	"testing"
)

func TestTheDigestIsOfTheResult(t *testing.T) {
	seed := maphash.MakeSeed()
	of := func(msg string) [2]uint64 {
		hash, size := scanned(t, FromServer, []byte(msg)).ResultDigest(seed)
		return [2]uint64{hash, uint64(size)}
	}
	first := of(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	if again := of(`{"result":{"tools":[]},"jsonrpc":"2.0","id":2}`); again != first {
		t.Errorf("%v for the same result, want %v", again, first)
	}
	if other := of(`{"jsonrpc":"2.0","id":1,"result":{"tools":{}}}`); other == first {
		t.Error("another result has the same")
	}
}

// A Scanner that is used again, or asked with another seed, does not say what it said.
func TestTheDigestIsOfThisMessage(t *testing.T) {
	var s Scanner
	var got []uint64
	one, two := maphash.MakeSeed(), maphash.MakeSeed()
	for _, msg := range []string{`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":2}}`} {
		s.Init(FromServer, s.Release())
		if s.Feed([]byte(msg)) != nil || s.End() != nil {
			t.Fatal("refused")
		}
		for _, seed := range []maphash.Seed{one, two, one} {
			hash, _ := s.ResultDigest(seed)
			if want := maphash.Bytes(seed, s.Result.Of(s.Bytes())); hash != want {
				t.Errorf("%x, want %x", hash, want)
			}
			got = append(got, hash)
		}
	}
	if got[0] == got[3] || got[0] == got[1] || got[0] != got[2] {
		t.Errorf("%x", got)
	}
}
