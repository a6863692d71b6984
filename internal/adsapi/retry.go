package adsapi

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	backoffBase = 250 * time.Millisecond
	backoffCap  = 30 * time.Second
	// limitedBase is the base after a 429 that does not say how long to
	// wait: the limits are counted over 10 seconds and over a minute.
	limitedBase = 2 * time.Second
)

// backoff is full jitter: anything from nothing to a ceiling that begins at
// base, doubles with each attempt and stops at 30 s. random is in [0, 1).
func backoff(base time.Duration, attempt int, random float64) time.Duration {
	ceiling := base
	for i := 1; i < attempt && ceiling < backoffCap; i++ {
		ceiling *= 2
	}
	return time.Duration(random * float64(min(ceiling, backoffCap)))
}

// delay is the time to wait before the attempt after e.
func delay(e *Error, random float64) time.Duration {
	if e.Status == http.StatusTooManyRequests && e.RetryAfter == 0 {
		return backoff(limitedBase, e.Attempts, random)
	}
	return e.RetryAfter + backoff(backoffBase, e.Attempts, random)
}

// retryAfter reads a Retry-After header: seconds, or an HTTP date, which is
// compared with the Date of the same answer, so that the clock here does not
// matter. What is absent, past, negative or not understood is 0.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return inSeconds(seconds)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return max(0, at.Sub(now))
}

func inSeconds(seconds float64) time.Duration {
	if math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	if seconds >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(math.Ceil(seconds * float64(time.Second)))
}

// mayRepeat reports whether the same bytes may be sent again after e.
func (r request) mayRepeat(e *Error) bool {
	if e.permanent || e.fault == faultLocal || e.fault == faultStopped {
		return false
	}
	if e.fault == faultNoToken {
		return e.unavailable()
	}
	if e.renewed || e.fault == faultNotSent || e.Status == http.StatusTooManyRequests && e.fault == faultStatus {
		return true // nothing was applied
	}
	transient := e.fault != faultStatus || e.Status >= 500 || e.Status == http.StatusRequestTimeout
	return transient && (r.repeatable || !r.mutates())
}
