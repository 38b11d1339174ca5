package arch

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages name files, tests, links and targets of this repository.
var pages = []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs/protocol.md"}

var (
	fenced     = regexp.MustCompile("(?ms)^```.*?^```")
	namedTest  = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	namedFile  = regexp.MustCompile("`([a-z][A-Za-z0-9_./-]*\\.(?:go|md|ya?ml|json|mod))`")
	namedPlace = regexp.MustCompile("`((?:bench|cmd|deploy|docs|examples|internal|proxy|test)/[A-Za-z0-9_./-]+)`")
	target     = regexp.MustCompile("(?m)(?:^|`)make ([a-z-]+)")
	linked     = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	declared   = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`)
	mapped     = regexp.MustCompile(`(?m)^([a-z][a-z0-9/-]+/)  +\S`)
)

func TestThePagesNameWhatThereIs(t *testing.T) {
	tests, names := map[string]bool{}, map[string]bool{}
	for _, file := range files(t) {
		names[path.Base(file)] = true
		if strings.HasSuffix(file, "_test.go") {
			for _, found := range declared.FindAllStringSubmatch(read(t, file), -1) {
				tests[found[1]] = true
			}
		}
	}
	makefile := read(t, "Makefile")
	for _, page := range pages {
		text := read(t, page)
		for _, found := range target.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(makefile, "\n"+found[1]+":") {
				t.Errorf("%s: there is no make %s", page, found[1])
			}
		}
		text = fenced.ReplaceAllString(text, "")
		for _, found := range namedTest.FindAllStringSubmatch(text, -1) {
			if !tests[found[1]] {
				t.Errorf("%s: there is no test %s", page, found[1])
			}
		}
		for _, found := range namedFile.FindAllStringSubmatch(text, -1) {
			if strings.Contains(found[1], "/") && !exists(found[1]) || !names[path.Base(found[1])] {
				t.Errorf("%s: there is no file %s", page, found[1])
			}
		}
		for _, found := range namedPlace.FindAllStringSubmatch(text, -1) {
			if !exists(found[1]) {
				t.Errorf("%s: there is nothing at %s", page, found[1])
			}
		}
		for _, found := range linked.FindAllStringSubmatch(text, -1) {
			if !exists(path.Join(path.Dir(page), found[1])) {
				t.Errorf("%s: a link leads to %s, where there is nothing", page, found[1])
			}
		}
	}
}

// Every rule has a place in the code and a test that fails without it.
func TestEveryRuleHasItsFileAndItsTest(t *testing.T) {
	rules := 0
	for line := range strings.Lines(fenced.ReplaceAllString(read(t, "docs/protocol.md"), "")) {
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || cells[0] == " rule " {
			continue
		}
		rules++
		if len(cells) != 3 || !namedFile.MatchString(cells[1]) || !namedTest.MatchString(cells[2]) {
			t.Errorf("docs/protocol.md: %q lacks a file or a test", cells[0])
		}
	}
	if rules == 0 {
		t.Error("docs/protocol.md has no rules")
	}
}

func TestTheMapShowsEveryPackage(t *testing.T) {
	shown := map[string]bool{}
	for _, found := range mapped.FindAllStringSubmatch(read(t, "ARCHITECTURE.md"), -1) {
		shown[strings.TrimSuffix(found[1], "/")] = true
		if !exists(found[1]) {
			t.Errorf("ARCHITECTURE.md: there is no folder %s", found[1])
		}
	}
	for layer := range layers {
		if !exists(layer) {
			t.Errorf("there is no folder %s, which has a row in layers", layer)
		}
		if !isShown(shown, layer) {
			t.Errorf("the map of ARCHITECTURE.md lacks %s", layer)
		}
	}
}

// isShown tells whether a folder is on the map, by itself or by one above it; the demo
// stands for the examples.
func isShown(shown map[string]bool, folder string) bool {
	if folder == "examples" {
		folder = "examples/demo"
	}
	for ; folder != "."; folder = path.Dir(folder) {
		if shown[folder] {
			return true
		}
	}
	return false
}

func exists(file string) bool {
	_, err := fs.Stat(os.DirFS(filepath.FromSlash(root)), path.Clean(file))
	return err == nil
}
