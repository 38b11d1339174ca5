package answer

// shape is what stands under a keyword of JSON Schema.
type shape uint8

const (
	annotation shape = iota // not looked at
	reference               // refused: a form is flat
	subschema
	subschemas  // a list
	subschemaOf // an object of names
	number
	divisor // a number above zero
	count
	flag
	pattern
	names   // a list of strings
	namesOf // an object of such lists
	value
	values
	types
	format // a word; unknown ones annotate
)

// keywords are those that decide whether a value fits (JSON Schema 2020-12, and what draft 7 had instead). A keyword that
// is not here is an annotation.
var keywords = map[string]shape{
	"$ref": reference, "$dynamicRef": reference, "$recursiveRef": reference, "dependencies": reference,

	"type": types, "format": format, "enum": values, "const": value,
	"minimum": number, "maximum": number, "exclusiveMinimum": number, "exclusiveMaximum": number, "multipleOf": divisor,
	"minLength": count, "maxLength": count, "pattern": pattern,

	"items": subschema, "prefixItems": subschemas, "contains": subschema, "unevaluatedItems": subschema,
	"minItems": count, "maxItems": count, "minContains": count, "maxContains": count, "uniqueItems": flag,

	"properties": subschemaOf, "patternProperties": subschemaOf, "additionalProperties": subschema,
	"propertyNames": subschema, "unevaluatedProperties": subschema, "dependentSchemas": subschemaOf,
	"required": names, "dependentRequired": namesOf, "minProperties": count, "maxProperties": count,

	"allOf": subschemas, "anyOf": subschemas, "oneOf": subschemas, "not": subschema,
	"if": subschema, "then": subschema, "else": subschema,
}

// typeNames are what "type" may say.
var typeNames = map[string]bool{
	"string": true, "number": true, "integer": true, "boolean": true, "array": true, "object": true, "null": true,
}
