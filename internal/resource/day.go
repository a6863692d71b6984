package resource

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/pattern"
)

const dayLayout = "2006-01-02"

// The range of times the service accepts, in Unix seconds (interface, part 8).
const (
	earliestTime = 946684800
	latestTime   = 4102444800
)

// midnight is how programs write a day that is a time to them: without a zone, so
// that it is the day of whoever wrote it.
var midnight = pattern.Of(`^(\d{4}-\d{2}-\d{2})[T ]00:00(:00(\.0+)?)?$`)

// timed is a time of day without a zone.
var timed = pattern.Of(`^\d{4}-\d{2}-\d{2}[T ]\d{1,2}:\d{2}`)

// parseDay reads a day `2026-12-01`, or an RFC 3339 time for what the service
// holds between two midnights.
func parseDay(s string) (string, *Finding) {
	if m := midnight.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	t, err := time.Parse(dayLayout, s)
	if err != nil {
		t, err = time.Parse(time.RFC3339, s)
	}
	if err != nil && timed.MatchString(s) {
		return "", &Finding{
			Code: diag.BadDate, Message: fmt.Sprintf("date is %q, which has a time of day and no "+
				"time zone; want a day alone, such as %s", s, s[:len(dayLayout)]), Hint: fmt.Sprintf("write %s; a "+
				"time counts only with its zone, such as %sT18:00:00Z", s[:len(dayLayout)], s[:len(dayLayout)]),
		}
	}
	if err != nil {
		return "", unclearDay(s)
	}
	if t.Unix() < earliestTime || t.Unix() > latestTime {
		return "", &Finding{
			Code: diag.BadDate, Message: fmt.Sprintf("date is %q; want a day from 2000-01-01 to 2099-12-31", s),
		}
	}
	return s, nil
}

// numericDay is a day of three numbers, the year last.
var numericDay = pattern.Of(`^([0-9]{1,2})([./-])([0-9]{1,2})[./-]([0-9]{4}|[0-9]{2})$`)

// noDay is a day in the form that is wanted; where it does not parse, none has it.
var noDay = pattern.Of(`^(\d{4})-(\d{2})-(\d{2})$`)

// unclearDay returns how a day that is written otherwise can be read, and what to type.
func unclearDay(s string) *Finding {
	days := readingsOf(s)
	if saysNothing(s) {
		return &Finding{
			Code: diag.BadDate, Message: fmt.Sprintf("date is %q; want a day such as 2026-12-01, or nothing", s),
			Hint: leaveBlank,
		}
	}
	f := &Finding{Code: diag.BadDate, Message: fmt.Sprintf("date is %q; want a day such as 2026-12-01", s)}
	switch len(days) {
	case 0:
		if m := noDay.FindStringSubmatch(s); m != nil {
			f.Message = fmt.Sprintf("date is %q, which no calendar has; want a day such as 2026-12-01", s)
			if swapped, err := time.Parse(dayLayout, m[1]+"-"+m[3]+"-"+m[2]); err == nil {
				f.Hint = "write " + swapped.Format(dayLayout) + " if day and month are swapped"
			}
		}
	case 1:
		f.Hint = "write " + days[0]
	case 2:
		f.Message = fmt.Sprintf("date is %q, which can be read as %s or %s; want it as year-month-day",
			s, longDay(days[0]), longDay(days[1]))
		f.Hint = "write " + days[0] + " or " + days[1]
	}
	return f
}

// longDay writes a day so that nobody takes its month for its day.
func longDay(day string) string {
	t, err := time.Parse(dayLayout, day)
	if err != nil {
		return day
	}
	return t.Format("2 January 2006")
}

// readingsOf returns the days that a text may mean: day or month first, or a month by
// its name.
func readingsOf(s string) []string {
	if m := numericDay.FindStringSubmatch(s); m != nil {
		year := m[4]
		if len(year) == 2 {
			year = "20" + year
		}
		var days []string
		for _, order := range [][2]string{{m[1], m[3]}, {m[3], m[1]}} {
			day, err := time.Parse("2006-1-2", year+"-"+order[1]+"-"+order[0])
			if err == nil && !slices.Contains(days, day.Format(dayLayout)) && (len(days) == 0 || m[2] != ".") {
				days = append(days, day.Format(dayLayout))
			}
		}
		slices.Sort(days)
		return days
	}
	if day := DayInWords(s); day != "" {
		return []string{day}
	}
	return nil
}

// dayLayouts are ways of writing a day whose parts can be told apart.
var dayLayouts = []string{
	"2006-1-2", "2006/1/2", "2006.1.2", "2 Jan 2006",
	"2 January 2006", "Jan 2 2006", "January 2 2006", "Jan 2, 2006", "January 2, 2006", "2-Jan-2006", "2/Jan/2006",
	"Mon 2 Jan 2006", "Mon, 2 Jan 2006", "Monday, 2 January 2006", "Monday, January 2, 2006",
}

var ordinal = pattern.Of(`(?i)\b([0-9]{1,2})(st|nd|rd|th)\b`)

// DayInWords reads a day that is written another way than YYYY-MM-DD and that has one
// reading, "" where it is none. A weekday must be that of the day.
func DayInWords(s string) string {
	s = ordinal.ReplaceAllString(s, "$1")
	for _, layout := range dayLayouts {
		day, err := time.Parse(layout, s)
		if err == nil && (!strings.HasPrefix(layout, "Mon") || strings.EqualFold(day.Format("Mon"), s[:3])) {
			return day.Format(dayLayout)
		}
	}
	return ""
}

// StartSeconds returns the Unix seconds of a day's first moment in the account's
// time zone. The value has been parsed by parseDay.
func StartSeconds(day string, zone *time.Location) (int64, error) {
	return seconds(day, zone, 0)
}

// EndSeconds returns the Unix seconds at which a last day has passed.
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

// DayOf returns the canonical text of a start the service holds: the day where it
// is a day's first moment, else the time.
func DayOf(unix int64, zone *time.Location) string { return dayOf(unix, zone, 0) }

// LastDayOf returns the canonical text of an end the service holds, as the last
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

// DayPlus returns the day so many days later, without regard to any clock. What
// is no day comes back as it is.
func DayPlus(day string, days int) string {
	t, err := time.Parse(dayLayout, day)
	if err != nil {
		return day
	}
	return t.AddDate(0, 0, days).Format(dayLayout)
}
