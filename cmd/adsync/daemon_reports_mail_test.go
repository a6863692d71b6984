package main

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http/httptest"
	"net/mail"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/xuri/excelize/v2"
)

// mailServer is a mail server that takes letters over TLS, from who has the password.
type mailServer struct {
	port    int
	ca      string // file of its certificate
	letters chan string
}

const mailPassword = "pa55word-of-mail"

func openMailServer(t *testing.T) *mailServer {
	t.Helper()
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	t.Cleanup(certified.Close)
	m := &mailServer{ca: filepath.Join(t.TempDir(), "ca.pem"), letters: make(chan string, 100)}
	saveFile(t, m.ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certified.Certificate().Raw})))
	server := smtp.NewServer(m)
	server.Domain, server.TLSConfig = "127.0.0.1", &tls.Config{Certificates: certified.TLS.Certificates}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	m.port = listener.Addr().(*net.TCPAddr).Port
	serving := make(chan struct{})
	go func() { defer close(serving); _ = server.Serve(listener) }() // ends as it is closed
	t.Cleanup(func() { _ = server.Close(); <-serving })
	return m
}

func (m *mailServer) NewSession(*smtp.Conn) (smtp.Session, error) { return &mailVisit{server: m}, nil }

// mailVisit is one line to the server.
type mailVisit struct {
	server *mailServer
	known  bool
}

func (v *mailVisit) AuthMechanisms() []string { return []string{sasl.Plain} }

func (v *mailVisit) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, _, password string) error {
		if v.known = password == mailPassword; !v.known {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (v *mailVisit) Mail(string, *smtp.MailOptions) error {
	if !v.known {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (v *mailVisit) Rcpt(string, *smtp.RcptOptions) error { return nil }

func (v *mailVisit) Data(r io.Reader) error {
	letter, err := io.ReadAll(r)
	v.server.letters <- string(letter)
	return err
}

func (v *mailVisit) Reset() {}

func (v *mailVisit) Logout() error { return nil }

// mailParts are the parts of a mail by their types.
func mailParts(t *testing.T, kind string, body io.Reader) map[string]string {
	t.Helper()
	of, about, err := mime.ParseMediaType(kind)
	noError(t, err)
	if !strings.HasPrefix(of, "multipart/") {
		content, err := io.ReadAll(body)
		noError(t, err)
		return map[string]string{of: string(content)}
	}
	all := map[string]string{}
	for parts := multipart.NewReader(body, about["boundary"]); ; {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return all
		}
		noError(t, err)
		for name, content := range mailParts(t, part.Header.Get("Content-Type"), part) {
			all[name] = content
		}
	}
}

// TestAReportIsMailedByADaemon: as HTML, as text and with its workbook, which a spreadsheet program opens.
func TestAReportIsMailedByADaemon(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	server := openMailServer(t)
	file := filepath.Join(t.TempDir(), "daemon.yaml")
	saveFile(t, file, fmt.Sprintf(`
listen: none
every: 2s
settle: 200ms
operator: %s
mail: {host: 127.0.0.1, port: %d, user: adsync, password: {env: MAIL_PASSWORD}, from: adsync@shop.example}
people: {annabel: {email: annabel@shop.example}}
reports:
- {every: "%s", span: yesterday, to: [annabel], attach: xlsx}
accounts:
- {name: shop, folder: %s}
`, operator, server.port, dueNow(t, "America/New_York"), dir))
	p := startDaemonWith(t, s.environment("SSL_CERT_FILE="+server.ca, "MAIL_PASSWORD="+mailPassword), "--config", file)
	var text string
	select {
	case text = <-server.letters:
	case <-time.After(patience):
		t.Fatalf("no letter comes; the daemon says\n%s", p.said())
	}
	p.until("msg", "a report was sent")
	p.end()
	letter, err := mail.ReadMessage(strings.NewReader(text))
	noError(t, err)
	if subject := letter.Header.Get("Subject"); !strings.HasPrefix(subject, "adsync shop: report of 20") {
		t.Errorf("the subject is %q; want whose report it is, and of which days", subject)
	}
	parts := mailParts(t, letter.Header.Get("Content-Type"), letter.Body)
	page, words := parts["text/html"], parts["text/plain"]
	if !strings.HasPrefix(page, "<!doctype html>") || !strings.HasPrefix(words, "# shop: 20") {
		t.Errorf("the letter has %q; want HTML and text", parts)
	}
	packed := parts["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"]
	content, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\r", "", "\n", "").Replace(packed))
	noError(t, err)
	book, err := excelize.OpenReader(bytes.NewReader(content))
	noError(t, err)
	if title, err := book.GetCellValue("Summary", "A1"); err != nil || !strings.HasPrefix(title, "shop: 20") {
		t.Errorf("the workbook is of %q, %v; want the report", title, err)
	}
	noError(t, book.Close())
	said := p.said()
	if n := len(server.letters); n > 0 || strings.Contains(said, "annabel") || strings.Contains(said, mailPassword) {
		t.Errorf("%d letters more; the daemon says\n%s", n, said)
	}
}
