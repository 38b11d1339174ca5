package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"
)

// mustDecode is decode for what has been accepted.
func mustDecode(text string) any {
	v, err := decode([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

// oracle is the schema library with the schema as it is. known is false when the library cannot read it.
func oracle(schema, content string) (fits, known bool) {
	var s jsonschema.Schema
	if json.Unmarshal([]byte(schema), &s) != nil {
		return false, false
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return false, false
	}
	v, ok := natives(mustDecode(content))
	return ok && r.Validate(v) == nil, true
}

// generated are the kinds of fields a form has, with values that may or may not fit.
var generated = map[string][]string{
	`{"type":"string"}`:                                                                        {`""`, `"a"`, `1`, `null`},
	`{"type":"string","minLength":2,"maxLength":3}`:                                            {`"a"`, `"ab"`, `"abc"`, `"abcd"`, `"\ud83d\ude00\u00e9"`},
	`{"type":"string","pattern":"^[a-c]+$"}`:                                                   {`"abc"`, `"abd"`, `""`},
	`{"type":"string","enum":["a","b"]}`:                                                       {`"a"`, `"c"`, `["a"]`},
	`{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}`:          {`"a"`, `"A"`, `"b"`},
	`{"type":"integer","minimum":2,"maximum":5}`:                                               {`1`, `2`, `3.5`, `4.0`, `5`, `6`, `"3"`},
	`{"type":"number","exclusiveMinimum":-1,"exclusiveMaximum":1.5}`:                           {`-1`, `-0.5`, `1.25`, `1.5`, `1e0`},
	`{"type":"integer","multipleOf":4}`:                                                        {`8`, `9`, `0`},
	`{"enum":[1,2.5,null,true]}`:                                                               {`1.0`, `2.5`, `null`, `true`, `false`},
	`{"const":7}`:                                                                              {`7`, `7.0`, `8`},
	`{"type":"boolean"}`:                                                                       {`true`, `false`, `0`, `"true"`},
	`{"anyOf":[{"type":"integer","maximum":3},{"type":"null"}]}`:                               {`3`, `4`, `null`, `0.5`},
	`{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2}`:    {`[]`, `["a"]`, `["a","b"]`, `["a","a","a"]`, `["c"]`},
	`{"type":"array","items":{"type":"integer"},"uniqueItems":true,"contains":{"minimum":10}}`: {`[10]`, `[1]`, `[10,10.0]`, `[10,11.5]`, `[]`},
	`{"not":{"type":"string"}}`:                                                                {`"a"`, `1`},
	`{"if":{"type":"integer"},"then":{"minimum":5},"else":{"type":"string"}}`:                  {`5`, `4`, `"a"`, `null`},
	`true`:  {`1`, `{}`},
	`false`: {`1`},
}

// annotations change nothing, however odd they are.
var annotations = []string{``, `"title":7,`, `"examples":"x",`, `"readOnly":[],`, `"enumNames":["A"],`, `"format":"int32",`, `"Minimum":99,`, `"$id":"%",`, `"definitions":1,`}

// What is accepted fits the schema, and what fits is accepted.
func TestAcceptedIsWhatFits(t *testing.T) {
	kinds := slices.Sorted(maps.Keys(generated))
	rapid.Check(t, func(t *rapid.T) {
		var plain, odd, content, required []string
		for i := range rapid.IntRange(0, 4).Draw(t, "fields") {
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			name := fmt.Sprintf("%q", string(rune('a'+i)))
			plain = append(plain, name+":"+kind)
			if strings.HasPrefix(kind, "{") {
				kind = "{" + rapid.SampledFrom(annotations).Draw(t, "annotation") + kind[1:]
			}
			odd = append(odd, name+":"+kind)
			if rapid.Bool().Draw(t, "required") {
				required = append(required, name)
			}
			if rapid.IntRange(0, 3).Draw(t, "given") > 0 {
				content = append(content, name+":"+rapid.SampledFrom(generated[plain[i][len(name)+1:]]).Draw(t, "value"))
			}
		}
		if rapid.IntRange(0, 3).Draw(t, "more") == 0 {
			content = append(content, `"z":1`)
		}
		rest := `,"required":[` + strings.Join(required, ",") + `]` +
			rapid.SampledFrom([]string{``, `,"additionalProperties":false`, `,"minProperties":2`, `,"maxProperties":1`, `,"dependentRequired":{"a":["b"]}`, `,"propertyNames":{"maxLength":1}`, `,"unevaluatedProperties":false`}).Draw(t, "rest")
		schema := func(fields []string) string {
			return `{"type":"object","properties":{` + strings.Join(fields, ",") + `}` + rest + `}`
		}
		value := "{" + strings.Join(content, ",") + "}"
		f, err := compile([]byte(schema(odd)))
		if err != nil {
			t.Fatalf("%s: %v", schema(odd), err)
		}
		want, known := oracle(schema(plain), value)
		if !known {
			t.Fatalf("the oracle cannot read %s", schema(plain))
		}
		if got := f.check([]byte(value)); (got == nil) != want {
			t.Fatalf("schema %s\ncontent %s\ngot %v, want accepted %v", schema(odd), value, got, want)
		}
	})
}

// longNumber is a number that a float may not hold exactly.
var longNumber = regexp.MustCompile(`[0-9.]{14}|[0-9][eE]`)

// comparable reports whether the oracle reads a schema as the protocol does.
func comparable(schema, content string) bool {
	if longNumber.MatchString(schema) || longNumber.MatchString(content) || strings.Contains(schema, "multipleOf") {
		return false // it computes with rounded numbers
	}
	return sameKeywords(mustDecode(schema))
}

// sameKeywords is false where the oracle takes a member for a keyword because it only differs by case, or reads by an older draft.
func sameKeywords(v any) bool {
	switch v := v.(type) {
	case []any:
		for i := range v {
			if !sameKeywords(v[i]) {
				return false
			}
		}
	case map[string]any:
		for name, member := range v {
			for keyword := range keywords {
				if name != keyword && strings.EqualFold(name, keyword) {
					return false
				}
			}
			if strings.EqualFold(name, "$schema") || !sameKeywords(member) {
				return false
			}
		}
	}
	return true
}

// No content is accepted that violates the schema.
func FuzzAcceptedFits(f *testing.F) {
	for _, kind := range slices.Sorted(maps.Keys(generated)) {
		for _, v := range generated[kind] {
			f.Add(of(kind), `{"x":`+v+`}`)
		}
	}
	f.Add(`{"$ref":"#"}`, `{}`)
	f.Add(`{"properties":{"a":{"format":"email"}},"additionalProperties":{"type":"null"}}`, `{"a":"a@b","b":null}`)
	f.Fuzz(func(t *testing.T, schema, content string) {
		form, err := compile([]byte(schema))
		if err != nil || form.check([]byte(content)) != nil {
			return
		}
		if _, ok := mustDecode(content).(map[string]any); !ok || !json.Valid([]byte(content)) {
			t.Fatalf("accepted %q", content)
		}
		if schema == "" || !comparable(schema, content) {
			return
		}
		if fits, known := oracle(schema, content); known && !fits {
			t.Fatalf("schema %s accepts %s", schema, content)
		}
	})
}
