package chart

import (
	"adsync/internal/daemon"
	"adsync/internal/planview"
	"testing"
	"time"
)

// TestTheScaleOfAChart has no figures where nothing could be spent: all would be 0.
func TestTheScaleOfAChart(t *testing.T) {
	for daily, want := range map[int64][2]string{0: {}, 9_000_000: {"9.00", "4.50"}} {
		at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
		c := Of([]daemon.Point{{Time: at, Exposure: daemon.Exposure{Daily: daily}}}, planview.Account{})
		if got := [2]string{c.Most, c.Half}; got != want {
			t.Errorf("%d micros: %q; want %q", daily, got, want)
		}
	}
}
