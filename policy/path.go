package policy

import (
	"encoding/json"
	"fmt"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// plainPath is the path of an expression that is a path and nothing else, nil for others.
func plainPath(e ast.Expr) []string {
	var path []string
	for {
		switch e.Kind() {
		case ast.SelectKind:
			if e.AsSelect().IsTestOnly() {
				return nil
			}
			path = append(path, e.AsSelect().FieldName())
			e = e.AsSelect().Operand()
		case ast.CallKind:
			call := e.AsCall()
			if call.FunctionName() != operators.Index || call.Args()[1].Kind() != ast.LiteralKind {
				return nil
			}
			key, ok := call.Args()[1].AsLiteral().(types.String)
			if !ok {
				return nil
			}
			path = append(path, string(key))
			e = call.Args()[0]
		case ast.IdentKind:
			return orderedPath(e.AsIdent(), path)
		default:
			return nil
		}
	}
}

// orderedPath turns a path that was gathered from its end.
func orderedPath(variable string, reversed []string) []string {
	n := len(reversed)
	if n < 2 || variable+"."+reversed[n-1] != "request.args" && variable+"."+reversed[n-1] != "ask.params" {
		return nil
	}
	path := []string{variable}
	for i := n - 2; i >= 0; i-- {
		path = append(path, reversed[i])
	}
	return path
}

// follow takes the bytes that the path leads to.
func (x *expression) follow(e *evaluation) (json.RawMessage, error) {
	read := e.readArgs
	if x.path[0] == "ask" {
		read = e.readParams
	}
	o, err := read()
	if err != nil {
		return nil, err
	}
	var raw json.RawMessage
	for _, key := range x.path[1:] {
		if o == nil {
			return nil, fmt.Errorf("no such key: %s", key)
		}
		n := o.find(key)
		if n == nil {
			return nil, fmt.Errorf("no such key: %s", key)
		}
		raw = n.raw
		o, _ = n.value().(*object)
	}
	switch wire.KindOf(raw) {
	case '{', 'n', 0:
		return nil, fmt.Errorf("gives a map or null, want %s", jsonValues.want)
	}
	if len(raw) > maxComputed {
		return nil, errTooLarge
	}
	return raw, nil
}
