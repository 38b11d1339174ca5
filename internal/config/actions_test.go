package config

import (
	"encoding/json"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// testActions stands in for the sources outside policy: a webhook that wants nothing but a url.
func testActions() map[string]policy.ActionParser {
	return map[string]policy.ActionParser{"webhook": func(args json.RawMessage) (any, []policy.Problem) {
		var parsed struct{ URL string }
		if err := json.Unmarshal(args, &parsed); err != nil || parsed.URL == "" {
			return nil, []policy.Problem{{Field: "url", Message: "is missing"}}
		}
		return parsed, nil
	}}
}
