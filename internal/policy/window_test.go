package policy

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAFreezeWindowThatNeverComesIsNamedWithItsCron(t *testing.T) {
	w := Window{Name: "never", Cron: "0 0 30 2 *", For: time.Hour, Zone: time.UTC}
	_, _, err := w.OpenAt(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC))
	if want := `freeze window "never": no moment fits its cron "0 0 30 2 *"; want one that comes, such as 0 18 * * 5`; err == nil || err.Error() != want {
		t.Errorf("OpenAt(…) = %v, want %s", err, want)
	}
}

// TestAFreezeWindowIsOpenExactlyAsLongAsItsCronSays walks back minute by minute,
// which is slow and plain.
func TestAFreezeWindowIsOpenExactlyAsLongAsItsCronSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom([]string{"UTC", "America/New_York", "Europe/Paris", "Australia/Lord_Howe", "Pacific/Apia"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		cron := rapid.SampledFrom([]string{"0 18 * * 5", "*/5 * * * *", "30 2 * * *", "0 0 1 * *", "15 3 * 11 *", "0 12 * * 1-5", "59 23 31 * *", "0 0 29 2 *", "0 8,20 * * 6,0", "0 3 * * 7"}).Draw(t, "cron")
		w := Window{Cron: cron, Zone: zone, For: time.Duration(rapid.IntRange(1, 200).Draw(t, "hours")) * time.Hour}
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		now := start.Add(time.Duration(rapid.Int64Range(0, 800*24*60*60).Draw(t, "second")) * time.Second)
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
		if began(w.Cron, at.In(w.Zone)) {
			return true
		}
	}
	return false
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
