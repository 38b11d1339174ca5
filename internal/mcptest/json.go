package mcptest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Member returns the raw value at a path of member names, nil when there is
// none. Numbers stay as they were written.
func Member(object []byte, path ...string) json.RawMessage {
	for _, name := range path {
		members, err := objectOf(object)
		if err != nil {
			return nil
		}
		object = members[name]
	}
	return object
}

// Same tells whether two JSON texts have the same value, whatever their white
// space and member order. Numbers are compared as written.
func Same(a, b []byte) bool {
	left, errLeft := canonical(a)
	right, errRight := canonical(b)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

func canonical(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// Quote is s as a JSON string.
func Quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string and a buffer cannot fail
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// objectOf reads the members of an object and refuses a repeated name.
func objectOf(raw []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("no object: %.40s", raw)
	}
	members := map[string]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		key := name.(string) // the decoder lets only strings stand for names
		if _, repeated := members[key]; repeated {
			return nil, fmt.Errorf("member %q is repeated", key)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		members[key] = value
	}
	_, err := d.Token()
	return members, err
}

// textOf decodes a JSON string; anything else is "".
func textOf(raw []byte) (s string) {
	_ = json.Unmarshal(raw, &s) // the zero value says it
	return s
}

func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }

// isInteger tells whether raw is a number without fraction and exponent.
func isInteger(raw []byte) bool {
	digits := bytes.TrimPrefix(raw, []byte("-"))
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(digits) > 0
}
