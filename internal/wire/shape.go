package wire

// shape is what the rules of JSON-RPC 2.0 are checked on: the first byte of each
// value, 0 when it is absent.
type shape struct {
	root                                    byte
	id, method, params, result, error, meta byte
	version                                 bool // "jsonrpc" is "2.0"
	idFits                                  bool // a string or an integer
	paramsKept, metaKept                    bool // something is left after the cuts
}

// judge says what message a complete JSON value is, or why it is none. An id is a
// string or an integer; a server may answer an unreadable request with an error
// whose id is null or absent. _meta may be null, as if it were absent.
func (s *Scanner) judge() Reason {
	h := &s.shape
	switch {
	case h.root == '[':
		return Batch
	case h.root != '{' || !h.version:
		return NotAMessage
	case h.method != 0:
		return s.judgeRequest()
	case h.params != 0:
		return NotAMessage
	case h.result != 0 && h.error == 0:
		s.Kind = Result
		if !h.idFits || s.role == FromServer && h.result != '{' {
			return NotAMessage
		}
		return 0
	case h.result == 0 && h.error == '{':
		s.Kind = ErrorResponse
		if h.idFits || s.role == FromServer && (h.id == 0 || h.id == 'n') {
			return 0
		}
	}
	return NotAMessage
}

func (s *Scanner) judgeRequest() Reason {
	h := &s.shape
	switch {
	case h.method != '"', h.result != 0, h.error != 0,
		h.params != 0 && h.params != '{',
		h.meta != 0 && h.meta != '{' && h.meta != 'n':
		return NotAMessage
	case h.id == 0:
		s.Kind = Notification
		return 0
	case !h.idFits:
		return NotAMessage
	}
	s.Kind = Request
	return 0
}
