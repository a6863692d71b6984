package resource

import (
	"fmt"
	"regexp"
	"time"

	"adsync/internal/diag"
)

const dayLayout = "2006-01-02"

// The range of times the service accepts, in Unix seconds (interface, part 8).
const (
	earliestTime = 946684800
	latestTime   = 4102444800
)

// midnight is how programs write a day that is a time to them: without a zone, so
// that it is the day of whoever wrote it.
var midnight = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})[T ]00:00(:00(\.0+)?)?$`)

// timed is a time of day without a zone.
var timed = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[T ]\d{1,2}:\d{2}`)

// ParseDay reads a day `2026-12-01`, or an RFC 3339 time for what the service
// holds between two midnights.
func ParseDay(s string) (string, *Finding) {
	if m := midnight.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	t, err := time.Parse(dayLayout, s)
	if err != nil {
		t, err = time.Parse(time.RFC3339, s)
	}
	if err != nil && timed.MatchString(s) {
		return "", &Finding{Code: diag.BadDate, Message: fmt.Sprintf("date is %q, which has a time of day and no time zone; want a day alone, such as %s", s, s[:len(dayLayout)]), Hint: "or a time with its zone, such as 2026-12-01T18:00:00Z"}
	}
	if err != nil {
		return "", &Finding{Code: diag.BadDate, Message: fmt.Sprintf("date is %q; want a day such as 2026-12-01", s)}
	}
	if t.Unix() < earliestTime || t.Unix() > latestTime {
		return "", &Finding{Code: diag.BadDate, Message: fmt.Sprintf("date is %q; want a day from 2000-01-01 to 2099-12-31", s)}
	}
	return s, nil
}

// StartSeconds gives the Unix seconds of a day's first moment in the account's
// time zone. The value has been parsed by ParseDay.
func StartSeconds(day string, zone *time.Location) (int64, error) {
	return seconds(day, zone, 0)
}

// EndSeconds gives the Unix seconds at which a last day has passed.
func EndSeconds(lastDay string, zone *time.Location) (int64, error) {
	return seconds(lastDay, zone, 1)
}

func seconds(day string, zone *time.Location, addDays int) (int64, error) {
	if t, err := time.Parse(time.RFC3339, day); err == nil {
		return t.Unix(), nil
	}
	t, err := time.ParseInLocation(dayLayout, day, zone)
	if err != nil {
		return 0, fmt.Errorf("date is %q; want a day such as 2026-12-01", day)
	}
	return t.AddDate(0, 0, addDays).Unix(), nil
}

// DayOf gives the canonical text of a start the service holds: the day where it
// is a day's first moment, else the time.
func DayOf(unix int64, zone *time.Location) string { return dayOf(unix, zone, 0) }

// LastDayOf gives the canonical text of an end the service holds, as the last
// day that is still inside.
func LastDayOf(unix int64, zone *time.Location) string { return dayOf(unix, zone, -1) }

func dayOf(unix int64, zone *time.Location, addDays int) string {
	t := time.Unix(unix, 0).In(zone)
	day := t.AddDate(0, 0, addDays).Format(dayLayout)
	if again, err := seconds(day, zone, -addDays); err == nil && again == unix {
		return day
	}
	return t.UTC().Format(time.RFC3339)
}

// DayPlus gives the day so many days later, without regard to any clock. What
// is no day comes back as it is.
func DayPlus(day string, days int) string {
	t, err := time.Parse(dayLayout, day)
	if err != nil {
		return day
	}
	return t.AddDate(0, 0, days).Format(dayLayout)
}
