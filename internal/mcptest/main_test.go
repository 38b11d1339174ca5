package mcptest

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs the tests, or stands in for the daemon when a test starts this
// very binary as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		os.Exit(standIn())
	}
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// standIn listens as its configuration says, serves the admin paths and logs
// the rest of the configuration.
func standIn() int {
	text, err := os.ReadFile(os.Args[3])
	if err != nil {
		return 1
	}
	fmt.Println(string(text))
	_, ops, _ := strings.Cut(string(text), "admin: {listen: \"")
	ops, _, _ = strings.Cut(ops, `"`)
	mux := http.NewServeMux()
	mux.HandleFunc("/-/ready", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /-/reload", func(w http.ResponseWriter, _ *http.Request) {
		now, _ := os.ReadFile(os.Args[3])
		_, _ = w.Write(now)
	})
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("# HELP x\nasks_total{kind=\"roots\",outcome=\"answered\"} 2\nasks_total{kind=\"sampling\",outcome=\"answered\"} 3\n"))
	})
	go func() { _ = http.ListenAndServe(ops, mux) }()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	<-stop
	return 0
}
