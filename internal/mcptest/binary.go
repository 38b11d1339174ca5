package mcptest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// commandPackage is what a Program is built from.
const commandPackage = "github.com/mrtr-proxy/mrtr-proxy/cmd/mrtr-proxy"

// Program is the built binary. The zero value is ready: a test package keeps
// one and runs its tests through it.
//
//	var program mcptest.Program
//
//	func TestMain(m *testing.M) { os.Exit(program.Run(m)) }
//
// The binary is built when the first test needs it, once, with the race
// detector where a C compiler is at hand, and with coverage where $GOCOVERDIR
// says where to put it. $MRTR_PROXY_BIN names a binary to use as it is.
type Program struct {
	dir   string
	build sync.Once
	path  string
	err   error

	addresses sync.Map // handed out, so that no two daemons share one
}

// Run runs the tests of a package, removes what was built, and returns the exit
// status.
func (p *Program) Run(m *testing.M) (status int) {
	dir, err := os.MkdirTemp("", "mrtr-proxy-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p.dir = dir
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	return m.Run()
}

// Path is the binary, built by now.
func (p *Program) Path(t testing.TB) string {
	t.Helper()
	p.build.Do(func() { p.path, p.err = p.make(t.Context()) })
	if p.err != nil {
		t.Fatal(p.err)
	}
	return p.path
}

func (p *Program) make(ctx context.Context) (string, error) {
	if given := os.Getenv("MRTR_PROXY_BIN"); given != "" {
		return given, nil
	}
	if p.dir == "" {
		return "", fmt.Errorf("mcptest: the package's TestMain does not run its tests through Program.Run")
	}
	path := filepath.Join(p.dir, "mrtr-proxy")
	args := []string{"build", "-o", path}
	if raceDetector(ctx) {
		args = append(args, "-race")
	}
	if os.Getenv("GOCOVERDIR") != "" {
		args = append(args, "-cover", "-coverpkg=github.com/mrtr-proxy/mrtr-proxy/...")
	}
	build := exec.CommandContext(ctx, "go", append(args, commandPackage)...)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", build, err, out)
	}
	return path, nil
}

// raceDetector tells whether a build with -race can work: it needs cgo and a C compiler.
func raceDetector(ctx context.Context) bool {
	out, err := exec.CommandContext(ctx, "go", "env", "CGO_ENABLED", "CC").Output()
	if err != nil {
		return false
	}
	enabled, compiler, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	words := strings.Fields(compiler)
	if enabled != "1" || len(words) == 0 {
		return false
	}
	_, err = exec.LookPath(words[0])
	return err == nil
}

// Output is how a sub-command ended.
type Output struct {
	Status         int
	Stdout, Stderr string
}

// Exec runs a sub-command to its end, within [Patience]. stdin may be "".
func (p *Program) Exec(t testing.TB, stdin string, args ...string) Output {
	t.Helper()
	var stdout, stderr strings.Builder
	path := p.Path(t) // which may take longer than anything that is built by then
	command := exec.CommandContext(patient(t), path, args...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &stdout, &stderr
	command.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=20") // not a second for every run
	err := command.Run()
	if command.ProcessState == nil {
		t.Fatalf("%s: %v", command, err)
	}
	if trouble := troubleIn(stderr.String()); trouble != "" {
		t.Errorf("%q from %s:\n%s", trouble, command, stderr.String())
	}
	return Output{Status: command.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
}
