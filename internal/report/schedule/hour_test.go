package schedule

import (
	"testing"
	"time"
)

func in(t *testing.T, zone string) *time.Location {
	t.Helper()
	l, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// moment is a time as the clock on the wall shows it, with its zone where it shows it twice: 2026-11-01 01:30 EDT.
const moment = "2006-01-02 15:04 MST"

// A report is due at its hour by the clock on the wall, also on the days on which that is put forward or back.
func TestWhenAReportIsDue(t *testing.T) {
	for _, row := range []struct {
		name, zone, day string
		at              time.Duration
		now, hour, ends string // hour "": none
	}{
		{"the minute before", "America/New_York", "monday", 8 * time.Hour,
			"2026-11-23T07:59:00-05:00", "", ""},
		{"at the hour", "America/New_York", "monday", 8 * time.Hour,
			"2026-11-23T08:00:00-05:00", "2026-11-23 08:00 EST", "2026-11-24 00:00 EST"},
		{"late on its day", "America/New_York", "monday", 8 * time.Hour,
			"2026-11-23T23:59:00-05:00", "2026-11-23 08:00 EST", "2026-11-24 00:00 EST"},
		{"the day after", "America/New_York", "monday", 8 * time.Hour,
			"2026-11-24T00:00:00-05:00", "", ""},
		{"an hour before midnight may be late by six", "America/New_York", "monday", 23 * time.Hour,
			"2026-11-24T04:59:00-05:00", "2026-11-23 23:00 EST", "2026-11-24 05:00 EST"},
		{"the first of a month", "Europe/Berlin", "first-of-month", 7*time.Hour + 30*time.Minute,
			"2026-12-01T07:30:00+01:00", "2026-12-01 07:30 CET", "2026-12-02 00:00 CET"},
		{"the second of a month", "Europe/Berlin", "first-of-month", 7*time.Hour + 30*time.Minute,
			"2026-12-02T07:30:00+01:00", "", ""},
		{"a Monday that begins elsewhere", "Pacific/Auckland", "monday", 8 * time.Hour,
			"2026-11-22T20:00:00Z", "2026-11-23 08:00 NZDT", "2026-11-24 00:00 NZDT"},
		{"put forward over the hour: once the clock goes on", "America/New_York", "daily", 2*time.Hour + 30*time.Minute,
			"2026-03-08T03:00:00-04:00", "2026-03-08 03:00 EDT", "2026-03-09 00:00 EDT"},
		{"put forward over the hour: not before", "America/New_York", "daily", 2*time.Hour + 30*time.Minute,
			"2026-03-08T01:59:00-05:00", "", ""},
		{"put forward over the hour, east of Greenwich", "Europe/Berlin", "daily", 2*time.Hour + 30*time.Minute,
			"2026-03-29T03:00:00+02:00", "2026-03-29 03:00 CEST", "2026-03-30 00:00 CEST"},
		{"put forward at midnight", "Africa/Cairo", "daily", 0,
			"2026-04-24T01:00:00+03:00", "2026-04-24 01:00 EEST", "2026-04-25 00:00 EEST"},
		{"put back, the first time", "America/New_York", "daily", 90 * time.Minute,
			"2026-11-01T01:30:00-04:00", "2026-11-01 01:30 EDT", "2026-11-02 00:00 EST"},
		{"put back, the second time: due since the first", "America/New_York", "daily", 90 * time.Minute,
			"2026-11-01T01:30:00-05:00", "2026-11-01 01:30 EDT", "2026-11-02 00:00 EST"},
		{"put back, east of Greenwich: since the first time", "Europe/Berlin", "daily", 2*time.Hour + 30*time.Minute,
			"2026-10-25T02:30:00+01:00", "2026-10-25 02:30 CEST", "2026-10-26 00:00 CET"},
		{"on a day of 23 hours", "Europe/Berlin", "daily", 8 * time.Hour,
			"2026-03-29T08:00:00+02:00", "2026-03-29 08:00 CEST", "2026-03-30 00:00 CEST"},
	} {
		t.Run(row.name, func(t *testing.T) {
			now, err := time.Parse(time.RFC3339, row.now)
			if err != nil {
				t.Fatal(err)
			}
			p := Plan{Day: row.day, At: row.at}
			hour, ends, due := p.due(now.In(in(t, row.zone)))
			if !due {
				if row.hour != "" {
					t.Errorf("due(%s) = none, want %s", row.now, row.hour)
				}
				return
			}
			if hour.Format(moment) != row.hour || ends.Format(moment) != row.ends {
				t.Errorf("due(%s) = %s until %s; want %q until %q",
					row.now, hour.Format(moment), ends.Format(moment), row.hour, row.ends)
			}
		})
	}
}
