package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	"adsync/internal/diag"
	"adsync/internal/pattern"
)

// Class says what to do about an error.
type Class string

// The classes of errors.
const (
	Configuration Class = "configuration" // what the operator says cannot be: an address, a file
	Input         Class = "input"         // what the repository holds cannot be read; wait for the next commit
	Credentials   Class = "credentials"   // who we are, or who the host is, was not accepted
	Transient     Class = "transient"     // the network or the server; try again
	Held          Class = "held"          // history was rewritten; wait until somebody allows it
)

// Error is an error of a store. Its text holds no credential; what caused it can
// be asked for with errors.Is and is never shown whole.
type Error struct {
	Class Class
	// RetryAfter is how long the server asks to be left alone, 0 where it says nothing.
	RetryAfter time.Duration

	text  string
	cause error
}

func (e *Error) Error() string { return e.text }

// ErrNoRef says that the other side has no such branch, tag or other ref; it may have it later.
var ErrNoRef = errors.New("no such ref")

// Is knows the end of a context, and a ref that is not there, behind the error.
func (e *Error) Is(target error) bool {
	return (target == context.Canceled || target == context.DeadlineExceeded || target == ErrNoRef) &&
		errors.Is(e.cause, target)
}

// ClassOf returns the class of any error of this package, "" for others.
func ClassOf(err error) Class {
	var known *Error
	if errors.As(err, &known) {
		return known.Class
	}
	return ""
}

func refuse(class Class, format string, args ...any) error {
	return &Error{Class: class, text: withoutUser(fmt.Sprintf(format, args...))}
}

// userInfo is the part of an address that may be a credential.
var userInfo = pattern.Of(`(://)[^/\s"'@]*@`)

func withoutUser(text string) string {
	return diag.Printable(userInfo.ReplaceAllString(text, "$1***@"))
}

// secrets are the credentials that were in use, so that no text shows them,
// whoever put them there.
type secrets struct {
	mu    sync.Mutex
	texts []string
}

func (s *secrets) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text != "" {
		s.texts = append(s.texts[max(0, len(s.texts)-8):], text)
	}
}

func (s *secrets) redact(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range s.texts {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return withoutUser(text)
}

// wrap makes an error of a library one of this package: what was under way, then
// its cause without credentials.
func (s *local) wrap(ctx context.Context, class Class, doing string, err error) error {
	if known := new(Error); errors.As(err, &known) {
		return known
	}
	switch ended := ctx.Err(); {
	case errors.Is(ended, context.DeadlineExceeded) || errors.Is(err, context.DeadlineExceeded):
		return &Error{
			Class: Transient, text: fmt.Sprintf("%s %s: no end after %s; want one in that time",
				doing, s.address, s.config.Timeout), cause: context.DeadlineExceeded,
		}
	case ended != nil:
		return &Error{Class: Transient, text: fmt.Sprintf("%s %s was stopped", doing, s.address), cause: ended}
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return &Error{
			Class: Transient, text: fmt.Sprintf("%s %s: no space left for the store %s; what was there is as it was",
				doing, s.address, s.config.Dir), cause: err,
		}
	}
	return &Error{Class: class, text: s.secrets.redact(fmt.Sprintf("%s %s: %v", doing, s.address, err)), cause: err}
}
