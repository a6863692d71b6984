package web

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// ReadTLS reads a certificate and its key, both in PEM, and reads them again
// whenever the certificate's file is another: who renews it restarts nothing. One
// that cannot be read then leaves that of before, which told hears of, once.
func ReadTLS(certificate, key string, told func(error)) (*tls.Config, error) {
	p := &pair{certificate: certificate, key: key, told: told}
	if _, err := p.now(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.now() },
	}, nil
}

// pair is a certificate and its key, as they were read last.
type pair struct {
	certificate, key string
	told             func(error)

	mu   sync.Mutex
	at   time.Time // of the certificate that was read
	said time.Time // of one that could not be
	read *tls.Certificate
}

func (p *pair) now() (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	about, err := os.Stat(p.certificate)
	if err == nil && p.read != nil && about.ModTime().Equal(p.at) {
		return p.read, nil
	}
	failed := closed(p.key)
	var read tls.Certificate
	if failed == nil {
		read, failed = tls.LoadX509KeyPair(p.certificate, p.key)
	}
	if failed != nil {
		failed = fmt.Errorf("read the certificate %q and its key %q: %w", p.certificate, p.key, failed)
	}
	switch {
	case failed != nil && p.read != nil:
		if err == nil && !about.ModTime().Equal(p.said) {
			p.said = about.ModTime()
			p.told(failed)
		}
		return p.read, nil
	case failed != nil:
		return nil, failed
	case err == nil:
		p.at = about.ModTime()
	}
	p.read = &read
	return p.read, nil
}

// closed wants a key that not everybody on the machine can read. Its group may: the
// daemon is not the owner of what another service renews.
func closed(key string) error {
	about, err := os.Stat(key)
	if err == nil && about.Mode().Perm()&0o007 != 0 {
		return fmt.Errorf("the key is open to everybody "+
			"on this machine (%04o); want it readable by its owner, or its group, alone", about.Mode().Perm())
	}
	return err
}
