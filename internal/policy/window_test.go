package policy

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "adsync/internal/testing/drawn"

	"pgregory.net/rapid"
)

func TestAFreezeWindowThatNeverComesIsNamedWithItsCron(t *testing.T) {
	w := Window{Name: "never", Cron: "0 0 30 2 *", For: time.Hour, Zone: time.UTC}
	_, _, err := w.OpenAt(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC))
	if want := `freeze window "never": no moment ` +
		`fits its cron "0 0 30 2 *"; want one that comes, such as 0 18 * * 5`; err == nil || err.Error() != want {
		t.Errorf("OpenAt(…) = %v, want %s", err, want)
	}
}

// A freeze window holds over the nights in which clocks are set: one that begins in
// the hour that is left out begins as though it had not been, one that begins in the
// hour that comes twice begins twice, and each lasts as long as it says.
func TestAFreezeWindowHoldsWhileClocksAreSet(t *testing.T) {
	for _, tc := range []struct {
		name, cron, zone string
		lasts            time.Duration
		at               string // in UTC
		open             bool
	}{
		{"before the hour that is left out", "30 2 * * *",
			"America/New_York", time.Hour, "2026-03-08T07:29:00Z", false},
		{"in the hour that is left out", "30 2 * * *", "America/New_York", time.Hour, "2026-03-08T07:30:00Z", true},
		{"to its end", "30 2 * * *", "America/New_York", time.Hour, "2026-03-08T08:29:59Z", true},
		{"after its end", "30 2 * * *", "America/New_York", time.Hour, "2026-03-08T08:30:00Z", false},
		{"every night, long after", "30 2 * * *", "America/New_York", 4 * time.Hour, "2026-03-08T11:00:00Z", true},
		{"the first time", "30 1 * * *", "America/New_York", time.Hour, "2026-11-01T05:45:00Z", true},
		{"the second time", "30 1 * * *", "America/New_York", time.Hour, "2026-11-01T06:45:00Z", true},
		{"an hour after the second time", "30 1 * * *", "America/New_York", time.Hour, "2026-11-01T07:29:59Z", true},
		{"over", "30 1 * * *", "America/New_York", time.Hour, "2026-11-01T07:30:00Z", false},
		{"a weekend that is an hour longer", "0 18 * * 5",
			"Europe/Paris", 62 * time.Hour, "2026-10-26T05:59:59Z", true},
		{"a weekend that is an hour longer, over",
			"0 18 * * 5", "Europe/Paris", 62 * time.Hour, "2026-10-26T06:00:00Z", false},
		{"a weekend that is an hour shorter", "0 18 * * 5",
			"Europe/Paris", 62 * time.Hour, "2026-03-30T06:59:59Z", true},
		{"a day that is left out", "0 12 30 12 *", "Pacific/Apia", time.Hour, "2011-12-30T22:30:00Z", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			zone, err := time.LoadLocation(tc.zone)
			if err != nil {
				t.Fatal(err)
			}
			now, err := time.Parse(time.RFC3339, tc.at)
			if err != nil {
				t.Fatal(err)
			}
			w := Window{Name: "night", Cron: tc.cron, For: tc.lasts, Zone: zone}
			if until, open, err := w.OpenAt(now); err != nil || open != tc.open {
				t.Errorf("OpenAt(%s) = %t until %s, %v; want %t", now.In(zone), open, until.In(zone), err, tc.open)
			}
		})
	}
}

// TestAFreezeWindowIsOpenExactlyAsLongAsItsCronSays walks back minute by minute,
// which is slow and plain.
func TestAFreezeWindowIsOpenExactlyAsLongAsItsCronSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom([]string{"UTC",
			"America/New_York", "Europe/Paris", "Australia/Lord_Howe", "Pacific/Apia"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		cron := rapid.SampledFrom([]string{"0 18 * * 5", "*/5 * * * *", "30 2 * * *", "0 0 1 * *",
			"15 3 * 11 *", "0 12 * * 1-5", "59 23 31 * *", "0 0 29 2 *", "0 8,20 * * 6,0", "0 3 * * 7"}).Draw(t, "cron")
		w := Window{Cron: cron, Zone: zone, For: time.Duration(rapid.IntRange(1, 200).Draw(t, "hours")) * time.Hour}
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		now := start.Add(time.Duration(rapid.Int64Range(0, 800*24*60*60).Draw(t, "second")) * time.Second)
		if set, _ := now.In(zone).ZoneBounds(); !set.IsZero() && rapid.Bool().Draw(t, "as clocks are set") {
			now = set.Add(time.Duration(rapid.Int64Range(-4*60*60, 28*60*60).Draw(t, "seconds after")) * time.Second)
		}
		_, got, err := w.OpenAt(now)
		if err != nil {
			t.Fatal(err)
		}
		if want := openMinuteByMinute(&w, now); got != want {
			t.Fatalf("%q for %s in %s is open at %s: %v, want %v", cron, w.For, zone, now.In(zone), got, want)
		}
	})
}

func openMinuteByMinute(w *Window, now time.Time) bool {
	for at := now.Truncate(time.Minute); now.Sub(at) < w.For; at = at.Add(-time.Minute) {
		if began(w.Cron, at.In(w.Zone)) || beganSkipped(w.Cron, at.In(w.Zone)) {
			return true
		}
	}
	return false
}

// beganSkipped reports whether the clock would have shown the moment, had it not been put
// forward over it.
func beganSkipped(cron string, at time.Time) bool {
	set, _ := at.ZoneBounds()
	if set.IsZero() {
		return false
	}
	name, before := set.Add(-1).Zone()
	_, offset := at.Zone()
	return at.Sub(set) < time.Duration(offset-before)*time.Second && began(cron, at.In(time.FixedZone(name, before)))
}

// began knows the few shapes of field the test draws.
func began(cron string, at time.Time) bool {
	f := strings.Fields(cron)
	return fits(f[0], at.Minute()) && fits(f[1], at.Hour()) && fits(f[2], at.Day()) && fits(f[3], int(at.Month())) &&
		(fits(f[4], int(at.Weekday())) || at.Weekday() == time.Sunday && fits(f[4], 7))
}

func fits(field string, n int) bool {
	switch field {
	case "*":
		return true
	case "*/5":
		return n%5 == 0
	case "1-5":
		return n >= 1 && n <= 5
	}
	return slices.Contains(strings.Split(field, ","), strconv.Itoa(n))
}
