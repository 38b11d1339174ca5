// Package arch holds the tree to what ARCHITECTURE.md says of it.
package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mrtr-proxy/mrtr-proxy/"

// layers lists what the packages of a folder, and of the folders below it that
// have no row of their own, may import of this module beside each other, tests
// aside. "*" is everything.
var layers = map[string][]string{
	"internal/wire":     {},
	"internal/apart":    {},
	"internal/deadline": {},
	"internal/detach":   {"internal/deadline"},
	"internal/secret":   {},
	"internal/guard":    {},
	"internal/mcptest":  {},
	"resolver":          {"internal/wire"},
	"policy":            {"internal/wire"},
	"internal/metrics":  {"internal/wire"},
	"internal/session":  {"internal/wire"},
	"internal/budget":   {"policy"},
	"internal/answer":   {"internal/apart", "internal/deadline", "internal/metrics", "internal/secret", "internal/wire", "policy", "resolver"},
	"internal/config":   {"internal/guard", "internal/secret", "internal/wire", "policy", "resolver"},
	"internal/explain":  {"internal/answer", "internal/config", "internal/metrics", "internal/wire", "policy", "resolver"},
	"internal/admin":    {"internal/guard", "internal/metrics"},
	"internal/daemon":   {"*"},
	"proxy/upstream":    {"internal/apart", "internal/deadline", "internal/metrics", "internal/secret", "internal/session", "internal/wire"},
	"proxy/exchange":    {"internal/answer", "internal/budget", "internal/deadline", "internal/metrics", "internal/session", "internal/wire", "policy", "proxy/upstream", "resolver"},
	"proxy/legacy":      {"internal/answer", "internal/apart", "internal/deadline", "internal/detach", "internal/metrics", "internal/session", "internal/wire", "policy", "proxy/exchange", "proxy/upstream", "resolver"},
	"proxy/modern":      {"internal/answer", "internal/metrics", "internal/session", "internal/wire", "policy", "proxy/exchange", "proxy/upstream", "resolver"},
	"proxy":             {"internal/answer", "internal/budget", "internal/deadline", "internal/detach", "internal/guard", "internal/metrics", "internal/secret", "internal/session", "internal/wire", "policy", "proxy/exchange", "proxy/legacy", "proxy/modern", "proxy/upstream", "resolver"},
	"cmd/mrtr-proxy":    {"internal/config", "internal/daemon", "internal/explain", "policy"},
	"examples":          {"internal/config", "internal/daemon"},
	"bench":             {"internal/config", "internal/daemon", "internal/wire"},
	"test/e2e":          {},
	"deploy":            {},
	"test/interop":      {},
}

// pure packages decide and do nothing: the outside reaches them as values.
var pure = map[string][]string{
	"resolver":      {"net/http", "log", "log/slog", "os", "go.uber.org/zap"},
	"policy":        {"net/http", "log", "log/slog", "os", "go.uber.org/zap"},
	"internal/wire": {"net/http", "log", "log/slog", "os", "time", "go.uber.org/zap"},
}

// The SDK stays in tests, benchmarks and examples: it never stands between the two sides.
// The scripted peers stay in tests.
const (
	sdk   = "github.com/modelcontextprotocol/go-sdk"
	peers = "internal/mcptest"
)

func TestImportsRunDownwards(t *testing.T) {
	for _, file := range goFiles(t) {
		folder, isTest := path.Dir(file), strings.HasSuffix(file, "_test.go")
		home := layerOf(folder)
		if home == "" {
			t.Errorf("%s: no layer of %q; give it a row in layers", file, folder)
			continue
		}
		for _, imported := range importsOf(t, file) {
			own, ours := strings.CutPrefix(imported, module)
			switch {
			case home == "proxy/legacy" && ours && layerOf(own) == "proxy/modern", home == "proxy/modern" && ours && layerOf(own) == "proxy/legacy":
				t.Errorf("%s: the dialects never import each other", file)
			case isTest:
			case own == peers:
				t.Errorf("%s: %s is for tests", file, peers)
			case ours && !mayImport(home, layerOf(own)):
				t.Errorf("%s: %s may not import %s", file, home, own)
			case strings.HasPrefix(imported, sdk) && home != "examples" && home != "bench":
				t.Errorf("%s: the SDK stays in tests, benchmarks and examples", file)
			case slices.Contains(pure[home], imported):
				t.Errorf("%s: %s is pure and does not import %s", file, home, imported)
			}
		}
	}
}

func mayImport(home, imported string) bool {
	allowed := layers[home]
	return home == imported || slices.Contains(allowed, imported) || slices.Contains(allowed, "*")
}

// layerOf is the row of layers for a folder: its own, or the nearest above it.
func layerOf(folder string) string {
	for ; folder != "."; folder = path.Dir(folder) {
		if _, found := layers[folder]; found {
			return folder
		}
	}
	return ""
}

func TestLayersAreFreeOfCycles(t *testing.T) {
	done := map[string]bool{}
	var visit func(layer string, above []string)
	visit = func(layer string, above []string) {
		if slices.Contains(above, layer) {
			t.Fatalf("cycle: %s", strings.Join(append(above, layer), " → "))
		}
		for _, below := range layers[layer] {
			if _, known := layers[below]; !known && below != "*" {
				t.Errorf("%s may import %s, which has no row", layer, below)
			}
			if !done[below] {
				visit(below, append(above, layer))
			}
		}
		done[layer] = true
	}
	for _, layer := range slices.Sorted(maps.Keys(layers)) {
		visit(layer, nil)
	}
}

// maxLines bounds a Go file: one that is longer has more than one concern.
const maxLines = 500

func TestFilesStaySmall(t *testing.T) {
	for _, file := range goFiles(t) {
		if n := strings.Count(read(t, file), "\n"); n > maxLines {
			t.Errorf("%s has %d lines, at most %d are allowed", file, n, maxLines)
		}
	}
}

// strangers match what says nothing to a reader who has only this repository.
// Only the CI script may name the folder beside the repository.
var strangers = map[string]*regexp.Regexp{
	"a folder beside the repository": regexp.MustCompile(`\.\./` + `shared\b`),
	"a folder of one machine":        regexp.MustCompile(`(^|[\s"'(=:])/(work|root|home/[a-z]+)/(main|plan|` + `shared|go)\b`),
	"a word for how it was made":     regexp.MustCompile(`(?i)\bwork` + `place\b|\bC` + `EO\b|\bsub-?agent\b|\bhelper (agent|session)s?\b`),
	"a test case by its number":      regexp.MustCompile(`\(F[0-9]{2}\)|\bcase F[0-9]{2}\b`),
}

func TestTheRepositoryStandsOnItsOwn(t *testing.T) {
	for _, file := range files(t) {
		if file == ".ci/run" {
			continue
		}
		for number, line := range strings.Split(read(t, file), "\n") {
			for what, pattern := range strangers {
				if found := pattern.FindString(line); found != "" {
					t.Errorf("%s:%d: %q is %s", file, number+1, found, what)
				}
			}
		}
	}
}

func goFiles(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(files(t), func(file string) bool {
		return !strings.HasSuffix(file, ".go") || strings.HasPrefix(file, "internal/arch/")
	})
}

// files lists the text files of the repository, relative to its root.
func files(t *testing.T) (found []string) {
	t.Helper()
	skipped := []string{".git", ".cache", "bin", "dist", "testdata"}
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return fs.SkipDir
		case entry.Type().IsRegular() && isText(file):
			found = append(found, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatal("no files: the tests do not run in their folder")
	}
	return found
}

const root = "../.."

func isText(file string) bool {
	kinds := []string{".go", ".md", ".yaml", ".yml", ".json", ".txt", ".mod", ".service", ".rules", ""}
	return slices.Contains(kinds, path.Ext(file)) || path.Base(file) == ".gitignore"
}

func importsOf(t *testing.T, file string) (imports []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, read(t, file), parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, imported)
	}
	return imports
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
