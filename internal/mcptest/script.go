package mcptest

import "strings"

// Ask is one entry of inputRequests as a script writes it.
type Ask struct {
	Key    string
	Method string
	Params string // raw JSON, "" leaves params out
}

// Form is a form elicitation; schema is its raw requestedSchema.
func Form(key, message, schema string) Ask {
	return Ask{Key: key, Method: "elicitation/create", Params: `{"mode":"form","message":` + Quote(message) + `,"requestedSchema":` + schema + `}`}
}

// Link is a url elicitation.
func Link(key, message, url string) Ask {
	return Ask{Key: key, Method: "elicitation/create", Params: `{"mode":"url","message":` + Quote(message) + `,"url":` + Quote(url) + `}`}
}

// Sampling is a sampling ask with one message of text.
func Sampling(key, text string) Ask {
	return Ask{Key: key, Method: "sampling/createMessage", Params: `{"messages":[{"role":"user","content":{"type":"text","text":` + Quote(text) + `}}],"maxTokens":100}`}
}

// Roots asks for the client's roots.
func Roots(key string) Ask { return Ask{Key: key, Method: "roots/list"} }

// PortSchema is a requestedSchema with one required integer, port.
const PortSchema = `{"type":"object","properties":{"port":{"type":"integer"}},"required":["port"]}`

// InputRequired is an input_required result. state is a raw JSON string, ""
// leaves requestState out; without asks there are no inputRequests.
func InputRequired(state string, asks ...Ask) string {
	members := []string{`"resultType":"input_required"`}
	if len(asks) > 0 {
		var entries []string
		for _, a := range asks {
			entries = append(entries, Quote(a.Key)+":"+a.json())
		}
		members = append(members, `"inputRequests":{`+strings.Join(entries, ",")+`}`)
	}
	if state != "" {
		members = append(members, `"requestState":`+state)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (a Ask) json() string {
	if a.Params == "" {
		return `{"method":` + Quote(a.Method) + `}`
	}
	return `{"method":` + Quote(a.Method) + `,"params":` + a.Params + `}`
}

// Text is a complete tool result with one block of text.
func Text(text string) string {
	return `{"resultType":"complete","content":[{"type":"text","text":` + Quote(text) + `}]}`
}

// Asking is the script of a method that asks first, and then returns the raw
// answers it was given as the text of its result.
func Asking(state string, asks ...Ask) Script {
	return func(a *Attempt) Reply {
		if a.IsRetry() {
			return Reply{Result: Text(string(a.Param("inputResponses")))}
		}
		return Reply{Result: InputRequired(state, asks...)}
	}
}
