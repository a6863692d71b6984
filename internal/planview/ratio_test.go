package planview

import "testing"

func TestRatio(t *testing.T) {
	for _, tt := range []struct {
		from, to int64
		want     string
	}{
		{100_000_000, 250_000_000, ", ×2.50"},
		{100_000_000, 50_000_000, ", ×0.50"},
		{725_016_500, 725_000_000, ""}, // by a hundredth of a cent in a hundred
		{100_000_000, 99_400_000, ", ×0.99"},
		{100_000_000, 100_400_000, ""},
		{16_500, 0, ""},
		{0, 5_000_000, ""},
		{1, 2_000_000, ", above ×1,000"},
	} {
		if got := ratio(tt.from, tt.to); got != tt.want {
			t.Errorf("from %d to %d: %q; want %q", tt.from, tt.to, got, tt.want)
		}
	}
}
