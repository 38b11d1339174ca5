package config

import (
	"fmt"
	"slices"
	"strings"
)

// kind reads one value of the file into its place. It is bound to that place, so that it also knows the default: what
// stood there before.
type kind interface {
	read(v value)
	// grammar is how CONFIGURATION.md writes what is expected: "<duration>".
	grammar() string
	// fallback is the present value as YAML has it; "" when there is none to show.
	fallback() string
}

// field is a key of a section.
type field struct {
	key  string
	kind kind
}

// given is a kind that notes that its key is there.
type given struct {
	kind
	set *bool
}

func (g given) read(v value) {
	*g.set = true
	g.kind.read(v)
}

// must is a kind whose key may not be left out.
type must struct{ kind }

func (must) fallback() string { return "" }

// section is a mapping with a fixed set of keys. They are read in the order of the code: general limits are known
// before the routes that start from them.
type section struct {
	name   string
	fields []field
}

func (s section) grammar() string  { return "<" + s.name + ">" }
func (s section) fallback() string { return "" }

func (s section) read(v value) {
	entries, ok := v.mapping()
	if !ok {
		return
	}
	given := map[string]value{}
	for _, e := range entries {
		if s.has(e.key) {
			given[e.key] = e.value
		} else {
			e.value.fail("unknown key%s", s.suggest(e.key))
		}
	}
	for _, f := range s.fields {
		if held, ok := given[f.key]; ok {
			f.kind.read(held)
		} else if _, needed := f.kind.(must); needed {
			value{r: v.r, line: v.line, path: v.in(f.key)}.fail("is missing, want %s", f.kind.grammar())
		}
	}
}

func (s section) has(key string) bool {
	return slices.ContainsFunc(s.fields, func(f field) bool { return f.key == key })
}

// suggest names a key that may be meant.
func (s section) suggest(key string) string {
	for _, f := range s.fields {
		if near(f.key, key) {
			return fmt.Sprintf(", is %s meant?", f.key)
		}
	}
	return ""
}

// near: the words differ by one letter put in, left out or mistyped, or by letter case and dashes.
func near(a, b string) bool {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }
	a, b = plain(a), plain(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i == len(a) || a[i+1:] == b[i+1:]
	case 1:
		return a[i:] == b[i+1:]
	default:
		return false
	}
}

// list is a list whose items are all of one kind. What the file says takes the place of what was there.
type list[T any] struct {
	dst  *[]T
	item func(*T) kind
}

func (l list[T]) grammar() string {
	var t T
	return "[ " + l.item(&t).grammar() + ", ... ]"
}

func (l list[T]) fallback() string {
	if len(*l.dst) == 0 {
		return "[]"
	}
	return ""
}

func (l list[T]) read(v value) {
	items, ok := v.list()
	if !ok {
		return
	}
	out := make([]T, len(items))
	for i, item := range items {
		l.item(&out[i]).read(item)
	}
	*l.dst = out
}

// scalar is a plain value. parse gives what is wrong with it, or "".
type scalar[T any] struct {
	dst   *T
	name  string
	parse func(string) (T, string)
	show  func(T) string
}

func (s scalar[T]) grammar() string  { return "<" + s.name + ">" }
func (s scalar[T]) fallback() string { return s.show(*s.dst) }

func (s scalar[T]) read(v value) {
	text, ok := v.text(s.grammar())
	if !ok {
		return
	}
	parsed, problem := s.parse(text)
	if problem != "" {
		v.fail("%s", problem)
		return
	}
	*s.dst = parsed
}
