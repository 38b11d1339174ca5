package metrics

import (
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// families are the clients that are counted by name, each with how its clientInfo.name
// begins, in any letter case; all others are "other".
var families = []struct{ prefix, family string }{
	{"claude-code", "claude-code"},
	{"claude-ai", "claude"},
	{"local-agent-mode-", "claude"},
	{"anthropic/", "claude"},
	{"codex", "openai"},
	{"visual studio code", "vscode"},
	{"cursor", "cursor"},
	{"gemini-cli", "gemini-cli"},
	{"qwen-cli", "qwen-code"},
	{"@librechat/", "librechat"},
	{"@n8n/", "n8n"},
	{"zed", "zed"},
	{"opencode", "opencode"},
	{"ai-sdk", "ai-sdk"},
	{"chatgpt", "openai"},
	{"openai-mcp", "openai"},
	{"goose", "goose"},
	{"windsurf", "windsurf"},
	{"mcp-inspector", "inspector"},
	{"inspector-client", "inspector"},
}

const (
	otherFamily = "other"
	noRevision  = "none"
)

// familyOf finds the family of a client by its name.
func familyOf(client string) string {
	for _, f := range families {
		if len(client) >= len(f.prefix) && strings.EqualFold(client[:len(f.prefix)], f.prefix) {
			return f.family
		}
	}
	return otherFamily
}

// ClientRevision counts that a client asked for a revision and got one, "" for none: in the handshake of a legacy one, and
// with each request of a modern one, which has no handshake.
func (r *Route) ClientRevision(client, requested, negotiated string) {
	if negotiated == "" {
		negotiated = noRevision
	}
	r.m.clientRevisions.WithLabelValues(r.path, familyOf(client), revisionOf(requested), negotiated).Inc()
}

// revisionOf is a revision that is known, or "other".
func revisionOf(requested string) string {
	if _, known := wire.ParseVersion(requested); known || requested == wire.Modern {
		return requested
	}
	return "other"
}
