package forge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"adsync/internal/pattern"
)

// Where is a repository: its name at a forge, the address of the forge's API, and the token, which is asked for before
// each request.
type Where struct {
	Repository string
	API        string // "" for that of the forge itself
	Token      func(context.Context) (string, error)
	App        *App // of GitHub, in the place of a token; nil: none
}

// base reads the address of the API.
func (w Where) base(example string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimSuffix(w.API, "/") + "/")
	if err != nil || base.Host == "" || base.User != nil || base.Scheme != "https" && !isHere(base.Hostname()) {
		return nil, fmt.Errorf("the address of the API is %q; want one of https, such as %s", w.API, example)
	}
	return base, nil
}

func isHere(host string) bool { return host == "127.0.0.1" || host == "::1" || host == "localhost" }

// client is what asks a forge, and no other host, nor the same in clear where the forge is asked by https.
func (w Where) client(base *url.URL) *http.Client {
	s := &signed{base: base, token: w.Token}
	return &http.Client{
		Transport: s, Timeout: 30 * time.Second,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if !s.isOf(r.URL) || len(via) > 3 {
				return errElsewhere
			}
			return nil
		},
	}
}

var errElsewhere = errors.New("the forge sends this request elsewhere")

// signed gives the token to the forge at an address, and to nobody else.
type signed struct {
	base  *url.URL
	token func(context.Context) (string, error)
}

func (s *signed) isOf(u *url.URL) bool { return u.Scheme == s.base.Scheme && u.Host == s.base.Host }

// The bounds of what is read of an answer, in bytes: 100 comments of 65,536 characters, each of them escaped, are
// within the first. What a forge says of an error ends in a log.
const (
	mostAnswer = 64 << 20
	mostError  = 4 << 10
)

func (s *signed) RoundTrip(r *http.Request) (*http.Response, error) {
	if !s.isOf(r.URL) {
		return nil, errElsewhere
	}
	token, err := s.token(r.Context())
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultTransport.RoundTrip(r)
	switch {
	case err != nil:
		return nil, err
	case answer.StatusCode >= http.StatusBadRequest:
		answer.Body = cut{io.LimitReader(answer.Body, mostError), answer.Body}
	default:
		answer.Body = http.MaxBytesReader(nil, answer.Body, mostAnswer)
	}
	return answer, nil
}

// cut is the begin of a body.
type cut struct {
	io.Reader
	io.Closer
}

// commitName is the full hash of a commit.
var commitName = pattern.Of(`^[0-9a-f]{40}$`)

// mostPages bounds what is read of a list.
const mostPages = 10

// ErrMore says that a list has more pages than are read.
var ErrMore = errors.New("the forge has more than is read of it")

// self is the token's own user, who is asked for once.
type self struct {
	mu    sync.Mutex
	known bool
	name  string
}

func (s *self) ask(find func() (string, error)) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known {
		name, err := find()
		if err != nil {
			return "", err
		}
		s.known, s.name = true, name
	}
	return s.name, nil
}

// begins reports whether a comment has the first line of a text.
func begins(comment, text string) bool {
	first, _, _ := strings.Cut(comment, "\n")
	mark, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(first, "\r") == mark
}

// deleted returns a pull request of which a forge says that there is none, where it lists those that there are. Who may
// see none of them is told the same.
func deleted(number int, err error, list func() error) (Pull, error) {
	if failure := list(); failure != nil {
		return Pull{}, errors.Join(err, failure)
	}
	return Pull{Number: number, Closed: true}, nil
}

// clipped is a text of at most some characters.
func clipped(text string, most int) string {
	if all := []rune(text); len(all) > most {
		return string(all[:most-1]) + "…"
	}
	return text
}

// limited is a LimitError where an answer says that the forge has had enough.
func limited(answer *http.Response, err error) error {
	if err == nil || answer == nil {
		return err
	}
	after := answer.Header.Get("Retry-After")
	busy := answer.StatusCode == http.StatusServiceUnavailable && after != ""
	if answer.StatusCode != http.StatusTooManyRequests && !busy {
		return err
	}
	now := time.Now()
	if seconds, bad := strconv.ParseUint(after, 10, 31); bad == nil {
		return &LimitError{now.Add(time.Duration(seconds) * time.Second), err}
	}
	if at, bad := http.ParseTime(after); bad == nil {
		return &LimitError{at, err}
	}
	reset, bad := strconv.ParseInt(answer.Header.Get("RateLimit-Reset"), 10, 64)
	if at := time.Unix(reset, 0); bad == nil && at.After(now) {
		return &LimitError{at, err}
	}
	return &LimitError{now.Add(time.Minute), err}
}
