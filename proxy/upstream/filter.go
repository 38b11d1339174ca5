package upstream

import (
	"slices"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// filter says what a listen is to bring (MCP, Subscriptions: Notification Filter). It is not changed once it is made.
type filter struct {
	tools, prompts, resources bool     // changes of the lists
	uris                      []string // of resources, sorted, each once
}

func (f *filter) empty() bool {
	return !f.tools && !f.prompts && !f.resources && len(f.uris) == 0
}

func (f *filter) equal(g *filter) bool {
	return f.tools == g.tools && f.prompts == g.prompts && f.resources == g.resources && slices.Equal(f.uris, g.uris)
}

// has tells whether an update of a resource was asked for by its own name.
func (f *filter) has(uri string) bool {
	_, found := slices.BinarySearch(f.uris, uri)
	return found
}

// params are those of the request.
func (f *filter) params() []byte {
	var b []byte
	for _, member := range [...]struct {
		name string
		set  bool
	}{{"toolsListChanged", f.tools}, {"promptsListChanged", f.prompts}, {"resourcesListChanged", f.resources}} {
		if member.set {
			b = appendMember(b, member.name, []byte("true"))
		}
	}
	if len(f.uris) > 0 {
		list := []byte{'['}
		for i, uri := range f.uris {
			if i > 0 {
				list = append(list, ',')
			}
			list = wire.AppendQuoted(list, uri)
		}
		b = appendMember(b, "resourceSubscriptions", append(list, ']'))
	}
	return append(append([]byte(`{"notifications":{`), b...), "}}"...)
}

// readFilter reads the one of an acknowledgement; what is not understood is not in it.
func readFilter(raw []byte) *filter {
	is := func(name string) bool { return string(wire.Get(raw, name)) == "true" }
	f := &filter{tools: is("toolsListChanged"), prompts: is("promptsListChanged"), resources: is("resourcesListChanged")}
	if list := wire.Get(raw, "resourceSubscriptions"); wire.KindOf(list) == '[' {
		_ = wire.Items(list, func(item []byte) error {
			if uri, ok := wire.Unquote(item); ok {
				f.uris = append(f.uris, uri)
			}
			return nil
		})
	}
	slices.Sort(f.uris)
	f.uris = slices.Compact(f.uris)
	return f
}

// refusal tells what of the filter an acknowledgement leaves out: the lists by name, and how many resources.
func (f *filter) refusal(acknowledged *filter) (lists []string, resources int) {
	for _, list := range [...]struct {
		name    string
		refused bool
	}{
		{"tools", f.tools && !acknowledged.tools},
		{"prompts", f.prompts && !acknowledged.prompts},
		{"resources", f.resources && !acknowledged.resources},
	} {
		if list.refused {
			lists = append(lists, list.name)
		}
	}
	for _, uri := range f.uris {
		if !acknowledged.has(uri) {
			resources++
		}
	}
	return lists, resources
}
