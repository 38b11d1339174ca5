package wire

import "bytes"

// classify finds the member called key of the value of the member of.
func classify(of member, key []byte) member {
	switch of {
	case other:
		return ofMessage(key)
	case memberParams:
		return ofParams(key)
	case memberParamsMeta:
		return ofMeta(key)
	case memberResult:
		return ofResult(key)
	case memberResultMeta:
		switch {
		case string(key) == MetaSubscriptionID:
			return memberSubscriptionID
		case isReserved(key):
			return memberReserved
		}
	}
	return other
}

// isReserved tells whether a key of _meta is under the protocol's own prefix.
func isReserved(key []byte) bool {
	return len(key) >= len(MetaPrefix) && string(key[:len(MetaPrefix)]) == MetaPrefix
}

func ofMessage(key []byte) member {
	switch string(key) {
	case "jsonrpc":
		return memberVersion
	case "id":
		return memberID
	case "method":
		return memberMethod
	case "params":
		return memberParams
	case "result":
		return memberResult
	case "error":
		return memberError
	}
	return other
}

func ofParams(key []byte) member {
	switch string(key) {
	case "_meta":
		return memberParamsMeta
	case "name":
		return memberName
	case "uri":
		return memberURI
	case "arguments":
		return memberArguments
	case "level":
		return memberLevel
	case "requestId":
		return memberRequestID
	case "progress":
		return memberProgress
	case "progressToken":
		return memberParamsToken
	case "task":
		return memberTask
	case "inputResponses":
		return memberInputResponses
	case "requestState":
		return memberParamsState
	}
	return other
}

func ofMeta(key []byte) member {
	if !isReserved(key) {
		switch string(key) {
		case "progressToken":
			return memberMetaToken
		case "traceparent":
			return memberTraceparent
		}
		return other
	}
	switch string(key) {
	case MetaProtocolVersion:
		return memberProtocolVersion
	case MetaClientInfo:
		return memberClientInfo
	case MetaClientCapabilities:
		return memberClientCapabilities
	case MetaLogLevel:
		return memberLogLevel
	case MetaSubscriptionID:
		return memberSubscriptionID
	}
	return memberReserved
}

func ofResult(key []byte) member {
	switch string(key) {
	case "_meta":
		return memberResultMeta
	case "resultType":
		return memberResultType
	case "ttlMs":
		return memberTTL
	case "cacheScope":
		return memberCacheScope
	case "tools":
		return memberTools
	case "inputRequests":
		return memberInputRequests
	case "requestState":
		return memberRequestState
	case "content":
		return memberContent
	case "structuredContent":
		return memberStructuredContent
	case "contents":
		return memberContents
	case "messages":
		return memberMessages
	}
	return other
}

// note files the value of a known member.
func (s *Scanner) note(l *level, v Span) {
	f := &s.Found
	switch l.member {
	case memberVersion:
		s.shape.version = s.isString(v, "2.0")
	case memberID:
		f.ID, s.shape.id = v, l.first
		s.shape.idFits = IsID(s.buf[v.Lo-s.base : v.Hi-s.base])
	case memberMethod:
		f.Method, s.shape.method = v, l.first
	case memberParams:
		f.Params, s.shape.params = v, l.first
	case memberResult:
		f.Result, s.shape.result = v, l.first
	case memberError:
		f.Error, s.shape.error = v, l.first
	case memberName:
		f.Name = v
	case memberURI:
		f.URI = v
	case memberArguments:
		f.Arguments = v
	case memberLevel:
		f.Level = v
	case memberRequestID:
		f.RequestID = v
	case memberProgress:
		f.Progress = v
	case memberTask:
		f.Task = v
	case memberInputResponses:
		f.InputResponses = v
	case memberParamsMeta:
		f.Meta, s.shape.meta = v, l.first
	case memberResultMeta:
		f.ResultMeta = v
	case memberInputRequests:
		f.InputRequests = v
	case memberContent:
		f.Content = v
	case memberStructuredContent:
		f.StructuredContent = v
	case memberSubscriptionID:
		if l.of == memberResultMeta {
			f.EndedSubscription = v
		} else {
			f.SubscriptionID = v
		}
	case memberResultType:
		f.ResultType, f.Ending = v, s.ending(v)
	default:
		s.noteByRole(l.member, v)
		f.noteMeta(l.member, v)
	}
}

// noteByRole files what stands in different places by who sent the message.
func (s *Scanner) noteByRole(m member, v Span) {
	client := s.role == FromClient
	switch {
	case m == memberMetaToken && client, m == memberParamsToken && !client:
		s.ProgressToken = v
	case m == memberParamsState && client, m == memberRequestState && !client:
		s.RequestState = v
	}
}

// noteMeta files the members of params._meta.
func (f *Found) noteMeta(m member, v Span) {
	switch m {
	case memberProtocolVersion:
		f.ProtocolVersion = v
	case memberClientInfo:
		f.ClientInfo = v
	case memberClientCapabilities:
		f.ClientCapabilities = v
	case memberLogLevel:
		f.LogLevel = v
	case memberTraceparent:
		f.Traceparent = v
	}
}

// ending reads the value of resultType.
func (s *Scanner) ending(v Span) Ending {
	switch {
	case s.isString(v, "complete"):
		return Complete
	case s.isString(v, "input_required"):
		return InputRequired
	}
	return Unknown
}

// isString reports whether the value is the string want. The value is still in the
// buffer: output is held at it (valueStarts, nameStarts).
func (s *Scanner) isString(v Span, want string) bool {
	raw := s.buf[v.Lo-s.base : v.Hi-s.base]
	if len(raw) == len(want)+2 && raw[0] == '"' && string(raw[1:len(raw)-1]) == want {
		return true
	}
	const longestEscape = 6
	if raw[0] != '"' || len(raw) > 2+longestEscape*len(want) || bytes.IndexByte(raw, '\\') < 0 {
		return false
	}
	got, _ := Unquote(raw)
	return got == want
}
