package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of a page: its language, the file it is, and its text.
type block struct{ heading, language, file, text string }

var (
	headings = regexp.MustCompile(`(?m)^##+ (.*)$`)
	fences   = regexp.MustCompile("(?ms)^```([a-z]*) ?([a-z.]*)$\n(.*?)^```$")
)

// blocks gives the fenced blocks of a page by heading, in order.
func blocks(t *testing.T, page string) (all [][]block) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rest := string(text)
	at := headings.FindAllStringSubmatchIndex(rest, -1)
	for i, h := range at {
		end := len(rest)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		var under []block
		for _, m := range fences.FindAllStringSubmatch(rest[h[1]:end], -1) {
			under = append(under, block{rest[h[2]:h[3]], m[1], m[2], m[3]})
		}
		if under != nil {
			all = append(all, under)
		}
	}
	return all
}

// Every block of the guide is good as it stands: configurations pass check, suites pass, and commands print what is shown.
func TestGuide(t *testing.T) {
	var tested []string
	for _, section := range blocks(t, "../../docs/policy.md") {
		t.Run(section[0].heading, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, b := range section {
				switch {
				case b.file != "":
					if err := os.WriteFile(b.file, []byte(b.text), 0o600); err != nil {
						t.Fatal(err)
					}
				case b.language == "json" && !json.Valid([]byte(b.text)):
					t.Errorf("no JSON:\n%s", b.text)
				case b.language == "yaml":
					t.Errorf("a block without the name of a file is not tested:\n%s", b.text)
				}
			}
			for _, b := range section {
				tested = append(tested, b.language+" "+b.file)
				follow(t, b)
			}
		})
	}
	if n := strings.Count(strings.Join(tested, "\n"), "yaml tests.yaml"); n != 10 {
		t.Errorf("%d recipes with tests, want 10", n)
	}
	if !slices.Contains(tested, "console ") {
		t.Error("no command is shown")
	}
}

func follow(t *testing.T, b block) {
	t.Helper()
	switch {
	case b.file == "config.yaml":
		// A warning would be a poor example.
		if status, out, _ := called("check", "--config", b.file); status != 0 || out != "config.yaml is good\n" {
			t.Errorf("check: exit %d\n%s", status, out)
		}
	case b.file == "tests.yaml":
		if status, out, problems := called("policy", "test", b.file); status != 0 {
			t.Errorf("policy test: exit %d\n%s%s", status, out, problems)
		}
	case b.language == "console":
		for _, shown := range strings.Split("\n"+b.text, "\n$ mrtr-proxy ")[1:] {
			line, want, _ := strings.Cut(shown, "\n")
			status, out, problems := called(strings.Fields(line)...)
			if status != 0 || strings.TrimRight(out, "\n") != strings.TrimRight(want, "\n") {
				t.Errorf("%s: exit %d %s\n%s\nwant\n%s", line, status, problems, out, want)
			}
		}
	}
}
