package daemon

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
)

// material is what the files of a config.TLS hold.
type material struct {
	certificate *tls.Certificate // nil when none is named
	authorities *x509.CertPool   // nil when none are named
	print       string           // of all that was read: tells one from another
}

// readMaterial reads the files. An error names the file it is about and never what is in it.
func readMaterial(f config.TLS) (m material, err error) {
	sum := sha256.New()
	read := func(path string) (content []byte) {
		if path == "" || err != nil {
			return nil
		}
		if content, err = os.ReadFile(path); err == nil {
			_, _ = fmt.Fprintf(sum, "%d:", len(content))
			_, _ = sum.Write(content)
		}
		return content
	}
	cert, key, ca := read(f.CertFile), read(f.KeyFile), read(f.CAFile)
	if err != nil {
		return m, err
	}
	if f.CertFile != "" {
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return m, fmt.Errorf("%s and %s: %w", f.CertFile, f.KeyFile, err)
		}
		m.certificate = &pair
	}
	if f.CAFile != "" {
		m.authorities = x509.NewCertPool()
		if !m.authorities.AppendCertsFromPEM(ca) {
			return m, fmt.Errorf("%s: %w", f.CAFile, errNoCertificate)
		}
	}
	m.print = hex.EncodeToString(sum.Sum(nil))
	return m, nil
}

var errNoCertificate = errors.New("no certificate in it")

// checkTLS judges the files of a configuration.
func checkTLS(f config.TLS) error {
	_, err := readMaterial(f)
	return err
}

// lookEvery is how often at most a listener looks whether its files have changed.
const lookEvery = time.Second

// certificates are those of a listener. Handshakes take what the files hold when they begin: a file that has changed is
// read again, and one that cannot be used any more leaves the last good ones in force.
type certificates struct {
	files config.TLS
	log   *zap.Logger

	mu     sync.Mutex
	looked time.Time
	seen   [3]stamp
	config *tls.Config
}

// stamp tells one state of a file from another.
type stamp struct {
	modified time.Time
	size     int64
}

func newCertificates(f config.TLS, log *zap.Logger) (*certificates, error) {
	c := &certificates{files: f, log: log, seen: stampsOf(f), looked: time.Now()}
	m, err := readMaterial(f)
	if err != nil {
		return nil, err
	}
	c.config = listenerConfig(m)
	return c, nil
}

// listenerConfig says how clients are spoken to.
func listenerConfig(m material) *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, Certificates: []tls.Certificate{*m.certificate}}
	if m.authorities != nil {
		c.ClientCAs, c.ClientAuth = m.authorities, tls.RequireAndVerifyClientCert
	}
	return c
}

// server is the configuration of the listener's server: every handshake gets its own from the files.
func (c *certificates) server() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return c.now(), nil },
	}
}

func (c *certificates) now() *tls.Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.looked) >= lookEvery {
		c.looked = now
		c.look()
	}
	return c.config
}

// look reads the files again when one of them has changed.
func (c *certificates) look() {
	stamps := stampsOf(c.files)
	if stamps == c.seen {
		return
	}
	m, err := readMaterial(c.files)
	if err != nil { // perhaps they are being written: the next look tries again
		c.log.Error("the files of tls cannot be used: the ones before stay in force", zap.Error(err))
		return
	}
	c.seen, c.config = stamps, listenerConfig(m)
	c.log.Info("the files of tls have changed and are in force")
}

func stampsOf(f config.TLS) (all [3]stamp) {
	for i, path := range []string{f.CertFile, f.KeyFile, f.CAFile} {
		if info, err := os.Stat(path); path != "" && err == nil {
			all[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return all
}
