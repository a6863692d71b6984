package page

import (
	"fmt"
	"strings"
	"time"
)

// money writes micros exactly, with at least two decimals: 1250000 USD is 1.25 USD.
func money(micros *int64, currency string) string {
	if micros == nil {
		return ""
	}
	units, rest := *micros/1_000_000, *micros%1_000_000
	decimals := strings.TrimRight(fmt.Sprintf("%06d", rest), "0")
	for len(decimals) < 2 {
		decimals += "0"
	}
	return fmt.Sprintf("%d.%s %s", units, decimals, currency)
}

func when(t time.Time) string { return t.Format("2006-01-02 15:04:05 MST") }

// unix shows milliseconds since 1970; 0 is no time.
func unix(ms int64) string {
	if ms == 0 {
		return ""
	}
	return when(time.UnixMilli(ms).UTC())
}

// outcome is the class of an HTTP status: good, bad, broken, or dropped.
func outcome(status int) string {
	switch {
	case status == 0:
		return "dropped"
	case status >= 500:
		return "broken"
	case status >= 400:
		return "bad"
	}
	return "good"
}

func either(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// offset returns how far the clock is from the real one.
func offset(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d == 0:
		return "It runs with the real clock."
	case d < 0:
		return "It is " + days(-d) + " behind the real clock."
	}
	return "It is " + days(d) + " ahead of the real clock."
}

// days is such as 1 d 2 h 3 min 4 s, without the parts that are nothing.
func days(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / unit.of; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
		}
		d %= unit.of
	}
	return strings.Join(parts, " ")
}
