package deadline

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// counting counts how often a deadline is really set.
type counting struct {
	net.Conn
	read, write int
}

func (c *counting) SetReadDeadline(t time.Time) error  { c.read++; return c.Conn.SetReadDeadline(t) }
func (c *counting) SetWriteDeadline(t time.Time) error { c.write++; return c.Conn.SetWriteDeadline(t) }

// pair is a late connection, what it stands on, and the other end.
func pair(t *testing.T) (*Conn, *counting, net.Conn) {
	t.Helper()
	a, b := net.Pipe()
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	under := &counting{Conn: a}
	return Late(under), under, b
}

// waits makes Read and Write do the same for a test: nobody answers, so that each lasts until its deadline.
var waits = map[string]struct {
	wait func(c *Conn) error
	set  func(c *Conn, t time.Time) error
}{
	"read":  {func(c *Conn) error { _, err := c.Read(make([]byte, 1)); return err }, (*Conn).SetReadDeadline},
	"write": {func(c *Conn) error { _, err := c.Write([]byte{1}); return err }, (*Conn).SetWriteDeadline},
	"both":  {func(c *Conn) error { _, err := c.Read(make([]byte, 1)); return err }, (*Conn).SetDeadline},
}

func each(t *testing.T, test func(t *testing.T, c *Conn, wait func() error, set func(d time.Duration))) {
	t.Helper()
	for name, w := range waits {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _, _ := pair(t)
				test(t, c, func() error { return w.wait(c) }, func(d time.Duration) {
					var at time.Time
					if d != none {
						at = time.Now().Add(d)
					}
					if err := w.set(c, at); err != nil {
						t.Error(err)
					}
				})
			})
		})
	}
}

const none time.Duration = -1 << 62

// lasts checks that what waits gives up after exactly that time.
func lasts(t *testing.T, want time.Duration, wait func() error) {
	t.Helper()
	began := time.Now()
	err := wait()
	if took := time.Since(began); took != want || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v after %v, want it to time out after %v", err, took, want)
	}
}

func TestADeadlineIsKept(t *testing.T) {
	each(t, func(t *testing.T, _ *Conn, wait func() error, set func(time.Duration)) {
		set(time.Second)
		lasts(t, time.Second, wait)
		lasts(t, 0, wait) // for good
	})
}

func TestADeadlineThatIsPutOffIsNotEarly(t *testing.T) {
	each(t, func(t *testing.T, _ *Conn, wait func() error, set func(time.Duration)) {
		set(time.Second)
		set(3 * time.Second)
		set(2 * time.Second)
		lasts(t, 2*time.Second, wait)
	})
}

func TestADeadlineThatIsBroughtForwardIsNotLate(t *testing.T) {
	each(t, func(t *testing.T, _ *Conn, wait func() error, set func(time.Duration)) {
		set(time.Minute)
		set(time.Second)
		lasts(t, time.Second, wait)
		set(time.Second)
		lasts(t, time.Second, wait)
	})
}

func TestWhatWaitsHearsOfAnotherDeadline(t *testing.T) {
	each(t, func(t *testing.T, _ *Conn, wait func() error, set func(time.Duration)) {
		set(time.Minute)
		time.AfterFunc(time.Second, func() { set(0) })
		lasts(t, time.Second, wait)
		set(time.Second)
		time.AfterFunc(time.Second/2, func() { set(time.Minute) })
		lasts(t, time.Minute+time.Second/2, wait)
	})
}

func TestADeadlineThatIsTakenAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, other := pair(t)
		_ = c.SetDeadline(time.Now().Add(time.Second))
		_ = c.SetDeadline(time.Time{})
		time.AfterFunc(time.Hour, func() { _, _ = other.Write([]byte{7}) })
		b := make([]byte, 1)
		if _, err := c.Read(b); err != nil || b[0] != 7 {
			t.Errorf("%v, %v", b, err)
		}
		go func() {
			time.Sleep(time.Hour)
			_, _ = io.ReadFull(other, make([]byte, 2))
		}()
		if n, err := c.Write([]byte{1, 2}); n != 2 || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
	})
}

// What a deadline that is not due has interrupted goes on where it was.
func TestAWriteGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, other := pair(t)
		got := make([]byte, 4)
		go func() {
			_, _ = io.ReadFull(other, got[:2])
			time.Sleep(2 * time.Second)
			_, _ = io.ReadFull(other, got[2:])
		}()
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		_ = c.SetWriteDeadline(time.Now().Add(time.Minute))
		n, err := c.Write([]byte("abcd"))
		synctest.Wait()
		if n != 4 || err != nil || string(got) != "abcd" {
			t.Errorf("%d bytes, %v: %q", n, err, got)
		}
	})
}

func TestAClosedConnectionDoesNotGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, _ := pair(t)
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		_ = c.SetReadDeadline(time.Time{})
		time.AfterFunc(time.Minute, func() { _ = c.Close() })
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	})
}

func TestOftenPutOffIsSetOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, under, other := pair(t)
		go func() { _, _ = io.Copy(other, other) }()
		for range 100 {
			_ = c.SetDeadline(time.Now().Add(time.Minute))
			if _, err := c.Write([]byte{1}); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			_ = c.SetDeadline(time.Time{})
		}
		if under.read != 1 || under.write != 1 {
			t.Errorf("set %d and %d times", under.read, under.write)
		}
		if err := c.Arm(); err != nil || under.read != 2 {
			t.Errorf("set %d times, %v", under.read, err)
		}
		_ = c.Close()
	})
}
