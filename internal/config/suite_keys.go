package config

import (
	"encoding/json"
	"slices"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// suiteKeys are the keys of a file of policy tests.
func suiteKeys(d *suiteDraft) section {
	d.defaults.Request.Method, d.defaults.Round = wire.MethodToolsCall, 1
	c := &d.defaults
	return section{"suite", []field{
		{"config", must{path{&d.config}}},
		{"route", placed{word(&c.Route), &c.route}},
		{"request", requestKeys(c)},
		{"client", clientKeys(c)},
		{"cases", must{caseList{d}}},
	}}
}

func caseKeys(c *caseDraft) section {
	return section{"case", []field{
		{"name", must{placed{word(&c.Name), &c.name}}},
		{"route", placed{word(&c.Route), &c.route}},
		{"request", requestKeys(c)},
		{"client", clientKeys(c)},
		{"round", count(&c.Round, 1)},
		{"ask", oneAsk{c}},
		{"asks", askList{c}},
		{"want", placed{wantKeys(&c.want, &c.Declared), &c.wanted}},
	}}
}

func requestKeys(c *caseDraft) section {
	return section{"request", []field{
		{"method", oneOf(&c.Request.Method, wire.MethodToolsCall, wire.MethodPromptsGet, wire.MethodResourcesRead)},
		{"name", word(&c.Request.Name)},
		{"args", object{&c.Request.Args}},
	}}
}

func clientKeys(c *caseDraft) section {
	return section{"client", []field{
		{"name", word(&c.Client.Name)},
		{"version", word(&c.Client.Version)},
		{"protocol", word(&c.Client.Protocol)},
		{"capabilities", object{&c.Capabilities}},
	}}
}

// askDraft is an ask as it is written.
type askDraft struct {
	key, method string
	params      json.RawMessage
	want        Want
	wanted      value
}

func askFields(a *askDraft) []field {
	return []field{
		{"key", word(&a.key)},
		{"method", must{word(&a.method)}},
		{"params", object{&a.params}},
	}
}

func askKeys(a *askDraft) section { return section{"ask", askFields(a)} }

func askedKeys(a *askDraft) section {
	want := section{"expected", wantFields(&a.want)}
	return section{"asked", append(askFields(a), field{"want", must{placed{want, &a.wanted}}})}
}

func wantKeys(w *Want, declared *Expected[json.RawMessage]) section {
	return section{"want", append(wantFields(w), field{"declared", expectedObject{declared}})}
}

func wantFields(w *Want) []field {
	return []field{
		{"rule", expectedText{&w.Rule, nil}},
		{"action", expectedText{&w.Action, actionWords}},
		{"answer", expectedObject{&w.Answer}},
		{"failure", expectedText{&w.Failure, failureWords}},
		{"observed", expectedNames{&w.Observed}},
	}
}

func actionWords(o Options) []string { return append(verbs(), extraVerbs(o)...) }

// failureWords are how an ask fails when nobody is asked: reasons, and the kind of what is the server's fault.
func failureWords(Options) []string {
	return []string{
		resolver.Refused.String(), resolver.InvalidResponse.String(), resolver.NoChannel.String(), resolver.Protocol.String(),
	}
}

// said is the part of Want that is said at all.
func (w *Want) said() bool {
	return w.Rule.Given || w.Action.Given || w.Answer.Given || w.Failure.Given || w.Observed.Given
}

// caseList is the cases; each starts from the defaults of the suite.
type caseList struct{ d *suiteDraft }

func (caseList) grammar() string  { return "[ <case>, ... ]" }
func (caseList) fallback() string { return "" }

func (l caseList) read(v value) {
	items, ok := v.list()
	if !ok {
		return
	}
	if len(items) == 0 {
		v.fail("is empty, want at least one case")
	}
	for _, item := range items {
		c := l.d.defaults
		c.at, c.Line = item, item.line
		caseKeys(&c).read(item)
		c.finish()
		l.d.cases = append(l.d.cases, &c)
	}
}

// finish puts together what stands beside each other.
func (c *caseDraft) finish() {
	switch {
	case c.hasAsk && c.hasAsks:
		c.at.fail("has both ask and asks")
	case c.hasAsks && c.want.said():
		c.wanted.fail("beside asks only declared is wanted: each ask has a want of its own")
	case !c.hasAsk && !c.hasAsks && c.want.said():
		c.at.fail("has no ask")
	case !c.hasAsks && !c.want.said() && !c.Declared.Given:
		c.at.fail("wants nothing")
	case c.hasAsk && len(c.Asks) == 1:
		c.Asks[0].Want = c.want
	}
}

// oneAsk is an ask whose want stands beside it.
type oneAsk struct{ c *caseDraft }

func (oneAsk) grammar() string  { return "<ask>" }
func (oneAsk) fallback() string { return "" }

func (k oneAsk) read(v value) {
	var a askDraft
	k.c.hasAsk = true
	if k.c.readable(askKeys(&a), v) {
		k.c.add(v, &a)
	}
}

// askList is asks of one round, each with its want.
type askList struct{ c *caseDraft }

func (askList) grammar() string  { return "[ <asked>, ... ]" }
func (askList) fallback() string { return "" }

func (l askList) read(v value) {
	items, _ := v.list()
	l.c.hasAsks = true
	seen := []string{}
	for _, item := range items {
		var a askDraft
		readable := l.c.readable(askedKeys(&a), item)
		if a.wanted.node != nil && !a.want.said() {
			a.wanted.fail("wants nothing")
		}
		if a.key == "" && len(items) > 1 {
			item.fail("has no key, want one of its own for each ask")
		} else if slices.Contains(seen, a.key) {
			item.fail("another ask has the key %s", quoted(a.key))
		}
		seen = append(seen, a.key)
		if readable {
			l.c.add(item, &a)
		}
	}
}

// readable reads keys and reports whether there was no problem.
func (c *caseDraft) readable(keys section, v value) bool {
	before := len(v.r.problems)
	keys.read(v)
	return len(v.r.problems) == before
}

// add reads an ask as traffic does, whatever the client can be asked.
func (c *caseDraft) add(v value, a *askDraft) {
	if a.key == "" {
		a.key = "ask"
	}
	raw := wire.AppendQuoted([]byte(`{"method":`), a.method)
	if a.params != nil {
		raw = append(append(raw, `,"params":`...), a.params...)
	}
	ask, err := resolver.ReadAsk(a.key, append(raw, '}'))
	if err != nil {
		v.fail("cannot be asked: %v", err)
		return
	}
	c.Asks = append(c.Asks, CaseAsk{Ask: ask, Want: a.want})
}
