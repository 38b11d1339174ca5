package wire

import "testing"

func TestRewrite(t *testing.T) {
	for raw, want := range map[string]string{
		`{}`:                            `{}`,
		`{"cut":1}`:                     `{}`,
		` { "a" : 1 , "cut" : [2] } `:   `{"a":1}`,
		`{"\u0063ut":1,"b":"x"}`:        `{"b":"new"}`,
		`{"\u0062":1,"b":2,"c":{}}`:     `{"\u0062":"new","b":"new","c":{}}`,
		`{"\ud800":1,"\udc00":2,"b":3}`: `{"\ud800":1,"\udc00":2,"b":"new"}`,
		` { "a" : 1 } `:                 ` { "a" : 1 } `,
		`[1]`:                           `[1]`,
		`null`:                          `null`,
	} {
		got := string(Rewrite([]byte(raw), func(name string, value []byte) []byte {
			switch name {
			case "cut":
				return nil
			case "b":
				return []byte(`"new"`)
			}
			return value
		}))
		if got != want {
			t.Errorf("%s becomes %s, want %s", raw, got, want)
		}
	}
	if got := string(Without([]byte(`{"a":1,"b":2,"a":3,"c":4}`), "a", "c")); got != `{"b":2}` {
		t.Error(got)
	}
}

func TestObject(t *testing.T) {
	var o Object
	if got := string(o.End()); got != "{}" {
		t.Error(got)
	}
	o.Add(`a"`, []byte("1"))
	o.Put([]byte(`"\u0062"`), []byte("[]"))
	if got := string(o.End()); got != `{"a\"":1,"\u0062":[]}` {
		t.Error(got)
	}
}
