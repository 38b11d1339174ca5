package wire

import "slices"

// AppendEvent appends an event with msg as its data: an id line unless id is "", and
// one data line. newlines says that msg, which is valid JSON, has raw line breaks
// between its tokens: they are written as spaces. id must hold no line break. An empty
// msg makes an event with empty data.
func AppendEvent(dst []byte, id string, msg []byte, newlines bool) []byte {
	dst = slices.Grow(dst, len("id: \n")+len(id)+len("data: \n\n")+len(msg))
	if id != "" {
		dst = append(dst, "id: "...)
		dst = append(dst, id...)
		dst = append(dst, '\n')
	}
	dst = append(dst, "data: "...)
	from := len(dst)
	dst = append(dst, msg...)
	if newlines {
		spaceOut(dst[from:])
	}
	return append(dst, '\n', '\n')
}

// AppendComment appends a comment, which keeps a stream alive. Line breaks in text
// become spaces.
func AppendComment(dst []byte, text string) []byte {
	dst = append(dst, ": "...)
	from := len(dst)
	dst = append(dst, text...)
	spaceOut(dst[from:])
	return append(dst, '\n', '\n')
}

func spaceOut(line []byte) {
	for i, c := range line {
		if c == '\n' || c == '\r' {
			line[i] = ' '
		}
	}
}
