package policy

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
)

const (
	// costLimit bounds one run of an expression, in CEL's cost units: some tens of milliseconds.
	costLimit = 1_000_000
	// smallInput bounds what an expression reads on a run whose cost is not counted, in bytes.
	smallInput = 64 << 10
)

// onePass reports whether each term of an expression costs at most one pass over what it reads, and
// makes nothing larger: no loops, no concatenation, no regular expressions.
func onePass(e ast.Expr) bool {
	switch e.Kind() {
	case ast.LiteralKind, ast.IdentKind:
		return true
	case ast.SelectKind:
		return onePass(e.AsSelect().Operand())
	case ast.ListKind:
		return allOnePass(e.AsList().Elements())
	case ast.CallKind:
		call := e.AsCall()
		return onePassCall(call.FunctionName()) && allOnePass(call.Args()) && (!call.IsMemberFunction() || onePass(call.Target()))
	}
	return false
}

func allOnePass(list []ast.Expr) bool {
	for _, e := range list {
		if !onePass(e) {
			return false
		}
	}
	return true
}

func onePassCall(function string) bool {
	switch function {
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional,
		operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater,
		operators.GreaterEquals, operators.In, operators.Index, operators.Negate,
		overloads.Size, overloads.StartsWith, overloads.EndsWith, overloads.Contains:
		return true
	}
	return false
}
