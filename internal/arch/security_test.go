package arch

import (
	"regexp"
	"strings"
	"testing"
)

// What SECURITY.md names exists, and it names every dependency.
func TestSecurityNamesWhatThereIs(t *testing.T) {
	page := read(t, "SECURITY.md")
	var tests strings.Builder
	for _, file := range files(t) {
		if strings.HasSuffix(file, "_test.go") {
			tests.WriteString(read(t, file))
		}
	}
	for _, name := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(page, -1) {
		if !strings.Contains(tests.String(), "func "+name[1]+"(") {
			t.Errorf("SECURITY.md names %s, which is no test", name[1])
		}
	}
	for _, required := range regexp.MustCompile(`(?m)^\t(\S+) v`).FindAllStringSubmatch(read(t, "go.mod"), -1) {
		if !strings.Contains(page, "`"+required[1]+"`") {
			t.Errorf("SECURITY.md does not say what %s is for", required[1])
		}
	}
}
