package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestValidate(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		in            string
		loose, strict Reason
	}{
		{`{"a":{"b":[1,{"c":null}]}}`, 0, 0},
		{` 5 `, 0, 0},
		{`-0.5E+3`, 0, 0},
		{"\xef\xbb\xbf\"x\"", 0, 0},
		{`[{"a":1,"b":{"\u0063":1,"c":2}}]`, 0, Duplicate},
		{`{"\ud800":1,"\ud801":2}`, 0, 0},
		{`{"a":1,"a":2}`, 0, Duplicate},
		{deep(MaxDepth), 0, 0},
		{deep(MaxDepth + 1), Depth, Depth},
		{``, Truncated, Truncated},
		{`{"a":`, Truncated, Truncated},
		{`-`, Truncated, Truncated},
		{`1 2`, Syntax, Syntax},
		{`01`, Syntax, Syntax},
		{`[1,]`, Syntax, Syntax},
		{`{"a":1,}`, Syntax, Syntax},
		{`"\x"`, Syntax, Syntax},
		{"\"a\nb\"", Syntax, Syntax},
		{`{'a':1}`, Syntax, Syntax},
		{`[1}`, Syntax, Syntax},
		{`NaN`, Syntax, Syntax},
		{"\"\xc0\x80\"", UTF8, UTF8},
		{"\"\xed\xa0\x80\"", UTF8, UTF8},
		{"{\x00}\x00", UTF8, UTF8},
	} {
		for name, pair := range map[string]struct {
			err  error
			want Reason
		}{"Validate": {Validate([]byte(c.in)), c.loose}, "ValidateStrict": {ValidateStrict([]byte(c.in)), c.strict}} {
			var e *Error
			if errors.As(pair.err, &e); e == nil && pair.want != 0 || e != nil && e.Reason != pair.want {
				t.Errorf("%s(%.40q): %v, want %v", name, c.in, pair.err, pair.want)
			}
		}
	}
}

func TestEach(t *testing.T) {
	var got []string
	err := Each([]byte(` { "a" : [1, 2] , "\u0062":"x","c":{}} `), func(key string, v []byte) error {
		got = append(got, key+"="+string(v))
		return nil
	})
	if want := []string{"a=[1, 2]", `b="x"`, "c={}"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %q, want %q", err, got, want)
	}
	stop := errors.New("stop")
	if err := Each([]byte(`{"a":1,"b":2}`), func(string, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v, want the callback's own error", err)
	}
	many := `{"a":1`
	for i := range 40 {
		many += fmt.Sprintf(`,"k%d":0`, i)
	}
	for in, want := range map[string]Reason{many + `,"k39":1}`: Duplicate, many + `,"a":1}`: Duplicate, `{"a":1,"\u0061":2}`: Duplicate, `[1]`: NotAMessage, `null`: NotAMessage, ``: NotAMessage} {
		var e *Error
		if err := Each([]byte(in), func(string, []byte) error { return nil }); !errors.As(err, &e) || e.Reason != want {
			t.Errorf("%s: %v, want %v", in, err, want)
		}
	}
}

func TestGet(t *testing.T) {
	doc := []byte(`{"a":{"b":{"c":1.0}},"\u0064":null,"e":[{"f":1}],"a":2}`)
	for _, c := range []struct {
		want string
		path []string
	}{
		{`1.0`, []string{"a", "b", "c"}},
		{`null`, []string{"d"}},
		{``, []string{"e", "f"}},
		{``, []string{"a", "x"}},
		{``, []string{"d", "x"}},
		{string(doc), nil},
	} {
		if got := Get(doc, c.path...); string(got) != c.want || (got == nil) != (c.want == "") {
			t.Errorf("%q: %q, want %q", c.path, got, c.want)
		}
	}
}

func TestIsID(t *testing.T) {
	for in, want := range map[string]bool{
		`7`: true, `-1`: true, `0`: true, `9007199254740993`: true, `123456789012345678901234567890`: true,
		`"x"`: true, `""`: true, `"\u00e9"`: true,
		``: false, `null`: false, `true`: false, `1.5`: false, `1e3`: false, `1.0`: false, `01`: false, `-`: false,
		`"a`: false, `"a" `: false, `[1]`: false, `{}`: false,
	} {
		if got := IsID([]byte(in)); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}

func TestKindOf(t *testing.T) {
	for in, want := range map[string]byte{` {}`: '{', `[`: '[', `"`: '"', `-1`: '0', `9`: '0', `true`: 't', `false`: 't', `null`: 'n', ``: 0, `x`: 0} {
		if got := KindOf([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzUnquote(f *testing.F) {
	for _, s := range []string{`"a"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e9\ud83d\ude00"`, `"\ud800"`, `"\ud800\u0041"`, `"\ud800\ud800\udc00"`, `"\udc00"`, `"é"`, `"a`, `a"`, `""`, `"""`, `"\u00"`, "\"\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want string
		valid := len(raw) > 0 && raw[0] == '"' && raw[len(raw)-1] == '"' && utf8.Valid(raw) && json.Unmarshal(raw, &want) == nil
		if got, ok := Unquote(raw); ok != valid || ok && got != want {
			t.Fatalf("%q, %v, want %q, %v: %q", got, ok, want, valid, raw)
		}
		quoted := AppendQuoted(nil, string(raw))
		if back, ok := Unquote(quoted); !ok || back != strings.ToValidUTF8(eachBad(raw), "\ufffd") {
			t.Fatalf("%q -> %s -> %q", raw, quoted, back)
		}
		if err := json.Unmarshal(quoted, &want); err != nil {
			t.Fatalf("%s: %v", quoted, err)
		}
	})
}

// eachBad separates the broken bytes of b, which strings.ToValidUTF8 would replace by
// the run.
func eachBad(b []byte) string {
	var out strings.Builder
	for _, r := range string(b) {
		out.WriteRune(r)
	}
	return out.String()
}

func FuzzValidate(f *testing.F) {
	for _, s := range append(seeds, `{"a":1,"b":[{"c":1,"c":1}]}`, `1e5`, `[true,false]`) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		body := bytes.TrimPrefix(value, []byte(byteOrderMark))
		err := Validate(value)
		if want := json.Valid(body) && utf8.Valid(body) && depthOf(body) <= MaxDepth; (err == nil) != want {
			t.Fatalf("%v, want valid %v: %q", err, want, value)
		}
		strict := ValidateStrict(value)
		if err != nil && strict == nil {
			t.Fatalf("strict takes what is invalid: %q", value)
		}
		if err == nil && !loses(value) && (strict == nil) == repeats(body) {
			t.Fatalf("strict says %v: %q", strict, value)
		}
		// The walkers take anything without panic or endless loop.
		_ = Each(value, func(key string, v []byte) error { Get(v, key); return nil })
		_, _ = SplitBatch(value, 3)
		ParseCapabilities(value)
	})
}

// repeats reports whether a member appears twice anywhere in valid JSON.
func repeats(valid []byte) bool {
	var o oracle
	if m := o.object(bytes.TrimSpace(valid)); m != nil {
		for _, v := range m {
			if o.reason != 0 || repeats(v) {
				return true
			}
		}
		return o.reason != 0
	}
	var list []json.RawMessage
	_ = json.Unmarshal(valid, &list)
	return slices.ContainsFunc(list, func(v json.RawMessage) bool { return repeats(v) })
}

func TestSplitBatch(t *testing.T) {
	got, err := SplitBatch([]byte("\xef\xbb\xbf [ {\"id\":1} ,2, [3]]\n"), 3)
	if err != nil || len(got) != 3 || string(got[0]) != `{"id":1}` || string(got[2]) != `[3]` {
		t.Errorf("%q %v", got, err)
	}
	for in, want := range map[string]Reason{`[]`: Batch, ` [ ] `: Batch, `[1,2,3,4]`: Batch, `{}`: NotAMessage, `[1`: Truncated, `[1,]`: Syntax} {
		var e *Error
		if _, err := SplitBatch([]byte(in), 3); !errors.As(err, &e) || e.Reason != want {
			t.Errorf("%s: %v, want %v", in, err, want)
		}
	}
}
