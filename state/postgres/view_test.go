package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"
)

func namesIn(all []Told) (names []string) {
	for _, t := range all {
		names = append(names, t.Name)
	}
	return names
}

// What is told of an account is told by who looks after it, and found by every process, searched, by page.
func TestViewsAreToldByWhoLooksAfterTheAccount(t *testing.T) {
	ctx, address := t.Context(), pgtest.Database(t)
	a, b := open(t, address, 0), open(t, address, 0)
	ids := []string{"act_1", "act_2", "act_3"}
	noError(t, a.Attendance().Configure(ctx, ids))
	noError(t, a.Views().Name(ctx, []View{{Account: "act_1", Name: "shoes", Words: "shoes act_1"},
		{Account: "act_2", Name: "boots", Words: "boots act_2"},
		{Account: "act_3", Name: "bags", Words: "bags act_3"}}))
	_, err := a.Attendance().Pull(ctx, ids)
	noError(t, err)

	view := View{Account: "act_1", Name: "shoes", Words: "shoes act_1", State: "held", Waits: 2, Exposure: 5,
		Glance: []byte("{}"), Plan: []byte("plan")}
	tell := func(d *Database, v View, want ...string) {
		t.Helper()
		if told, err := d.Views().Tell(ctx, []View{v}); err != nil || !slices.Equal(told, want) {
			t.Errorf("Tell() = %q, %v; want %q", told, err, want)
		}
	}
	tell(b, view)
	if got, err := a.Views().Of(ctx, "act_1"); err != nil || got.Glance != nil || !got.Updated.IsZero() {
		t.Errorf("told by another process: %+v, %v; want nothing told", got, err)
	}
	tell(a, view, "act_1")
	view.Plan, view.Waits = nil, 3
	tell(a, view, "act_1")
	got, err := b.Views().Of(ctx, "act_1")
	if err != nil || got.State != "held" || got.Waits != 3 || got.Host != "here" || got.By != "here" || !got.Lives ||
		time.Since(got.Updated) > time.Minute || time.Since(got.Seen) > time.Minute {
		t.Errorf("Of() = %+v, %v; want what was told last, and who looks after it", got, err)
	}
	if plan, err := b.Views().Plan(ctx, "act_1"); string(plan) != "plan" || err != nil {
		t.Errorf("Plan() = %q, %v; want the one that was told first", plan, err)
	}

	for _, row := range []struct {
		name string
		q    Query
		want string
	}{
		{"all", Query{Accounts: ids, Most: 9}, "bags boots shoes"},
		{"first page", Query{Accounts: ids, Most: 2}, "bags boots"},
		{"next page", Query{Accounts: ids, Most: 2, After: "boots"}, "shoes"},
		{"of a state", Query{Accounts: ids, Most: 9, States: []string{"held"}}, "shoes"},
		{"searched", Query{Accounts: ids, Most: 9, Words: "boo"}, "boots"},
		{"searched by id", Query{Accounts: ids, Most: 9, Words: "act_3"}, "bags"},
		{"no pattern", Query{Accounts: ids, Most: 9, Words: "%"}, ""},
		{"not configured", Query{Accounts: ids[:1], Most: 9}, "shoes"},
	} {
		all, err := b.Views().List(ctx, row.q)
		if names := strings.Join(namesIn(all), " "); err != nil || names != row.want {
			t.Errorf("%s: %s, %v; want %s", row.name, names, err, row.want)
		}
	}
	for since, want := range map[time.Time]int{got.Updated.Add(-time.Second): 1, got.Updated: 0} {
		if all, err := b.Views().Since(ctx, since); err != nil || len(all) != want {
			t.Errorf("Since() = %+v, %v; want %d", all, err, want)
		}
	}
	totals, err := b.Views().Totals(ctx, Query{Accounts: ids})
	slices.SortFunc(totals, func(a, b Total) int { return strings.Compare(a.State, b.State) })
	want := []Total{{Accounts: 2}, {State: "held", Accounts: 1, Held: 3}}
	if err != nil || !slices.Equal(totals, want) {
		t.Errorf("Totals() = %+v, %v; want one held, and two of which nothing was told: %+v", totals, err, want)
	}
}

// What accounts spent is added up by state and currency, as far as it is known and of yesterday, and sorts them.
func TestViewsAreAddedUpAndSortedByWhatWasSpent(t *testing.T) {
	ctx, d := t.Context(), open(t, pgtest.Database(t), 0)
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	tomorrow, before := now.Add(12*time.Hour), now.Add(-time.Hour)
	n := func(micros int64) *int64 { return &micros }
	const all = math.MaxInt64
	views := []View{
		{Account: "a", State: "held", Currency: "USD", Waits: 2, Rejected: 1, Possible: n(50),
			Day: n(5), Week: n(70), WeekBefore: n(35), FreshUntil: &tomorrow,
			Paced: n(60), Due: n(80), PacedUntil: &tomorrow},
		{Account: "b", State: "held", Currency: "USD", Possible: n(7), Day: n(1), Week: n(90), FreshUntil: &tomorrow},
		{Account: "c", State: "held", Currency: "USD", Day: n(100), Week: n(700), FreshUntil: &before,
			Paced: n(1), Due: n(2), PacedUntil: &before}, // days ago
		{Account: "d", State: "in_sync", Currency: "USD", Rejected: 3, WeekBefore: n(9), FreshUntil: &tomorrow},
		{Account: "e", State: "held", Currency: "EUR", Day: n(4), Week: n(40), WeekBefore: n(0), FreshUntil: &tomorrow},
		{Account: "f", State: "misplaced", Currency: "XXX", Week: n(all), WeekBefore: n(all), FreshUntil: &tomorrow},
		{Account: "g", State: "misplaced", Currency: "XXX", Week: n(all), WeekBefore: n(all), FreshUntil: &tomorrow},
	}
	var ids []string
	for i := range views {
		v := &views[i]
		v.Name, v.Glance = "shop "+v.Account, []byte("{}")
		ids = append(ids, v.Account)
	}
	noError(t, d.Attendance().Configure(ctx, ids))
	_, err := d.Attendance().Pull(ctx, ids)
	noError(t, err)
	if told, err := d.Views().Tell(ctx, views); err != nil || len(told) != len(views) {
		t.Fatalf("Tell() = %q, %v", told, err)
	}
	totals, err := d.Views().Totals(ctx, Query{Accounts: ids, Now: now})
	noError(t, err)
	slices.SortFunc(totals, func(a, b Total) int { return strings.Compare(a.State+a.Currency, b.State+b.Currency) })
	for i, want := range []Total{
		{State: "held", Currency: "EUR", Accounts: 1, Day: Sum{1, 4}, Week: Sum{1, 40}, Compared: Sum{1, 40}},
		{State: "held", Currency: "USD", Accounts: 3, Held: 2, Rejected: 1, Possible: Sum{2, 57}, Day: Sum{2, 6},
			Week: Sum{2, 160}, Compared: Sum{1, 70}, WeekBefore: 35, Paced: Sum{1, 60}, Due: 80},
		{State: "in_sync", Currency: "USD", Accounts: 1, Rejected: 3},
		{State: "misplaced", Currency: "XXX", Accounts: 2, Week: Sum{2, all}, Compared: Sum{2, all}, WeekBefore: all},
	} {
		if i >= len(totals) || totals[i] != want {
			t.Errorf("Totals() = %+v; want %+v at %d", totals, want, i)
		}
	}
	for after, want := range map[string]string{
		"": "e b a f", "shop e": "b a f g", "shop f": "g c d", "shop d": "", "no such shop": "e b a f",
	} {
		found, err := d.Views().List(ctx, Query{Accounts: ids, BySpend: true, Now: now, After: after, Most: 4})
		var got []string
		for _, t := range found {
			got = append(got, t.Account)
		}
		if names := strings.Join(got, " "); err != nil || names != want {
			t.Errorf("by spend after %q: %s, %v; want %s", after, names, err, want)
		}
	}
}

// A session that began at one process is good at every other, until it is ended at any.
func TestSessionsOfEveryProcess(t *testing.T) {
	ctx, address := t.Context(), pgtest.Database(t)
	a, b := open(t, address, 0), open(t, address, 0)
	ann, bob := sha256.Sum256([]byte("ann")), sha256.Sum256([]byte("bob"))
	noError(t, SessionsOf(a).Begin(ctx, ann, "Ann", time.Hour))
	noError(t, SessionsOf(b).Begin(ctx, bob, "Bob", -time.Second))
	for hash, want := range map[[sha256.Size]byte]string{ann: "Ann", bob: "", {}: ""} {
		if who, err := SessionsOf(b).Of(ctx, hash); who != want || err != nil {
			t.Errorf("Of() = %q, %v; want %q", who, err, want)
		}
	}
	if all, err := SessionsOf(b).All(ctx); err != nil || len(all) != 1 || all[ann] != "Ann" {
		t.Errorf("all of them: %v, %v", all, err)
	}
	noError(t, SessionsOf(b).End(ctx, ann))
	if who, err := SessionsOf(a).Of(ctx, ann); who != "" || err != nil {
		t.Errorf("Of() = %q, %v after its end", who, err)
	}
}

// Who listens hears views, orders of whoever gives them and their end, and what is rung; an order that was rolled
// back is not heard.
func TestProcessesRingForEachOther(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address := pgtest.Database(t)
	a, b := open(t, address, 0), open(t, address, 0)
	noError(t, a.Attendance().Configure(ctx, []string{"act_1"}))
	_, err := a.Attendance().Pull(ctx, []string{"act_1"})
	noError(t, err)
	ready, heard, ended := make(chan struct{}), make(chan string, 20), make(chan error)
	go func() { ended <- b.Views().Listen(ctx, func() { close(ready) }, func(said string) { heard <- said }) }()
	<-ready
	_, err = a.Views().Tell(ctx, []View{{Account: "act_1", Name: "shoes", Glance: []byte("{}")}})
	noError(t, err)
	noError(t, a.Beside("act_1").Put("suspend.json", nil))
	noError(t, a.Beside("act_1").Delete("suspend.json"))
	noError(t, a.Beside("act_1").Put("exposure.ndjson", nil))
	noError(t, a.Beside("").Append("ask-1.json", []byte("x")))
	noError(t, a.Views().Ring(ctx, "event"))
	var all []string
	for len(all) < 5 {
		all = append(all, <-heard)
	}
	want := []string{"view act_1", "order act_1", "order act_1", "order ", "event"}
	if !slices.Equal(all, want) {
		t.Errorf("heard %q; want %q", all, want)
	}
	if err := a.Views().Ring(ctx, strings.Repeat("x", 8000)); err == nil {
		t.Error("Ring() of 8,000 bytes = nil; want an error")
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Listen() = %v; want the end of the context", err)
	}
}
