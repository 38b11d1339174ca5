package legacy

import (
	"net/http"
	"testing"
)

func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		values       []string
		json, stream bool
	}{
		{nil, true, false},
		{[]string{"application/json, text/event-stream"}, true, true},
		{[]string{"text/event-stream, application/json"}, true, true},
		{[]string{"application/json", "text/event-stream"}, true, true},
		{[]string{"application/json"}, true, false},
		{[]string{"text/event-stream"}, false, true},
		{[]string{"*/*"}, true, true},
		{[]string{"application/*, text/*"}, true, true},
		{[]string{"APPLICATION/JSON;charset=utf-8 , Text/Event-Stream;q=0.5"}, true, true},
		{[]string{"application/json, text/event-stream;q=0"}, true, false},
		{[]string{"application/json;Q=0.000, text/event-stream"}, false, true},
		{[]string{"application/json, text/event-stream; x=1; q=0.0"}, true, false},
		{[]string{"text/html"}, false, false},
		{[]string{""}, false, false},
		{[]string{",;,q=0"}, false, false},
	} {
		if got := accepts(http.Header{"Accept": c.values}); got != (accept{json: c.json, stream: c.stream}) {
			t.Errorf("%q: %+v", c.values, got)
		}
	}
}

// The more specific range counts (RFC 9110, 12.5.1), in whatever order they come.
func TestAcceptsByTheMostSpecificRange(t *testing.T) {
	for _, c := range []struct {
		value        string
		json, stream bool
	}{
		{"*/*, text/event-stream;q=0", true, false},
		{"text/event-stream;q=0, */*", true, false},
		{"application/json;q=0, */*;q=0.5", false, true},
		{"text/*;q=0, text/event-stream, application/json", true, true},
	} {
		if got := accepts(http.Header{"Accept": {c.value}}); got != (accept{json: c.json, stream: c.stream}) {
			t.Errorf("%q: %+v", c.value, got)
		}
	}
}
