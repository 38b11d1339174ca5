package policy

import (
	"encoding/json"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Modes of an elicitation.
const (
	modeForm = "form"
	modeURL  = "url"
)

// Question is an ask with all that rules may look at. [QuestionOf] fills in the ask's own part.
type Question struct {
	Kind   wire.AskKind
	Key    string // of the ask in inputRequests
	Method string
	// Mode is "form" or "url" for an elicitation, else "".
	Mode string
	// Message is the question an elicitation puts, else "".
	Message string
	// URL is the link of an elicitation in url mode, else "".
	URL string
	// Fields are the property names of requestedSchema, in the order they were written.
	Fields []string
	// Params of the ask, raw; nil when absent.
	Params json.RawMessage

	Request Request
	Client  Client
	// ClientCan says that the client can be asked this.
	ClientCan bool
	Route     string // path of the route
	Round     int    // counts from 1
}

// Request is the client's request that met the ask.
type Request struct {
	Method string
	// Name is the tool, the prompt or the URI, by Method.
	Name string
	// Args is the raw arguments object; nil when absent.
	Args json.RawMessage
}

// Client is who sent the request.
type Client struct {
	Name, Version string
	// Protocol is the revision the client speaks.
	Protocol string
	// Can is what the client declared.
	Can wire.Can
}

// QuestionOf reads an ask into a Question, with Request, Client, ClientCan, Route and Round left for
// the caller. It never fails: what it cannot read stays empty. Repeated members are found by
// [Set.Decide], which refuses them where a rule reads params.
func QuestionOf(key string, kind wire.AskKind, method string, params json.RawMessage) Question {
	var q Question
	q.Read(key, kind, method, params)
	return q
}

// Read is QuestionOf for a Question that is there already.
func (q *Question) Read(key string, kind wire.AskKind, method string, params json.RawMessage) {
	q.Kind, q.Key, q.Method, q.Params = kind, key, method, params
	switch kind {
	case wire.ElicitationForm:
		q.Mode = modeForm
		_ = wire.Each(wire.Get(params, "requestedSchema", "properties"), func(name string, _ []byte) error {
			q.Fields = append(q.Fields, name)
			return nil
		})
	case wire.ElicitationURL:
		q.Mode = modeURL
		q.URL, _ = wire.Unquote(wire.Get(params, "url"))
	default:
		return
	}
	q.Message, _ = wire.Unquote(wire.Get(params, "message"))
}

// kinds is a set of ask kinds.
type kinds uint8

func kindsOf(list ...wire.AskKind) (set kinds) {
	for _, k := range list {
		set |= 1 << k
	}
	return set
}

func (s kinds) has(k wire.AskKind) bool { return s&(1<<k) != 0 }

// kindList is every kind there is.
var kindList = [...]wire.AskKind{wire.ElicitationForm, wire.ElicitationURL, wire.Sampling, wire.Roots}

var (
	allKinds     = kindsOf(kindList[:]...)
	elicitations = kindsOf(wire.ElicitationForm, wire.ElicitationURL)
)
