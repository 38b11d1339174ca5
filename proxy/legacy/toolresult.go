package legacy

import "github.com/mrtr-proxy/mrtr-proxy/internal/wire"

// isModernMember names what a result has only in the modern dialect.
func isModernMember(key string) bool {
	return key == "resultType" || key == "ttlMs" || key == "cacheScope"
}

// downgradeToolResult makes of a tool's result what older clients accept, or returns
// nil when it is that already. Structured content was an object up to 2025-11-25;
// content was always required, and an array.
func downgradeToolResult(m *wire.Scanner) []byte {
	msg := m.Bytes()
	structured, content := m.StructuredContent.Of(msg), m.Content.Of(msg)
	wrap := structured != nil && structured[0] != '{'
	fill := content == nil || content[0] == 'n'
	if !wrap && !fill {
		return nil
	}
	var out object
	_ = wire.Each(m.Result.Of(msg), func(key string, value []byte) error {
		switch {
		case isModernMember(key):
			return nil
		case key == "structuredContent" && wrap:
			value = wrapped(value)
		case key == "content" && fill:
			return nil
		}
		out.add(key, value)
		return nil
	})
	if fill {
		out.add("content", []byte("[]"))
	}
	return out.end()
}

// wrapped is a value as the only member of an object. The output schema of the tool is
// wrapped alike.
func wrapped(value []byte) []byte {
	return append(append([]byte(`{"result":`), value...), '}')
}
