package explain

import (
	"errors"
	"fmt"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Override is what a command line says of a query; "" leaves what the document says.
type Override struct {
	Route                  string
	Tool, Prompt, Resource string // what the request names, and by that its method
	Method                 string // of the request
	Args                   string // of the request, a JSON object
	Client                 string // name
	Capabilities           string // of the client, a JSON object
}

// Override lets a command line go before the document.
func (q *Query) Override(o Override) error {
	if err := q.overrideRequest(&o); err != nil {
		return err
	}
	if o.Route != "" {
		q.Route = o.Route
	}
	if o.Client != "" {
		q.Client.Name = o.Client
	}
	if o.Args != "" {
		if err := q.SetArgs([]byte(o.Args)); err != nil {
			return err
		}
	}
	if o.Capabilities != "" {
		return q.SetCapabilities([]byte(o.Capabilities))
	}
	return nil
}

func (q *Query) overrideRequest(o *Override) error {
	names := 0
	for _, by := range []struct{ name, method string }{
		{o.Tool, wire.MethodToolsCall}, {o.Prompt, wire.MethodPromptsGet}, {o.Resource, wire.MethodResourcesRead},
	} {
		if by.name == "" {
			continue
		}
		if names++; names > 1 {
			return errors.New("a request names one tool, prompt or resource")
		}
		if o.Method != "" && o.Method != by.method {
			return fmt.Errorf("a request of %s does not name that", wire.Clean(o.Method, maxShown))
		}
		q.Request.Name, q.Request.Method = by.name, by.method
	}
	if o.Method == "" {
		return nil
	}
	q.Request.Method = o.Method
	return mayAsk(o.Method)
}
