package figures_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What an account spent of late is what the service says of those days, and not known where one of them was not read.
func TestWhatWasSpentOfLate(t *testing.T) {
	s := open(t, 9.5)
	if spent, err := s.kept.Lately(); spent != nil || err != nil {
		t.Errorf("before any day was read: %+v, %v; want nothing", spent, err)
	}
	s.pass()
	micros := func(from, to string) string {
		exact, _ := new(big.Rat).SetString(s.total("spend", from, to))
		return new(big.Rat).Mul(exact, big.NewRat(1_000_000, 1)).FloatString(0)
	}
	said := func() []string {
		t.Helper()
		spent, err := s.kept.Lately()
		if err != nil || spent == nil {
			t.Fatalf("Lately() = %+v, %v", spent, err)
		}
		all := []string{spent.Currency, spent.Day, spent.Until.In(s.zone).Format(time.DateTime)}
		for _, one := range []*int64{spent.OfDay, spent.Week, spent.WeekBefore} {
			if one == nil {
				all = append(all, "not known")
				continue
			}
			all = append(all, fmt.Sprint(*one))
		}
		return all
	}
	day, week, before := micros("2026-11-10", "2026-11-10"), micros("2026-11-04", "2026-11-10"),
		micros("2026-10-28", "2026-11-03")
	if day == "0" || week == before {
		t.Fatalf("the service says %s, %s and %s; want figures that tell days apart", day, week, before)
	}
	for _, row := range []struct {
		name   string
		change func()
		want   []string
	}{
		{"all was read, and today is not over", func() {},
			[]string{"USD", "2026-11-10", "2026-11-12 00:00:00", day, week, before}},
		{"time passes, and nothing is read", func() { s.passes(1) },
			[]string{"USD", "2026-11-10", "2026-11-12 00:00:00", day, week, before}},
		{"a day of the week is gone", func() { deleted(t, s, "2026-11-06") },
			[]string{"USD", "2026-11-10", "2026-11-12 00:00:00", day, "not known", before}},
		{"a day of the week before is gone", func() { deleted(t, s, "2026-11-01") },
			[]string{"USD", "2026-11-10", "2026-11-12 00:00:00", day, "not known", "not known"}},
		{"the last day is gone", func() { deleted(t, s, "2026-11-10") },
			[]string{"USD", "2026-11-10", "2026-11-12 00:00:00", "not known", "not known", "not known"}},
	} {
		row.change()
		if diff := cmp.Diff(row.want, said()); diff != "" {
			t.Errorf("%s: %s", row.name, diff)
		}
	}
	spent, _ := s.kept.Lately()
	for after, want := range map[time.Duration]bool{-time.Second: true, 0: false} {
		if fresh := spent.Fresh(spent.Until.Add(after)); fresh != want {
			t.Errorf("%s after the next day ended it is yesterday's: %t; want %t", after, fresh, want)
		}
	}
}

func deleted(t *testing.T, s *shop, day string) {
	t.Helper()
	if err := s.kept.Store.Delete("figures/days/" + day); err != nil {
		t.Fatal(err)
	}
}
