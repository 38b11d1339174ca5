package explain

import (
	"errors"
	"fmt"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Everything is what a client can be asked that is not known.
const Everything = wire.CanForm | wire.CanURL | wire.CanSampling | wire.CanSamplingTools | wire.CanSamplingContext | wire.CanRoots

// Query is one ask or more, and what they belong to.
type Query struct {
	Route   string // path of the route; "" = the only one
	Request policy.Request
	// Client with what it can be asked; Assumed: nobody said what that is, so it is everything.
	Client  policy.Client
	Assumed bool
	Round   int
	Asks    []resolver.Ask
}

// New is a query that nothing is known of: a tools/call by a client that can be asked everything.
func New() *Query {
	return &Query{Request: policy.Request{Method: wire.MethodToolsCall}, Client: policy.Client{Can: Everything}, Assumed: true, Round: 1}
}

// Read reads a JSON document: {"ask","request","client","route","round"} of which only ask is needed, an entry of
// inputRequests, an input_required result, or a JSON-RPC response that holds one. request, client, route and round may
// stand beside any of them. A requestState is not looked at.
func Read(document []byte) (*Query, error) {
	if err := wire.Validate(document); err != nil {
		return nil, fmt.Errorf("the ask is no JSON: %w", err)
	}
	if wire.KindOf(document) != '{' {
		return nil, errors.New("the ask is no JSON object")
	}
	q, d := New(), documentReader{}
	err := wire.Each(document, func(key string, value []byte) error { return d.member(q, key, value) })
	if err != nil {
		return nil, err
	}
	return q, d.asks(q)
}

// documentReader gathers the members that make the asks.
type documentReader struct {
	ask, method, params, requests []byte
	final                         bool
}

func (d *documentReader) member(q *Query, key string, value []byte) (err error) {
	switch key {
	case "ask":
		d.ask = value
	case "method":
		d.method = value
	case "params":
		d.params = value
	case "inputRequests":
		d.requests = value
	case "resultType":
		kind, _ := wire.Unquote(value)
		d.final = kind != "input_required"
	case "result":
		return wire.Each(value, func(key string, value []byte) error {
			if key == "inputRequests" || key == "resultType" {
				return d.member(q, key, value)
			}
			return nil
		})
	case "request":
		err = q.readRequest(value)
	case "client":
		err = q.readClient(value)
	case "route":
		q.Route, err = text("route", value)
	case "round":
		q.Round, err = count("round", value)
	}
	return err
}

// asks takes the asks from where they were found.
func (d *documentReader) asks(q *Query) (err error) {
	switch {
	case d.final:
		return errors.New("the result is no input_required result: it asks for nothing")
	case d.ask != nil:
		var key string
		if k := wire.Get(d.ask, "key"); k != nil {
			if key, err = text("ask.key", k); err != nil {
				return err
			}
		}
		q.Asks, err = Asks(oneRequest(key, d.ask))
	case d.requests != nil:
		q.Asks, err = Asks(d.requests)
	case d.method != nil:
		entry := append([]byte(`{"method":`), d.method...)
		if d.params != nil {
			entry = append(append(entry, `,"params":`...), d.params...)
		}
		q.Asks, err = Asks(oneRequest("", append(entry, '}')))
	default:
		return errors.New(`there is no ask: want {"ask":{"method","params"}}, an entry of inputRequests, or an input_required result`)
	}
	return err
}

// DefaultKey is the key of an ask that has none.
const DefaultKey = "ask"

// oneRequest makes inputRequests of one ask.
func oneRequest(key string, entry []byte) []byte {
	if key == "" {
		key = DefaultKey
	}
	return append(append(append(wire.AppendQuoted([]byte{'{'}, key), ':'), entry...), '}')
}

// Asks reads inputRequests as traffic does, whatever the client can be asked.
func Asks(inputRequests []byte) (asks []resolver.Ask, err error) {
	if wire.KindOf(inputRequests) != '{' {
		return nil, errors.New("inputRequests is no object")
	}
	err = wire.Each(inputRequests, func(key string, entry []byte) error {
		a, err := resolver.ReadAsk(key, entry)
		if err != nil {
			return fmt.Errorf("the ask %q cannot be asked: %w", wire.Clean(key, maxShown), err)
		}
		asks = append(asks, a)
		return nil
	})
	if err == nil && len(asks) == 0 {
		err = errors.New("there is no ask in inputRequests")
	}
	return asks, err
}
