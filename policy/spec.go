package policy

import "encoding/json"

// Spec is one rule as it was written, not yet checked. Values keep the digits they were written with.
type Spec struct {
	// Name of the rule: a label of metrics, so it is required and unique among the rules of a Set.
	Name string
	// Match is the JSON object of conditions, all of which must hold; nil or {} matches all.
	Match json.RawMessage
	// Action is the key of the rule's one action: "accept", "forward", …
	Action string
	// Mode is "enforce", which "" stands for, or "observe": see [Rule].
	Mode string
	// Args is the JSON value of that key; nil and null are as good as {}.
	Args json.RawMessage
}

// Problem is one thing that is wrong with a rule.
type Problem struct {
	// Rule is the index of the rule among the specs.
	Rule int
	// Field is a path inside the rule, "" for the rule itself: "match.tool", "accept.content", "roots[0].uri".
	Field string
	// Message says what is wrong, for people; an expression's begins with its line:column.
	Message string
}

// ActionParser checks the arguments of an action whose source lives outside this package. What it
// returns comes back in [Extra]; the Field of its problems is relative to the arguments ("url", ""),
// their Rule is ignored.
type ActionParser func(args json.RawMessage) (parsed any, problems []Problem)
