package answer

import (
	"sync"

	"github.com/mrtr-proxy/mrtr-proxy/internal/apart"
)

// The bounds of a half of what is remembered. A compiled form takes some twenty times the memory of its schema.
const (
	maxForms     = 256
	maxFormBytes = 128 << 10 // of schemas
)

// forms remembers compiled forms by their schemas: a server asks with the same few again and again. The ones used last stay,
// when the younger half is full the older one is forgotten. It is safe for concurrent use, and so are the forms, which never
// change.
type forms struct {
	mu         sync.RWMutex
	young, old map[string]*form
	bytes      int // that the schemas of the younger half have
}

// of is the form of a schema, raw JSON, compiled unless it is known. Only what compiles is remembered.
func (k *forms) of(schema []byte) (*form, error) {
	k.mu.RLock()
	f, recent := k.young[string(schema)]
	if !recent {
		f = k.old[string(schema)]
	}
	k.mu.RUnlock()
	if f == nil {
		var err error
		apart.Do(func() { f, err = compile(schema) }) // the library needs a deep stack
		if err != nil {
			return nil, err
		}
	}
	if !recent {
		k.keep(schema, f)
	}
	return f, nil
}

func (k *forms) keep(schema []byte, f *form) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.young[string(schema)]; known || len(schema) > maxFormBytes {
		return
	}
	if k.young == nil || len(k.young) == maxForms || k.bytes+len(schema) > maxFormBytes {
		k.young, k.old, k.bytes = map[string]*form{}, k.young, 0
	}
	k.young[string(schema)] = f
	k.bytes += len(schema)
}
