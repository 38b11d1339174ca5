package answer

import "encoding/json"

// fieldTypes are the types of a form's properties, by name, where they are all that the library would look at: nearly all forms
// are like that. nil is a form that has more in it.
type fieldTypes map[string]string

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
		list, _ := p["type"].([]any)
		if len(p) != 1 || len(list) != 1 {
			return nil
		}
		t[name] = list[0].(string)
	}
	return t
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
			ok = want == "string"
		case bool:
			ok = want == "boolean"
		case json.Number:
			switch native(v).(type) {
			case nil:
				return false
			case float64: // which may still be a whole number
				ok = want == "number"
			default:
				ok = want == "number" || want == "integer"
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
