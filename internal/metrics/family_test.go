package metrics

import (
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestFamilies(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "claude-code", "claude-ai": "claude", "local-agent-mode-x": "claude", "Visual Studio Code - Insiders": "vscode",
		"gemini-cli-mcp-client-files": "gemini-cli", "ZED": "zed", "": "other", "Somebody": "other", "@n8n/n8n-nodes-langchain.mcpClientTool": "n8n",
	} {
		if got := familyOf(name); got != want {
			t.Errorf("%q is of the family %s, want %s", name, got, want)
		}
	}
}

func TestThePageListsEveryFamily(t *testing.T) {
	want := []string{otherFamily}
	for _, f := range families {
		if !slices.Contains(want, f.family) {
			want = append(want, f.family)
		}
	}
	for _, row := range tableRows(t, "label") {
		if row[0] != "`client`" {
			continue
		}
		got := names(row[1])
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("metrics.md has %v, the code %v", got, want)
		}
		return
	}
	t.Error("metrics.md does not describe the label")
}

// What clients make up never becomes a label.
func TestClientRevisionsAreBounded(t *testing.T) {
	reg := prometheus.NewRegistry()
	r := New(reg).Route("/mcp")
	for _, made := range []string{"x", "y", "z"} {
		r.ClientRevision(made, made, "2025-11-25")
	}
	r.ClientRevision("Zed", "2027-01-01", "")
	if n := value(t, reg, "mrtr_proxy_client_revisions_total", "client", "other", "requested", "other", "negotiated", "2025-11-25"); n != 3 {
		t.Errorf("%v counted", n)
	}
	if n := value(t, reg, "mrtr_proxy_client_revisions_total", "client", "zed", "requested", "other", "negotiated", "none"); n != 1 {
		t.Errorf("%v counted", n)
	}
}
