package main

import (
	"strings"
	"testing"
)

func TestAFigureIsJudgedByTheBetterBoundItKeeps(t *testing.T) {
	for _, c := range []struct {
		row  row
		want string
	}{
		{row{measured: 1.06, gate: atMost(1.05), aim: atMost(0.85)}, "**missed**"},
		{row{measured: 1.05, gate: atMost(1.05), aim: atMost(0.85)}, "gate"},
		{row{measured: 0.85, gate: atMost(1.05), aim: atMost(0.85)}, "aim"},
		{row{measured: 0.94, gate: atLeast(0.95), aim: atLeast(1.1)}, "**missed**"},
		{row{measured: 1, gate: atLeast(0.95), aim: atLeast(1.1)}, "gate"},
		{row{measured: 1.2, gate: atLeast(0.95), aim: atLeast(1.1)}, "aim"},
	} {
		if got := c.row.verdict(); got != c.want {
			t.Errorf("%v, %v, %v: %q", c.row.measured, c.row.gate, c.row.aim, got)
		}
	}
}

func TestNumbersAreShownWithTheDigitsThatMeanSomething(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.0123: "0.012", 0.854: "0.85", 1: "1", 1.05: "1.05", 1.1: "1.1", 12.34: "12.3", 27: "27", 1234.5: "1234", -16.63: "-16.6",
	} {
		if got := digits(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

func TestTheMedianIsOfTheRounds(t *testing.T) {
	if got := middle([]float64{9, 1, 3}); got != 3 {
		t.Error(got)
	}
	if got := middle([]float64{4, 1, 2, 9}); got != 3 {
		t.Error(got)
	}
}

func TestTheTableHasARowAFigure(t *testing.T) {
	r := report{rows: []row{{work: "call", what: "CPU", unit: "× that", measured: 0.9, low: 0.8, high: 1, aside: "much", gate: atMost(1), aim: atMost(0.5)}}}
	var b strings.Builder
	r.table(&b)
	if want := "| call | CPU 0.9 × that [0.8–1] (much) | ≤ 1 | ≤ 0.5 | gate |\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %s, want %s", b.String(), want)
	}
}
