package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// expression is a checked CEL expression. It is safe for concurrent use.
type expression struct {
	source string
	// program counts what a run costs and stops at costLimit.
	program cel.Program
	// quick counts nothing, which is several times faster; nil where a run could cost more than one
	// pass over what it reads for each of its terms. It is used on small input only.
	quick cel.Program
	// path leads to one value inside request.args or ask.params, where that is all the expression
	// says: its bytes are then taken as they are. The first element is the variable.
	path []string
}

// yields is what an expression may result in.
type yields struct {
	kinds []types.Kind
	want  string
}

var (
	booleans   = yields{[]types.Kind{types.BoolKind}, "true or false"}
	jsonValues = yields{[]types.Kind{
		types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.StringKind, types.ListKind,
	}, "a string, a number, true, false or a list"}
)

// expression checks an expression; nil with a problem.
func (c *compiler) expression(field, source string, want yields) *expression {
	env, err := c.environment()
	if err != nil {
		c.report(field, "%v", err)
		return nil
	}
	checked, issues := env.Compile(source)
	if issues.Err() != nil {
		for _, e := range issues.Errors() {
			c.report(field, "%d:%d: %s", max(e.Location.Line(), 1), max(e.Location.Column()+1, 1), problemText(e.Message))
		}
		return nil
	}
	if !want.allow(checked.OutputType()) {
		c.report(field, "1:1: gives %s, want %s", checked.OutputType(), want.want)
		return nil
	}
	x := &expression{source: source, path: plainPath(checked.NativeRep().Expr())}
	optimize := cel.EvalOptions(cel.OptOptimize)
	x.program, err = env.Program(checked, optimize, cel.CostLimit(costLimit))
	if err == nil && onePass(checked.NativeRep().Expr()) {
		x.quick, err = env.Program(checked, optimize)
	}
	if err != nil {
		c.report(field, "1:1: %s", problemText(err.Error()))
		return nil
	}
	return x
}

// allow lets what is only known at run time pass.
func (y yields) allow(t *types.Type) bool {
	for _, k := range y.kinds {
		if t.Kind() == k {
			return true
		}
	}
	return t.Kind() == types.DynKind
}

// problemText leaves out what a parser could have taken instead: it is most of the language.
func problemText(message string) string {
	message, _, _ = strings.Cut(message, " expecting ")
	message = strings.ReplaceAll(message, " (in container '')", "")
	message = strings.ReplaceAll(message, "mismatched input '<EOF>'", "something is missing")
	return strings.Join(strings.Fields(message), " ")
}

// holds runs an expression that is a condition.
func (x *expression) holds(e *evaluation) (bool, error) {
	v, err := x.run(e)
	if err != nil {
		return false, err
	}
	b, ok := v.(types.Bool)
	if !ok {
		return false, fmt.Errorf("gives %s, want %s", v.Type().TypeName(), booleans.want)
	}
	return bool(b), nil
}

// json runs an expression that gives a value for a form's field.
func (x *expression) json(e *evaluation) (json.RawMessage, error) {
	if x.path != nil {
		return x.follow(e)
	}
	v, err := x.run(e)
	if err != nil {
		return nil, err
	}
	return appendJSON(nil, v)
}

func (x *expression) run(e *evaluation) (ref.Val, error) {
	program := x.program
	if x.quick != nil && len(e.q.Params)+len(e.q.Request.Args)+len(e.q.Message) <= smallInput {
		program = x.quick
	}
	v, _, err := program.Eval(e)
	if err != nil {
		return nil, err
	}
	if types.IsUnknownOrError(v) {
		return nil, errors.New("gives no value")
	}
	return v, nil
}
