package daemon

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"go.uber.org/zap"
)

// Supervisor is told what the daemon is doing, as sd_notify(3) says it. The zero value tells nobody.
type Supervisor struct {
	// Socket is the path of a datagram socket, with a leading @ of an abstract one; "" = there is none.
	Socket string
	// Watchdog is how long the supervisor waits for a sign of life; 0 = it waits for none.
	Watchdog time.Duration
}

// SupervisorOf reads what a supervisor has put into the environment of the process pid.
func SupervisorOf(getenv func(string) string, pid int) (s Supervisor) {
	s.Socket = getenv("NOTIFY_SOCKET")
	if of := getenv("WATCHDOG_PID"); of == "" || of == strconv.Itoa(pid) {
		if usec, err := strconv.ParseInt(getenv("WATCHDOG_USEC"), 10, 64); err == nil && usec > 0 {
			s.Watchdog = time.Duration(usec) * time.Microsecond
		}
	}
	return s
}

// tell sends a state. A supervisor that cannot be told is no reason to stop.
func (d *Daemon) tell(state string) {
	if d.supervisor.Socket == "" {
		return
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: d.supervisor.Socket, Net: "unixgram"})
	if err == nil {
		_, err = c.Write([]byte(state))
		_ = c.Close()
	}
	if err != nil {
		d.log.Warn("the supervisor cannot be told", zap.Error(err))
	}
}

const (
	stateReady    = "READY=1\nSTATUS=serving"
	stateStopping = "STOPPING=1\nSTATUS=draining"
	stateAlive    = "WATCHDOG=1"
)

// stateReloading carries the time, which a supervisor compares with that of its own request to reload.
func stateReloading(monotonic time.Duration) string {
	return fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", monotonic.Microseconds())
}

// watch gives signs of life for as long as the admin listener answers, until the daemon has stopped.
func (d *Daemon) watch() {
	if d.supervisor.Socket == "" || d.supervisor.Watchdog <= 0 {
		return
	}
	every := d.supervisor.Watchdog / 3
	d.watching.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-d.stopped:
				return
			case <-tick.C:
			}
			if err := d.alive(every); err != nil {
				d.log.Error("no sign of life for the watchdog", zap.Error(err))
				continue
			}
			d.tell(stateAlive)
		}
	})
}

// alive asks the admin listener as a probe would.
func (d *Daemon) alive(patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	address := d.AdminAddr().String()
	if at, err := netip.ParseAddrPort(address); err == nil && at.Addr().IsUnspecified() {
		address = net.JoinHostPort("127.0.0.1", strconv.Itoa(int(at.Port())))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/-/healthy", nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Transport{Proxy: nil, DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the admin listener answers %s", resp.Status)
	}
	return nil
}
