package explain

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// readRequest reads {"method","name","args"}; without a method it is what it was.
func (q *Query) readRequest(object []byte) error {
	return members("request", object, func(key string, value []byte) (err error) {
		switch key {
		case "method":
			if q.Request.Method, err = text("request.method", value); err == nil {
				err = mayAsk(q.Request.Method)
			}
		case "name":
			q.Request.Name, err = text("request.name", value)
		case "args":
			err = q.SetArgs(value)
		default:
			err = unknown("request", key)
		}
		return err
	})
}

// readClient reads {"name","version","protocol","capabilities"}; capabilities are those of initialize.
func (q *Query) readClient(object []byte) error {
	return members("client", object, func(key string, value []byte) (err error) {
		switch key {
		case "name":
			q.Client.Name, err = text("client.name", value)
		case "version":
			q.Client.Version, err = text("client.version", value)
		case "protocol":
			q.Client.Protocol, err = text("client.protocol", value)
		case "capabilities":
			err = q.SetCapabilities(value)
		default:
			err = unknown("client", key)
		}
		return err
	})
}

func mayAsk(method string) error {
	if !wire.MayAsk(method) {
		return fmt.Errorf("a request of %q is never answered with asks, want %s, %s or %s",
			wire.Clean(method, maxShown), wire.MethodToolsCall, wire.MethodPromptsGet, wire.MethodResourcesRead)
	}
	return nil
}

// SetArgs takes the arguments of the request, a JSON object.
func (q *Query) SetArgs(object []byte) error {
	if wire.Validate(object) != nil || wire.KindOf(object) != '{' {
		return errors.New("the arguments of the request are no JSON object")
	}
	q.Request.Args = object
	return nil
}

// SetCapabilities takes what the client declared, a JSON object as in initialize.
func (q *Query) SetCapabilities(object []byte) error {
	if wire.Validate(object) != nil || wire.KindOf(object) != '{' {
		return errors.New("the capabilities of the client are no JSON object")
	}
	q.Client.Can, q.Assumed = wire.ParseCapabilities(object).Can, false
	return nil
}

func members(what string, object []byte, member func(key string, value []byte) error) error {
	if wire.KindOf(object) != '{' {
		return errors.New(what + " is no object")
	}
	return wire.Each(object, member)
}

func unknown(what, key string) error {
	return fmt.Errorf("%s has an unknown member %q", what, wire.Clean(key, 100))
}

func text(what string, value []byte) (string, error) {
	s, ok := wire.Unquote(value)
	if !ok {
		return "", errors.New(what + " is no string")
	}
	return s, nil
}

func count(what string, value []byte) (int, error) {
	n, err := strconv.Atoi(string(value))
	if err != nil || n < 1 {
		return 0, errors.New(what + " is no whole number above zero")
	}
	return n, nil
}
