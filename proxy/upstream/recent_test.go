package upstream

import "testing"

func TestRecentForgetsTheOldest(t *testing.T) {
	r := newRecent[int, int](10)
	forgotten := 0
	r.onForgetting = func() { forgotten++ }
	for i := range 1000 {
		r.put(i, i)
		if _, ok := r.get(0); !ok {
			t.Fatalf("0 is forgotten after %d although it is used all the time", i)
		}
		if n := len(r.young) + len(r.old); n > 20 {
			t.Fatalf("%d entries", n)
		}
	}
	for i := 995; i < 1000; i++ {
		if v, ok := r.get(i); !ok || v != i {
			t.Errorf("%d: %d %v", i, v, ok)
		}
	}
	if _, ok := r.get(500); ok || forgotten == 0 {
		t.Error("500 is still known")
	}
	r.put(0, 7)
	if v, _ := r.get(0); v != 7 {
		t.Errorf("0 is %d, want what was put last", v)
	}
	r.forget(0)
	if _, ok := r.get(0); ok {
		t.Error("0 is not forgotten")
	}
}
