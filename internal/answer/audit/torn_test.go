package audit

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
)

// fullDisk takes some bytes and then fails.
type fullDisk struct {
	bytes.Buffer
	room int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) <= d.room {
		d.room -= len(p)
		return d.Buffer.Write(p)
	}
	n, _ := d.Buffer.Write(p[:d.room])
	d.room = 0
	return n, errors.New("no space left on device")
}

func (d *fullDisk) Close() error { return nil }

// A record that was cut off spoils no other one, and every lost one is told to who asks for it.
func TestALineThatWasCutOff(t *testing.T) {
	whole := len(encoded(t, &one))
	disk := &fullDisk{room: whole + 10}
	var told int
	f := &File{file: disk, failed: func(error) { told++ }}
	for i, lost := range []bool{false, true, true, false, false} {
		if i == 3 {
			disk.room = 10 * whole
		}
		if err := f.Record(one); (err != nil) != lost || f.Failing() != lost {
			t.Errorf("record %d: %v, failing %t", i+1, err, f.Failing())
		}
	}
	if got := strings.Split(disk.String(), "\n"); len(got) != 5 || got[0]+"\n" != string(encoded(t, &one)) || got[2] != got[0] || got[3] != got[0] || got[4] != "" {
		t.Errorf("the file is\n%s", disk.String())
	}
	if told != 1 {
		t.Errorf("told of %d failures, want the first of a row", told)
	}
}

func TestARecordOfRulesOnTrial(t *testing.T) {
	r := one
	r.Observed = append(r.Observed, struct{ Rule, Action, Outcome string }{"a", "accept", "invalid"}, struct{ Rule, Action, Outcome string }{"b", "webhook", ""})
	want := oneLine + `,"observed":[{"rule":"a","action":"accept","outcome":"invalid"},{"rule":"b","action":"webhook"}]}` + "\n"
	if got := string(encoded(t, &r)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func encoded(t *testing.T, r *answer.Record) []byte {
	t.Helper()
	b, err := encode(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
