package policy

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// matchReader turns the members of one match into conditions.
type matchReader struct {
	*compiler
	match
	method, mode string
	request      string // the one method of request it can match, "" for any
	hasHost      bool
	when         *expression
}

// match checks the conditions of a rule.
func (c *compiler) match(raw json.RawMessage) match {
	m := &matchReader{compiler: c, match: match{kinds: allKinds}}
	c.members("match", raw, m.member)
	if m.when != nil {
		m.conditions = append(m.conditions, whenTrue{m.when})
	}
	m.readsParams = m.readsParams || m.mode != "" || len(m.conditions) > 0
	m.mayConsent = m.mode == modeURL && m.hasHost
	m.limitKinds()
	return m.match
}

// limitKinds reports members that rule each other out.
func (m *matchReader) limitKinds() {
	if m.method != "" {
		m.only("match.method", methodKinds(m.method))
	}
	switch m.mode {
	case modeForm:
		m.only("match.mode", kindsOf(wire.ElicitationForm))
	case modeURL:
		m.only("match.mode", kindsOf(wire.ElicitationURL))
	}
	for _, c := range m.conditions {
		switch c.(type) {
		case messageIs:
			m.only("match.message", elicitations)
		case asksFor, asksOnlyFor:
			m.only("match."+c.field(), kindsOf(wire.ElicitationForm))
		case linkTo:
			m.only("match.url_host", kindsOf(wire.ElicitationURL))
		}
	}
}

func (m *matchReader) only(field string, set kinds) {
	if m.kinds != 0 && m.kinds&set == 0 {
		m.report(field, "with this the rule matches nothing: the other members want another kind of ask")
	}
	m.kinds &= set
}

func methodKinds(method string) kinds {
	switch method {
	case wire.MethodElicit:
		return elicitations
	case wire.MethodCreateMessage:
		return kindsOf(wire.Sampling)
	case wire.MethodRootsList:
		return kindsOf(wire.Roots)
	}
	return 0
}

// member takes one member of the match; false: there is no such member.
func (m *matchReader) member(key string, value []byte) bool {
	field := "match." + key
	switch key {
	case "method":
		m.method = m.oneOf(field, value, wire.MethodElicit, wire.MethodCreateMessage, wire.MethodRootsList)
	case "mode":
		m.mode = m.oneOf(field, value, modeForm, modeURL)
	case "request":
		method := m.oneOf(field, value, wire.MethodToolsCall, wire.MethodPromptsGet, wire.MethodResourcesRead)
		m.addRequest(field, method, requestIs{method})
	case "tool":
		m.addName(key, wire.MethodToolsCall, value)
	case "prompt":
		m.addName(key, wire.MethodPromptsGet, value)
	case "resource":
		m.addName(key, wire.MethodResourcesRead, value)
	case "client":
		if g := m.glob(field, value, false); g != nil {
			m.forecasts = append(m.forecasts, clientIs{g})
		}
	case "client_can":
		if can, ok := m.boolean(field, value); ok {
			m.clientCan = &can
		}
	default:
		return m.askMember(key, value)
	}
	return true
}

// askMember takes a member that looks at what the ask says.
func (m *matchReader) askMember(key string, value []byte) bool {
	field := "match." + key
	switch key {
	case "message":
		if g := m.glob(field, value, true); g != nil {
			m.conditions = append(m.conditions, messageIs{g})
		}
	case "fields":
		m.named = m.names(field, value)
		if m.named != nil && len(m.named) == 0 {
			m.report(field, "names no field")
		}
		m.conditions = append(m.conditions, asksFor{m.named})
	case "only_fields":
		m.conditions = append(m.conditions, asksOnlyFor{m.names(field, value)})
	case "url_host":
		m.hasHost = true
		if g := m.hostGlob(field, value); g != nil {
			m.conditions = append(m.conditions, linkTo{g})
		}
	case "when":
		if source, ok := m.text(field, value); ok {
			m.when = m.expression(field, source, booleans)
		}
	default:
		return false
	}
	return true
}

func (m *matchReader) addName(key, method string, value []byte) {
	if g := m.glob("match."+key, value, false); g != nil {
		m.addRequest("match."+key, method, nameIs{key, method, g})
	}
}

// addRequest adds a member that only requests of one method can meet.
func (m *matchReader) addRequest(field, method string, f forecast) {
	if method == "" {
		return
	}
	if m.request != "" && m.request != method {
		m.report(field, "with this the rule matches nothing: another member wants requests of %s", m.request)
	}
	m.request = method
	m.forecasts = append(m.forecasts, f)
}

func (m *matchReader) glob(field string, value []byte, fold bool) *glob {
	pattern, ok := m.text(field, value)
	if !ok {
		return nil
	}
	g, err := parseGlob(pattern, fold)
	if err != nil {
		m.report(field, "%v", err)
	}
	return g
}

// hostGlob reads a pattern over host names, which have no port and are in lower case.
func (m *matchReader) hostGlob(field string, value []byte) *glob {
	pattern, ok := m.text(field, value)
	if !ok {
		return nil
	}
	if pattern == "" || strings.ContainsAny(pattern, "/@") || strings.Count(pattern, ":") == 1 {
		m.report(field, "must be a pattern of host names, without scheme, port and path")
		return nil
	}
	g, err := parseGlob(strings.ToLower(pattern), false)
	if err != nil {
		m.report(field, "%v", err)
	}
	return g
}

func (m *matchReader) names(field string, value []byte) []string {
	items := m.items(field, value)
	if items == nil {
		return nil
	}
	names := []string{}
	for i, item := range items {
		if name, ok := m.text(index(field, i), item); ok {
			if slices.Contains(names, name) {
				m.report(index(field, i), "names %q again", name)
			}
			names = append(names, name)
		}
	}
	return names
}
