package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// The readers below check one value each and report what does not fit under its field.

// members walks an object; take says whether it knows a key. Nothing, null and {} are alike.
func (c *compiler) members(field string, raw []byte, take func(key string, value []byte) bool) {
	if len(raw) == 0 || wire.KindOf(raw) == 'n' {
		return
	}
	if wire.KindOf(raw) != '{' {
		c.report(field, "must be a mapping")
		return
	}
	err := wire.Each(raw, func(key string, value []byte) error {
		if !take(key, value) {
			c.report(field+"."+key, "unknown key")
		}
		return nil
	})
	if err != nil {
		c.report(field, "%v", err)
	}
}

// nothing checks the arguments of an action that has none.
func (c *compiler) nothing(field string, raw []byte) {
	if wire.KindOf(raw) == 't' && string(raw) == "true" {
		return
	}
	c.members(field, raw, func(string, []byte) bool { return false })
}

func (c *compiler) text(field string, value []byte) (string, bool) {
	if wire.KindOf(value) != '"' {
		c.report(field, "must be a string")
		return "", false
	}
	return wire.Unquote(value)
}

func (c *compiler) boolean(field string, value []byte) (is, ok bool) {
	if wire.KindOf(value) != 't' {
		c.report(field, "must be true or false")
		return false, false
	}
	return string(value) == "true", true
}

// oneOf reads a choice, "" when it is none.
func (c *compiler) oneOf(field string, value []byte, choices ...string) string {
	s, ok := c.text(field, value)
	if ok && !slices.Contains(choices, s) {
		c.report(field, "must be one of %s", strings.Join(choices, ", "))
		return ""
	}
	return s
}

func (c *compiler) duration(field string, value []byte) time.Duration {
	s, ok := c.text(field, value)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		c.report(field, "must be a time above zero: 30s, 5m, 1h")
	}
	return d
}

// items are the raw elements of a list; nil with a problem.
func (c *compiler) items(field string, value []byte) []json.RawMessage {
	if wire.KindOf(value) != '[' {
		c.report(field, "must be a list")
		return nil
	}
	items, err := elements(value)
	if err != nil {
		c.report(field, "%v", err)
	}
	return items
}

// elements cuts a JSON array into its raw elements.
func elements(array []byte) (items []json.RawMessage, err error) {
	err = json.Unmarshal(array, &items)
	return items, err
}

func index(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }
