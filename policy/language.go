package policy

import (
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

const (
	// maxExpression bounds the text of an expression, in characters.
	maxExpression = 4096
	// maxRegex bounds a compiled regular expression, in instructions.
	maxRegex = 2000
)

// environment is CEL with the variables of rules: request, ask, client, route and round. It is made for
// the first expression of a set.
func (c *compiler) environment() (*cel.Env, error) {
	if c.env != nil {
		return c.env, nil
	}
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	env, err := cel.NewEnv(
		cel.CustomTypeAdapter(registry),
		cel.CustomTypeProvider(&subjects{Registry: registry, fields: subjectFields()}),
		cel.Variable("request", requestType),
		cel.Variable("ask", askType),
		cel.Variable("client", clientType),
		cel.Variable("route", cel.StringType),
		cel.Variable("round", cel.IntType),
		cel.ParserExpressionSizeLimit(maxExpression),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateDurationLiterals()),
		cel.RegexProgramSizeLimit(maxRegex),
	)
	if err != nil {
		return nil, fmt.Errorf("the expression language: %w", err)
	}
	c.env = env
	return env, nil
}

var (
	requestType = types.NewObjectType("mrtr.Request")
	askType     = types.NewObjectType("mrtr.Ask")
	clientType  = types.NewObjectType("mrtr.Client")
	anyMap      = types.NewMapType(types.StringType, types.DynType)
)

// subjects tells the type checker which fields the variables have, and reads them when expressions run.
type subjects struct {
	*types.Registry
	fields map[string]map[string]*types.FieldType
}

// FindStructType knows the types of the variables.
func (s *subjects) FindStructType(name string) (*types.Type, bool) {
	if _, ok := s.fields[name]; ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return s.Registry.FindStructType(name)
}

// FindStructFieldType knows their fields.
func (s *subjects) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if fields, ok := s.fields[name]; ok {
		f, ok := fields[field]
		return f, ok
	}
	return s.Registry.FindStructFieldType(name, field)
}

func subjectFields() map[string]map[string]*types.FieldType {
	return map[string]map[string]*types.FieldType{
		requestType.TypeName(): {
			"method": stringField(func(q *Question) string { return q.Request.Method }),
			"name":   stringField(func(q *Question) string { return q.Request.Name }),
			"args":   objectField((*evaluation).readArgs),
		},
		askType.TypeName(): {
			"key":     stringField(func(q *Question) string { return q.Key }),
			"method":  stringField(func(q *Question) string { return q.Method }),
			"mode":    stringField(func(q *Question) string { return q.Mode }),
			"message": stringField(func(q *Question) string { return q.Message }),
			"params":  objectField((*evaluation).readParams),
		},
		clientType.TypeName(): {
			"name":         stringField(func(q *Question) string { return q.Client.Name }),
			"version":      stringField(func(q *Question) string { return q.Client.Version }),
			"protocol":     stringField(func(q *Question) string { return q.Client.Protocol }),
			"capabilities": objectField((*evaluation).readCapabilities),
		},
	}
}

// stringField is a field that is set when it is not empty.
func stringField(get func(*Question) string) *types.FieldType {
	return &types.FieldType{
		Type:  types.StringType,
		IsSet: func(target any) bool { return get(target.(*evaluation).q) != "" },
		GetFrom: func(target any) (any, error) {
			return types.String(get(target.(*evaluation).q)), nil
		},
	}
}

// objectField is a JSON object; an absent one reads as empty.
func objectField(get func(*evaluation) (*object, error)) *types.FieldType {
	return &types.FieldType{
		Type:  anyMap,
		IsSet: func(any) bool { return true },
		GetFrom: func(target any) (any, error) {
			o, err := get(target.(*evaluation))
			if err != nil {
				return nil, err
			}
			return o, nil
		},
	}
}
