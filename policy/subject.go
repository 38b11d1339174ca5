package policy

import (
	"errors"
	"reflect"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// subject is the value of the variables request, ask and client. It has fields and nothing else, so
// that no expression can carry it away whole.
type subject struct {
	kind *types.Type
	e    *evaluation
}

var errWhole = errors.New("not a value by itself: name one of its fields")

// ConvertToNative always fails.
func (s *subject) ConvertToNative(reflect.Type) (any, error) { return nil, errWhole }

// ConvertToType knows the type's own name only.
func (s *subject) ConvertToType(t ref.Type) ref.Val {
	if t == types.TypeType {
		return s.kind
	}
	return types.WrapErr(errWhole)
}

// Equal holds for the very same variable.
func (s *subject) Equal(other ref.Val) ref.Val { return types.Bool(ref.Val(s) == other) }

// Type is the variable's type.
func (s *subject) Type() ref.Type { return s.kind }

// Value is what the fields are read from.
func (s *subject) Value() any { return s.e }

// ResolveName gives a variable, as [cel.Activation] asks for.
func (e *evaluation) ResolveName(name string) (any, bool) {
	if !e.subjectsReady {
		e.subjectsReady = true
		e.request, e.ask, e.from = subject{requestType, e}, subject{askType, e}, subject{clientType, e}
	}
	switch name {
	case "request":
		return &e.request, true
	case "ask":
		return &e.ask, true
	case "client":
		return &e.from, true
	case "route":
		return types.String(e.q.Route), true
	case "round":
		return types.Int(e.q.Round), true
	}
	return nil, false
}

// Parent is none.
func (e *evaluation) Parent() cel.Activation { return nil }

func (e *evaluation) readArgs() (*object, error) {
	if e.args == nil && e.argsErr == nil {
		if e.argsErr = checkObject("arguments", e.q.Request.Args); e.argsErr == nil {
			e.args = &object{raw: e.q.Request.Args}
		}
	}
	return e.args, e.argsErr
}

func (e *evaluation) readParams() (*object, error) {
	if err := e.checkParams(); err != nil {
		return nil, err
	}
	if e.params == nil {
		e.params = &object{raw: e.q.Params}
	}
	return e.params, nil
}

func (e *evaluation) readCapabilities() (*object, error) {
	if e.capabilities == nil {
		e.capabilities = &object{raw: wire.Capabilities{Can: e.q.Client.Can}.Append(nil)}
	}
	return e.capabilities, nil
}
