package modern

import "testing"

func TestDigestSeesThroughSpelling(t *testing.T) {
	same := [][]string{
		{`{"name":"n","arguments":{"a":1,"b":[true,null,"x"]}}`,
			` { "arguments" : {"b":[ true,null , "\u0078"],"a":1} ,"n\u0061me":"n" } `,
			`{"_meta":{"x":1},"name":"n","requestState":"s","arguments":{"a":1,"b":[true,null,"x"]},"inputResponses":{}}`},
		{`{"arguments":{"_meta":1}}`}, {`{"arguments":{}}`}, {`{}`, `{"_meta":{}}`},
		{`{"a":1}`}, {`{"a":1.0}`}, {`{"a":"1"}`}, {`{"a":9007199254740993}`}, {`{"a":9007199254740992}`},
		{`{"a":null}`}, {`{"a":[]}`}, {`{"a":{}}`}, {`{"a":[[]]}`}, {`{"a":[],"b":[]}`}, {`{"a":["b"]}`}, {`{"a":"\"b"}`},
		{`{"a":[1,2]}`}, {`{"a":[12]}`}, {`{"a":[2,1]}`}, {`{"a":["1,2"]}`},
		{`{"a":"\ud800"}`}, {`{"a":"\ufffd"}`}, {`{"a":{"b":1,"b":2}}`}, {`{"a":{"b":2,"b":1}}`},
	}
	of := map[digest]string{}
	for _, spellings := range same {
		first := digestOf("m", []byte(spellings[0]))
		if other, taken := of[first]; taken {
			t.Errorf("%s is taken for %s", spellings[0], other)
		}
		of[first] = spellings[0]
		for _, s := range spellings[1:] {
			if digestOf("m", []byte(s)) != first {
				t.Errorf("%s is not taken for %s", s, spellings[0])
			}
		}
		if digestOf("n", []byte(spellings[0])) == first {
			t.Error("the method does not matter")
		}
	}
}
