package upstream

import "testing"

func TestEveryReasonHasAName(t *testing.T) {
	seen := map[string]Reason{}
	for r := Dial; r <= OwnCredential; r++ {
		name := r.String()
		if other, again := seen[name]; name == "" || again {
			t.Errorf("%d is %q, as is %d", r, name, other)
		}
		seen[name] = r
	}
	if s := (OwnCredential + 1).String(); s != "" {
		t.Errorf("a reason without a name is %q", s)
	}
}
