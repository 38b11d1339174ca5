package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/secret"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// body is what a webhook is told. Arguments and params keep their bytes; members that do not exist are left out. A
// requestState is not among them.
func body(id string, now time.Time, c *answer.Context, a *resolver.Ask) []byte {
	b := make([]byte, 0, 512+len(c.Request.Args)+len(a.Params))
	member := func(name, value string) {
		if last := b[len(b)-1]; last != '{' {
			b = append(b, ',')
		}
		b = append(wire.AppendQuoted(b, name), ':')
		b = wire.AppendQuoted(b, value)
	}
	b = append(b, '{')
	member("id", id)
	member("time", now.UTC().Format(time.RFC3339Nano))
	member("route", c.Route)
	member("principal", c.Principal)
	b = append(b, `,"request":{`...)
	member("method", c.Request.Method)
	member("name", c.Request.Name)
	if c.Request.Args != nil {
		b = append(append(b, `,"args":`...), c.Request.Args...)
	}
	b = append(b, `},"ask":{`...)
	member("key", a.Key)
	member("method", a.Method)
	if a.Params != nil {
		b = append(append(b, `,"params":`...), a.Params...)
	}
	b = append(b, `},"client":{`...)
	member("name", c.Client.Name)
	member("version", c.Client.Version)
	b = append(b, `},"round":`...)
	b = strconv.AppendInt(b, int64(c.Round), 10)
	return append(b, '}')
}

// newID names an ask to a webhook; a second try of the same ask has the same.
func newID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// sign gives the signature header's value.
func sign(s secret.Value, body []byte) string {
	mac := hmac.New(sha256.New, []byte(s.Reveal()))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
