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
)

// backoff is full jitter: anything from nothing to a ceiling that doubles
// with each attempt and stops at 30 s. random is in [0, 1).
func backoff(attempt int, random float64) time.Duration {
	ceiling := backoffCap
	if shift := attempt - 1; shift < 7 { // 250 ms << 7 is above the cap
		ceiling = min(backoffCap, backoffBase<<shift)
	}
	return time.Duration(random * float64(ceiling))
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
		return seconds2duration(seconds)
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

func seconds2duration(seconds float64) time.Duration {
	if math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	if seconds >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(math.Ceil(seconds * float64(time.Second)))
}

// mayRepeat says whether the same bytes may be sent again after e.
func (r request) mayRepeat(e *Error) bool {
	if e.permanent || e.fault == faultLocal || e.fault == faultStopped {
		return false
	}
	if e.fault == faultNotSent || e.Status == http.StatusTooManyRequests && e.fault == faultStatus {
		return true // nothing was applied
	}
	transient := e.fault != faultStatus || e.Status >= 500 || e.Status == http.StatusRequestTimeout
	return transient && r.repeatable
}
