package modern_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// program is the built binary.
var program mcptest.Program

// suite runs the tests of the package with the program at hand.
type suite struct{ m *testing.M }

func (s suite) Run() int { return program.Run(s.m) }

func TestMain(m *testing.M) { goleak.VerifyTestMain(suite{m}) }
