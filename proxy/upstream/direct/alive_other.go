//go:build !unix

package direct

// supported is false where a connection cannot be looked at without reading from it.
const supported = false

func (c *conn) alive() bool { return false }
