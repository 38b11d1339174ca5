package proxy_test

import (
	"os"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// program is the built binary.
var program mcptest.Program

func TestMain(m *testing.M) { os.Exit(program.Run(m)) }
