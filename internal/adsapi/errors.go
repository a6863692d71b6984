package adsapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The classes of errors that callers tell apart with errors.Is.
var (
	// ErrUnauthorized: the key is wrong, revoked, or lacks a permission or a feature (401, 403).
	ErrUnauthorized = errors.New("not authorized")
	// ErrUnavailable: no usable answer, for now: network, 5xx, 429 after the last attempt, an answer
	// that is not the service's.
	ErrUnavailable = errors.New("service unavailable")
	// ErrUnreadable: an answer of success came, and cannot be understood. It is also ErrUnavailable.
	ErrUnreadable = errors.New("answer cannot be read")
	// ErrNotFound: no such resource, or the endpoint is not enabled for the account (404).
	ErrNotFound = errors.New("not found")
	// ErrTooManyRows: the answer would have more rows than the service gives at once
	// (service facts, section 10: 413 above 2,000 rows of conversions).
	ErrTooManyRows = errors.New("too many rows")
	// ErrConflict: the request contradicts an earlier one, such as a key used with another body (409).
	ErrConflict = errors.New("conflict")
	// ErrReadOnly: a read-only client was asked to change something; nothing was sent.
	ErrReadOnly = errors.New("client is read-only")
	// ErrHalted: an order stands against changing anything (Config.Halt); nothing was sent since it was seen.
	ErrHalted = errors.New("stopped by an order")
	// ErrUnleased: the account may be another process's by now (Config.Lease); nothing is sent any more.
	ErrUnleased = errors.New("nothing more is sent")
	// errInvalidRequest: the request was refused here, before anything was sent.
	errInvalidRequest = errors.New("request is not valid")
)

// Applied says what is known of a failed request's effect.
type Applied uint8

const (
	// Unknown: the service may have done it. Only a repetition of the same
	// bytes under the same key, or reading back, can tell.
	Unknown Applied = iota
	// Never: the service surely did not do it.
	Never
)

func (a Applied) String() string {
	if a == Never {
		return "never"
	}
	return "unknown"
}

// AppliedOf returns Applied for any error of this package, and Unknown for
// every other error.
func AppliedOf(err error) Applied {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Applied()
	}
	return Unknown
}

// fault is what went wrong in an attempt. The zero value says: look at Status.
type fault uint8

const (
	faultStatus     fault = iota // the service answered with Status
	faultLocal                   // refused here, not sent
	faultNotSent                 // no connection was made
	faultNetwork                 // cut off somewhere after a connection was made
	faultUnreadable              // success that cannot be read
	faultStopped                 // the context ended
	faultNoToken                 // not sent, as the login gives no token for it
)

// Error is a request that failed. Message, Code and Field are the service's
// words, cleaned: short, control characters escaped, the key blotted out.
type Error struct {
	Method    string
	Path      string
	Status    int    // HTTP status; 0 when no answer came
	Code      string // error.code of the answer
	Field     string // error.param of the answer
	Message   string
	RequestID string // x-request-id of the answer
	// RetryAfter is what the service asked to wait; 0 when it did not say.
	RetryAfter time.Duration
	// Attempts is how many times the request was sent or tried to be sent.
	Attempts int

	fault     fault
	permanent bool // another attempt cannot help
	uncertain bool // an earlier attempt had an unknown outcome
	dryRun    bool // it only asked to validate
	renewed   bool // another token than the refused one is there
	cause     error
}

// Error is a sentence for a person. It never holds the key, and of a body
// no more than a short cleaned excerpt.
func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %s (%s)", e.Method, clean(e.Path, 300), e.happened(), strings.Join(e.details(), ", "))
}

func (e *Error) happened() string {
	said := e.Message
	if said == "" && e.cause != nil {
		said = clean(e.cause.Error(), maxMessage)
	}
	switch e.fault {
	case faultLocal, faultNoToken:
		return "not sent: " + said
	case faultNotSent:
		return "no connection: " + said
	case faultNetwork:
		return "connection broke: " + said
	case faultUnreadable:
		return fmt.Sprintf("answer %d cannot be read: %s", e.Status, said)
	case faultStopped:
		if e.Message == "" && errors.Is(e.cause, context.Canceled) {
			return interrupted
		}
		return "stopped: " + said
	}
	status := strings.TrimSpace(fmt.Sprintf("the service answered %d %s", e.Status, http.StatusText(e.Status)))
	if e.Status == 0 {
		status = "no answer"
	}
	if said == "" {
		return status
	}
	return status + ": " + said
}

// interrupted is context.Canceled in words.
const interrupted = "interrupted"

func (e *Error) details() []string {
	details := make([]string, 0, 5)
	if e.Code != "" {
		details = append(details, "code "+e.Code)
	}
	if e.Field != "" {
		details = append(details, "field "+e.Field)
	}
	if e.RequestID != "" {
		details = append(details, "request "+e.RequestID)
	} else {
		details = append(details, "no request id")
	}
	if e.Attempts > 1 {
		details = append(details, fmt.Sprintf("%d attempts", e.Attempts))
	}
	switch {
	case e.dryRun:
		details = append(details, "a dry run: it changes nothing")
	case e.Method != http.MethodGet && e.Applied() == Unknown:
		details = append(details, "it may have been applied")
	}
	return details
}

// Applied says whether the service may have done what was asked. A request
// of which any attempt ended unknown is Unknown, whatever came after.
func (e *Error) Applied() Applied {
	if e.Method == http.MethodGet {
		return Never
	}
	if e.uncertain || e.attemptUnknown() {
		return Unknown
	}
	return Never
}

// attemptUnknown is Applied for the last attempt alone. 408 is unknown:
// a proxy sends it too, for requests the service already has.
func (e *Error) attemptUnknown() bool {
	switch e.fault {
	case faultLocal, faultNotSent, faultStopped, faultNoToken: // a stop in mid-attempt sets uncertain
		return false
	case faultNetwork, faultUnreadable:
		return true
	}
	refused := e.Status >= 400 && e.Status < 500 && e.Status != http.StatusRequestTimeout
	return !refused
}

// Is sorts the error into the classes above.
func (e *Error) Is(class error) bool {
	switch class {
	case ErrUnauthorized:
		return e.answered(http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired)
	case ErrNotFound:
		return e.answered(http.StatusNotFound)
	case ErrTooManyRows:
		return e.answered(http.StatusRequestEntityTooLarge) || e.Code == "too_many_rows"
	case ErrConflict:
		return e.answered(http.StatusConflict)
	case ErrUnreadable:
		return e.fault == faultUnreadable
	case ErrUnavailable:
		return e.unavailable()
	case errInvalidRequest:
		return e.fault == faultLocal && !errors.Is(e.cause, ErrReadOnly)
	}
	return false
}

func (e *Error) answered(statuses ...int) bool {
	for _, status := range statuses {
		if e.fault == faultStatus && e.Status == status {
			return true
		}
	}
	return false
}

func (e *Error) unavailable() bool {
	switch e.fault {
	case faultNotSent, faultNetwork, faultUnreadable:
		return true
	case faultLocal:
		return false
	case faultNoToken:
		return !errors.Is(e.cause, ErrUnauthorized)
	case faultStopped:
		return errors.Is(e.cause, context.DeadlineExceeded) || errors.Is(e.cause, errOutage) ||
			errors.Is(e.cause, errUncounted)
	}
	return e.Status < 400 || e.Status >= 500 || e.answered(http.StatusRequestTimeout, http.StatusTooManyRequests)
}

// Unwrap returns the cause, such as context.Canceled.
func (e *Error) Unwrap() error { return e.cause }
