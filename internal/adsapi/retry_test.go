package adsapi

import (
	"math"
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBackoffIsFullJitter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		attempt := rapid.IntRange(1, 1000).Draw(rt, "attempt")
		random := rapid.Float64Range(0, math.Nextafter(1, 0)).Draw(rt, "random")
		got := backoff(backoffBase, attempt, random)
		ceiling := min(30*time.Second, time.Duration(250*math.Pow(2, float64(min(attempt, 20)-1)))*time.Millisecond)
		if want := time.Duration(random * float64(ceiling)); got != want {
			rt.Fatalf("backoff(%d, %v) = %s; want %s", attempt, random, got, want)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name, header, date string
		want               time.Duration
	}{
		{name: "absent", want: 0},
		{name: "seconds", header: "7", want: 7 * time.Second},
		{name: "seconds with spaces", header: " 7 ", want: 7 * time.Second},
		{name: "a fraction", header: "1.5", want: 1500 * time.Millisecond},
		{name: "zero", header: "0", want: 0},
		{name: "negative", header: "-5", want: 0},
		{name: "a billion", header: "1000000000", want: 1e9 * time.Second},
		{name: "more than a duration holds", header: "99999999999999999999", want: math.MaxInt64},
		{name: "infinite", header: "Inf", want: math.MaxInt64},
		{name: "not a number", header: "NaN", want: 0},
		{name: "words", header: "soon", want: 0},
		{name: "a date", header: "Sun, 01 Mar 2026 12:00:30 GMT", want: 30 * time.Second},
		{name: "a date gone by", header: "Sun, 01 Mar 2026 11:00:30 GMT", want: 0},
		{name: "a date of a server a day ahead", header: "Mon, 02 Mar 2026 12:00:30 GMT",
			date: "Mon, 02 Mar 2026 12:00:00 GMT", want: 30 * time.Second},
		{name: "a date of a server a day behind", header: "Sat, 28 Feb 2026 12:00:30 GMT",
			date: "Sat, 28 Feb 2026 12:00:00 GMT", want: 30 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			header := http.Header{}
			header.Set("Retry-After", tc.header)
			header.Set("Date", tc.date)
			if got := retryAfter(header, now); got != tc.want {
				t.Fatalf("retryAfter(%q, Date %q) = %s; want %s", tc.header, tc.date, got, tc.want)
			}
		})
	}
}
