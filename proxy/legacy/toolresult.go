package legacy

import (
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// legacyMember is what is left of a member of a result when what only the modern
// dialect has is taken out; nil when that is nothing.
func legacyMember(key string, value []byte) []byte {
	switch key {
	case "resultType", "ttlMs", "cacheScope":
		return nil
	case "_meta":
		return wire.Rewrite(value, func(key string, value []byte) []byte {
			if strings.HasPrefix(key, wire.MetaPrefix) {
				return nil
			}
			return value
		})
	}
	return value
}

// downgradeToolResult gives a tool's result the content that older revisions require,
// or returns nil when it has some.
func downgradeToolResult(m *wire.Scanner) []byte {
	msg := m.Bytes()
	if content := m.Content.Of(msg); content != nil && content[0] != 'n' {
		return nil
	}
	var out wire.Object
	wire.Members(m.Result.Of(msg), func(name, value []byte) {
		key, _ := wire.Unquote(name)
		switch {
		case key == "content":
			return
		case key == "structuredContent" && value[0] != '{':
			value = wrapped(value)
		}
		if value = legacyMember(key, value); value != nil {
			out.Put(name, value)
		}
	})
	out.Add("content", []byte("[]"))
	return out.End()
}

// wrapped is a value as the only member of an object, as the scanner wraps structured
// content. The output schema of the tool is wrapped alike.
func wrapped(value []byte) []byte {
	return append(append([]byte(`{"result":`), value...), '}')
}
