// Package mailtest is a mail server for tests, which takes letters over TLS from who has its password.
//
// It refuses to deliver anything anywhere. Its invariant: a letter is taken once, whole, in the order in which it came.
package mailtest

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Password is what the server asks for.
const Password = "pa55word-of-mail"

// Server is one that runs until its test has ended.
type Server struct {
	Port    int         // on 127.0.0.1
	CA      string      // file of its certificate
	Letters chan string // as they came
}

// Open starts a server.
func Open(t testing.TB) *Server {
	t.Helper()
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	t.Cleanup(certified.Close)
	m := &Server{CA: filepath.Join(t.TempDir(), "ca.pem"), Letters: make(chan string, 100)}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certified.Certificate().Raw})
	if err := os.WriteFile(m.CA, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.Port = listener.Addr().(*net.TCPAddr).Port
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &visit{server: m}, nil }))
	server.Domain, server.TLSConfig = "127.0.0.1", &tls.Config{Certificates: certified.TLS.Certificates}
	serving := make(chan struct{})
	go func() { defer close(serving); _ = server.Serve(listener) }() // ends as it is closed
	t.Cleanup(func() { _ = server.Close(); <-serving })
	return m
}

// visit is one line to the server.
type visit struct {
	server *Server
	known  bool
}

func (v *visit) AuthMechanisms() []string { return []string{sasl.Plain} }

func (v *visit) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, _, password string) error {
		if v.known = password == Password; !v.known {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (v *visit) Mail(string, *smtp.MailOptions) error {
	if !v.known {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (v *visit) Rcpt(string, *smtp.RcptOptions) error { return nil }

func (v *visit) Data(r io.Reader) error {
	letter, err := io.ReadAll(r)
	v.server.Letters <- string(letter)
	return err
}

func (v *visit) Reset() {}

func (v *visit) Logout() error { return nil }
