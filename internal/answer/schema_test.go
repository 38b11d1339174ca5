package answer

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// of wraps a property's schema into a form with the field x.
func of(property string) string {
	return `{"type":"object","properties":{"x":` + property + `},"required":["x"]}`
}

func TestSchemasThatAreNoFormAreRefused(t *testing.T) {
	deep := `{"type":"string"}`
	for range 3 {
		deep = `{"type":"array","items":` + deep + `}`
	}
	for name, schema := range map[string]string{
		"array":              `[]`,
		"boolean":            `true`,
		"other type":         `{"type":"string"}`,
		"ref at the root":    `{"$ref":"#"}`,
		"ref to itself":      of(`{"$ref":"#/properties/x"}`),
		"dynamic ref":        of(`{"$dynamicRef":"#x"}`),
		"ref in a choice":    of(`{"type":"array","items":{"anyOf":[{"$ref":"#"}]}}`),
		"ref as a boolean":   of(`{"$ref":true}`),
		"too deep":           of(deep),
		"too deep, not":      of(`{"not":{"not":{"not":{}}}}`),
		"too large":          of(`{"type":"string","title":"` + strings.Repeat("x", maxSchemaBytes) + `"}`),
		"repeated member":    of(`{"type":"string","type":"integer"}`),
		"repeated field":     `{"properties":{"x":{},"\u0078":false}}`,
		"no such type":       of(`{"type":"file"}`),
		"type is no word":    of(`{"type":7}`),
		"field null":         of(`null`),
		"fields in an array": `{"properties":[]}`,
		"required no list":   of(`{"required":true}`),
		"negative length":    of(`{"minLength":-1}`),
		"length half":        of(`{"maxLength":1.5}`),
		"minimum in quotes":  of(`{"minimum":"3"}`),
		"draft 4 exclusive":  of(`{"minimum":3,"exclusiveMinimum":true}`),
		"divisor zero":       of(`{"multipleOf":0}`),
		"number of no size":  of(`{"maximum":1e999999999}`),
		"enum of no size":    of(`{"enum":[1e999999999]}`),
		"list of items":      of(`{"items":[{}]}`),
		"dependencies":       of(`{"dependencies":{"x":["y"]}}`),
		"pattern of a name":  `{"patternProperties":{"(?=x)":{}}}`,
	} {
		if _, err := compile([]byte(schema)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestContents(t *testing.T) {
	for _, tc := range []struct {
		schema    string
		good, bad []string
	}{
		{``, []string{`{}`, `{"a":1}`}, []string{`[]`, `null`, `"x"`, `1`}},
		{`null`, []string{`{}`}, nil},
		{of(`{"type":"integer"}`),
			[]string{`{"x":8080}`, `{"x":8080.0}`, `{"x":8.08e3}`, `{"x":9007199254740993}`, `{"x":123456789012345678901234567890}`, `{"x":1,"y":[]}`},
			[]string{`{"x":"8080"}`, `{"x":"42xyz"}`, `{"x":1.5}`, `{"x":null}`, `{"x":true}`, `{"x":[1]}`, `{}`, `{"X":1}`, `{"x":1e999999999}`, `{"x":12345678901234567890.5}`, `{"x":1.00000000000000000001}`}},
		{of(`{"type":"number"}`), []string{`{"x":1}`, `{"x":1.5}`, `{"x":12345678901234567890.10}`}, []string{`{"x":"1"}`, `{"x":1e309}`}},
		{of(`{"type":["integer","null"]}`), []string{`{"x":1}`, `{"x":null}`}, []string{`{"x":1.5}`, `{"x":12345678901234567890.5}`}},
		{of(`{"anyOf":[{"type":"integer"},{"type":"null"}]}`), []string{`{"x":1}`, `{"x":null}`}, []string{`{"x":1.5}`, `{"x":"1"}`, `{"x":1.00000000000000000001}`}},
		{of(`{"type":"integer","exclusiveMaximum":9007199254740993}`), []string{`{"x":9007199254740992}`}, []string{`{"x":9007199254740993}`, `{"x":9007199254740994}`}},
		{of(`{"type":"number","minimum":0.1,"maximum":0.3}`), []string{`{"x":0.1}`, `{"x":0.3}`}, []string{`{"x":0.09999999999999999999}`, `{"x":0.30000000000000000001}`}},
		{of(`{"type":"number","exclusiveMinimum":0}`), []string{`{"x":1e-300}`}, []string{`{"x":0}`, `{"x":-0.0}`}},
		{of(`{"type":"number","multipleOf":0.1}`), []string{`{"x":0.3}`, `{"x":7}`}, []string{`{"x":0.35}`}},
		{of(`{"enum":[9007199254740993,"a",null,[1,{"b":2}]]}`), []string{`{"x":9007199254740993.0}`, `{"x":"a"}`, `{"x":null}`, `{"x":[1.0,{"b":2}]}`}, []string{`{"x":9007199254740992}`, `{"x":"A"}`, `{"x":[1]}`, `{"x":[1,{"c":2}]}`}},
		{of(`{"const":1,"enum":[1,2]}`), []string{`{"x":1}`}, []string{`{"x":2}`}},
		{of(`{"enum":[]}`), nil, []string{`{"x":1}`}},
		{of(`{"type":"string","minLength":2,"maxLength":3}`), []string{`{"x":"ab"}`, `{"x":"\u00e9\ud83d\ude00z"}`}, []string{`{"x":"a"}`, `{"x":"abcd"}`}},
		{of(`{"type":"string","maxLength":99999999999}`), []string{`{"x":"ab"}`}, nil},
		{of(`{"type":"string","pattern":"^a+$"}`), []string{`{"x":"aa"}`}, []string{`{"x":"ab"}`}},
		{of(`{"type":"string","oneOf":[{"const":"p1","title":"Gold"},{"const":"p2","title":"Silver"}]}`), []string{`{"x":"p2"}`}, []string{`{"x":"Gold"}`, `{"x":""}`}},
		{of(`{"oneOf":[{"const":"a"},{"const":"a"},{"const":"b"}]}`), []string{`{"x":"b"}`}, []string{`{"x":"a"}`}},
		{of(`{"anyOf":[{"const":1},{"const":1.0}]}`), []string{`{"x":1}`}, []string{`{"x":2}`}},
		{of(`{"type":"array","minItems":1,"maxItems":2,"uniqueItems":true,"items":{"type":"string","enum":["a","b"]}}`), []string{`{"x":["a"]}`, `{"x":["b","a"]}`}, []string{`{"x":[]}`, `{"x":"a"}`, `{"x":["c"]}`, `{"x":["a","a"]}`, `{"x":["a","b","a"]}`}},
		{of(`{"type":"array","items":{"anyOf":[{"const":"#F00","title":"Red"}]}}`), []string{`{"x":["#F00"]}`}, []string{`{"x":["Red"]}`}},
		{of(`{"type":"array","items":{"type":"integer"}}`), []string{`{"x":[1,2.0]}`}, []string{`{"x":[1.00000000000000000001]}`}},
		{of(`{"type":"string","format":"email"}`), []string{`{"x":"a@b.example"}`}, []string{`{"x":"a"}`}},
		{of(`{"format":"date"}`), []string{`{"x":"2026-07-28"}`, `{"x":1}`}, []string{`{"x":"soon"}`}},
		{`{"properties":{"a":{}},"additionalProperties":false}`, []string{`{"a":1}`, `{}`}, []string{`{"b":1}`}},
		{of(`false`), nil, []string{`{"x":1}`}},
		{of(`true`), []string{`{"x":{"y":[null]}}`}, nil},
	} {
		f, err := compile([]byte(tc.schema))
		if err != nil {
			t.Errorf("%s: %v", tc.schema, err)
			continue
		}
		for _, content := range tc.good {
			if err := f.check([]byte(content)); err != nil {
				t.Errorf("%s: %s was refused: %v", tc.schema, content, err)
			}
		}
		for _, content := range tc.bad {
			if f.check([]byte(content)) == nil {
				t.Errorf("%s: %s was taken", tc.schema, content)
			}
		}
	}
}

func TestAnnotationsArePassedOver(t *testing.T) {
	for _, more := range []string{
		`"enumNames":["Gold"]`, `"examples":"p1"`, `"readOnly":"yes"`, `"format":"int32"`, `"format":7`, `"title":null`, `"default":[]`, `"$comment":1`,
		`"$id":"::"`, `"$anchor":7`, `"$schema":"http://json-schema.org/draft-04/schema#"`, `"$defs":{"a":{"$ref":"#"}}`, `"definitions":7`,
		`"Type":"integer"`, `"x-order":{"$ref":"#"}`, `"contentSchema":{"$ref":"#"}`, `"pattern":"(?=a)b"`, `"$vocabulary":{"a":true}`,
	} {
		f, err := compile([]byte(of(`{"type":"string",` + more + `}`)))
		if err != nil {
			t.Errorf("%s: %v", more, err)
			continue
		}
		if err := f.check([]byte(`{"x":"p1"}`)); err != nil {
			t.Errorf("%s: %v", more, err)
		}
		if f.check([]byte(`{"x":1}`)) == nil {
			t.Errorf("%s: hides the type", more)
		}
	}
}

func TestAnAmbiguousContentIsRefused(t *testing.T) {
	f, err := compile([]byte(of(`{"type":"integer"}`)))
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{`{"x":1,"x":"y"}`, `{"x":1,"\u0078":2}`, `{"x":1,"y":{"a":1,"a":2}}`, `{"x":1`, `{"x":01}`, "{\"x\":1,\"y\":\"\xff\"}"} {
		if f.check([]byte(content)) == nil {
			t.Errorf("%s was taken", content)
		}
	}
}

func TestAMisfitNamesTheFieldAndNoValue(t *testing.T) {
	f, err := compile([]byte(`{"properties":{"port":{"type":"integer","maximum":9},"mail":{"type":"string","format":"email"},"name":{"type":"string"}},"required":["name"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for content, field := range map[string]string{
		`{"name":"s3cret","port":"s3cret"}`: "port",
		`{"name":"s3cret","port":12345}`:    "port",
		`{"name":"s3cret","mail":"s3cret"}`: "mail",
		`{"name":["s3cret"]}`:               "name",
		`{"port":1}`:                        "name",
	} {
		err := f.check([]byte(content))
		if err == nil || !strings.Contains(err.Error(), field) || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "12345") {
			t.Errorf("%s: %v, want %s named and no value", content, err, field)
		}
	}
}

// A client with a long list must not cost more than its list, whatever the form offers.
func TestALongListOfManyChoices(t *testing.T) {
	var titled, plain []string
	for i := range 1500 {
		titled = append(titled, fmt.Sprintf(`{"const":"c%d","title":"C"}`, i))
		plain = append(plain, fmt.Sprintf(`"c%d"`, i))
	}
	list := `{"x":[` + strings.Repeat(`"c1499",`, 50000) + `"c0"]}`
	for _, items := range []string{`{"anyOf":[` + strings.Join(titled, ",") + `]}`, `{"enum":[` + strings.Join(plain, ",") + `]}`} {
		f, err := compile([]byte(of(`{"type":"array","items":` + items + `}`)))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.check([]byte(list)); err != nil {
			t.Errorf("%.30s: %v", items, err)
		}
		if f.check([]byte(strings.Replace(list, "c0", "d0", 1))) == nil {
			t.Errorf("%.30s: a value beyond the choices was taken", items)
		}
	}
	mixed := `{"anyOf":[{"type":"null"},` + strings.Join(titled, ",") + `]}`
	f, err := compile([]byte(of(`{"type":"array","items":` + mixed + `}`)))
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if f.check([]byte(list)) == nil {
		t.Error("a list of no bound was checked against a form of no choices")
	}
	if d := time.Since(begun); d > 5*time.Second {
		t.Errorf("refusing took %v", d)
	}
	if f.check([]byte(`{"x":"`+strings.Repeat("x", maxContentBytes)+`"}`)) == nil {
		t.Error("a content of no bound was taken")
	}
}

// Names that differ by halves of surrogate pairs alone are one name to those that decode them: what stands behind is not lost.
func TestNamesThatGoMeltIntoOne(t *testing.T) {
	form, err := compile([]byte(`{"properties":{"port":{"type":"integer"},"name":{"enum":["a"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{
		`{"\ud800":1,"\ud801":2,"port":"x","name":"zzz"}`, `{"port":1,"\ud800":1,"\ufffd":2}`, `{"port":1,"x":[{"\ud800":1,"\udc00":2}]}`,
	} {
		if form.check([]byte(content)) == nil {
			t.Errorf("accepted %s", content)
		}
	}
	for _, schema := range []string{
		`{"\ud800":1,"\ud801":2,"properties":{"port":{"type":"integer"}}}`, `{"properties":{"\ud800":{},"\ud801":{},"port":{"type":"integer"}}}`,
	} {
		if _, err := compile([]byte(schema)); err == nil {
			t.Errorf("compiled %s", schema)
		}
	}
}

func TestContentsAreNotNestedForEver(t *testing.T) {
	form, err := compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	for depth, fits := range map[int]bool{10: true, maxNesting - 1: true, maxNesting + 1: false} {
		content := `{"x":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`
		if err := form.check([]byte(content)); (err == nil) != fits {
			t.Errorf("%d deep: %v", depth, err)
		}
	}
}

// The work has a bound: fewer values where each of them is looked at by the library, and fewer fractions.
func TestManyValuesThatNobodyAskedFor(t *testing.T) {
	var fields, integers, fractions []string
	for i := range 60 {
		fields = append(fields, fmt.Sprintf(`"f%d":{"type":"string"}`, i))
	}
	for i := range 60_000 {
		integers = append(integers, fmt.Sprintf(`"x%d":1`, i))
		fractions = append(fractions, fmt.Sprintf(`"x%d":1e-399`, i))
	}
	for _, tc := range []struct {
		rest                string
		integers, fractions int // that are taken
	}{{"", 60_000, 30_000}, {`,"maxProperties":100000`, 20_000, 600}} {
		form, err := compile([]byte(`{"properties":{` + strings.Join(fields, ",") + `}` + tc.rest + `}`))
		if err != nil {
			t.Fatal(err)
		}
		for what, c := range map[string]struct {
			values []string
			taken  int
		}{"integers": {integers, tc.integers}, "fractions": {fractions, tc.fractions}} {
			for _, n := range []int{c.taken, min(2*c.taken, len(c.values))} {
				if err := form.check([]byte(`{` + strings.Join(c.values[:n], ",") + `}`)); (err == nil) != (n == c.taken) {
					t.Errorf("%d %s with %q: %v", n, what, tc.rest, err)
				}
			}
		}
	}
}

// A form that is filled in as it asks is taken, however long it is.
func TestLongForms(t *testing.T) {
	for kind, value := range map[string]string{"number": "1.5", "string": `"x"`, "integer": "1", "boolean": "true"} {
		var fields, values []string
		for i := range 2000 {
			fields = append(fields, fmt.Sprintf(`"f%d":{"type":%q}`, i, kind))
			values = append(values, fmt.Sprintf(`"f%d":%s`, i, value))
		}
		form, err := compile([]byte(`{"type":"object","properties":{` + strings.Join(fields, ",") + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := form.check([]byte(`{` + strings.Join(values, ",") + `}`)); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
