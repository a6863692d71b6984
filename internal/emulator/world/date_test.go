package world

import (
	"testing"
	"time"
)

func TestStartOfDay(t *testing.T) {
	rows := []struct{ name, zone, day, want string }{
		{"a plain day", "America/New_York", "2026-12-01", "2026-12-01T05:00:00Z"},
		{"the day clocks go forward", "America/New_York", "2026-03-08", "2026-03-08T05:00:00Z"},
		{"the day after", "America/New_York", "2026-03-09", "2026-03-09T04:00:00Z"},
		{"the day clocks go back", "Europe/Paris", "2026-10-25", "2026-10-24T22:00:00Z"},
		{"the day after", "Europe/Paris", "2026-10-26", "2026-10-25T23:00:00Z"},
		{"forward at midnight: the day begins at 1", "America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"},
		{"back at midnight: 23 o'clock twice the day before",
			"America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00Z"},
		{"forward at midnight, Cairo", "Africa/Cairo", "2025-04-25", "2025-04-24T22:00:00Z"},
		{"back at 1 to midnight: midnight twice", "America/Havana", "2025-11-02", "2025-11-02T04:00:00Z"},
		{"far east", "Pacific/Kiritimati", "2026-01-01", "2025-12-31T10:00:00Z"},
	}
	for _, row := range rows {
		zone, err := time.LoadLocation(row.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := Date(row.day).Start(zone).UTC().Format(time.RFC3339); got != row.want {
			t.Errorf("%s: Date(%s).Start(%s) = %s, want %s", row.name, row.day, row.zone, got, row.want)
		}
	}
}

func TestDaysHaveNoGapsAndDoNotOverlap(t *testing.T) {
	for _, name := range []string{"America/New_York",
		"Africa/Cairo", "America/Santiago", "Asia/Beirut", "Australia/Lord_Howe", "UTC"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for d := Date("2025-01-01"); d < "2027-01-01"; d = d.Add(1) {
			start := d.Start(zone)
			if DateOf(start, zone) != d || DateOf(start.Add(-time.Second), zone) != d.Add(-1) {
				t.Errorf("%s: %s starts at %s; the moment before is on %s",
					name, d, start, DateOf(start.Add(-time.Second), zone))
			}
			if length := d.Add(1).Start(zone).Sub(start); length < 22*time.Hour || length > 26*time.Hour {
				t.Errorf("%s: %s lasts %s", name, d, length)
			}
		}
	}
}

func TestParseDate(t *testing.T) {
	for text, want := range map[string]bool{
		"2028-02-29": true, "2026-02-29": false, "2026-1-1": false,
		"2026-12-01T00:00:00Z": false, "": false, "2026-13-01": false,
	} {
		if _, got := ParseDate(text); got != want {
			t.Errorf("ParseDate(%q) = %v, want %v", text, got, want)
		}
	}
}
