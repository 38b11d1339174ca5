package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong with a configuration.
type Problem struct {
	File    string
	Line    int    // from 1; 0 when the file as a whole is meant
	Field   string // as in routes[0].upstream.url; "" when the file as a whole is meant
	Message string // never holds the value of a secret
}

// String gives file:line: field: message.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(p.Message)
	return b.String()
}

// Problems are all that is wrong with a configuration, in the order of their lines. Empty means that it is good.
type Problems []Problem

// Error gives one problem a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// sorted orders problems by line and drops repetitions: general rules are compiled once a route.
func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	seen := map[Problem]bool{}
	return slices.DeleteFunc(ps, func(p Problem) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
}
