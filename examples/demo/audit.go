package main

import (
	"bytes"
	"encoding/json"
	"os"
)

// auditReader reads what the daemon writes down about asks: one line of JSON for each, when it is settled.
type auditReader struct {
	file string
	read int // bytes that have been shown
}

// entry is what is shown of a record.
type entry struct {
	Ask struct {
		Key string `json:"key"`
	} `json:"ask"`
	Rule    string `json:"rule"`
	Action  string `json:"action"`
	Source  string `json:"source"`
	Outcome string `json:"outcome"`
}

// show prints the records that are new.
func (a *auditReader) show(t *transcript) {
	text, err := os.ReadFile(a.file)
	if err != nil {
		t.check(false, "the audit can be read: %v", err)
		return
	}
	for line := range bytes.Lines(text[a.read:]) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.check(false, "the audit has lines of JSON: %v", err)
		}
		t.note("audit", "ask %q: rule %s, action %s, source %s, outcome %s", e.Ask.Key, e.Rule, e.Action, e.Source, e.Outcome)
	}
	a.read = len(text)
}
