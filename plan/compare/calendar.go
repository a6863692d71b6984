package compare

import (
	"fmt"

	"adsync/internal/resource"
)

// calendar is the days from today to the end of its month. The zero calendar
// knows no day, and takes nothing for past.
type calendar struct {
	today, ends string // YYYY-MM-DD
	days        int
}

func calendarOf(today string) calendar {
	y, m, d, ok := civil(today)
	if !ok {
		return calendar{}
	}
	last := daysIn(y, m)
	return calendar{today, isoDay(y, m, last), last - d + 1}
}

// civil reads a day, or the day of a moment.
func civil(text string) (y, m, d int, ok bool) {
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

func dayAfter(day string) string {
	y, m, d, ok := civil(day)
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

func dayBefore(day string) string {
	y, m, d, ok := civil(day)
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

// span is the days from first to last, both inside. "" is no first day, or no
// last: days as text compare as days.
type span struct{ first, last string }

// spanOf returns the days on which a resource's own schedule lets it spend, or a
// limit holds.
func (k *kind) spanOf(r *resource.Resource) span {
	return span{k.dayOf(r, k.first, dayBefore), k.dayOf(r, k.last, dayAfter)}
}

// dayOf returns the day of an attribute. Of a moment within a day, which the
// service has in UTC, it gives the day beside: the span holds it in every time
// zone.
func (k *kind) dayOf(r *resource.Resource, attribute string, beside func(string) string) string {
	if attribute == "" {
		return ""
	}
	text := r.Value(attribute).Text()
	if len(text) <= len("2026-12-01") {
		return text
	}
	return beside(text)
}

// ended reports whether no day of the span is left.
func (s span) ended(today string) bool {
	return s.last != "" && s.last < today || s.first != "" && s.last != "" && s.last < s.first
}

func (s span) holds(day string) bool {
	return s.first <= day && (s.last == "" || day <= s.last)
}

// with returns the days from the earlier first to the later last.
func (s span) with(t span) span {
	last := max(s.last, t.last)
	if s.last == "" || t.last == "" {
		last = ""
	}
	return span{min(s.first, t.first), last}
}

// clip returns the part of a span in the rest of the month, as days after today;
// from is after to where there is none.
func (c calendar) clip(s span) (from, to int) {
	from, to = 0, c.days-1
	switch {
	case s.first > c.ends || s.ended(c.today):
		return 0, -1
	case s.first > c.today:
		from = dayOfMonth(s.first) - dayOfMonth(c.today)
	}
	if s.last != "" && s.last < c.ends {
		to = dayOfMonth(s.last) - dayOfMonth(c.today)
	}
	return from, to
}

func dayOfMonth(day string) int { return int(day[8]-'0')*10 + int(day[9]-'0') }

// day returns the day so many days after today.
func (c calendar) day(after int) string {
	n := dayOfMonth(c.today) + after
	return c.today[:8] + string([]byte{byte('0' + n/10), byte('0' + n%10)})
}
