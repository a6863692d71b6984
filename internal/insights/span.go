package insights

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"adsync/internal/pattern"
	"adsync/internal/words/catalogue"
)

// Span is a time that figures are of: hours or days of a zone, both ends inside. Ends are
// kept as the service writes them: 2026-11-01, or 2026-11-01T15.
type Span struct {
	From, To string
	months   int // how many whole months it is; 0: it is none
}

const hourForm = "2006-01-02T15"

// Spans are the names of spans, for help and messages.
const Spans = "today, yesterday, 7d, this-week, last-week, this-month, last-month or 2026-11-01..2026-11-15"

var (
	lastDays = pattern.Of(`^([1-9][0-9]{0,3})d$`)
	between  = pattern.Of(`^([0-9T-]+)\.\.([0-9T-]+)$`)
)

// NamedSpan reads the name of a span; now is in the zone of its days.
func NamedSpan(name string, now time.Time) (Span, error) {
	day := func(back int) string { return now.AddDate(0, 0, -back).Format(time.DateOnly) }
	monday := (int(now.Weekday()) + 6) % 7 // days since Monday
	first := now.AddDate(0, 0, 1-now.Day())
	switch name {
	case "today":
		return Span{From: day(0), To: day(0)}, nil
	case "yesterday":
		return Span{From: day(1), To: day(1)}, nil
	case "this-week":
		return Span{From: day(monday), To: day(0)}, nil
	case "last-week":
		return Span{From: day(monday + 7), To: day(monday + 1)}, nil
	case "this-month":
		return Span{From: first.Format(time.DateOnly), To: day(0)}, nil
	case "last-month":
		return Span{From: first.AddDate(0, -1, 0).Format(time.DateOnly),
			To: first.AddDate(0, 0, -1).Format(time.DateOnly), months: 1}, nil
	}
	if m := lastDays.FindStringSubmatch(name); m != nil {
		n, _ := strconv.Atoi(m[1]) // four digits at most
		return Span{From: day(n), To: day(1)}, nil
	}
	if m := between.FindStringSubmatch(name); m != nil {
		return Between(m[1], m[2], now)
	}
	return Span{}, fmt.Errorf("--span is %q; want %s", name, Spans)
}

// Between is the span of two days or two hours. An absent end is now; an absent
// beginning is the end alone.
func Between(from, to string, now time.Time) (Span, error) {
	if to == "" {
		to = now.Format(formOf(from))
	}
	if from == "" {
		from = to
	}
	s := Span{From: from, To: to}
	for _, end := range []string{from, to} {
		if _, err := time.Parse(formOf(end), end); err != nil {
			return s, said("span.no-day", "day", strconv.Quote(end))
		}
	}
	if len(from) != len(to) {
		return s, said("span.two-kinds", "from", from, "to", to)
	}
	if from > to {
		return s, said("span.reversed", "from", from, "to", to)
	}
	return s, s.check(now)
}

// maxYears is how far back the service looks (service facts, section 10).
const maxYears = 5

func (s Span) check(now time.Time) error {
	switch {
	case s.To > now.Format(formOf(s.To)):
		return said("span.to-come", "to", s.To, "zone", now.Location().String(), "latest", now.Format(formOf(s.To)))
	case s.From < now.AddDate(-maxYears, 0, 1).Format(formOf(s.From)):
		return said("span.too-old", "from", s.From, "n", strconv.Itoa(maxYears))
	}
	return nil
}

// said is an error in a text of the catalogue: the page shows it, too.
func said(key string, places ...string) error { return errors.New(catalogue.Fill(key, places...)) }

func formOf(end string) string {
	if len(end) > len(time.DateOnly) {
		return hourForm
	}
	return time.DateOnly
}

// ofHours reports whether the ends are hours.
func (s Span) ofHours() bool { return len(s.From) > len(time.DateOnly) }

// ends are the ends as moments of no zone.
func (s Span) ends() (from, to time.Time) {
	from, _ = time.Parse(formOf(s.From), s.From)
	to, _ = time.Parse(formOf(s.To), s.To)
	return from, to
}

// Before is the span of the same length that ends where this one begins; of whole
// months, as many months.
func (s Span) Before() Span {
	from, to := s.ends()
	if s.months > 0 {
		return Span{From: from.AddDate(0, -s.months, 0).Format(time.DateOnly),
			To: from.AddDate(0, 0, -1).Format(time.DateOnly), months: s.months}
	}
	step := 24 * time.Hour
	if s.ofHours() {
		step = time.Hour
	}
	form := formOf(s.From)
	return Span{From: from.Add(-to.Sub(from) - step).Format(form), To: from.Add(-step).Format(form)}
}

// String is the span as people read it.
func (s Span) String() string {
	if s.From == s.To {
		return s.From
	}
	return s.From + " to " + s.To
}

// halves cuts a span in two between buckets of a granularity; false where it is one bucket.
func (s Span) halves(by string) (first, second Span, ok bool) {
	from, to := s.ends()
	form := formOf(s.From)
	var next func(time.Time) time.Time
	step := 24 * time.Hour
	if s.ofHours() {
		step = time.Hour
	}
	if by == "month" {
		next = func(at time.Time) time.Time { return at.AddDate(0, 1, 1-at.Day()).Truncate(24 * time.Hour) }
	} else if by == "none" {
		return s, s, false
	} else if by == "day" {
		next = func(at time.Time) time.Time { return at.Truncate(24 * time.Hour).Add(24 * time.Hour) }
	} else if !s.ofHours() { // hours of days are cut between days first, then between hours
		if s.From == s.To {
			hours := Span{From: s.From + "T00", To: s.To + "T23"}
			return hours.halves(by)
		}
		next = func(at time.Time) time.Time { return at.Add(24 * time.Hour) }
	} else {
		next = func(at time.Time) time.Time { return at.Add(time.Hour) }
	}
	middle := next(from.Add(to.Sub(from) / 2).Truncate(step))
	if middle.After(to) {
		if middle = next(from); middle.After(to) {
			return s, s, false
		}
	}
	return Span{From: s.From, To: middle.Add(-step).Format(form)}, Span{From: middle.Format(form), To: s.To}, true
}
