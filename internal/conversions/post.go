package conversions

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"adsync/internal/pattern"
	"adsync/internal/secret"
)

// Sender posts batches to the address of events (service facts, section 11).
type Sender struct {
	URL       *url.URL
	Key       secret.Text // a conversion API key, never that of the account
	Pixel     string
	UserAgent string
	// Carry wraps the transport so that it lets the address alone pass.
	Carry func(*url.URL, http.RoundTripper) http.RoundTripper
	Halt  func() error // the order that stands against sending; nil where none does
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
	// Transport is that of a test; nil is the system's.
	Transport http.RoundTripper
}

// outcome is how a request ended.
type outcome struct {
	fate   Fate
	status int    // 0: no answer
	code   string // what the answer calls the mistake, where that is a word
	event  int    // which event of the request it is about, from 0; -1: none
	why    error  // where it was surely not sent, or no answer came
}

const (
	mostAttempts = 6
	longestWait  = time.Minute
	postTimeout  = time.Minute
	maxAnswer    = 1 << 20
)

// client makes the HTTP client. A connection serves one batch: one that the other end has closed
// meanwhile would leave a batch unknown for nothing. It follows no redirect.
func (s *Sender) client() *http.Client {
	transport := s.Transport
	if transport == nil {
		system := http.DefaultTransport.(*http.Transport).Clone()
		system.DisableKeepAlives = true
		transport = system
	}
	return &http.Client{
		Transport: s.Carry(s.URL, transport), Timeout: postTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// post sends a batch. It goes again only where it surely was not taken: no connection was made, or
// the answer is 429.
func (s *Sender) post(ctx context.Context, client *http.Client, body []byte, events int) (outcome, error) {
	for attempt := 1; ; attempt++ {
		if err := s.Halt(); err != nil {
			return outcome{fate: Waiting, why: err}, err
		}
		o, wait := s.once(ctx, client, body, events)
		if o.fate != Waiting || attempt == mostAttempts {
			return o, nil
		}
		if wait == 0 {
			wait = time.Second << (attempt - 1)
		}
		if err := s.Sleep(ctx, min(wait, longestWait)); err != nil {
			return o, err
		}
	}
}

// once sends a batch once. What has begun is waited for, also after an interrupt.
func (s *Sender) once(ctx context.Context, client *http.Client, body []byte, events int) (outcome, time.Duration) {
	to := *s.URL
	to.RawQuery = url.Values{"pid": {s.Pixel}}.Encode()
	req, err := http.NewRequestWithContext(
		context.WithoutCancel(ctx), http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return outcome{fate: Waiting, event: -1, why: errors.New("the request cannot be made")}, 0
	}
	req.GetBody = nil // net/http sends nothing again by itself
	req.Header.Set("Authorization", "Bearer "+s.Key.Reveal())
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", s.UserAgent)
	answer, err := client.Do(req)
	if err != nil {
		if neverLeft(err) {
			return outcome{fate: Waiting, event: -1, why: reason(err)}, 0
		}
		return outcome{fate: Unknown, event: -1, why: reason(err)}, 0
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	o := outcome{fate: fateOf(answer.StatusCode), status: answer.StatusCode, event: -1}
	switch {
	case o.fate == Taken && (err != nil || !receipt(content, events)):
		return outcome{fate: Unknown, status: o.status, event: -1,
			why: errors.New("the answer is no receipt of the events")}, 0
	case o.fate == Refused || o.fate == Waiting:
		o.code, o.event = refusal(content)
	}
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After")) // where it says none, adsync's own waits hold
	return o, time.Duration(max(seconds, 0)) * time.Second
}

// neverLeft reports whether no byte of a request went out.
func neverLeft(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	_, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok
}

// reason is an error without the address, which has the pixel in it.
func reason(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// fateOf is what an answer says of a batch. assumption: the statuses of this address are not published
// beyond that a batch is taken whole or not at all; those that leave a doubt are unknown.
func fateOf(status int) Fate {
	switch status {
	case http.StatusTooManyRequests:
		return Waiting
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
		http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity:
		return Refused
	}
	if status >= 200 && status <= 299 {
		return Taken
	}
	return Unknown
}

// receipt reports whether a success is one of the events: an object that counts them, or does not count.
// assumption: the shape of the receipt is not published.
func receipt(content []byte, events int) bool {
	var r struct {
		Received *int `json:"events_received"`
	}
	if len(bytes.TrimSpace(content)) == 0 {
		return true
	}
	return json.Unmarshal(content, &r) == nil && (r.Received == nil || *r.Received == events)
}

var (
	word  = pattern.Of(`^[a-z][a-z0-9_]{0,60}$`)
	place = pattern.Of(`^events\[([0-9]{1,5})\]`)
)

// refusal is what an answer says is wrong: its word, and which event it is about. Its sentence is not
// read, as it may quote an event.
func refusal(content []byte) (code string, event int) {
	var r struct {
		Error struct {
			Code  string `json:"code"`
			Param string `json:"param"`
		} `json:"error"`
	}
	event = -1
	if json.Unmarshal(content, &r) != nil {
		return "", event
	}
	if word.MatchString(r.Error.Code) {
		code = r.Error.Code
	}
	if m := place.FindStringSubmatch(r.Error.Param); m != nil {
		event, _ = strconv.Atoi(m[1]) // digits
	}
	return code, event
}

// String is how a request ended, in words of adsync's own.
func (o outcome) String() string {
	switch {
	case o.status == 0 && o.why != nil:
		return o.why.Error()
	case o.code != "":
		return fmt.Sprintf("%d %s", o.status, o.code)
	}
	return fmt.Sprintf("%d %s", o.status, http.StatusText(o.status))
}
