package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/wneessen/go-mail"
)

// Reports is what a message with a report is about. Nobody asks for it by topic: a schedule says when it is sent.
const Reports Topic = "report"

// Report is a report that a message carries. Each form of destination takes what it can show; the others show the
// sections of the message.
type Report struct {
	Text     string          // of a mail, in the place of the sections
	HTML     string          // of a mail, beside the text
	Embedded []File          // in a mail: pictures that HTML names as cid:NAME@adsync
	Attached []File          // to a mail
	JSON     json.RawMessage // of a webhook
	Markdown string          // of a webhook
}

// File is a file of a mail.
type File struct {
	Name, Type string
	Content    []byte
}

// oneReport is how long a report may take to its destination.
const oneReport = time.Minute

// Send sends a message to a destination, once. After says of its error how long the destination asked to be left
// alone, Refused whether another attempt is of no use.
func Send(ctx context.Context, to *Destination, m *Message) error {
	ctx, cancel := context.WithTimeout(ctx, oneReport)
	defer cancel()
	return network{}.Send(ctx, to, m)
}

// Refused reports whether an error of Send is final.
func Refused(err error) bool {
	refused := new(refusal)
	return errors.As(err, &refused) && refused.final
}

// Check returns what is wrong with a destination.
func (d *Destination) Check() error { return d.check() }

// dress puts a report into a mail.
func (r *Report) dress(letter *mail.Msg) {
	if r.HTML != "" {
		letter.AddAlternativeString(mail.TypeTextHTML, r.HTML)
	}
	for _, f := range r.Embedded {
		letter.EmbedReadSeeker(f.Name, bytes.NewReader(f.Content), mail.WithFileContentType(mail.ContentType(f.Type)),
			mail.WithFileContentID("<"+f.Name+"@adsync>"))
	}
	for _, f := range r.Attached {
		letter.AttachReadSeeker(f.Name, bytes.NewReader(f.Content), mail.WithFileContentType(mail.ContentType(f.Type)))
	}
}
