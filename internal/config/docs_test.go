package config

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// grammar gives the sections of the code by name, each as the lines that CONFIGURATION.md has to show.
func grammar() map[string][]string {
	c, r := Default(), DefaultRoute()
	out := map[string][]string{}
	describe(out, keysOf(&c, &draft{}))
	describe(out, routeKeys(&r, &routeDraft{}))
	describe(out, toolKeys(&c.Limits))
	describe(out, budgetKeys(&Budget{Per: PerPrincipal}, new(json.RawMessage)))
	suite, ask := &suiteDraft{}, askDraft{}
	describe(out, suiteKeys(suite))
	describe(out, caseKeys(&suite.defaults))
	describe(out, askKeys(&ask))
	describe(out, askedKeys(&ask))
	return out
}

func describe(out map[string][]string, s section) {
	var lines []string
	for _, f := range s.fields {
		k := f.kind
		m, needed := k.(must)
		if needed {
			k = m.kind
		}
		line := f.key + ": " + k.grammar()
		if shown := f.kind.fallback(); shown != "" {
			line += " | default = " + shown
		}
		if !needed {
			line = "[ " + line + " ]"
		}
		lines = append(lines, line)
		if at, ok := k.(placed); ok {
			k = at.kind
		}
		if inner, ok := k.(section); ok {
			describe(out, inner)
		}
	}
	out[s.grammar()] = lines
}

// reference is CONFIGURATION.md.
func reference(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../CONFIGURATION.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// documented gives the sections of CONFIGURATION.md: a heading with the name in code, and below it a block of keys.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	page := reference(t)
	out := map[string][]string{}
	for _, m := range regexp.MustCompile("(?ms)^#+ `(<[a-z]+>)`$.*?^```\n(.*?)^```$").FindAllStringSubmatch(page, -1) {
		var lines []string
		for line := range strings.Lines(m[2]) {
			if text := strings.TrimSpace(line); text != "" && text[0] != '#' {
				lines = append(lines, text)
			}
		}
		out[m[1]] = lines
	}
	return out
}

func TestReferenceMatchesTheCode(t *testing.T) {
	page := documented(t)
	for name, want := range grammar() {
		if got := page[name]; !slices.Equal(got, want) {
			t.Errorf("CONFIGURATION.md, %s has\n  %s\nthe code has\n  %s", name, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	}
}

// Every type that a key of the reference names is explained there.
func TestReferenceExplainsEveryType(t *testing.T) {
	page := reference(t)
	for name, lines := range grammar() {
		for _, line := range lines {
			for _, kind := range regexp.MustCompile(`<[a-z ]+>`).FindAllString(line, -1) {
				if !strings.Contains(page, "| `"+kind+"` |") && !strings.Contains(page, "## `"+kind+"`\n") {
					t.Errorf("%s of %s is not explained", kind, name)
				}
			}
		}
	}
}

// Every example of the reference is a good configuration once it has a route.
func TestExamplesOfTheReference(t *testing.T) {
	page := reference(t)
	examples := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(page, -1)
	if len(examples) == 0 {
		t.Error("no examples")
	}
	for _, m := range examples {
		text := m[1]
		if !strings.Contains(text, "routes:") {
			text += good
		}
		if _, problems := Parse("example", []byte(text), Options{Actions: testActions()}); len(problems) > 0 {
			t.Errorf("%s\n%v", text, problems)
		}
	}
}

func TestExampleShowsEveryKeyWithItsDefault(t *testing.T) {
	data, err := os.ReadFile("../../config.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, problems := Parse("config.example.yaml", data, Options{}); len(problems) > 0 {
		t.Fatal(problems)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	c, r := Default(), DefaultRoute()
	compareDefaults(t, "", keysOf(&c, &draft{}), doc.Content[0])
	compareDefaults(t, "routes[0].", routeKeys(&r, &routeDraft{}), held(held(doc.Content[0], "routes"), ""))
}

// compareDefaults looks for every key of a section in a mapping, with the value that it has anyway.
func compareDefaults(t *testing.T, at string, s section, n *yaml.Node) {
	t.Helper()
	var keys []string
	for i := 0; i < len(n.Content); i += 2 {
		keys = append(keys, n.Content[i].Value)
	}
	var want []string
	for _, f := range s.fields {
		want = append(want, f.key)
		shown, k := held(n, f.key), f.kind
		if m, ok := k.(must); ok {
			k = m.kind
		}
		if at, ok := k.(placed); ok {
			k = at.kind
		}
		inner, ok := k.(section)
		switch {
		case shown == nil:
		case ok && at != "" && f.key == "limits": // a route shows only those that differ
		case ok:
			compareDefaults(t, at+f.key+".", inner, shown)
		case f.kind.fallback() != "" && written(shown) != f.kind.fallback():
			t.Errorf("%s%s is %s in the example, %s in the code", at, f.key, written(shown), f.kind.fallback())
		}
	}
	if !slices.Equal(keys, want) {
		t.Errorf("%s has the keys %v, want %v", at, keys, want)
	}
}

// held is the value of a key, or the first item of a list for the key "".
func held(n *yaml.Node, key string) *yaml.Node {
	if key == "" {
		return n.Content[0]
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func written(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return "[]"
	case n.Kind == yaml.MappingNode && len(n.Content) == 0:
		return "{}"
	default:
		return shown(n.Value)
	}
}

func ExampleProblem() {
	fmt.Println(Problem{File: "config.yaml", Line: 3, Field: "limits.max_rounds", Message: "0 is less than 1"})
	// Output: config.yaml:3: limits.max_rounds: 0 is less than 1
}

// table gives the keys in the first column of the table below a heading of the reference.
func table(t *testing.T, heading string) (keys []string) {
	t.Helper()
	page := reference(t)
	_, after, ok := strings.Cut(page, "### `"+heading+"`\n")
	if !ok {
		t.Fatalf("no heading %s", heading)
	}
	section, _, _ := strings.Cut(after, "\n#")
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+) \\|").FindAllStringSubmatch(section, -1) {
		for _, key := range strings.Split(row[1], ", ") {
			keys = append(keys, strings.Trim(key, "`"))
		}
	}
	return keys
}

func TestReferenceNamesEveryAction(t *testing.T) {
	got, want := table(t, "<action>"), append(verbs(), "webhook")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the reference has %v, the code %v", got, want)
	}
	_, problems := policy.Compile([]policy.Spec{{Name: "x"}}, nil)
	if len(problems) != 1 || !strings.HasSuffix(problems[0].Message, ": one of "+strings.Join(verbs(), ", ")) {
		t.Errorf("policy has other actions: %v", problems)
	}
}

func TestReferenceNamesKnownMatchKeys(t *testing.T) {
	unknown := func(key string) bool {
		_, problems := policy.Compile([]policy.Spec{{Name: "x", Action: "forward", Match: []byte(`{"` + key + `":{}}`)}}, nil)
		return slices.ContainsFunc(problems, func(p policy.Problem) bool { return p.Message == "unknown key" })
	}
	if !unknown("colour") {
		t.Fatal("policy calls an unknown key something else")
	}
	for _, key := range table(t, "<match>") {
		if unknown(key) {
			t.Errorf("policy does not know %s", key)
		}
	}
}
