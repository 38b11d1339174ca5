package upstream

import "context"

// Vouch asks the server whether it takes a credential, by a server/discover made for it, unless it is known to: what it
// told to somebody else says nothing about this one, not even where everybody may see it. An error is always an *Error.
func (u *Upstream) Vouch(ctx context.Context, cred Credential) error {
	if u.Accepted(cred.Digest) {
		return nil
	}
	_, err := u.join(u.audience(cred), cred).wait(ctx)
	return err
}
