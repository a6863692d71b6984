package drafting

import (
	"testing"
	"time"
)

// The calendar of this package, which has no clock, is that of package time.
func TestDaysFollowOneAnother(t *testing.T) {
	for day := time.Date(1999, 12, 30, 0, 0, 0, 0, time.UTC); day.Year() < 2102; day = day.AddDate(0, 0, 1) {
		text, next := day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)
		if got := DayAfter(text); got != next {
			t.Fatalf("DayAfter(%s) = %s, want %s", text, got, next)
		}
		if got := DayBefore(next); got != text {
			t.Fatalf("DayBefore(%s) = %s, want %s", next, got, text)
		}
		c := CalendarOf(text)
		if ends := day.AddDate(0, 0, c.Days-1); c.Ends != ends.Format(time.DateOnly) ||
			ends.AddDate(0, 0, 1).Day() != 1 || c.Day(c.Days-1) != c.Ends {
			t.Fatalf("the month of %s ends %s after %d days", text, c.Ends, c.Days)
		}
	}
}

func TestWhatIsNoDayIsNoCalendar(t *testing.T) {
	for _, text := range []string{"", "2026-13-01", "2026-02-29", "2026-11-00", "yesterday", "2026-11"} {
		if c := CalendarOf(text); c != (Calendar{}) {
			t.Errorf("calendarOf(%q) = %+v; want none", text, c)
		}
	}
}
