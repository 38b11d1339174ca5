package resolver

import (
	"encoding/json"
	"errors"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Ask is one entry of inputRequests.
type Ask struct {
	Key    string // decoded; the answer goes up under the same key
	Kind   wire.AskKind
	Method string
	Params json.RawMessage // an object; nil when absent, which only roots/list may
	Needs  wire.Can        // the capabilities that this ask takes for granted
}

// Input is what an input_required result asks for, checked by ParseInput. It shares
// the memory of what it was parsed from; the actions of Step do not.
type Input struct {
	Asks  []Ask           // in the server's order; no more than MostInputRequests of them
	State json.RawMessage // requestState, a raw JSON string; nil when the server gave none
	Size  int             // bytes of the result

	more int // asks beyond MostInputRequests, only counted
}

// Count is the number of asks in the round.
func (in *Input) Count() int { return len(in.Asks) + in.more }

// ParseInput checks a whole round before anyone is asked. It takes the members of an
// input_required result, raw and valid JSON or nil when absent, the size of the result
// in bytes, and what was declared upstream with the attempt. Every failure is a
// Protocol failure: counts and sizes are limits, and left to Step.
//
// Rules: "Server Requirements (Basic Workflow)" of the Multi Round-Trip Requests page,
// and ours: an empty inputRequests asks nothing, so it needs a requestState.
func ParseInput(inputRequests, requestState []byte, size int, declared wire.Can) (Input, *Failure) {
	in := Input{State: requestState, Size: size}
	if requestState != nil && wire.KindOf(requestState) != '"' {
		return Input{}, ProtocolFailure("input_required with a requestState that is no string")
	}
	if inputRequests != nil && wire.KindOf(inputRequests) != '{' {
		return Input{}, ProtocolFailure("input_required with inputRequests that are no object")
	}
	if inputRequests != nil {
		if f := in.parseAsks(inputRequests, declared); f != nil {
			return Input{}, f
		}
	}
	if in.empty() {
		return Input{}, ProtocolFailure(emptyInput)
	}
	return in, nil
}

const emptyInput = "input_required that asks for nothing and has no requestState"

func (in *Input) empty() bool { return len(in.Asks) == 0 && in.State == nil }

// parseAsks reads the entries one after the other, and not within the walk: how deep the
// stack becomes here is how much of it a call keeps that then waits for a person.
func (in *Input) parseAsks(inputRequests []byte, declared wire.Can) *Failure {
	type entry struct {
		key string
		raw []byte
	}
	var entries []entry
	err := wire.Each(inputRequests, func(key string, raw []byte) error {
		entries = append(entries, entry{key, raw})
		return nil
	})
	if err != nil {
		return ProtocolFailure("inputRequests are not valid, " + fault(err))
	}
	in.Asks = make([]Ask, 0, min(len(entries), MostInputRequests))
	for _, e := range entries {
		ask, detail := parseAsk(e.key, e.raw)
		if detail == "" && !declared.Has(ask.Needs) {
			detail = "it needs a capability of the client that was not declared"
		}
		if detail != "" {
			return protocolFailure(e.key, "its "+question(ask.Kind, e.key)+" is not valid, "+detail)
		}
		if len(in.Asks) == MostInputRequests {
			in.more++
			continue
		}
		in.Asks = append(in.Asks, ask)
	}
	return nil
}

// ReadAsk checks one entry of inputRequests by itself, whatever was declared. The error
// says what is wrong with it: "it has no params".
func ReadAsk(key string, entry []byte) (Ask, error) {
	ask, detail := parseAsk(key, entry)
	if detail != "" {
		return Ask{}, errors.New(detail)
	}
	return ask, nil
}

// parseAsk reads one entry. What is wrong with it is the detail, "" for nothing; the
// ask's kind is set as soon as it is known.
func parseAsk(key string, entry []byte) (ask Ask, detail string) {
	ask.Key = key
	if !isKey(key) {
		return ask, "its key is no valid Unicode text"
	}
	if wire.KindOf(entry) != '{' {
		return ask, "it is no object"
	}
	var method []byte
	err := wire.Each(entry, func(member string, value []byte) error {
		switch member {
		case "method":
			method = value
		case "params":
			ask.Params = value
		}
		return nil
	})
	if err != nil {
		return ask, fault(err)
	}
	if wire.KindOf(method) != '"' {
		return ask, "its method is no string"
	}
	ask.Method, _ = wire.Unquote(method)
	if !ask.setKind() {
		return ask, "its method " + quoted(ask.Method) + " is none that a client can be asked"
	}
	if ask.Params == nil {
		if ask.Kind == wire.Roots {
			return ask, ""
		}
		return ask, "it has no params"
	}
	if wire.KindOf(ask.Params) != '{' {
		return ask, "its params are no object"
	}
	return ask, ask.readParams()
}

// setKind takes the kind from the method; an elicitation is a form until its params
// say otherwise.
func (a *Ask) setKind() bool {
	switch a.Method {
	case wire.MethodElicit:
		a.Kind = wire.ElicitationForm
	case wire.MethodCreateMessage:
		a.Kind = wire.Sampling
	case wire.MethodRootsList:
		a.Kind = wire.Roots
	default:
		return false
	}
	a.Needs = a.Kind.Needs()
	return true
}

// readParams takes from the params what decides on the ask's kind and needs. Repeated
// members are refused: this reading and the client's have to be the same.
//
// includeContext needs nothing: without sampling.context a server only SHOULD NOT use
// it, and a client may ignore it (schema, CreateMessageRequestParams).
func (a *Ask) readParams() (detail string) {
	var mode, url []byte
	tools := false
	err := wire.Each(a.Params, func(member string, value []byte) error {
		switch member {
		case "mode":
			mode = value
		case "url":
			url = value
		case "tools", "toolChoice":
			tools = tools || wire.KindOf(value) != 'n'
		}
		return nil
	})
	switch {
	case err != nil:
		return "in its params, " + fault(err)
	case a.Kind == wire.ElicitationForm:
		return a.readMode(mode, url)
	case a.Kind == wire.Sampling && tools:
		a.Needs |= wire.CanSamplingTools
	}
	return ""
}

func (a *Ask) readMode(mode, url []byte) (detail string) {
	if mode == nil {
		return ""
	}
	if wire.KindOf(mode) != '"' {
		return "its mode is no string"
	}
	switch name, _ := wire.Unquote(mode); name {
	case "form":
		return ""
	case "url":
		a.Kind = wire.ElicitationURL
		a.Needs = a.Kind.Needs()
		if wire.KindOf(url) != '"' {
			return "its url is no string"
		}
		return ""
	default:
		return "its mode " + quoted(name) + " is unknown"
	}
}

// fault is a scan's error as part of a sentence.
func fault(err error) string {
	var e *wire.Error
	if errors.As(err, &e) && e.Reason == wire.Duplicate {
		return "a member is there twice"
	}
	return "the JSON is broken"
}
