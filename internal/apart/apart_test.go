package apart

import (
	"strings"
	"testing"
)

func TestReturnsWhenItIsDone(t *testing.T) {
	done := false
	Do(func() { done = true })
	if !done {
		t.Error("it returned before")
	}
}

func TestAPanicIsTheCallers(t *testing.T) {
	defer func() {
		fault, _ := recover().(string)
		if !strings.HasPrefix(fault, "oh\n") || !strings.Contains(fault, "apart_test.go") {
			t.Errorf("panicked with %q", fault)
		}
	}()
	Do(func() { panic("oh") })
	t.Error("the panic is lost")
}
