package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Digest stands for a principal or a credential; zero stands for none. Equal digests mean the same one. It is made to be
// compared, and is no secret-keeping hash: what leaves the process goes through Sealer.Pseudonym.
type Digest [16]byte

// Binding says what makes two credentials the same principal.
type Binding uint8

// The bindings, zero being the default.
const (
	BindSubject    Binding = iota // issuer and subject of a JWT, so that a refreshed one is the same; else the credential
	BindCredential                // the credential
	BindNone                      // everyone is the same
)

const maxJWTPayload = 64 << 10

// CredentialOf digests an Authorization header value as it came; zero for an empty one.
func CredentialOf(authorization string) Digest {
	if authorization == "" {
		return Digest{}
	}
	return digest("credential", authorization)
}

// Identify tells who a request claims to be by its Authorization header value, and with which credential. Nothing is
// verified here, a JWT's signature least of all: only upstream's taking of a credential makes its subject believable.
// When the credential is the one the session was opened with, CredentialOf alone answers the question for less.
func Identify(authorization string, b Binding) (principal, credential Digest) {
	credential = CredentialOf(authorization)
	switch b {
	case BindNone:
		return Digest{}, credential
	case BindSubject:
		if issuer, subject, ok := jwtSubject(authorization); ok {
			return digest("subject", issuer, subject), credential
		}
	}
	return credential, credential
}

func digest(parts ...string) (d Digest) {
	b := make([]byte, 0, 512)
	for _, p := range parts {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(p))), p...)
	}
	sum := sha256.Sum256(b)
	copy(d[:], sum[:])
	return d
}

// jwtSubject reads iss and sub of a JWT. A payload that two readers could understand differently has none.
func jwtSubject(authorization string) (issuer, subject string, ok bool) {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") && !strings.EqualFold(scheme, "DPoP") {
		return "", "", false
	}
	token = strings.TrimLeft(token, " ")
	head, rest, _ := strings.Cut(token, ".")
	body, signature, ok := strings.Cut(rest, ".")
	if !ok || head == "" || strings.Contains(signature, ".") || len(body) > maxJWTPayload {
		return "", "", false
	}
	payload, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || wire.Validate(payload) != nil {
		return "", "", false
	}
	var iss, sub []byte
	err = wire.Each(payload, func(key string, value []byte) error {
		switch key {
		case "iss":
			iss = value
		case "sub":
			sub = value
		}
		return nil
	})
	if err != nil {
		return "", "", false
	}
	issuer, okIssuer := text(iss)
	subject, okSubject := text(sub)
	return issuer, subject, okIssuer && okSubject
}

// text decodes a JSON string that says something.
func text(raw []byte) (string, bool) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	s, ok := wire.Unquote(raw)
	return s, ok && s != ""
}
