package legacy_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// part is a member of an object whose members the proxy looks at.
type part struct {
	lead, key, value, trail string
	want                    string // in place of value
	cut                     bool
}

// joined is an object of these members. A cut takes the comma before it where a member
// stays before it, and the one after it otherwise.
func joined(parts []part) passage {
	var sent, want strings.Builder
	left := false
	for i, m := range parts {
		comma := ","
		if i == 0 {
			comma = ""
		}
		sent.WriteString(comma + m.lead + m.key + m.value + m.trail)
		switch {
		case !m.cut:
			if left {
				want.WriteString(",")
			}
			want.WriteString(m.lead + m.key + m.want + m.trail)
			left = true
		case left:
			want.WriteString(m.trail)
		default:
			want.WriteString(m.lead)
			if i == len(parts)-1 {
				want.WriteString(m.trail)
			}
		}
	}
	return passage{"{" + sent.String() + "}", "{" + want.String() + "}"}
}

// dice make random JSON, the same for the same seed.
type dice struct {
	*rand.Rand
	names int
	noCR  bool // in white space
}

func (d *dice) odds(n int) bool            { return d.IntN(n) == 0 }
func (d *dice) pick(from ...string) string { return from[d.IntN(len(from))] }
func (d *dice) shuffled(parts []part) []part {
	d.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return parts
}
func (d *dice) cutPart(name, value string) part { m := d.part(name, value); m.cut = true; return m }

// request is a request of a client; added are the members that the proxy puts into _meta.
func (d *dice) request(id, method, added string) passage {
	name, value := "name", `"release"`
	if method == "resources/read" {
		name, value = "uri", `"file:///a b"`
	}
	params := append(d.strangers(), d.part(name, value), d.part("arguments", d.object(4)))
	for _, cut := range []string{"task", "inputResponses", "requestState"} {
		if d.odds(3) {
			params = append(params, d.cutPart(cut, d.value(2)))
		}
	}
	without := true
	if d.odds(2) {
		without = false
		meta := d.part("_meta", "null")
		meta.want = "{" + added + "}"
		if !d.odds(4) {
			entries := d.meta()
			p := joined(entries)
			meta.value, meta.want = p.sent, "{"+added+p.want[1:]
			if hasKept(entries) {
				meta.want = "{" + added + "," + p.want[1:]
			}
		}
		params = append(params, meta)
	}
	p := joined(d.shuffled(params))
	if without {
		p.want = `{"_meta":{` + added + "}," + p.want[1:]
	}
	parts := []part{d.part("jsonrpc", `"2.0"`), d.part("method", strconv.Quote(method)), d.changed("id", id, someID), d.changed("params", p.sent, p.want)}
	return joined(d.shuffled(parts))
}

// reply is a server's result, or its error; a long one is passed on in pieces.
func (d *dice) reply(id, method string, long bool) passage {
	parts := append(d.strangers(), d.part("jsonrpc", `"2.0"`), d.changed("id", someID, id))
	if d.odds(8) && !long {
		fault := joined(d.shuffled(append(d.strangers(), d.part("code", d.pick("7", "-1")), d.part("message", d.text()), d.part("data", d.value(4)))))
		return joined(d.shuffled(append(parts, d.part("error", fault.sent))))
	}
	result := d.strangers()
	if method == "tools/call" {
		content := "[" + d.space() + d.object(3) + d.space() + "]"
		if long {
			content = `[{"type":"text","text":"` + strings.Repeat(`long \ud800 `, 100_000) + `"},` + d.value(4) + "]"
		}
		result = append(result, d.part("content", content))
		value := d.value(3)
		structured := d.part("structuredContent", value)
		if value[0] != '{' {
			structured.want = `{"result":` + value + `}`
		}
		result = append(result, structured)
	} else {
		pad := d.object(3)
		if long {
			pad = `{"text":"` + strings.Repeat(`long \ud800 `, 100_000) + `"}`
		}
		result = append(result, d.part(map[string]string{"prompts/get": "messages", "resources/read": "contents"}[method], "["+pad+"]"))
	}
	if d.odds(2) {
		result = append(result, d.cutPart("resultType", d.pick(`"complete"`, `"c\u006fmplete"`)))
	}
	for _, cut := range []string{"ttlMs", "cacheScope"} {
		if d.odds(2) {
			result = append(result, d.cutPart(cut, d.value(2)))
		}
	}
	if d.odds(2) {
		meta := joined(d.meta())
		result = append(result, d.changed("_meta", meta.sent, meta.want))
	}
	p := joined(d.shuffled(result))
	return joined(d.shuffled(append(parts, d.changed("result", p.sent, p.want))))
}

// meta are members of a _meta, with some that are the protocol's own.
func (d *dice) meta() []part {
	parts := d.strangers()
	for _, name := range []string{"x", "serverInfo", "subscriptionId"} {
		if d.odds(3) {
			parts = append(parts, d.cutPart("io.modelcontextprotocol/"+name, d.value(2)))
		}
	}
	return d.shuffled(parts)
}

func hasKept(parts []part) bool {
	for _, m := range parts {
		if !m.cut {
			return true
		}
	}
	return false
}

// part is a member that stays as it is, its name spelled in some way.
func (d *dice) part(name, value string) part {
	var key strings.Builder
	for _, c := range name {
		if d.odds(30) {
			fmt.Fprintf(&key, `\u%04x`, c)
		} else {
			key.WriteRune(c)
		}
	}
	return d.member(`"`+key.String()+`"`, value)
}

func (d *dice) changed(name, value, want string) part {
	m := d.part(name, value)
	m.want = want
	return m
}

func (d *dice) member(key, value string) part {
	return part{lead: d.space(), key: key + d.space() + ":" + d.space(), value: value, want: value, trail: d.space()}
}

// strangers are members that the proxy does not know. No two have the same name: that
// is refused where the proxy looks.
func (d *dice) strangers() (parts []part) {
	for range d.IntN(4) {
		d.names++
		name := d.text()
		parts = append(parts, d.member(name[:len(name)-1]+strconv.Itoa(d.names)+`"`, d.value(3)))
	}
	if d.odds(4) {
		parts = append(parts, d.member(`""`, d.value(2)))
	}
	return parts
}

func (d *dice) value(depth int) string {
	switch d.IntN(7) {
	case 0:
		return d.pick("null", "true", "false")
	case 1, 2:
		return d.pick("0", "-0", "1.0", "1.50", "9007199254740993", "-9223372036854775809", "123456789012345678901234567890",
			"1E400", "1e-400", "0e0", "0.1e+07", "3.141592653589793238462643383279")
	case 3:
		if depth > 0 {
			var items []string
			for range d.IntN(4) {
				items = append(items, d.space()+d.value(depth-1)+d.space())
			}
			return "[" + strings.Join(items, ",") + d.inEmpty(items) + "]"
		}
	case 4:
		if depth > 0 {
			return d.object(depth)
		}
	}
	return d.text()
}

// object has names that mean something elsewhere, and some twice.
func (d *dice) object(depth int) string {
	var members []string
	for range d.IntN(5) {
		key := d.pick(`""`, `"resultType"`, `"ttlMs"`, `"cacheScope"`, `"_meta"`, `"io.modelcontextprotocol/x"`, `"task"`, `"requestState"`,
			`"inputResponses"`, `"id"`, `"structuredContent"`, `"progressToken"`, `"a"`, d.text())
		m := d.member(key, d.value(depth-1))
		members = append(members, m.lead+m.key+m.value+m.trail)
	}
	return "{" + strings.Join(members, ",") + d.inEmpty(members) + "}"
}

func (d *dice) inEmpty(items []string) string {
	if len(items) == 0 {
		return d.space()
	}
	return ""
}

func (d *dice) text() string {
	s := `"`
	for range d.IntN(5) {
		s += d.pick("a", "data: ", "é", "😀", "\u2028", "\ufeff", "\x7f", "<&>", `\u0041`, `\u00E9`, `\ud800`, `\uDFFF`, `\ud83d\ude00`,
			`\/`, `\n`, `\r\n`, `\u0000`, `\"`, `\\`, `\\u0041`, `{`, `]`, `,`, ` `)
	}
	return s + `"`
}

func (d *dice) space() string {
	if !d.odds(4) {
		return ""
	}
	space := d.pick(" ", "  ", "\t", "\n", "\r", "\r\n", "\n\n ", " \t\r")
	if d.noCR {
		return strings.ReplaceAll(space, "\r", "")
	}
	return space
}
