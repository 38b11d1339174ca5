package session

import "crypto/rand"

// ID names a session inside the proxy; the Mcp-Session-Id a client holds is the sealed Claims it is part of.
type ID [16]byte

// NewID makes a random id.
func NewID() (id ID) {
	rand.Read(id[:]) // never fails: the process ends instead
	return id
}
