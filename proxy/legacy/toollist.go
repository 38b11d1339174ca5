package legacy

import (
	"bytes"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/toolschema"
)

// downgradeToolList is the package's, for lists that are not known to need no change.
func (h *Handler) downgradeToolList(m *wire.Scanner) []byte {
	lists := h.Service.Upstream.Lists()
	if lists.Unchanged(m) {
		return nil
	}
	result := downgradeToolList(m)
	if result == nil {
		lists.NoteUnchanged(m)
	}
	return result
}

// downgradeToolList makes of a list of tools what older clients accept, or returns nil
// when it is that already: an output schema is one of an object, and a property's
// schema is an object too. A tool with invalid annotations is left out (Tools,
// x-mcp-header); the upstream, which reads them too, has warned of it.
func downgradeToolList(m *wire.Scanner) []byte {
	result := m.Result.Of(m.Bytes())
	if !suspect(result) {
		return nil
	}
	changed := false
	out := wire.Rewrite(result, func(key string, value []byte) []byte {
		if key != "tools" {
			return legacyMember(key, value)
		}
		var tools list
		items(value, func(tool []byte) {
			if _, fault := toolschema.Read(tool); fault != nil {
				changed = true
				return
			}
			t := downgradeTool(tool)
			changed = changed || !bytes.Equal(t, tool)
			tools.add(t)
		})
		return tools.end()
	})
	if !changed {
		return nil
	}
	return out
}

// suspect tells at little cost that a list may need a change: most need none.
func suspect(result []byte) bool {
	for _, word := range []string{`"outputSchema"`, `true`, `false`, `\u`} {
		if bytes.Contains(result, []byte(word)) {
			return true
		}
	}
	return toolschema.Marked(result)
}

// downgradeTool returns the tool itself when it needs no change.
func downgradeTool(tool []byte) []byte {
	return wire.Rewrite(tool, func(key string, value []byte) []byte {
		switch {
		case key == "inputSchema":
			return withoutBooleans(value)
		case key == "outputSchema" && !describesObject(value):
			return wrapSchema(value)
		}
		return value
	})
}

// withoutBooleans puts {} for properties whose schema is just true, and its negation
// for false: clients expect objects there.
func withoutBooleans(schema []byte) []byte {
	return wire.Rewrite(schema, func(key string, value []byte) []byte {
		if key != "properties" {
			return value
		}
		return wire.Rewrite(value, func(_ string, property []byte) []byte {
			switch {
			case wire.KindOf(property) != 't':
				return property
			case property[0] == 't':
				return []byte(`{}`)
			}
			return []byte(`{"not":{}}`)
		})
	})
}

func describesObject(schema []byte) bool {
	kind, ok := wire.Unquote(wire.Get(schema, "type"))
	return ok && kind == "object"
}

// wrapSchema describes the object that wrapped makes of a value: references from the
// root of the schema have to go on from where it is now.
func wrapSchema(schema []byte) []byte {
	out := append([]byte(`{"type":"object","properties":{"result":`), reroot(schema)...)
	return append(out, `},"required":["result"]}`...)
}

// reroot moves every reference to the schema's own root.
func reroot(value []byte) []byte {
	switch wire.KindOf(value) {
	case '{':
		return wire.Rewrite(value, func(key string, v []byte) []byte {
			if ref, ok := wire.Unquote(v); ok && (key == "$ref" || key == "$dynamicRef") {
				if ref == "#" || strings.HasPrefix(ref, "#/") {
					return wire.AppendQuoted(nil, "#/properties/result"+ref[1:])
				}
				return v
			}
			return reroot(v)
		})
	case '[':
		var out list
		items(value, func(item []byte) { out.add(reroot(item)) })
		return out.end()
	}
	return value
}
