package notify

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/secret"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// postOffice is a mail server of one mailbox.
type postOffice struct {
	user, password string
	refuse         *smtp.SMTPError
	only           string // the mailbox that is refused; "" for all
	letters        chan string
	bare           bool // it offers no TLS
	asked          atomic.Bool
	rude           atomic.Bool // it ends the line instead of answering what follows a letter
}

func (p *postOffice) NewSession(c *smtp.Conn) (smtp.Session, error) {
	_, private := c.TLSConnectionState()
	return &visit{office: p, line: c.Conn(), private: private}, nil
}

type visit struct {
	office  *postOffice
	line    net.Conn
	private bool
	known   bool
	wrote   bool
}

func (v *visit) AuthMechanisms() []string { return []string{sasl.Plain} }

func (v *visit) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		v.office.asked.Store(true)
		v.known = user == v.office.user && password == v.office.password
		if !v.known {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (v *visit) Mail(string, *smtp.MailOptions) error {
	if !v.private || !v.known {
		return &smtp.SMTPError{Code: 530, Message: "who are you"}
	}
	return nil
}

func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	if v.office.refuse != nil && (v.office.only == "" || v.office.only == to) {
		return v.office.refuse
	}
	return nil
}

func (v *visit) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	v.office.letters <- string(text)
	v.wrote = true
	return err
}

func (v *visit) Reset() {
	if v.office.rude.Load() && v.wrote {
		_ = v.line.Close()
	}
}

func (v *visit) Logout() error { return nil }

// opened serves a post office with a real certificate of its own, and says how to
// reach it.
func opened(t *testing.T, p *postOffice, implicit bool) Mail {
	t.Helper()
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	t.Cleanup(certified.Close)
	server := smtp.NewServer(p)
	server.Domain, server.TLSConfig = "127.0.0.1", &tls.Config{Certificates: certified.TLS.Certificates}
	if p.bare {
		server.TLSConfig, server.AllowInsecureAuth = nil, true
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serving := make(chan struct{})
	go func() {
		defer close(serving)
		l := listener
		if implicit {
			l = tls.NewListener(l, server.TLSConfig)
		}
		_ = server.Serve(l) // ends as it is closed
	}()
	t.Cleanup(func() { _ = server.Close(); <-serving })
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	return Mail{
		Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port,
		TLS:  map[bool]string{true: "tls", false: "starttls"}[implicit],
		User: p.user, Password: secret.New(p.password), From: "adsync@shop.example",
		To: []string{"anna@shop.example", "bert@shop.example"}, Roots: &tls.Config{RootCAs: roots},
	}
}

func TestMailLeavesOverTLS(t *testing.T) {
	for _, implicit := range []bool{false, true} {
		t.Run(fmt.Sprint("from the start: ", implicit), func(t *testing.T) {
			p := &postOffice{user: "adsync", password: "pa55word-of-mail", letters: make(chan string, 2)}
			to := &Destination{Form: Email, Mail: opened(t, p, implicit)}
			m := full()
			m.Title = "held\r\nBcc: evil@example.com"
			if err := (network{}).Send(t.Context(), to, m); err != nil {
				t.Fatal(err)
			}
			if n := len(p.letters); n != 2 {
				t.Fatalf("%d letters; want one to each", n)
			}
			letter := <-p.letters
			if other := <-p.letters; !strings.Contains(letter, "To: <anna@shop.example>") ||
				!strings.Contains(other, "To: <bert@shop.example>") {
				t.Errorf("letters to others:\n%s\n%s", letter, other)
			}
			for _, want := range []string{"Subject: adsync shop: held Bcc: evil@example.com\r\n",
				"Message-ID: <ID7@adsync>\r\n",
				"Auto-Submitted: auto-generated\r\n", "Possible spend a day", "adsync show run-000007"} {
				if !strings.Contains(letter, want) {
					t.Errorf("the letter lacks %q:\n%s", want, letter)
				}
			}
			if head, _, _ := strings.Cut(letter, "\r\n\r\n"); strings.Contains(head, "\r\nBcc:") {
				t.Errorf("a title makes a header:\n%s", letter)
			}
		})
	}
}

func TestMailIsRefused(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*postOffice, *Mail)
		final  bool
	}{
		{"a server that offers no TLS, to which no password is said", func(p *postOffice, m *Mail) {
			p.bare = true
			*m = opened(t, p, false)
		}, false},
		{"a wrong password", func(_ *postOffice, m *Mail) { m.Password = secret.New("pa55word-of-others") }, true},
		{"a certificate nobody knows", func(_ *postOffice, m *Mail) { m.Roots = nil }, false},
		{"no such mailbox", func(p *postOffice, _ *Mail) {
			p.refuse = &smtp.SMTPError{Code: 550, Message: "no anna@shop.example here"}
		}, true},
		{"a mailbox that is full", func(p *postOffice, _ *Mail) {
			p.refuse = &smtp.SMTPError{Code: 452, Message: "full"}
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := &postOffice{user: "adsync", password: "pa55word-of-mail", letters: make(chan string, 1)}
			m := opened(t, p, false)
			tc.change(p, &m)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			err := (network{}).Send(ctx, &Destination{Form: Email, Mail: m}, full())
			if err == nil || len(p.letters) != 0 {
				t.Fatalf("it was sent: %v", err)
			}
			if p.bare && p.asked.Load() {
				t.Error("the password was said without TLS")
			}
			refused, _ := err.(*refusal)
			if final := refused != nil && refused.final; final != tc.final {
				t.Errorf("%v: final %t; want %t", err, final, tc.final)
			}
			if strings.Contains(err.Error(), "pa55word") || strings.Contains(err.Error(), "anna@") {
				t.Errorf("the error says what it must not: %v", err)
			}
		})
	}
}

// One mailbox that is gone keeps nobody else from being told, and nobody is told
// twice.
func TestAMailboxThatIsGoneKeepsNobodyElseUntold(t *testing.T) {
	for _, code := range []int{550, 452} {
		p := &postOffice{
			user: "adsync", password: "pa55word-of-mail", letters: make(chan string, 8),
			only: "anna@shop.example", refuse: &smtp.SMTPError{Code: code, Message: "no anna@shop.example here"},
		}
		to, m := &Destination{Form: Email, Mail: opened(t, p, false)}, full()
		for range 2 {
			err := (network{}).Send(t.Context(), to, m)
			refused := new(refusal)
			if !errors.As(err, &refused) || refused.final != (code == 550) ||
				refused.some != (code == 550) || strings.Contains(err.Error(), "anna@") {
				t.Errorf("%d: %v; want who was left out, without the address", code, err)
			}
		}
		if n := len(p.letters); n != 1 {
			t.Errorf("%d: bert has %d letters; want one", code, n)
		}
	}
}

// rude is a mail server of so many words: it says these, one for each line it hears,
// says that it has, and then stands still.
func rude(t *testing.T, words ...string) (to Mail, said chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended, said := make(chan struct{}), make(chan struct{}, 1)
	go func() {
		defer close(ended)
		for {
			line, err := listener.Accept()
			if err != nil {
				return
			}
			heard := bufio.NewReader(line)
			for i, word := range words {
				if i > 0 {
					_, _ = heard.ReadString('\n')
				}
				_, _ = io.WriteString(line, word+"\r\n")
			}
			said <- struct{}{}
			_, _ = io.Copy(io.Discard, heard) // until the other side has had enough
			line.Close()
		}
	}()
	t.Cleanup(func() { listener.Close(); <-ended })
	return Mail{
		Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port,
		TLS: "starttls", From: "adsync@shop.example", To: []string{"anna@shop.example"},
	}, said
}

// A mail server that stands still is left as soon as the daemon ends.
func TestAMailServerThatStandsStillIsLeft(t *testing.T) {
	for name, words := range map[string][]string{
		"before it says a word": nil, "after its name": {"220 mail.example"},
		"before TLS": {"220 mail.example", "250-mail.example\r\n250 STARTTLS", "220 go on"},
	} {
		t.Run(name, func(t *testing.T) {
			to, said := rude(t, words...)
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- (network{}).Send(ctx, &Destination{Form: Email, Mail: to}, full()) }()
			<-said
			stop()
			select {
			case err := <-ended:
				if err == nil {
					t.Error("it was sent")
				}
			case <-time.After(lineTime / 3):
				t.Error("it is waited for, though the daemon ends")
			}
		})
	}
}

// What a server took is not sent again because it does not answer the goodbye.
func TestALetterThatWasTakenIsDelivered(t *testing.T) {
	p := &postOffice{user: "adsync", password: "pa55word-of-mail", letters: make(chan string, 4)}
	to := opened(t, p, true)
	to.To = to.To[:1]
	p.rude.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := (network{}).Send(ctx, &Destination{Form: Email, Mail: to}, full()); err != nil || len(p.letters) != 1 {
		t.Errorf("%v, and %d letters; want one, delivered", err, len(p.letters))
	}
}
