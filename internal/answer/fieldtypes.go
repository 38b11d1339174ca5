package answer

import (
	"encoding/json"
	"unicode/utf8"
)

// fieldTypes are the types of a form's properties, by name, where the library would look at nothing else but the lengths of
// texts: nearly all forms are like that. nil is a form that has more in it.
type fieldTypes map[string]fieldType

type fieldType struct {
	name        string
	least, most int64 // characters of a text; most is negative for any number
}

// typesOf finds them in a plain schema out of which the fields' own constraints have been taken.
func typesOf(plain map[string]any) fieldTypes {
	for keyword := range plain {
		switch keyword {
		case "type", "properties", "required":
		default:
			return nil
		}
	}
	properties, _ := plain["properties"].(map[string]any)
	t := make(fieldTypes, len(properties))
	for name, property := range properties {
		p, _ := property.(map[string]any)
		f, ok := typeOf(p)
		if !ok {
			return nil
		}
		t[name] = f
	}
	return t
}

func typeOf(property map[string]any) (fieldType, bool) {
	f := fieldType{most: -1}
	for keyword, v := range property {
		count, _ := v.(int64)
		switch keyword {
		case "type":
			if list := v.([]any); len(list) == 1 {
				f.name = list[0].(string)
			}
		case "minLength":
			f.least = count
		case "maxLength":
			f.most = count
		default:
			return f, false
		}
	}
	return f, f.name != ""
}

// fit tells whether a decoded content is one that the library would take. When it is false, the library has to say.
func (t fieldTypes) fit(content map[string]any) bool {
	if t == nil {
		return false
	}
	for name, v := range content {
		want, asked := t[name]
		ok := false
		switch v := v.(type) {
		case string:
			ok = want.name == "string" && (want.least == 0 && want.most < 0 || want.holds(v))
		case bool:
			ok = want.name == "boolean"
		case json.Number:
			switch native(v).(type) {
			case nil:
				return false
			case float64: // which may still be a whole number
				ok = want.name == "number"
			default:
				ok = want.name == "number" || want.name == "integer"
			}
		default:
			return false
		}
		if asked && !ok {
			return false
		}
	}
	return true
}

func (f *fieldType) holds(text string) bool {
	n := int64(utf8.RuneCountInString(text))
	return n >= f.least && (f.most < 0 || n <= f.most)
}
