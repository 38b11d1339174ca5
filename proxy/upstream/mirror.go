package upstream

import (
	"bytes"
	"context"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/toolschema"
)

// mirrored are the arguments of a call that its tool wants in headers (Streamable HTTP, Custom Headers from Tool Parameters).
// The tools are listed for it when nothing is known of them yet. When that brings nothing the call goes without: the server
// is the judge.
func (u *Upstream) mirrored(ctx context.Context, c *Call) []toolschema.Header {
	arguments := mirrorable(c)
	if arguments == nil {
		return nil
	}
	return u.catalogue(ctx, c).mirror(c.Name, arguments)
}

// mirroredAnew is mirrored by a list that was asked for after sent, the last id before that of the attempt which the server
// refused. Without such a list the headers stay what they were.
func (u *Upstream) mirroredAnew(ctx context.Context, c *Call, sent uint64, before []toolschema.Header) []toolschema.Header {
	arguments := mirrorable(c)
	if arguments == nil {
		return before
	}
	known := u.catalogueSince(ctx, c, sent)
	if known == nil {
		return before
	}
	return known.mirror(c.Name, arguments)
}

// mirrorable are the raw arguments of a call if there can be something to mirror in them. Modern clients do that themselves.
func mirrorable(c *Call) []byte {
	if c.Method != wire.MethodToolsCall || c.Request == nil || c.Passed != nil {
		return nil
	}
	arguments := c.Request.Arguments.Of(c.Request.Bytes())
	if len(arguments) < 2 || arguments[0] != '{' || len(bytes.TrimSpace(arguments[1:len(arguments)-1])) == 0 {
		return nil
	}
	return arguments
}

// catalogue is what is known of the tools for a call. One that is no longer fresh serves on while the tools are listed anew:
// a server that wants other headers by now says so (-32020).
func (u *Upstream) catalogue(ctx context.Context, c *Call) *catalogue {
	who := u.audience(c.Credential)
	known := u.tools.known(who)
	if known == nil {
		return u.catalogueSince(ctx, c, 0)
	}
	if !time.Now().Before(known.until) {
		u.list(who, c, known)
	}
	return known
}

// listPatience is how long a call waits for the tools to be listed before it goes without.
const listPatience = 10 * time.Second

// catalogueSince is what is known by a list that was asked for after an id was given, 0 for any, and sees to it that there
// is one; nil when none could be had.
func (u *Upstream) catalogueSince(ctx context.Context, c *Call, since uint64) *catalogue {
	who := u.audience(c.Credential)
	patience := time.NewTimer(listPatience)
	defer patience.Stop()
	for {
		known := u.tools.known(who)
		if known != nil && (known.asked > since || since == 0) {
			return known
		}
		l := u.list(who, c, known)
		if l == nil {
			continue
		}
		select {
		case <-l.done:
			if l.asked > since || since == 0 {
				return l.found
			}
		case <-patience.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}
