package wire

import "slices"

// Passage is what changes in a modern client's request on its way up. A nil member
// leaves what the client sent.
type Passage struct {
	ID           []byte // raw
	Capabilities []byte // raw, in place of params._meta's clientCapabilities
	Token        []byte // raw, in place of params._meta's progressToken
	Members      []byte // put first into params: at least one, without braces
	Meta         []byte // the same for params._meta, which has others
}

// AppendPassed appends a modern client's request as an attempt: with the changes of p,
// and without task, inputResponses and requestState of params. Every other byte is kept,
// those of _meta too. It is good after End, for a request that has a params._meta.
func (s *Scanner) AppendPassed(dst []byte, p Passage) []byte {
	var room [3]cut
	c := copier{dst: dst, msg: s.buf, cuts: s.cutsOutsideMeta(room[:0])}
	edits := [...]Edit{{s.ID, p.ID}, {Span{s.Params.Lo + 1, s.Params.Lo + 1}, p.Members}, {Span{s.Meta.Lo + 1, s.Meta.Lo + 1}, p.Meta}, {s.ClientCapabilities, p.Capabilities}, {s.ProgressToken, p.Token}}
	slices.SortFunc(edits[:], func(a, b Edit) int { return a.Lo - b.Lo })
	for _, e := range edits {
		if e.With == nil || !e.IsSet() {
			continue
		}
		if c.replace(e.Span, e.With); e.Len() == 0 {
			c.addString(",") // a _meta always follows, and in it a version
		}
	}
	return c.rest()
}

// cutsOutsideMeta appends the cuts that are not within params._meta.
func (s *Scanner) cutsOutsideMeta(to []cut) []cut {
	for _, c := range s.cuts {
		if c.Lo < s.Meta.Lo || c.Hi > s.Meta.Hi {
			to = append(to, c)
		}
	}
	return to
}

// AppendAddressed appends a server's notification or response for a modern client: with
// the raw id in place of the id of the message and of the subscription id of its _meta,
// and with token and progress, unless nil, in place of params.progressToken and
// params.progress. Every other byte is kept. It is good after KeepAll and End.
func (s *Scanner) AppendAddressed(dst, id, token, progress []byte) []byte {
	edits := [...]Edit{{s.ID, id}, {s.SubscriptionID, id}, {s.EndedSubscription, id}, {s.ProgressToken, token}, {s.Progress, progress}}
	slices.SortFunc(edits[:], func(a, b Edit) int { return a.Lo - b.Lo })
	c := copier{dst: dst, msg: s.buf}
	for _, e := range edits {
		if e.IsSet() && e.With != nil {
			c.replace(e.Span, e.With)
		}
	}
	return c.rest()
}
