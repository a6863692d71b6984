package daemon

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/figures"
	"adsync/internal/figures/overspend"
)

// What an account spent counts in the currency of its money, while it is yesterday's.
func TestWhatCountsAsSpent(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	day, week, before := int64(1), int64(70), int64(35)
	whole := figures.Lately{Currency: "USD", OfDay: &day, Week: &week, WeekBefore: &before, Until: now.Add(time.Hour)}
	for _, row := range []struct {
		name   string
		change func(*Status, *figures.Lately)
		want   Total
	}{
		{"all is known", func(*Status, *figures.Lately) {}, Total{Currency: "USD", Accounts: 1, Day: Sum{1, 1},
			Week: Sum{1, 70}, Compared: Sum{1, 70}, WeekBefore: 35}},
		{"the week before is not", func(_ *Status, s *figures.Lately) { s.WeekBefore = nil },
			Total{Currency: "USD", Accounts: 1, Day: Sum{1, 1}, Week: Sum{1, 70}}},
		{"the week is not", func(_ *Status, s *figures.Lately) { s.Week = nil },
			Total{Currency: "USD", Accounts: 1, Day: Sum{1, 1}}},
		{"of the day before yesterday", func(_ *Status, s *figures.Lately) { s.Until = now },
			Total{Currency: "USD", Accounts: 1}},
		{"its money is another by now", func(a *Status, _ *figures.Lately) { a.Account.Currency = "EUR" },
			Total{Currency: "EUR", Accounts: 1}},
		{"no plan says its money", func(a *Status, _ *figures.Lately) { a.Account.Currency = "" },
			Total{Currency: "USD", Accounts: 1, Day: Sum{1, 1}, Week: Sum{1, 70},
				Compared: Sum{1, 70}, WeekBefore: 35}},
		{"its budgets are paced", func(a *Status, s *figures.Lately) {
			*s, a.Paced = figures.Lately{Currency: "USD"}, &overspend.Paced{Currency: "USD", Spent: 7, Due: 9,
				Until: now.Add(time.Hour)}
		}, Total{Currency: "USD", Accounts: 1, Paced: Sum{1, 7}, Due: 9}},
		{"they were, to the day before yesterday", func(a *Status, s *figures.Lately) {
			*s, a.Paced = figures.Lately{Currency: "USD"}, &overspend.Paced{Currency: "USD", Spent: 7, Due: 9,
				Until: now}
		}, Total{Currency: "USD", Accounts: 1}},
		{"they were, in other money", func(a *Status, s *figures.Lately) {
			*s, a.Paced = figures.Lately{Currency: "USD"}, &overspend.Paced{Currency: "EUR", Spent: 7, Due: 9,
				Until: now.Add(time.Hour)}
		}, Total{Currency: "USD", Accounts: 1}},
		{"nothing was read", func(a *Status, _ *figures.Lately) { a.Spent = nil }, Total{Currency: "USD", Accounts: 1}},
	} {
		spent := whole
		a := Status{Spent: &spent}
		a.Account.Currency = "USD"
		row.change(&a, &spent)
		if got := a.total(now); got != row.want {
			t.Errorf("%s: %+v; want %+v", row.name, got, row.want)
		}
	}
}

// Parts of a list by spend follow each other, whatever accounts spent.
func TestPartsBySpendFollowEachOther(t *testing.T) {
	var all []Status
	for name, micros := range map[string]int64{"a": 5, "b": 9, "c": 5, "d": -1, "e": 7, "f": -1} {
		s := Status{Name: name, State: InSync,
			Spent: &figures.Lately{Currency: "USD", Week: &micros, Until: time.Unix(9, 0)}}
		if micros < 0 {
			s.Spent = nil
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	said := ""
	for q := (Query{Most: 2, BySpend: true}); ; {
		l := q.Choose(all)
		for _, s := range l.Accounts {
			said += s.Name
		}
		if q.After = l.Next; q.After == "" {
			break
		}
		said += " "
	}
	if said != "be ac df" {
		t.Errorf("parts by spend: %s; want be ac df", said)
	}
}

// Who reads the figures of an account shows what it spent in its status, to whoever follows it.
func TestWhatWasReadIsShownInTheStatus(t *testing.T) {
	account := accountOf("a", &robot{})
	account.Figures = func(ctx context.Context, show func(*figures.Lately)) {
		time.Sleep(10 * time.Second)
		show(&figures.Lately{Day: "2026-11-28"})
		<-ctx.Done()
	}
	running(t, Options{}, []Account{account}, func(h *Hub) {
		ctx, cancel := context.WithCancel(context.Background())
		events := h.Events(ctx)
		pass(11 * time.Second)
		cancel()
		if e := <-events; e.Status == nil || e.Status.Spent == nil {
			t.Errorf("the event is %+v; want the status with what was spent", e)
		}
		if s, _ := h.Account("a"); s.Spent == nil || s.Spent.Day != "2026-11-28" || s.State != InSync {
			t.Errorf("the status is %+v; want what was spent in it", s)
		}
	})
}
