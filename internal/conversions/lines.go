package conversions

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"adsync/internal/members"
)

// maxLine is how many bytes a line of JSON may have.
const maxLine = 1 << 20

// line is an event as it stands in a file of JSON lines: as it is sent, with people in the clear or hashed.
type line struct {
	event
	Time *string                        `json:"time"` // in place of timestamp_ms
	User map[members.Identifier]*string `json:"user"`
}

// readLines reads JSON lines, one event a line.
func (f *File) readLines(_ context.Context, r io.Reader, visit func(row) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxLine)
	for number := 1; in.Scan(); number++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(in.Bytes(), []byte("\xef\xbb\xbf")))
		if len(text) == 0 {
			continue
		}
		e, err := f.eventOfLine(text)
		if err := visit(row{number, e, err}); err != nil {
			return err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return &Fault{Message: fmt.Sprintf("a line has over %d bytes; want one event a line", maxLine)}
	}
	return in.Err()
}

func (f *File) eventOfLine(text []byte) (event, error) {
	var l line
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	switch err := decoder.Decode(&l); {
	case !utf8.Valid(text):
		return event{}, errors.New("holds bytes that are not UTF-8; want UTF-8 text")
	case err != nil || decoder.More():
		return event{}, errors.New("is no JSON object of an event, or has a field or a type that no event has; " +
			"want {\"id\": …, \"type\": …, \"timestamp_ms\": …, \"action_source\": …, \"user\": {…}, \"data\": {…}}")
	}
	e := l.event
	if l.Time != nil {
		at, err := f.timeOf(*l.Time)
		if err != nil {
			return event{}, err
		}
		e.At = at
	}
	for as, text := range l.User {
		if text == nil {
			continue
		}
		if err := e.identify(as, *text); err != nil {
			return event{}, err
		}
	}
	f.complete(&e)
	return e, nil
}

// identify puts a person into an event, hashed.
func (e *event) identify(as members.Identifier, text string) error {
	to := map[members.Identifier]func(*person) *string{
		members.EmailHash: func(p *person) *string { return &p.Email },
		members.PhoneHash: func(p *person) *string { return &p.Phone },
	}[as.Hashed()]
	if to == nil {
		return errors.New("user has a field that is not known; want email, phone, email_sha256 or phone_number_sha256")
	}
	hash, reason := members.HashOf(as, text)
	switch {
	case reason != "":
		return fmt.Errorf("%s cannot be used: such lines %s", as, reason)
	case hash == members.Hash{}:
		return nil // blank
	}
	if e.User == nil {
		e.User = &person{}
	}
	have := to(e.User)
	if *have != "" && *have != hash.String() {
		return fmt.Errorf("%s stands there twice, of two people; want one", as.Hashed())
	}
	*have = hash.String()
	return nil
}

// complete puts in what an event need not say.
func (f *File) complete(e *event) {
	if e.ActionSource == "" {
		e.ActionSource = f.ActionSource
	}
	if len(e.Data) == 0 {
		e.Data, _ = json.Marshal(map[string]string{"type": dataTypes[e.Type]}) // of texts alone
	}
	var compact bytes.Buffer
	if json.Compact(&compact, e.Data) == nil {
		e.Data = compact.Bytes()
	}
}

// localTimes are times without a zone.
var localTimes = []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"}

// timeOf reads a time.
func (f *File) timeOf(text string) (ms int64, err error) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at.UnixMilli(), nil
	}
	for _, form := range localTimes {
		at, err := time.ParseInLocation(form, text, time.UTC)
		if err != nil {
			continue
		}
		return f.inZone(at)
	}
	return 0, errors.New("time is no day with a time of day; want such as 2026-11-02T15:04:05Z or 2026-11-02 15:04")
}

// inZone is the moment at which clocks of the account show a time.
func (f *File) inZone(at time.Time) (int64, error) {
	if f.Zone == nil {
		return 0, errors.New("time has no zone, and adsync.yaml names none; want such as 2026-11-02T15:04:05Z")
	}
	y, m, d := at.Date()
	return time.Date(y, m, d, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), f.Zone).UnixMilli(), nil
}
