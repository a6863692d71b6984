package page

import (
	"testing"
	"time"
)

func TestMoneyIsExact(t *testing.T) {
	for _, row := range []struct {
		micros int64
		want   string
	}{
		{50_000_000, "50.00 USD"},
		{1_250_000, "1.25 USD"},
		{1_200_000, "1.20 USD"},
		{1, "0.000001 USD"},
		{1_000_000_000_000_001, "1000000000.000001 USD"},
	} {
		if got := money(&row.micros, "USD"); got != row.want {
			t.Errorf("money(%d) = %q, want %q", row.micros, got, row.want)
		}
	}
	if got := money(nil, "USD"); got != "" {
		t.Errorf("money of nothing = %q, want nothing", got)
	}
}

func TestOffsetOfTheClock(t *testing.T) {
	for by, want := range map[time.Duration]string{
		0:                             "It runs with the real clock.",
		300 * time.Millisecond:        "It runs with the real clock.",
		25*time.Hour + 62*time.Second: "It is 1 d 1 h 1 min 2 s ahead of the real clock.",
		-48 * time.Hour:               "It is 2 d behind the real clock.",
	} {
		if got := offset(by); got != want {
			t.Errorf("offset(%v) = %q, want %q", by, got, want)
		}
	}
}
