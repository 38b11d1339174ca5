package upstream

import (
	"bytes"
	"strconv"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// message is the JSON-RPC request of an attempt.
func (a *attempt) message() []byte {
	c := a.call
	meta := c.Meta
	if c.Progress && c.Passed == nil {
		meta = appendMember(append(a.meta[:0], c.Meta...), "progressToken", a.id)
		a.meta = meta
	}
	members := a.members[:0]
	if a.retry.Responses != nil {
		members = appendMember(members, "inputResponses", a.retry.Responses)
	}
	if a.retry.State != nil {
		members = appendMember(members, "requestState", a.retry.State)
	}
	a.members = members
	if len(members) == 0 {
		members = nil
	}
	if c.Passed != nil {
		return a.passedMessage(members)
	}
	if c.Request == nil {
		return ownRequest(c, a.id, meta, members)
	}
	a.body = c.Request.AppendRequest(a.body[:0], a.id, meta, members)
	return a.body
}

// appendMember appends a member to a list of them.
func appendMember(list []byte, name string, value []byte) []byte {
	if len(list) > 0 {
		list = append(list, ',')
	}
	list = append(list, '"')
	list = append(list, name...)
	list = append(list, '"', ':')
	return append(list, value...)
}

// ownRequest is a request that no client sent.
func ownRequest(c *Call, id, meta, members []byte) []byte {
	b := make([]byte, 0, 128+len(c.Params)+len(meta)+len(members))
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"method":`...)
	b = wire.AppendQuoted(b, c.Method)
	b = append(b, `,"params":{"_meta":{`...)
	b = append(b, meta...)
	b = append(b, '}')
	if inner := bytes.TrimSpace(c.Params); len(inner) > 2 {
		if inner = bytes.TrimSpace(inner[1 : len(inner)-1]); len(inner) > 0 {
			b = append(append(b, ','), inner...)
		}
	}
	if len(members) > 0 {
		b = append(append(b, ','), members...)
	}
	return append(b, '}', '}')
}

// mint gives the attempt an id that no other has had.
func (a *attempt) mint() {
	a.number = a.u.lastID.Add(1)
	a.id = strconv.AppendUint(a.idSpace[:0], a.number, 10)
}
