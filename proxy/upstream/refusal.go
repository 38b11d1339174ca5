package upstream

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// concludeError passes a JSON-RPC error on, whatever HTTP status it came with, except for the three by which a server
// refuses how it was asked: those are between it and the proxy.
func (a *attempt) concludeError() *Error {
	raw := a.scan.Error.Of(a.scan.Bytes())
	code, err := strconv.Atoi(string(wire.Get(raw, "code")))
	message, ok := wire.Unquote(wire.Get(raw, "message"))
	if err != nil || !ok {
		if !a.success() {
			return a.fail(Status, a.statusText())
		}
		return a.fail(Malformed, "upstream answered with an error that has no code or message")
	}
	data := wire.Get(raw, "data")
	if a.call.Passed != nil && code != wire.CodeUnsupportedVersion {
		a.tellStatus()
		return a.reply(RPCError)
	}
	switch code {
	case wire.CodeHeaderMismatch:
		return a.fail(HeaderMismatch, "upstream refused the request's headers: "+wire.Clean(message, 100))
	case wire.CodeMissingCapability:
		return a.missingCapability(data)
	case wire.CodeUnsupportedVersion:
		return a.noCommonVersion(data)
	}
	return a.reply(RPCError)
}

// missingCapability is the failure of a request that needs more than was declared (-32021).
func (a *attempt) missingCapability(data []byte) *Error {
	required := wire.Get(data, "requiredCapabilities")
	text := "upstream needs a client capability that was not declared"
	if names := missing(required, a.declared()); len(names) > 0 {
		text = "upstream needs client capabilities that were not declared: " + wire.Clean(strings.Join(names, ", "), 100)
	}
	err := a.fail(MissingCapability, text)
	err.Code = wire.CodeMissingCapability
	if wire.KindOf(required) == '{' {
		err.Data = append(append([]byte(`{"requiredCapabilities":`), required...), '}')
	}
	return err
}

// declared are the client capabilities that went up.
func (a *attempt) declared() []byte {
	meta := slices.Concat([]byte{'{'}, a.call.Meta, []byte{'}'})
	return wire.Get(meta, wire.MetaClientCapabilities)
}

// maxNames bounds how many names of a peer's are looked at for a message.
const maxNames = 16

// missing names what is required and not declared, as in "elicitation.url".
func missing(required, declared []byte) []string {
	var names []string
	_ = wire.Each(required, func(kind string, value []byte) error {
		if len(names) >= maxNames {
			return nil
		}
		have := wire.Get(declared, kind)
		parts := 0
		if wire.KindOf(value) == '{' {
			_ = wire.Each(value, func(part string, _ []byte) error {
				if parts++; len(names) < maxNames && wire.Get(have, part) == nil {
					names = append(names, kind+"."+part)
				}
				return nil
			})
		}
		if parts == 0 && have == nil {
			names = append(names, kind)
		}
		return nil
	})
	return names
}

// noCommonVersion is the failure of a version that the server does not speak (-32022). common tells that it names the
// version it was asked in all the same, which is worth one more try (Versioning, Protocol Version Negotiation).
func (a *attempt) noCommonVersion(data []byte) *Error {
	raw := wire.Get(data, "supported")
	supported := versions(raw)
	err := a.fail(NoCommonVersion, versionsText(supported))
	err.common = slices.Contains(supported, wire.Modern)
	err.Data = versionsData(supported)
	return err
}

// versions reads a list of protocol versions; what is no string in it is passed over.
func versions(raw []byte) []string {
	var list []string
	if wire.KindOf(raw) != '[' {
		return nil
	}
	for rest := raw; len(list) < maxNames; {
		at := bytes.IndexByte(rest, '"')
		if at < 0 {
			break
		}
		end := bytes.IndexByte(rest[at+1:], '"')
		if end < 0 {
			break
		}
		if v := string(rest[at+1 : at+1+end]); !strings.ContainsAny(v, "\\{}[]") {
			list = append(list, wire.Clean(v, 20))
		}
		rest = rest[at+end+2:]
	}
	return list
}

func versionsText(supported []string) string {
	theirs := "none"
	if len(supported) > 0 {
		theirs = strings.Join(supported, ", ")
	}
	return "no protocol version in common: the proxy speaks " + wire.Modern + ", upstream " + wire.Clean(theirs, 100)
}

// versionsData is the data of the error, in the form of the protocol's own.
func versionsData(supported []string) []byte {
	b := []byte(`{"supported":[`)
	for i, v := range supported {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendQuoted(b, v)
	}
	return append(b, `],"requested":"`+wire.Modern+`"}`...)
}
