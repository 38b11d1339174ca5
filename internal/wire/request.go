package wire

// AppendRequest appends a client's request as an attempt: with id in place of its
// own; without task, inputResponses and requestState of params, and without
// progressToken and every io.modelcontextprotocol/ member of params._meta. meta, at
// least one member, without braces, goes first into params._meta; members, the same
// or nil, goes first into params. Both objects are made when they are missing. Every
// other byte is kept. It is good after End.
func (s *Scanner) AppendRequest(dst, id, meta, members []byte) []byte {
	c := s.copier(dst)
	idFirst := s.ID.IsSet() && s.ID.Lo < s.Params.Lo
	if idFirst {
		c.replace(s.ID, id)
	}
	if s.Params.IsSet() {
		c.upTo(s.Params.Lo + 1)
		c.addMembers(members)
		s.addMeta(&c, meta)
	}
	if s.ID.IsSet() && !idFirst {
		c.replace(s.ID, id)
	}
	if !s.Params.IsSet() {
		c.upTo(len(s.buf) - 1)
		c.addString(`,"params":{`)
		c.addMembers(members)
		s.addMeta(&c, meta)
		c.addString(`}`)
	}
	return c.rest()
}

// addMembers puts members before what follows in an object: there is always a _meta.
func (c *copier) addMembers(members []byte) {
	if members != nil {
		c.add(members)
		c.addString(",")
	}
}

// addMeta puts meta into params._meta, or a _meta to the front of params.
func (s *Scanner) addMeta(c *copier, meta []byte) {
	switch s.shape.meta {
	case '{':
		c.upTo(s.Meta.Lo + 1)
		c.add(meta)
		if s.shape.metaKept {
			c.addString(",")
		}
	case 0:
		c.addString(`"_meta":{`)
		c.add(meta)
		c.addString(`}`)
		if s.shape.paramsKept {
			c.addString(",")
		}
	default: // null
		c.upTo(s.Meta.Lo)
		c.addString(`{`)
		c.add(meta)
		c.addString(`}`)
		c.at = s.Meta.Hi
	}
}

// AppendNotification appends a server's notification for a legacy client: without
// the subscription id of params._meta, and with token and progress, unless nil, in
// place of params.progressToken and params.progress. Every other byte is kept. It is
// good after End.
func (s *Scanner) AppendNotification(dst, token, progress []byte) []byte {
	c := s.copier(dst)
	first, second := Edit{s.ProgressToken, token}, Edit{s.Progress, progress}
	if second.Lo < first.Lo {
		first, second = second, first
	}
	for _, e := range [...]Edit{first, second} {
		if e.IsSet() && e.With != nil {
			c.replace(e.Span, e.With)
		}
	}
	return c.rest()
}
