package overspend_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/figures/overspend"
	"adsync/internal/resource"
	"adsync/internal/testing/figurestest"
	"adsync/state/kv"

	"github.com/google/go-cmp/cmp"
)

const units = 1_000_000

var (
	noon = time.Date(2026, 11, 28, 12, 0, 0, 0, zone("America/New_York"))
	past = noon.AddDate(0, 0, -20)
)

func zone(name string) *time.Location {
	in, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return in
}

// spent is the spend of today, of yesterday and of each day before; "" is not known, and what is missing is 0.
func spent(days ...string) func(int, int) map[string]string {
	return func(_, back int) map[string]string {
		fields := map[string]string{"impressions": "1"}
		if amount := days[min(back, len(days)-1)]; amount != "" {
			fields["spend"] = amount
		}
		return fields
	}
}

func was(most int64) func(string, time.Time, time.Time) (int64, bool) {
	return func(string, time.Time, time.Time) (int64, bool) { return most, true }
}

func TestSpendThatPassesIsFound(t *testing.T) {
	daily := overspend.Budget{Name: "Boots", Daily: 80 * units, Begins: past, Changed: past}
	changed := func(at time.Time) overspend.Budget { b := daily; b.Changed = at; return b }
	// 20 days of 40 are over by noon, and 20.5 by midnight: evenly 512.50 of 1,000
	life := overspend.Budget{Name: "Boots", Lifetime: 1000 * units, Begins: noon.AddDate(0, 0, -20),
		Ends: noon.AddDate(0, 0, 20), Changed: past}
	endless, moved := life, life
	endless.Ends, moved.Changed = time.Time{}, noon.Add(-time.Hour)
	early := life // it has 19 days of which no figures are kept
	early.Begins = noon.AddDate(0, 0, -47)
	for _, tc := range []struct {
		name   string
		budget overspend.Budget
		spent  []string
		limits overspend.Limits
		want   string
	}{
		{name: "as much as is allowed", budget: daily, spent: []string{"80.00", "80.00"}},
		{name: "a micro more, today", budget: daily, spent: []string{"80.000001", "80.00"},
			want: "daily Boots 2026-11-28 80.000001 of 80.00 so far"},
		{name: "more yesterday, which is over", budget: daily, spent: []string{"1.00", "90.50"},
			want: "daily Boots 2026-11-27 90.50 of 80.00"},
		{name: "more the day before that", budget: daily, spent: []string{"1", "1", "90.50"}},
		{name: "within the margin", budget: daily, spent: []string{"84.00", "1"},
			limits: overspend.Limits{OverDaily: 5}},
		{name: "above the margin", budget: daily, spent: []string{"84.01", "1"}, limits: overspend.Limits{OverDaily: 5},
			want: "daily Boots 2026-11-28 84.01 of 80.00 so far"},
		{name: "the budget was changed today", budget: changed(noon.Add(-time.Hour)), spent: []string{"90.50"}},
		{name: "the budget was changed yesterday", budget: changed(noon.AddDate(0, 0, -1)), spent: []string{"90.50"},
			want: "daily Boots 2026-11-28 90.50 of 80.00 so far"},
		{name: "it was larger today", budget: changed(noon.Add(-time.Hour)), spent: []string{"90.50", "1"},
			limits: overspend.Limits{Largest: was(90_500_000)}},
		{name: "it was larger today, and not enough", budget: changed(noon.Add(-time.Hour)),
			spent: []string{"90.50", "1"}, limits: overspend.Limits{Largest: was(90 * units)},
			want: "daily Boots 2026-11-28 90.50 of 90.00 so far"},
		{name: "nobody knows how large it was", budget: changed(noon.Add(-time.Hour)), spent: []string{"90.50", "1"},
			limits: overspend.Limits{Largest: func(string, time.Time, time.Time) (int64, bool) { return 0, false }}},
		{name: "nobody knows when it was changed", budget: changed(time.Time{}), spent: []string{"90.50"}},
		{name: "no budget", budget: overspend.Budget{Name: "Boots", Changed: past}, spent: []string{"90.50"}},
		{name: "a figure is not known", budget: daily, spent: []string{"90.50", ""}},
		{name: "the most there is", budget: overspend.Budget{Name: "Boots", Daily: 1<<63 - 1, Changed: past},
			spent: []string{"90.50"}, limits: overspend.Limits{OverDaily: 1000}},
		{name: "as much as the cap", spent: []string{"90.50"}, limits: overspend.Limits{Cap: 90_500_000}},
		{name: "above the cap", spent: []string{"90.50"}, limits: overspend.Limits{Cap: 90 * units},
			want: "cap  2026-11-28 90.50 of 90.00 so far, cap  2026-11-27 90.50 of 90.00"},
		{name: "the sum is not known", spent: []string{"", "1"}, limits: overspend.Limits{Cap: 1}, // yesterday is
			want: "cap  2026-11-27 1.00 of 0.000001"},
		{name: "even", budget: life, spent: []string{"0", "25.00"}},
		{name: "faster than even, within the margin", budget: life, spent: []string{"0", "30.75"},
			limits: overspend.Limits{OverEven: 20}},
		{name: "faster", budget: life, spent: []string{"0.01", "30.75"}, limits: overspend.Limits{OverEven: 20},
			want: "pace Boots 2026-11-28 615.01 of 512.50 so far"},
		{name: "more than there is", budget: life, spent: []string{"0.01", "50.00"},
			want: "lifetime Boots 2026-11-28 1000.01 of 1000.00 so far"},
		{name: "fast, and without a last day", budget: endless, spent: []string{"40.00"}},
		{name: "fast, and changed today", budget: moved, spent: []string{"40.00"}},
		{name: "fast, and days were not read", budget: early, spent: []string{"40.00"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			kept := figurestest.Kept(t, noon, []string{"Boots"}, spent(tc.spent...))
			budgets := map[string]overspend.Budget{"campaign_0": tc.budget}
			found, err := overspend.Find(kept, budgets, tc.limits, noon.Add(time.Hour))
			noError(t, err)
			stands, err := overspend.Note(kv.Folder{Dir: t.TempDir()}, found, noon, func([]overspend.Passing) {})
			noError(t, err)
			if got := inWords(stands); got != tc.want {
				t.Errorf("found %q; want %q", got, tc.want)
			}
			other, err := overspend.Find(kept, budgets, tc.limits, noon.In(zone("Asia/Tokyo")))
			if err != nil || len(other) > 0 {
				t.Errorf("in another time zone: %v, %v; want nothing", other, err)
			}
			later, err := overspend.Find(kept, budgets, tc.limits, noon.AddDate(0, 0, 2))
			if err != nil || len(later) > 0 {
				t.Errorf("two days later, of which nothing was read: %v, %v; want nothing", later, err)
			}
		})
	}
}

func inWords(all []overspend.Passing) string {
	var texts []string
	for _, p := range all {
		text := fmt.Sprintf("%s %s %s %s of %s", p.Rule, p.Name, p.Day, resource.FormatMoney(p.Spent),
			resource.FormatMoney(p.Allowed))
		if p.SoFar {
			text += " so far"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// TestSpendThatPassesIsToldOnceADay: of two days that are looked at every three hours, and since when.
func TestSpendThatPassesIsToldOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kv.Folder{Dir: t.TempDir()}
		var w overspend.Watch
		in := zone("America/New_York")
		time.Sleep(time.Until(time.Date(2026, 11, 27, 0, 30, 0, 0, in)))
		budgets := map[string]overspend.Budget{"campaign_0": {Name: "Boots", Daily: 80 * units, Changed: past}}
		var told []string
		for range 16 {
			now := time.Now().In(in)
			kept := figurestest.Kept(t, now, []string{"Boots"}, func(_, back int) map[string]string {
				hours := now.Hour() // 5 an hour: the 17th passes, and is seen in the 18th
				if back > 0 {
					hours = 24
				}
				if now.AddDate(0, 0, -back).Day() < 27 {
					hours = 0
				}
				return map[string]string{"spend": fmt.Sprint(5 * hours)}
			})
			w.Passed(true, now)
			at := w.Take()
			if !at.Equal(now) || at.Location().String() != in.String() || !w.Take().IsZero() {
				t.Fatalf("Take() = %v; want %v, once", at, now)
			}
			found, err := overspend.Find(kept, budgets, overspend.Limits{}, at)
			noError(t, err)
			_, err = overspend.Note(s, found, at, func(fresh []overspend.Passing) {
				for i := range fresh {
					told = append(told, fresh[i].Text(in))
				}
			})
			noError(t, err)
			time.Sleep(3 * time.Hour)
		}
		if d := cmp.Diff([]string{
			"Boots spent 90.00 USD on 2026-11-27 so far; its daily budget allows 80.00 USD; " +
				"seen since 2026-11-27 18:30 EST",
			"Boots spent 90.00 USD on 2026-11-28 so far; its daily budget allows 80.00 USD; " +
				"seen since 2026-11-28 18:30 EST",
		}, told); d != "" {
			t.Errorf("told (-want +got):\n%s", d)
		}
	})
}

// TestFiguresWaitUntilTheyAreLookedAt: the first pass of a process in any case, a later one where it read some.
func TestFiguresWaitUntilTheyAreLookedAt(t *testing.T) {
	var w overspend.Watch
	if !w.Take().IsZero() {
		t.Error("something waits before a pass")
	}
	w.Passed(false, noon)
	if w.Take().IsZero() {
		t.Error("nothing waits after the first pass")
	}
	w.Passed(false, noon)
	if !w.Take().IsZero() {
		t.Error("something waits after a pass that read nothing")
	}
	w.Back()
	if w.Take().IsZero() {
		t.Error("nothing waits after it was put back")
	}
}

// TestADamagedRecordIsBegunAnew: what passed is told again rather than never.
func TestADamagedRecordIsBegunAnew(t *testing.T) {
	s := kv.Folder{Dir: t.TempDir()}
	found := []overspend.Passing{{Rule: "cap", Day: "2026-11-28", Currency: "USD", Spent: 2, Allowed: 1, Since: noon}}
	for _, want := range []int{1, 0, 1} {
		told := 0
		_, err := overspend.Note(s, found, noon, func(fresh []overspend.Passing) { told = len(fresh) })
		noError(t, err)
		if told != want {
			t.Errorf("told of %d; want %d", told, want)
		}
		if want == 0 {
			noError(t, s.Put("figures/overspend.json", []byte("{")))
		}
	}
}

// TestALongNamePushesNoFigureOut of a message, which is cut.
func TestALongNamePushesNoFigureOut(t *testing.T) {
	p := overspend.Passing{Rule: "daily", Name: strings.Repeat("ä", 1000), Spent: 2 * units, Allowed: units}
	if n := len([]rune(p.Text(time.UTC))); n > 250 || len([]rune(p.Title())) > 150 {
		t.Errorf("it is %d long: %q", n, p.Text(time.UTC))
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestAmountsAreSaidToTheCent, and whole where they would say that nothing passed.
func TestAmountsAreSaidToTheCent(t *testing.T) {
	for spent, want := range map[int64]string{
		1_083_104_999: "Boots spent 1,083.10 USD in all; its lifetime budget allows 1,000.00 USD",
		1_000_000_001: "Boots spent 1000.000001 USD in all; its lifetime budget allows 1,000.00 USD",
	} {
		p := overspend.Passing{Rule: "lifetime", Name: "Boots", Currency: "USD", Spent: spent, Allowed: 1000 * units}
		if got := p.Text(time.UTC); !strings.HasPrefix(got, want+"; seen since ") {
			t.Errorf("it says %q; want %q", got, want)
		}
	}
}
