package notify

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"time"

	"adsync/internal/secret"

	"github.com/wneessen/go-mail"
)

// Mail is how mail leaves.
type Mail struct {
	Host     string
	Port     int    // 0: 587, or 465 with TLS from the start
	TLS      string // "starttls", or "tls" from the start; without either no mail is sent
	User     string // "" where the server wants none
	Password secret.Text
	From     string
	To       []string

	Roots *tls.Config // nil: those of the machine
}

func (d *Mail) check() error {
	var problems []error
	if d.Host == "" || d.From == "" || len(d.To) == 0 {
		problems = append(problems, errors.New("host, from or to is missing; want all three"))
	}
	if d.TLS != "starttls" && d.TLS != "tls" {
		problems = append(problems, fmt.Errorf("tls is %q; want starttls or tls", d.TLS))
	}
	if _, err := d.letter(&Message{}, d.To...); err != nil {
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// letter is a message as a mail to some. Its id is the same for every attempt.
func (d *Mail) letter(m *Message, to ...string) (*mail.Msg, error) {
	letter := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := letter.From(d.From); err != nil {
		return nil, fmt.Errorf("from is %q; want an address", d.From)
	}
	if err := letter.To(to...); err != nil {
		return nil, fmt.Errorf("to is %q; want addresses", d.To)
	}
	letter.Subject("adsync " + line(m.Account+": "+m.Title))
	letter.SetDateWithValue(m.Time)
	letter.SetMessageIDWithValue(m.ID + "@adsync")
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	letter.SetBodyString(mail.TypeTextPlain, plainText(m))
	if m.Report != nil {
		m.Report.dress(letter)
	}
	return letter, nil
}

// line keeps a text on one line: a header ends with one.
func line(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
}

// send writes to each mailbox by itself: one that is gone keeps nobody else from
// being told. Who was reached is not written to again.
func (d *Mail) send(ctx context.Context, m *Message) error {
	var again, refused *refusal
	for i, to := range d.To {
		if m.Reached[i] {
			continue
		}
		err := d.sendTo(ctx, m, to)
		one := new(refusal)
		switch {
		case err == nil:
			if m.Reached == nil {
				m.Reached = map[int]bool{}
			}
			m.Reached[i] = true
		case errors.As(err, &one) && one.final:
			refused = one
		default:
			again = &refusal{said: err.Error()}
		}
	}
	switch {
	case again != nil:
		return again
	case refused != nil && len(m.Reached) > 0:
		return &refusal{
			said:  fmt.Sprintf("%d of %d mailboxes: %s", len(d.To)-len(m.Reached), len(d.To), refused.said),
			final: true, some: true,
		}
	case refused != nil:
		return refused
	}
	return nil
}

// lineTime is how long a mail server may take for a part of the exchange.
const lineTime = 15 * time.Second

func (d *Mail) sendTo(ctx context.Context, m *Message, to string) error {
	letter, err := d.letter(m, to)
	if err != nil {
		return &refusal{said: err.Error(), final: true}
	}
	// The library hears of no end of ctx once the line stands, and leaves the line open
	// where it gives up.
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	client, err := mail.NewClient(d.Host,
		d.options(func(dialing context.Context, network, address string) (net.Conn, error) {
			line, err := d.dial(dialing, network, address)
			if err == nil {
				context.AfterFunc(ctx, func() { _ = line.Close() })
			}
			return line, err
		})...)
	if err != nil {
		return &refusal{said: err.Error(), final: true}
	}
	err = client.DialAndSendWithContext(ctx, letter)
	if letter.IsDelivered() {
		return nil // what became of the goodbye changes nothing
	}
	return d.refused(err)
}

func (d *Mail) options(dial mail.DialContextFunc) []mail.Option {
	options := []mail.Option{mail.WithTimeout(lineTime),
		mail.WithTLSConfig(d.tlsConfig()), mail.WithDialContextFunc(dial)}
	if d.TLS == "tls" { // the line is private before the first word
		options = append(options, mail.WithPort(cmp.Or(d.Port, mail.DefaultPortSSL)),
			mail.WithTLSPolicy(mail.TLSOpportunistic))
	} else {
		options = append(options, mail.WithPort(cmp.Or(d.Port, mail.DefaultPortTLS)),
			mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if d.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover),
			mail.WithUsername(d.User), mail.WithPassword(d.Password.Reveal()))
	}
	return options
}

func (d *Mail) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if d.TLS == "tls" {
		return (&tls.Dialer{Config: d.tlsConfig()}).DialContext(ctx, network, address)
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

func (d *Mail) tlsConfig() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: d.Host}
	if d.Roots != nil {
		config.RootCAs = d.Roots.RootCAs
	}
	return config
}

// refused is what a server said, without the addresses it repeats.
func (d *Mail) refused(err error) error {
	if failed := new(mail.SendError); errors.As(err, &failed) {
		return &refusal{
			said:  fmt.Sprintf("the mail server refused it with %d: %s", failed.ErrorCode(), failed.Reason),
			final: !failed.IsTemp() && failed.ErrorCode() >= 500,
		}
	}
	if failed := new(textproto.Error); errors.As(err, &failed) {
		return &refusal{
			said:  fmt.Sprintf("the mail server refused to be spoken to with %d", failed.Code),
			final: failed.Code >= 500,
		}
	}
	if err == nil {
		return nil
	}
	said := err.Error()
	for _, private := range append([]string{d.User, d.From, d.Password.Reveal()}, d.To...) {
		if private != "" {
			said = strings.ReplaceAll(said, private, "***")
		}
	}
	return errors.New(said)
}
