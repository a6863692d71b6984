package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/figures"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/state"
)

// views are those of a database, as the test says.
type views struct {
	failure error
	ours    []string // accounts of which this process may tell
	told    []state.View
	found   []state.Told
	rung    []string
}

func (v *views) Name(context.Context, []state.View) error { return v.failure }

func (v *views) Tell(_ context.Context, all []state.View) (told []string, err error) {
	for _, one := range all {
		if slices.Contains(v.ours, one.Account) && v.failure == nil {
			v.told, told = append(v.told, one), append(told, one.Account)
		}
	}
	return told, v.failure
}

func (v *views) List(context.Context, state.Query) ([]state.Told, error) { return v.found, v.failure }

func (v *views) Totals(context.Context, state.Query) ([]state.Total, error) {
	return []state.Total{{State: "held", Accounts: len(v.found)}}, v.failure
}

func (v *views) Of(_ context.Context, account string) (t state.Told, err error) {
	for _, one := range v.found {
		if one.Account == account {
			t = one
		}
	}
	return t, v.failure
}

func (v *views) Plan(context.Context, string) ([]byte, error) { return nil, v.failure }

func (v *views) Since(context.Context, time.Time) ([]state.Told, error) { return v.found, v.failure }

func (v *views) Ring(_ context.Context, said string) error {
	v.rung = append(v.rung, said)
	return v.failure
}

func (v *views) Listen(context.Context, func(), func(string)) error { return errors.New("deaf") }

func newDesk(t *testing.T) (*Desk, *views) {
	t.Helper()
	v := &views{ours: []string{"act_1"}}
	content, err := write(daemon.Status{Name: "shoes", State: daemon.Held, Review: "1 ad rejected", Reached: true})
	if err != nil {
		t.Fatal(err)
	}
	v.found = []state.Told{{View: state.View{Account: "act_1", Name: "shoes", Glance: content},
		Host: "a", By: "a", Updated: time.Now(), Lives: true}}
	d := &Desk{Hub: daemon.New(daemon.Options{}), Views: v, Log: slog.New(slog.DiscardHandler)}
	d.Configure([]Known{{ID: "act_1", Name: "shoes", Source: "/srv/shoes"}, {ID: "act_2", Name: "boots"}})
	return d, v
}

// A push that comes to any daemon, and what a person wants, are left for the daemon of the account.
func TestAWishReachesTheDaemonOfTheAccount(t *testing.T) {
	d, _ := newDesk(t)
	var left []string
	d.Elsewhere = func(name string) (daemon.Account, error) {
		return daemon.Account{Ring: func(why daemon.Trigger, a orders.Ask) error {
			left = append(left, fmt.Sprintf("%s %s %q %q", name, why, a.By, a.Note))
			return nil
		}}, nil
	}
	for _, err := range []error{d.Wake(t.Context(), "shoes", daemon.Push, orders.Ask{}),
		d.Wake(t.Context(), "boots", daemon.Asked, orders.Ask{By: "ann", Note: "the sale"})} {
		if err != nil {
			t.Error(err)
		}
	}
	if want := []string{`shoes push "" ""`, `boots asked "ann" "the sale"`}; !slices.Equal(left, want) {
		t.Errorf("left: %q; want %q", left, want)
	}
	if err := d.Wake(t.Context(), "hats", daemon.Push, orders.Ask{}); !errors.Is(err, daemon.ErrNoAccount) {
		t.Errorf("Wake of what is not configured = %v", err)
	}
	if _, err := d.Look(t.Context(), "shoes", daemon.Dropped{Name: "a.csv"}); !errors.Is(err, daemon.ErrElsewhere) {
		t.Errorf("Look = %v; want that another daemon can", err)
	}
}

// What was told is shown as it was, and where the database does not answer that is said.
func TestWhatWasToldIsShown(t *testing.T) {
	d, v := newDesk(t)
	l := d.List(t.Context(), daemon.Query{Most: 1})
	if len(l.Accounts) != 1 || l.Missing != "" || l.Counts[daemon.Held] != 1 {
		t.Fatalf("List() = %+v", l)
	}
	s := l.Accounts[0]
	if s.State != daemon.Held || s.Review != "1 ad rejected" || !s.Reached || s.Told == nil || s.Told.By != "a" {
		t.Errorf("the account is %+v; want it as it was told", s)
	}
	v.failure = errors.New("away")
	if l := d.List(t.Context(), daemon.Query{Most: 1}); l.Missing == "" || len(l.Accounts) != 0 {
		t.Errorf("List() = %+v; want why accounts are missing", l)
	}
	if _, err := d.Account(t.Context(), "shoes"); !errors.Is(err, daemon.ErrAway) {
		t.Errorf("Account() = %v; want ErrAway", err)
	}
}

// A status is told once, with a plan that was not told; a look that finds nothing is not; what could not be told, or
// not yet, is told later.
func TestAStatusIsToldWhereItIsAnother(t *testing.T) {
	d, v := newDesk(t)
	p := &Publisher{Desk: d, Log: d.Log, Says: func(*planview.Document, string) string { return "" }}
	plan := &planview.Document{PlanHash: "h"}
	at := time.Now()
	tells := func(what string, s daemon.Status, want int, ok bool) {
		t.Helper()
		v.told = nil
		p.Show(s, plan)
		if got := p.tell(t.Context()); got != ok || len(v.told) != want {
			t.Errorf("%s: %d told, %t; want %d, %t", what, len(v.told), got, want, ok)
		}
	}
	s := daemon.Status{Name: "shoes", State: daemon.InSync, Last: at, Good: at, Figures: &daemon.Figures{Taken: at}}
	tells("the first", s, 1, true)
	if v.told[0].Plan == nil {
		t.Error("the first was told without its plan")
	}
	s.Last, s.Good, s.Next, s.Rate.Left = at.Add(time.Minute), at.Add(time.Minute), at, 7
	s.Figures = &daemon.Figures{Taken: at.Add(time.Minute)}
	tells("a look that found nothing", s, 0, true)
	s.Running = true
	tells("a look", s, 0, true)
	week, until := int64(7_000_000), at.Add(time.Hour)
	s.Running, s.Account.Currency, s.Rejected = false, "USD", 2
	s.Spent = &figures.Lately{Currency: "USD", Week: &week, Until: until}
	tells("figures that were read", s, 1, true)
	if got := v.told[0]; got.Currency != "USD" || got.Rejected != 2 || got.Day != nil || *got.Week != week ||
		!got.FreshUntil.Equal(until) {
		t.Errorf("told: %+v; want what was spent, and no day that was not read", got)
	}
	s.Account.Currency = "EUR"
	tells("figures of another currency than the account's by now", s, 1, true)
	if got := v.told[0]; got.Currency != "EUR" || got.Week != nil || got.FreshUntil != nil {
		t.Errorf("told: %+v; want nothing spent", got)
	}
	s.State = daemon.Held
	tells("another", s, 1, true)
	if v.told[0].Plan != nil {
		t.Error("the same plan was told twice")
	}
	v.failure, s.State = errors.New("away"), daemon.Input
	tells("while the database is away", s, 0, false)
	v.failure = nil
	tells("once it answers, at the next look", s, 1, true)
	v.ours, s.State = nil, daemon.InSync
	tells("an account that is not this daemon's yet", s, 0, true)
	v.ours = []string{"act_1"}
	tells("once it is", s, 1, true)
	p.Forget("shoes")
	tells("after others may have told", s, 1, true)
}

// Events of a run are rung together, as many as one bell takes; one that is too long says that it happened.
func TestEventsOfARunAreRungTogether(t *testing.T) {
	d, v := newDesk(t)
	p := &Publisher{Desk: d, Log: d.Log, Mark: "MARK"}
	for i := range 300 {
		p.Happened(daemon.Event{Account: "shoes", Kind: "outcome", Data: map[string]any{"n": i}})
	}
	p.Happened(daemon.Event{Account: "shoes", Kind: "run", Data: map[string]any{"long": strings.Repeat("x", 9000)}})
	p.Happened(daemon.Event{Account: "shoes", Kind: "status"}) // which Show tells
	p.tell(t.Context())
	heard := 0
	l := &Listener{Desk: d, Mark: "ANOTHER"}
	events := d.Hub.Events(t.Context())
	for _, said := range v.rung {
		if len(said) > 7999 {
			t.Errorf("%d bytes are rung at once", len(said))
		}
		(&Listener{Desk: d, Mark: "MARK"}).heard(t.Context(), said) // its own, which it hears as well
		l.heard(t.Context(), said)
	}
	for ; len(events) > 0; heard++ {
		if e := <-events; len(events) == 0 && (e.Kind != "run" || e.Data != nil) {
			t.Errorf("the last event is %+v; want the run without its data", e)
		}
	}
	if heard != mostEvents || len(v.rung) > 10 {
		t.Errorf("%d events are heard of %d bells; want the last %d", heard, len(v.rung), mostEvents)
	}
}

// Where nothing is heard, who follows the events is told all the same, once.
func TestWhoFollowsIsToldWhereNothingIsHeard(t *testing.T) {
	d, _ := newDesk(t)
	ctx, cancel := context.WithCancel(t.Context())
	events := d.Hub.Events(t.Context())
	asked := 0
	l := &Listener{Replica: &Replica{}, Desk: d, Log: d.Log, Sleep: func(ctx context.Context, _ time.Duration) error {
		if asked++; asked > 5 {
			cancel()
		}
		return ctx.Err()
	}}
	l.Run(ctx)
	if len(events) != 1 {
		t.Fatalf("%d events; want the status once", len(events))
	}
	if e := <-events; e.Kind != "status" || e.Status == nil || e.Status.State != daemon.Held {
		t.Errorf("the event is %+v; want the status that was told", e)
	}
}
