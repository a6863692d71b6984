package drafting

import (
	"fmt"

	"adsync/internal/resource"
)

// Calendar is the days from today to the end of its month. The zero calendar
// knows no day, and takes nothing for past.
type Calendar struct {
	Today, Ends string // YYYY-MM-DD
	Days        int
}

// CalendarOf returns the rest of the month of a day; of a day that is not known, nothing.
func CalendarOf(today string) Calendar {
	y, m, d, ok := Civil(today)
	if !ok {
		return Calendar{}
	}
	last := daysIn(y, m)
	return Calendar{today, isoDay(y, m, last), last - d + 1}
}

// Civil reads a day, or the day of a moment.
func Civil(text string) (y, m, d int, ok bool) {
	n, err := fmt.Sscanf(text, "%4d-%2d-%2d", &y, &m, &d)
	return y, m, d, n == 3 && err == nil && m >= 1 && m <= 12 && d >= 1 && d <= daysIn(y, m)
}

func isoDay(y, m, d int) string { return fmt.Sprintf("%04d-%02d-%02d", y, m, d) }

func daysIn(y, m int) int {
	switch {
	case m == 2 && (y%4 == 0 && y%100 != 0 || y%400 == 0):
		return 29
	case m == 2:
		return 28
	case m == 4 || m == 6 || m == 9 || m == 11:
		return 30
	}
	return 31
}

// DayAfter returns the day after another.
func DayAfter(day string) string {
	y, m, d, ok := Civil(day)
	switch {
	case !ok:
		return day
	case d < daysIn(y, m):
		return isoDay(y, m, d+1)
	case m < 12:
		return isoDay(y, m+1, 1)
	}
	return isoDay(y+1, 1, 1)
}

// DayBefore returns the day before another.
func DayBefore(day string) string {
	y, m, d, ok := Civil(day)
	switch {
	case !ok:
		return day
	case d > 1:
		return isoDay(y, m, d-1)
	case m > 1:
		return isoDay(y, m-1, daysIn(y, m-1))
	}
	return isoDay(y-1, 12, 31)
}

// Span is the days from first to last, both inside. "" is no first day, or no
// last: days as text compare as days.
type Span struct{ First, Last string }

// SpanOf returns the days on which a resource's own schedule lets it spend, or a
// limit holds.
func (k *Kind) SpanOf(r *resource.Resource) Span {
	return Span{k.dayOf(r, k.First, DayBefore), k.dayOf(r, k.Last, DayAfter)}
}

// dayOf returns the day of an attribute. Of a moment within a day, which the
// service has in UTC, it gives the day beside: the span holds it in every time
// zone.
func (k *Kind) dayOf(r *resource.Resource, attribute string, beside func(string) string) string {
	if attribute == "" {
		return ""
	}
	text := r.Value(attribute).Text()
	if len(text) <= len("2026-12-01") {
		return text
	}
	return beside(text)
}

// Ended reports whether no day of the span is left.
func (s Span) Ended(today string) bool {
	return s.Last != "" && s.Last < today || s.First != "" && s.Last != "" && s.Last < s.First
}

// Holds reports whether a day is one of the span.
func (s Span) Holds(day string) bool {
	return s.First <= day && (s.Last == "" || day <= s.Last)
}

// With returns the days from the earlier first to the later last.
func (s Span) With(t Span) Span {
	last := max(s.Last, t.Last)
	if s.Last == "" || t.Last == "" {
		last = ""
	}
	return Span{min(s.First, t.First), last}
}

// Clip returns the part of a span in the rest of the month, as days after today;
// from is after to where there is none.
func (c Calendar) Clip(s Span) (from, to int) {
	from, to = 0, c.Days-1
	switch {
	case s.First > c.Ends || s.Ended(c.Today):
		return 0, -1
	case s.First > c.Today:
		from = dayOfMonth(s.First) - dayOfMonth(c.Today)
	}
	if s.Last != "" && s.Last < c.Ends {
		to = dayOfMonth(s.Last) - dayOfMonth(c.Today)
	}
	return from, to
}

func dayOfMonth(day string) int { return int(day[8]-'0')*10 + int(day[9]-'0') }

// Day returns the day so many days after today.
func (c Calendar) Day(after int) string {
	n := dayOfMonth(c.Today) + after
	return c.Today[:8] + string([]byte{byte('0' + n/10), byte('0' + n%10)})
}
