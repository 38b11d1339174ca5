package config

import "path/filepath"

// path is the path of a file; a relative one counts from the folder of the configuration.
type path struct{ dst *string }

func (p path) grammar() string  { return "<path>" }
func (p path) fallback() string { return shown(*p.dst) }

func (p path) read(v value) {
	text, ok := v.text(p.grammar())
	if !ok {
		return
	}
	*p.dst = v.r.resolve(text)
}

// resolve makes a path of the file absolute to its folder.
func (r *reader) resolve(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.dir, name)
}

// keyFile is the path of a file with sealing keys, which the Options know how to judge.
type keyFile struct{ path }

func (k keyFile) read(v value) {
	k.path.read(v)
	if check := v.r.opts.CheckKeys; check != nil && *k.dst != "" {
		if err := check(*k.dst); err != nil {
			v.fail("%v", err)
		}
	}
}
