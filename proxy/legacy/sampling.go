package legacy

import (
	"bytes"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// downgradeSampling puts a sampling ask in the words of an older revision: before
// 2025-11-25 the content of a message is one block and there are no tools, before
// 2025-03-26 there is no audio.
func downgradeSampling(params []byte, version wire.Version) ([]byte, error) {
	if version >= wire.V20251125 {
		return params, nil
	}
	var err error
	out := wire.Rewrite(params, func(key string, value []byte) []byte {
		switch key {
		case "messages":
			var messages list
			items(value, func(message []byte) {
				messages.add(wire.Rewrite(message, func(key string, value []byte) []byte {
					if key == "content" {
						value = oneBlock(value, version, &err)
					}
					return value
				}))
			})
			return messages.end()
		case "tools", "toolChoice":
			if !bytes.Equal(value, []byte("null")) {
				err = &answer.Inexpressible{Why: "its revision of the protocol has no tools in sampling"}
			}
			return nil
		}
		return value
	})
	return out, err
}

// oneBlock takes the one block out of an array of blocks.
func oneBlock(content []byte, version wire.Version, err *error) []byte {
	if wire.KindOf(content) == '[' {
		var block []byte
		n := 0
		items(content, func(item []byte) {
			block = item
			n++
		})
		if n != 1 {
			*err = &answer.Inexpressible{Why: "its revision of the protocol has no messages of several blocks in sampling"}
			return content
		}
		content = block
	}
	switch kind, _ := wire.Unquote(wire.Get(content, "type")); {
	case kind == "audio" && version < wire.V20250326:
		*err = &answer.Inexpressible{Why: "its revision of the protocol has no audio"}
	case kind == "tool_use" || kind == "tool_result":
		*err = &answer.Inexpressible{Why: "its revision of the protocol has no tools in sampling"}
	}
	return content
}
