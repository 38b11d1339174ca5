package proxy_test

import (
	"os"
	"testing"

	_ "github.com/mrtr-proxy/mrtr-proxy/internal/daemon" // what the program is made of: with it go test knows when a result is stale
	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// program is the built binary.
var program mcptest.Program

func TestMain(m *testing.M) { os.Exit(program.Run(m)) }
