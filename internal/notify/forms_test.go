package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/secret"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

var update = flag.Bool("update", false, "write the goldens anew")

// full is a message with everything, and with what each form could take for
// markup.
func full() *Message {
	return &Message{
		ID: "ID7", Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Account: "shop", Title: "1 failed; 2 held", Topics: []Topic{Failed, Held},
		Money: []string{"Possible spend a day: 50.00 → 120.00 USD (+70.00)"},
		Sections: []Section{
			{Topic: Failed, Title: "1 *failed*", Items: []Item{{Text: "ad/x/y/z is failed: <!channel> [click](https://evil.example) & `code` _here_", Command: "adsync show run-000007"}}},
			{Topic: Held, Title: "2 held", Items: []Item{{Text: "campaign/x: {{name}} would start", Command: "adsync apply --allow activates=campaign/x"}}, More: 1},
		},
		Page: "https://adsync.example/accounts/shop", Run: "run-000007", Commit: "0123456789abcdef0123", Missing: 2,
	}
}

func golden(t *testing.T, name string, have []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, have, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(want, have) {
		t.Errorf("%s (%v) is otherwise:\n%s", file, err, have)
	}
}

func indented(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return append(b.Bytes(), '\n')
}

func TestBodies(t *testing.T) {
	golden(t, "webhook.json", indented(t, webhookBody(full())))
	golden(t, "slack.json", indented(t, slackBody(full())))
	golden(t, "teams.json", indented(t, teamsBody(full())))
	golden(t, "mail.txt", []byte(plainText(full())))
}

// What is in a message is never taken for markup.
func TestTextIsEscaped(t *testing.T) {
	slack, teams := string(slackBody(full())), string(teamsBody(full()))
	for _, wrong := range []string{"<!channel>", "`code`"} {
		if strings.Contains(slack, wrong) {
			t.Errorf("Slack gets %s", wrong)
		}
	}
	for _, wrong := range []string{"[click]", "_here_ ", "{{name}}", "<!channel>"} {
		if strings.Contains(teams, wrong) {
			t.Errorf("Teams gets %s", wrong)
		}
	}
}

// The forms refuse what is too long: a message of many items fits all the same.
func TestLargeMessagesFit(t *testing.T) {
	var items []Item
	for i := range 500 {
		items = append(items, Item{Text: fmt.Sprintf("campaign/%d: %s", i, strings.Repeat("&<", 400)), Command: "adsync apply --allow activates=campaign/" + strconv.Itoa(i)})
	}
	s := held()
	s.Held = items
	var k memory
	m := k.news(s, usual, day)
	m.Account = "shop"
	if n := len(m.Sections[0].Items); n != itemsShown || m.Sections[0].More != 490 {
		t.Fatalf("%d items and %d more; want %d and 490", n, m.Sections[0].More, itemsShown)
	}
	var body struct {
		Blocks []struct{ Text struct{ Text string } }
	}
	if err := json.Unmarshal(slackBody(m), &body); err != nil {
		t.Fatal(err)
	}
	for _, b := range body.Blocks {
		if n := len([]rune(b.Text.Text)); n > slackSection {
			t.Errorf("a section of %d characters; Slack takes %d", n, slackSection)
		}
	}
	if n := len(teamsBody(m)); n > 28<<10 {
		t.Errorf("a card of %d bytes; Teams takes 28 KiB", n)
	}
}

// received is what a server was sent.
type received struct {
	header http.Header
	body   []byte
}

func serve(t *testing.T, status int) (*httptest.Server, chan received) {
	t.Helper()
	got := make(chan received, 4)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- received{r.Header, body}
		if status == http.StatusFound {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		}
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server, got
}

func TestWebhookIsSigned(t *testing.T) {
	server, got := serve(t, http.StatusNoContent)
	key := secret.New("0123456789abcdef")
	to := &Destination{Form: Webhook, URL: secret.New(server.URL), Key: key}
	if err := (network{}).Send(t.Context(), to, full()); err != nil {
		t.Fatal(err)
	}
	r := <-got
	stamp, mac, ok := strings.Cut(strings.TrimPrefix(r.header.Get("X-Adsync-Signature"), "t="), ",v1=")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if !ok || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > time.Minute {
		t.Fatalf("signature %q; want t=now,v1=…", r.header.Get("X-Adsync-Signature"))
	}
	if want := sign(key, time.Unix(seconds, 0), r.body); want != "t="+stamp+",v1="+mac {
		t.Errorf("signature %s; want %s", mac, want)
	}
	if r.header.Get("X-Adsync-Delivery") != "ID7" || r.header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v; want the delivery's id and JSON", r.header)
	}
}

// openssl says the same: printf '1772366400.{"a":1}' | openssl dgst -sha256 -hmac 0123456789abcdef
func TestSignatureVector(t *testing.T) {
	const want = "t=1772366400,v1=acd30bf13a2aa541abed423b71367f807abad7340e7235616e930e329422e0f4"
	if have := sign(secret.New("0123456789abcdef"), time.Unix(1772366400, 0), []byte(`{"a":1}`)); have != want {
		t.Errorf("sign = %s; want %s", have, want)
	}
}

func TestAnswersOfTheServer(t *testing.T) {
	for status, want := range map[int]struct{ delivered, final bool }{
		200: {delivered: true}, 202: {delivered: true}, 302: {final: true}, 400: {final: true}, 404: {final: true}, 408: {}, 410: {final: true}, 429: {}, 500: {}, 503: {},
	} {
		server, got := serve(t, status)
		err := (network{}).Send(t.Context(), &Destination{Form: Slack, URL: secret.New(server.URL + "/secret-path")}, full())
		if (err == nil) != want.delivered {
			t.Errorf("%d: %v", status, err)
		}
		if refused, ok := err.(*refusal); ok && (refused.final != want.final || refused.after != 7*time.Second) {
			t.Errorf("%d: %+v; want final %t, and again after 7s", status, refused, want.final)
		}
		if <-got; len(got) != 0 {
			t.Errorf("%d: asked %d times more", status, len(got))
		}
	}
	err := (network{}).Send(t.Context(), &Destination{Form: Teams, URL: secret.New("http://127.0.0.1:1/secret-path")}, full())
	if err == nil || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("a server that is not there: %v; want an error without the address", err)
	}
}

// postOffice is a mail server of one mailbox.
type postOffice struct {
	user, password string
	refuse         *smtp.SMTPError
	letters        chan string
	bare           bool // it offers no TLS
	asked          atomic.Bool
}

func (p *postOffice) NewSession(c *smtp.Conn) (smtp.Session, error) {
	_, private := c.TLSConnectionState()
	return &visit{office: p, private: private}, nil
}

type visit struct {
	office  *postOffice
	private bool
	known   bool
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
	if v.office.refuse != nil {
		return v.office.refuse
	}
	return nil
}

func (v *visit) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	v.office.letters <- string(text)
	return err
}

func (v *visit) Reset()        {}
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
		Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, TLS: map[bool]string{true: "tls", false: "starttls"}[implicit],
		User: p.user, Password: secret.New(p.password), From: "adsync@shop.example", To: []string{"anna@shop.example", "bert@shop.example"}, Roots: &tls.Config{RootCAs: roots},
	}
}

func TestMailLeavesOverTLS(t *testing.T) {
	for _, implicit := range []bool{false, true} {
		t.Run(fmt.Sprint("from the start: ", implicit), func(t *testing.T) {
			p := &postOffice{user: "adsync", password: "pa55word-of-mail", letters: make(chan string, 1)}
			to := &Destination{Form: Email, Mail: opened(t, p, implicit)}
			m := full()
			m.Title = "held\r\nBcc: evil@example.com"
			if err := (network{}).Send(t.Context(), to, m); err != nil {
				t.Fatal(err)
			}
			letter := <-p.letters
			for _, want := range []string{"Subject: adsync shop: held Bcc: evil@example.com\r\n", "Message-ID: <ID7@adsync>\r\n", "Auto-Submitted: auto-generated\r\n", "Possible spend a day", "adsync show run-000007"} {
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
		{"a server that offers no TLS, to which no password is said", func(p *postOffice, m *Mail) { p.bare = true; *m = opened(t, p, false) }, false},
		{"a wrong password", func(_ *postOffice, m *Mail) { m.Password = secret.New("pa55word-of-others") }, false},
		{"a certificate nobody knows", func(_ *postOffice, m *Mail) { m.Roots = nil }, false},
		{"no such mailbox", func(p *postOffice, _ *Mail) {
			p.refuse = &smtp.SMTPError{Code: 550, Message: "no anna@shop.example here"}
		}, true},
		{"a mailbox that is full", func(p *postOffice, _ *Mail) { p.refuse = &smtp.SMTPError{Code: 452, Message: "full"} }, false},
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
