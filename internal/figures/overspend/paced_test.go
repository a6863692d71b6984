package overspend_test

import (
	"math"
	"testing"
	"time"

	"adsync/internal/figures/overspend"
	"adsync/internal/testing/figurestest"
)

// TestAnAccountIsPaced: two campaigns that spend 10 and 20 a day, on the seven whole days to 27 November.
func TestAnAccountIsPaced(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, 28+n, 0, 0, 0, 0, noon.Location()) }
	daily := func(micros int64) overspend.Budget {
		return overspend.Budget{Daily: micros, Begins: past, Delivers: true}
	}
	changed := func(b overspend.Budget, how func(*overspend.Budget)) overspend.Budget { how(&b); return b }
	endless := overspend.Budget{Lifetime: 900 * units, Begins: past, Delivers: true}
	for _, tc := range []struct {
		name          string
		first, second overspend.Budget
		most          int64
		spends        func(int, int) map[string]string
		want          string // "" nothing is known
	}{
		{name: "two daily budgets", first: daily(20 * units), second: daily(20 * units),
			want: "210.00 of 280.00 USD in the 7 days to 2026-11-27, 75%"},
		{name: "one is paused", first: daily(20 * units), second: overspend.Budget{Daily: 20 * units, Begins: past},
			want: "70.00 of 140.00 USD in the 7 days to 2026-11-27, 50%"},
		{name: "one begins within the days, and not at midnight", first: daily(20 * units), second: changed(
			daily(20*units), func(b *overspend.Budget) { b.Begins = day(-3).Add(time.Hour) }),
			want: "110.00 of 180.00 USD in the 7 days to 2026-11-27, 61%"},
		{name: "one has ended", first: daily(20 * units), second: changed(daily(20*units),
			func(b *overspend.Budget) { b.Ends = day(-2) }),
			want: "70.00 of 140.00 USD in the 7 days to 2026-11-27, 50%"},
		{name: "one has not begun", first: daily(20 * units), second: changed(daily(20*units),
			func(b *overspend.Budget) { b.Begins = day(2) }),
			want: "70.00 of 140.00 USD in the 7 days to 2026-11-27, 50%"},
		{name: "a lifetime budget, evenly", first: daily(20 * units), second: overspend.Budget{Lifetime: 800 * units,
			Begins: day(-20), Ends: day(20), Delivers: true}, // 20 a day
			want: "210.00 of 280.00 USD in the 7 days to 2026-11-27, 75%"},
		{name: "one without a last day", first: daily(20 * units), second: endless,
			want: "70.00 of 140.00 USD in the 7 days to 2026-11-27, 50%, for 1 of 2 campaigns"},
		{name: "one of which nobody knows when it was made", first: daily(20 * units), second: changed(daily(units),
			func(b *overspend.Budget) { b.Begins = time.Time{} }),
			want: "70.00 of 140.00 USD in the 7 days to 2026-11-27, 50%, for 1 of 2 campaigns"},
		{name: "the cap is lower", first: daily(20 * units), second: daily(20 * units), most: 35 * units,
			want: "210.00 of 245.00 USD in the 7 days to 2026-11-27, 86%; max_daily_exposure allows no more"},
		{name: "the cap is higher", first: daily(20 * units), second: daily(20 * units), most: 41 * units,
			want: "210.00 of 280.00 USD in the 7 days to 2026-11-27, 75%"},
		{name: "nothing has a budget", first: endless, second: endless},
		{name: "nothing delivers", first: overspend.Budget{Daily: units, Begins: past}},
		{name: "the service does not say what one spent", first: daily(20 * units), second: daily(20 * units),
			spends: func(i, _ int) map[string]string {
				return []map[string]string{{"spend": "10.00"}, {"impressions": "1"}}[i]
			}, want: "70.00 of 140.00 USD in the 7 days to 2026-11-27, 50%, for 1 of 2 campaigns"},
		{name: "one was never shown", first: daily(20 * units), second: daily(20 * units),
			spends: func(i, _ int) map[string]string { return []map[string]string{{"spend": "10.00"}, nil}[i] },
			want:   "70.00 of 280.00 USD in the 7 days to 2026-11-27, 25%"},
		{name: "more than can be added up", first: daily(math.MaxInt64), second: daily(units)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.spends == nil {
				tc.spends = func(i, _ int) map[string]string {
					return map[string]string{"spend": []string{"10.00", "20.00"}[i]}
				}
			}
			kept := figurestest.Kept(t, noon, []string{"Boots", "Socks"}, tc.spends)
			budgets := map[string]overspend.Budget{"campaign_0": tc.first, "campaign_1": tc.second}
			got := ""
			paced, err := overspend.Pace(kept, budgets, tc.most, noon)
			noError(t, err)
			if paced != nil {
				got = paced.Text()
			}
			if got != tc.want {
				t.Errorf("paced: %q; want %q", got, tc.want)
			}
			for name, at := range map[string]time.Time{"in another time zone": noon.In(zone("Asia/Tokyo")),
				"a day later, of which nothing was read": noon.AddDate(0, 0, 2)} {
				if other, err := overspend.Pace(kept, budgets, tc.most, at); err != nil || other != nil {
					t.Errorf("%s: %v, %v; want nothing", name, other, err)
				}
			}
		})
	}
}

func TestPercentsOfTheLargestSums(t *testing.T) {
	for _, tc := range []struct{ spent, due, want int64 }{{1, 3, 33}, {2, 3, 67}, {0, 5, 0},
		{math.MaxInt64, math.MaxInt64, 100}, {math.MaxInt64, 1, math.MaxInt64}, {-5, 5, 0}} {
		if got := overspend.Percent(tc.spent, tc.due); got != tc.want {
			t.Errorf("Percent(%d, %d) = %d, want %d", tc.spent, tc.due, got, tc.want)
		}
	}
}
