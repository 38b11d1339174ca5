package session

import "slices"

// maxPast is how many credentials of a session are known to be older than the one it shows now.
const maxPast = 8

// credential is what a session shows in place of the credential that it was opened with.
type credential struct {
	authorization string
	digest        Digest
	past          []Digest // what it showed before, oldest first; never changed in place
}

// Renew implements Store.
func (m *Memory) Renew(id ID, authorization string) {
	digest := CredentialOf(authorization)
	if now, ok := m.credentials.get(id); authorization == "" || ok && !now.replacedBy(digest) {
		return
	}
	m.report(TableCredentials, m.credentials.update(id, func(now credential) (credential, int) {
		switch {
		case m.Ended(id): // marked before its credential is removed: one of the two sees the other
			return credential{}, 0
		case !now.replacedBy(digest): // meanwhile
			return now, now.cost()
		}
		next := credential{authorization: authorization, digest: digest}
		if now.authorization != "" {
			next.past = slices.Concat(now.past[max(0, len(now.past)+1-maxPast):], []Digest{now.digest})
		}
		return next, next.cost()
	}))
}

// cost is what it weighs in bytes, about.
func (c *credential) cost() int { return 128 + len(c.authorization) + len(c.past)*len(c.digest) }

// replacedBy tells whether a credential is newer than c: one that a client showed before is at best still on its way.
func (c *credential) replacedBy(digest Digest) bool {
	return digest != c.digest && !slices.Contains(c.past, digest)
}

// Renewed implements Store.
func (m *Memory) Renewed(id ID) string {
	c, _ := m.credentials.get(id)
	return c.authorization
}
