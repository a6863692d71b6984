package web

import (
	"testing"

	"adsync/internal/daemon"
	"adsync/internal/planview"
)

// TestOnlyWhatIsHeldWaitsForAYes: an account that is planned and never applied asks
// nobody for one.
func TestOnlyWhatIsHeldWaitsForAYes(t *testing.T) {
	for held, want := range map[int]string{0: "planned, not applied", 2: "held: waits for a yes"} {
		if got := cardOf(&daemon.Status{State: daemon.Held, Held: held}).Mood.Words; got != want {
			t.Errorf("%d held: %q; want %q", held, got, want)
		}
	}
}

// TestTheScaleOfAChart has no figures where nothing could be spent: all would be 0.
func TestTheScaleOfAChart(t *testing.T) {
	for daily, want := range map[int64][2]string{0: {}, 9_000_000: {"9.00", "4.50"}} {
		c := chartOf([]daemon.Point{{Time: noon, Exposure: daemon.Exposure{Daily: daily}}}, planview.Account{})
		if got := [2]string{c.Most, c.Half}; got != want {
			t.Errorf("%d micros: %q; want %q", daily, got, want)
		}
	}
}
