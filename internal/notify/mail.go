package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
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
	if _, err := d.letter(&Message{}); err != nil {
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// letter is a message as a mail. Its id is the same for every attempt.
func (d *Mail) letter(m *Message) (*mail.Msg, error) {
	letter := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := letter.From(d.From); err != nil {
		return nil, fmt.Errorf("from is %q; want an address", d.From)
	}
	if err := letter.To(d.To...); err != nil {
		return nil, fmt.Errorf("to is %q; want addresses", d.To)
	}
	letter.Subject("adsync " + line(m.Account+": "+m.Title))
	letter.SetDateWithValue(m.Time)
	letter.SetMessageIDWithValue(m.ID + "@adsync")
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	letter.SetBodyString(mail.TypeTextPlain, plainText(m))
	return letter, nil
}

// line keeps a text on one line: a header ends with one.
func line(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
}

func (d *Mail) send(ctx context.Context, m *Message) error {
	letter, err := d.letter(m)
	if err != nil {
		return &refusal{said: err.Error(), final: true}
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: d.Host}
	if d.Roots != nil {
		config.RootCAs = d.Roots.RootCAs
	}
	options := []mail.Option{mail.WithTimeout(15 * time.Second), mail.WithTLSConfig(config)}
	if d.TLS == "tls" {
		options = append(options, mail.WithSSLPort(false))
	} else {
		options = append(options, mail.WithTLSPortPolicy(mail.TLSMandatory))
	}
	if d.Port != 0 {
		options = append(options, mail.WithPort(d.Port))
	}
	if d.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(d.User), mail.WithPassword(d.Password.Reveal()))
	}
	client, err := mail.NewClient(d.Host, options...)
	if err != nil {
		return &refusal{said: err.Error(), final: true}
	}
	return d.refused(client.DialAndSendWithContext(ctx, letter))
}

// refused is what a server said, without the addresses it repeats.
func (d *Mail) refused(err error) error {
	if failed := new(mail.SendError); errors.As(err, &failed) {
		return &refusal{said: fmt.Sprintf("the mail server refused it with %d: %s", failed.ErrorCode(), failed.Reason), final: !failed.IsTemp() && failed.ErrorCode() >= 500}
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
