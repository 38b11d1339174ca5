package wire

import (
	"bytes"
	"strings"
	"testing"
)

const passedMeta = `"_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","x":1,"io.modelcontextprotocol/clientCapabilities":{"a" : 1}}`

func TestAppendPassed(t *testing.T) {
	everything := Passage{ID: []byte("9"), Capabilities: []byte("{}"), Token: []byte("9"), Members: []byte(`"requestState":"s"`)}
	changed := `"_meta":{"progressToken":9,"io.modelcontextprotocol/protocolVersion":"2026-07-28","x":1,"io.modelcontextprotocol/clientCapabilities":{}}`
	for _, tc := range []struct {
		name string
		in   string
		p    Passage
		want string
	}{
		{"only the id", `{"jsonrpc":"2.0", "id" : "c" ,"method":"m","params":{ ` + passedMeta + ` }}`, Passage{ID: []byte("9")},
			`{"jsonrpc":"2.0", "id" : 9 ,"method":"m","params":{ ` + passedMeta + ` }}`},
		{"everything", `{"jsonrpc":"2.0","id":1,"method":"m","params":{` + passedMeta + `}}`, everything,
			`{"jsonrpc":"2.0","id":9,"method":"m","params":{"requestState":"s",` + changed + `}}`},
		{"more in _meta", `{"jsonrpc":"2.0","id":1,"method":"m","params":{` + passedMeta + `}}`, Passage{ID: []byte("9"), Token: []byte("9"), Meta: []byte(`"baggage":"b"`)},
			`{"jsonrpc":"2.0","id":9,"method":"m","params":{` + strings.Replace(strings.Replace(passedMeta, `"_meta":{`, `"_meta":{"baggage":"b",`, 1), `"progressToken":"p"`, `"progressToken":9`, 1) + `}}`},
		{"the id last", `{"jsonrpc":"2.0","method":"m","params":{` + passedMeta + `},"id":1}`, everything,
			`{"jsonrpc":"2.0","method":"m","params":{"requestState":"s",` + changed + `},"id":9}`},
		{"what a retry carries is taken out", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"requestState":"c","name":"n",` + passedMeta + `,"inputResponses":{"k":{}}, "task":{},"arguments":{"task":1}}}`, Passage{ID: []byte("9")},
			`{"jsonrpc":"2.0","id":9,"method":"m","params":{"name":"n",` + passedMeta + `,"arguments":{"task":1}}}`},
		{"and put in anew", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"requestState":"c",` + passedMeta + `,"inputResponses":{}}}`, everything,
			`{"jsonrpc":"2.0","id":9,"method":"m","params":{"requestState":"s",` + changed + `}}`},
		{"escaped names", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"request\u0053tate":"c","_met\u0061":{"progressTo\u006ben":1}}}`, everything,
			`{"jsonrpc":"2.0","id":9,"method":"m","params":{"requestState":"s","_met\u0061":{"progressTo\u006ben":9}}}`},
		{"another one's members", `{"jsonrpc":"2.0","id":1,"method":"m","params":{` + passedMeta + `,"arguments":{"id":1,"_meta":{"progressToken":1},"requestState":"c"}}}`, Passage{ID: []byte("9"), Token: []byte("9")},
			`{"jsonrpc":"2.0","id":9,"method":"m","params":{"_meta":{"progressToken":9,"io.modelcontextprotocol/protocolVersion":"2026-07-28","x":1,"io.modelcontextprotocol/clientCapabilities":{"a" : 1}},"arguments":{"id":1,"_meta":{"progressToken":1},"requestState":"c"}}}`},
	} {
		s := scanned(t, FromClient, []byte(tc.in))
		if got := string(s.AppendPassed(nil, tc.p)); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
	}
}

func TestKeepAllKeepsAll(t *testing.T) {
	const before, after = `{"jsonrpc":"2.0","result":{ "resultType":"complete","content":[1],"structuredContent":[2],"_meta":{"io.modelcontextprotocol/subscriptionId":7},"ttlMs":5,"cacheScope":"public" },"id":`, `}`
	want := before + `"x"` + after
	var s Scanner
	s.Init(FromServer, nil)
	s.KeepAll()
	var drained bytes.Buffer
	for i := range len(before) + len(after) + 1 {
		if err := s.Feed([]byte((before + "7" + after)[i : i+1])); err != nil {
			t.Fatal(err)
		}
		if i == len(before)/2 {
			if err := s.Drain(&drained, []byte(`"x"`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	if err := s.Drain(&drained, []byte(`"x"`)); err != nil || drained.String() != want {
		t.Errorf("drained %s, %v", drained.String(), err)
	}
	whole := keeping(t, before+"7"+after)
	if got := string(whole.AppendReply(nil, []byte(`"x"`))); got != want || whole.ReplySize(3) != len(want) {
		t.Errorf("got %s, %d bytes announced", got, whole.ReplySize(3))
	}
	if s.Init(FromServer, nil); s.whole {
		t.Error("the next message is kept whole, too")
	}
}

func TestAppendAddressed(t *testing.T) {
	for _, tc := range []struct{ in, token, progress, want string }{
		{`{"jsonrpc":"2.0","method":"n","params":{"uri":"u","_meta":{"io.modelcontextprotocol/subscriptionId": 7 ,"x":7}}}`, "", "", `{"jsonrpc":"2.0","method":"n","params":{"uri":"u","_meta":{"io.modelcontextprotocol/subscriptionId": "x" ,"x":7}}}`},
		{`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`, "", "", `{"jsonrpc":"2.0","id":"x","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"x"}}}`},
		{`{"jsonrpc":"2.0","method":"n","params":{"progress":1,"progressToken":7,"total":2}}`, `"t"`, "", `{"jsonrpc":"2.0","method":"n","params":{"progress":1,"progressToken":"t","total":2}}`},
		{`{"jsonrpc":"2.0","method":"n","params":{"progressToken":7,"progress":1}}`, `"t"`, "3", `{"jsonrpc":"2.0","method":"n","params":{"progressToken":"t","progress":3}}`},
	} {
		s := keeping(t, tc.in)
		var token, progress []byte
		if tc.token != "" {
			token = []byte(tc.token)
		}
		if tc.progress != "" {
			progress = []byte(tc.progress)
		}
		if got := string(s.AppendAddressed(nil, []byte(`"x"`), token, progress)); got != tc.want {
			t.Errorf("got %s\nwant %s", got, tc.want)
		}
	}
}

func keeping(t *testing.T, msg string) *Scanner {
	t.Helper()
	s := new(Scanner)
	s.Init(FromServer, nil)
	s.KeepAll()
	if err := s.Feed([]byte(msg)); err != nil {
		t.Fatal(err)
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	return s
}

// A message for a peer of the same era goes down as it came, wherever it was torn.
func TestAPassedMessageIsDrainedWhereverItIsTorn(t *testing.T) {
	for _, msg := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"content":"x","resultType":"complete","ttlMs":5}}`,
		`{"result":{"structuredContent":[1],"resultType" : "in\u0070ut_required"},"id":1,"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","result":{"messages":[],"_meta":{"io.modelcontextprotocol/subscriptionId":7},"resultType":"odd"},"id":1}`,
	} {
		for _, whole := range []bool{true, false} {
			var want string
			for cut := range len(msg) {
				for second := cut; second < len(msg); second += 7 {
					var s Scanner
					var out bytes.Buffer
					s.Init(FromServer, nil)
					if whole {
						s.KeepAll()
					}
					for _, piece := range []string{msg[:cut], msg[cut:second], msg[second:]} {
						if err := s.Feed([]byte(piece)); err != nil {
							t.Fatal(err)
						}
						if err := s.Drain(&out, []byte("1")); err != nil {
							t.Fatal(err)
						}
					}
					if err := s.End(); err != nil {
						t.Fatal(err)
					}
					if err := s.Drain(&out, []byte("1")); err != nil {
						t.Fatal(err)
					}
					if want == "" {
						want = out.String()
					}
					if got := out.String(); got != want || whole && got != msg {
						t.Fatalf("cut at %d and %d: %s\nwant %s", cut, second, got, want)
					}
				}
			}
		}
	}
}
