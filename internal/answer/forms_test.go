package answer

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

func TestASchemaIsCompiledOnce(t *testing.T) {
	var k forms
	first, err := k.of([]byte(portSchema))
	if err != nil {
		t.Fatal(err)
	}
	again, _ := k.of([]byte(portSchema))
	other, _ := k.of([]byte(strings.Replace(portSchema, "80", "81", 1)))
	if again != first || other == first {
		t.Errorf("%p, %p for another, first %p", again, other, first)
	}
}

func TestAnAskIsCompiledForOnce(t *testing.T) {
	d, a := NewDesk(Options{}), formAsk(portSchema)
	if f := d.Check([]resolver.Ask{a}); f != nil {
		t.Fatal(f)
	}
	checked := d.forms.young[portSchema]
	c := Context{Can: everything, Channel: says(`{"action":"accept","content":{"port":1}}`)}
	if _, f := d.Settle(context.Background(), &c, a); f != nil {
		t.Fatal(f)
	}
	if checked == nil || d.forms.young[portSchema] != checked || len(d.forms.young) != 1 {
		t.Errorf("settling an ask that was checked left %v, had %p", d.forms.young, checked)
	}
}

func TestWhatDoesNotCompileIsNotRemembered(t *testing.T) {
	var k forms
	for range 2 {
		if f, err := k.of([]byte(`[]`)); err == nil || f != nil {
			t.Errorf("%v, %v", f, err)
		}
	}
	if len(k.young) > 0 {
		t.Error("it is remembered")
	}
}

// However many schemas there are and however long, what is remembered has a bound, and what is in use stays.
func TestFormsAreBounded(t *testing.T) {
	for name, pad := range map[string]int{"many": 0, "long": 20 << 10} {
		var k forms
		schema := func(i int) []byte {
			return []byte(fmt.Sprintf(`{"properties":{"p%d":{"type":"string"}},"title":"%s"}`, i, strings.Repeat("x", pad)))
		}
		used, err := k.of(schema(0))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2*maxForms + 10 {
			if _, err := k.of(schema(i)); err != nil {
				t.Fatal(err)
			}
			if f, _ := k.of(schema(0)); f != used {
				t.Fatalf("%s: the one in use was forgotten at %d", name, i)
			}
		}
		for _, half := range []map[string]*form{k.young, k.old} {
			bytes := 0
			for s := range half {
				bytes += len(s)
			}
			if len(half) > maxForms || bytes > maxFormBytes {
				t.Errorf("%s: %d forms of %d bytes are remembered", name, len(half), bytes)
			}
		}
	}
}

func TestFormsAreForAll(t *testing.T) {
	d := NewDesk(Options{})
	c := Context{Can: everything, Channel: says(`{"action":"accept","content":{"port":8080}}`)}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 20 {
				schema := strings.Replace(portSchema, "80", fmt.Sprint(i%2*n), 1)
				if _, f := d.Settle(context.Background(), &c, formAsk(schema)); f != nil {
					t.Error(f)
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkAsk is an elicitation that is checked, asked, and answered. It is new where no ask has had its schema.
func BenchmarkAsk(b *testing.B) {
	c := Context{Can: everything, Channel: says(`{"action":"accept","content":{"port":8080}}`)}
	settle := func(b *testing.B, d *Desk, a resolver.Ask) {
		if f := d.Check([]resolver.Ask{a}); f != nil {
			b.Fatal(f)
		}
		if _, f := d.Settle(context.Background(), &c, a); f != nil {
			b.Fatal(f)
		}
	}
	b.Run("known", func(b *testing.B) {
		d, a := NewDesk(Options{}), formAsk(portSchema)
		b.ReportAllocs()
		for b.Loop() {
			settle(b, d, a)
		}
	})
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			settle(b, NewDesk(Options{}), formAsk(portSchema))
		}
	})
}
