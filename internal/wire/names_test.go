package wire

import "testing"

func TestVersions(t *testing.T) {
	for _, name := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		if v, ok := ParseVersion(name); !ok || v.String() != name {
			t.Errorf("%s: %v, %v", name, v, ok)
		}
	}
	for _, name := range []string{Modern, "", "2025-11-25 ", "DRAFT"} {
		if v, ok := ParseVersion(name); ok || v != 0 {
			t.Errorf("%q: %v", name, v)
		}
	}
	if !(V20241105 < V20250326 && V20250326 < V20250618 && V20250618 < V20251125) || Newest.String() != "2025-11-25" || Version(99).String() != "" {
		t.Error("versions are out of order")
	}
}

func TestMethods(t *testing.T) {
	for _, c := range []struct {
		method        string
		mayAsk        bool
		member, label string
		repeatable    bool
	}{
		{MethodToolsCall, true, "name", "tools/call", false},
		{MethodPromptsGet, true, "name", "prompts/get", true},
		{MethodResourcesRead, true, "uri", "resources/read", true},
		{MethodToolsList, false, "", "tools/list", true},
		{MethodDiscover, false, "", "server/discover", true},
		{MethodComplete, false, "", "completion/complete", false},
		{MethodListen, false, "", "subscriptions/listen", false},
		{"tools/CALL", false, "", "other", false},
		{"", false, "", "other", false},
	} {
		if MayAsk(c.method) != c.mayAsk || NameMember(c.method) != c.member || MethodLabel(c.method) != c.label || IsRepeatable(c.method) != c.repeatable {
			t.Errorf("%q: %v %q %q %v", c.method, MayAsk(c.method), NameMember(c.method), MethodLabel(c.method), IsRepeatable(c.method))
		}
	}
}

func TestCapabilities(t *testing.T) {
	for _, c := range []struct {
		in   string
		can  Can
		want string
	}{
		{`{}`, 0, `{}`},
		{`{"elicitation":{}}`, CanForm, `{"elicitation":{"form":{}}}`},
		{`{"elicitation":{"form":{}}}`, CanForm, `{"elicitation":{"form":{}}}`},
		{`{"elicitation":{"url":{}}}`, CanURL, `{"elicitation":{"url":{}}}`},
		{`{"elicitation":{"form":{"x":1},"url":{}}}`, CanForm | CanURL, `{"elicitation":{"form":{},"url":{}}}`},
		{`{"elicitation":{"form":true}}`, 0, `{}`},
		{`{"elicitation":{"applyDefaults":true}}`, CanForm, `{"elicitation":{"form":{}}}`},
		{`{"elicitation":true,"sampling":null,"roots":"yes","experimental":[],"extensions":1}`, 0, `{}`},
		{`{"sampling":{},"roots":{"listChanged":true}}`, CanSampling | CanRoots, `{"sampling":{},"roots":{}}`},
		{`{"sampling":{"tools":{},"context":{}}}`, CanSampling | CanSamplingTools | CanSamplingContext, `{"sampling":{"context":{},"tools":{}}}`},
		{`{"tasks":{"requests":{}},"extensions":{"io.modelcontextprotocol\/tasks":{},"com.example/ui":{"a":[1.0]}},"experimental":{"x":{}}}`, 0,
			`{"experimental":{"x":{}},"extensions":{"com.example/ui":{"a":[1.0]}}}`},
		{`{"extensions":{"io.modelcontextprotocol/tasks":{}},"experimental":{}}`, 0, `{}`},
		{`{"roots":{},"roots":{}}`, 0, `{}`},
		{`[]`, 0, `{}`},
		{`{"roots":{}`, 0, `{}`},
		{``, 0, `{}`},
	} {
		got := ParseCapabilities([]byte(c.in))
		if text := string(got.Append(nil)); got.Can != c.can || text != c.want {
			t.Errorf("%s: %b %s, want %b %s", c.in, got.Can, text, c.can, c.want)
		}
	}
}

func TestAskKinds(t *testing.T) {
	for kind, want := range map[AskKind]struct {
		name  string
		needs Can
	}{
		ElicitationForm: {"elicitation_form", CanForm},
		ElicitationURL:  {"elicitation_url", CanURL},
		Sampling:        {"sampling", CanSampling},
		Roots:           {"roots", CanRoots},
		0:               {"", 0},
	} {
		if kind.String() != want.name || kind.Needs() != want.needs {
			t.Errorf("%d: %q needs %b", kind, kind, kind.Needs())
		}
	}
	if !(CanForm | CanURL).Has(CanURL) || CanForm.Has(CanForm|CanURL) {
		t.Error("Has takes a part for the whole")
	}
}
