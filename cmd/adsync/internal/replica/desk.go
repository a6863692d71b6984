package replica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/internal/runview"
	"adsync/state"
)

// Views are what daemons tell each other of the accounts they work on.
type Views interface {
	Name(ctx context.Context, views []state.View) error
	Tell(ctx context.Context, views []state.View) (told []string, err error)
	List(ctx context.Context, q state.Query) ([]state.Told, error)
	Totals(ctx context.Context, q state.Query) ([]state.Total, error)
	Of(ctx context.Context, account string) (state.Told, error)
	Plan(ctx context.Context, account string) ([]byte, error)
	Since(ctx context.Context, at time.Time) ([]state.Told, error)
	Ring(ctx context.Context, said string) error
	Listen(ctx context.Context, listening func(), heard func(said string)) error
}

// Known is an account of the configuration.
type Known struct {
	ID     string // by which the database knows it
	Name   string // for people
	Source string
}

func (k Known) words() string {
	s := daemon.Status{Name: k.Name, Account: planview.Account{ID: k.ID}, Source: k.Source}
	return s.Words()
}

// Desk is every account of the configuration, whichever daemon works on it: those of this one as its hub has them,
// others as their daemons tell in the database, where orders reach them.
type Desk struct {
	Hub   *daemon.Hub
	Views Views
	Log   *slog.Logger
	// Elsewhere returns what is kept beside an account, for orders to whoever works on it.
	Elsewhere func(name string) (daemon.Account, error)

	mu    sync.Mutex
	known map[string]Known // by name
	names map[string]string
	ids   []string
}

var _ daemon.Desk = (*Desk)(nil)

// Configure says which accounts there are.
func (d *Desk) Configure(known []Known) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known, d.names, d.ids = map[string]Known{}, map[string]string{}, nil
	for _, k := range known {
		d.known[k.Name], d.names[k.ID] = k, k.Name
		d.ids = append(d.ids, k.ID)
	}
}

// Named has the database know the accounts by their names.
func (d *Desk) Named(ctx context.Context) error {
	var views []state.View
	for _, k := range configured(d) {
		views = append(views, state.View{Account: k.ID, Name: k.Name, Words: k.words()})
	}
	return d.Views.Name(ctx, views)
}

func configured(d *Desk) []Known {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Values(d.known))
}

// only returns the ids of the accounts of these names; of all where names is nil.
func (d *Desk) only(names []string) (ids []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if names == nil {
		return d.ids
	}
	ids = []string{} // none is not all
	for _, id := range d.ids {
		if slices.Contains(names, d.names[id]) {
			ids = append(ids, id)
		}
	}
	return ids
}

// nameOf is the name of an account by its id, "" of one that is not of the configuration.
func (d *Desk) nameOf(id string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[id]
}

func (d *Desk) of(name string) (Known, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, there := d.known[name]
	if !there {
		return k, daemon.ErrNoAccount
	}
	return k, nil
}

// Own returns the accounts of this daemon.
func (d *Desk) Own() []daemon.Status { return d.Hub.Accounts() }

// List returns a part of the accounts as the database has them, those of this daemon as they are now. Where the
// database does not answer only these are there.
func (d *Desk) List(ctx context.Context, q daemon.Query) daemon.List {
	l, err := d.listed(ctx, q)
	if err == nil {
		return l
	}
	d.Log.Warn("the accounts of other daemons cannot be listed", "error", err)
	l = q.Choose(d.Own())
	l.Missing = "those of other daemons cannot be read, as the database does not answer"
	return l
}

func (d *Desk) listed(ctx context.Context, q daemon.Query) (l daemon.List, err error) {
	if q.Most == 0 {
		q.Most = math.MaxInt32 - 1
	}
	chosen := state.Query{Accounts: d.only(q.Only), Words: strings.ToLower(q.Words), After: q.After, Most: q.Most + 1,
		BySpend: q.BySpend, Now: q.Now}
	for _, class := range q.States {
		chosen.States = append(chosen.States, string(class))
	}
	found, err := d.Views.List(ctx, chosen)
	if err != nil {
		return l, err
	}
	if len(found) > q.Most {
		found = found[:q.Most]
		l.Next = found[q.Most-1].Name
	}
	for _, told := range found {
		s, err := d.shown(told)
		if err != nil {
			return l, err
		}
		l.Accounts = append(l.Accounts, s)
	}
	chosen.States = nil
	totals, err := d.Views.Totals(ctx, chosen)
	l.Counts = map[daemon.Class]int{}
	for _, t := range totals {
		l.Count(q, daemon.Class(t.State), daemon.Total{
			Currency: t.Currency, Accounts: t.Accounts, Held: t.Held, Rejected: t.Rejected,
			Possible: daemon.Sum(t.Possible), Day: daemon.Sum(t.Day), Week: daemon.Sum(t.Week),
			Compared: daemon.Sum(t.Compared), WeekBefore: t.WeekBefore,
			Paced: daemon.Sum(t.Paced), Due: t.Due,
		})
	}
	return l, err
}

// shown is an account as this daemon has it, else as another told. What was told of it before stands until the first
// run of this one has ended.
func (d *Desk) shown(told state.Told) (daemon.Status, error) {
	name := d.nameOf(told.Account)
	own, ours := d.Hub.Account(name)
	if ours && (own.State != "" || told.Updated.IsZero()) {
		return own, nil
	}
	k, err := d.of(name)
	if err != nil {
		return own, err
	}
	s := daemon.Status{Name: name, Source: k.Source}
	if !told.Updated.IsZero() {
		if s, err = read(told.Glance); err != nil {
			return s, fmt.Errorf("read what was told of %s: %w", name, err)
		}
	}
	s.Name, s.Running = name, s.Running && told.Lives || own.Running
	s.Told = &daemon.Told{Host: told.Host, At: told.Updated, By: told.By, Seen: told.Seen, Lives: told.Lives}
	return s, nil
}

// Account returns an account as it is now, as far as this daemon knows. Whether it is suspended it asks where the
// orders are.
func (d *Desk) Account(ctx context.Context, name string) (daemon.Status, error) {
	if s, ours := d.Hub.Account(name); ours && s.State != "" {
		return s, nil
	}
	k, err := d.of(name)
	if err != nil {
		return daemon.Status{}, err
	}
	told, err := d.Views.Of(ctx, k.ID)
	if err != nil {
		return daemon.Status{}, away(err)
	}
	told.Account = k.ID
	s, err := d.shown(told)
	if err != nil || s.Told == nil {
		return s, err
	}
	a, err := d.Elsewhere(name)
	if err == nil {
		s.Suspended, s.Pauses = a.Orders.Suspension(time.Now()), daemon.PausesOf(a.Orders, s.Pauses)
	}
	return s, err
}

// away says that the database does not answer.
func away(err error) error { return fmt.Errorf("%w: %w", daemon.ErrAway, err) }

// Plan returns the last plan of an account.
func (d *Desk) Plan(ctx context.Context, name string) (*planview.Document, error) {
	if p := d.Hub.Plan(name); p != nil {
		return p, nil
	}
	k, err := d.of(name)
	if err != nil {
		return nil, err
	}
	content, err := d.Views.Plan(ctx, k.ID)
	if err != nil {
		return nil, away(err)
	}
	if content == nil {
		return nil, nil
	}
	p := &planview.Document{}
	if err := json.Unmarshal(content, p); err != nil {
		return nil, fmt.Errorf("read the plan that was told of %s: %w", name, err)
	}
	return p, nil
}

// kept asks the archive of an account, wherever it is worked on.
func kept[T any](d *Desk, name string, ask func(daemon.Archive) (T, error)) (answer T, err error) {
	a, err := d.elsewhere(name)
	if err == nil {
		answer, err = ask(a.Archive)
	}
	return answer, err
}

// Runs returns the heads of an account's runs, the newest first.
func (d *Desk) Runs(ctx context.Context, name string) ([]runview.Head, error) {
	return kept(d, name, func(a daemon.Archive) ([]runview.Head, error) { return a.Runs(ctx) })
}

// Report returns the report of a run.
func (d *Desk) Report(ctx context.Context, name, run string) (*runview.Document, error) {
	return kept(d, name, func(a daemon.Archive) (*runview.Document, error) { return a.Report(ctx, run) })
}

// Archive returns what is kept of an account.
func (d *Desk) Archive(_ context.Context, name string) (daemon.Archive, error) {
	a, err := d.elsewhere(name)
	return a.Archive, err
}

// Approvals returns what was allowed, the oldest first.
func (d *Desk) Approvals(_ context.Context, name string) ([]daemon.Approval, error) {
	a, err := d.elsewhere(name)
	if err != nil {
		return nil, err
	}
	return a.Orders.Approvals()
}

// Acceptances returns the commits that were accepted, the oldest first.
func (d *Desk) Acceptances(_ context.Context, name string) ([]daemon.Acceptance, error) {
	a, err := d.elsewhere(name)
	if err != nil || a.Acceptances == nil {
		return nil, err
	}
	return a.Acceptances()
}

func (d *Desk) elsewhere(name string) (daemon.Account, error) {
	if _, err := d.of(name); err != nil {
		return daemon.Account{}, err
	}
	return d.Elsewhere(name)
}

// Events gives what happens from now on, to the accounts of every daemon.
func (d *Desk) Events(ctx context.Context) <-chan daemon.Event { return d.Hub.Events(ctx) }

// Wake has an account looked at by whoever works on it.
func (d *Desk) Wake(_ context.Context, name string, why daemon.Trigger, ask orders.Ask) error {
	err := d.Hub.Ask(name, why, ask)
	if !errors.Is(err, daemon.ErrNoAccount) {
		return err
	}
	a, err := d.elsewhere(name)
	if err != nil {
		return err
	}
	return a.Ring(why, ask)
}

// Order gives an order to whoever works on the account.
func (d *Desk) Order(ctx context.Context, name string, o daemon.Order) error {
	err := d.Hub.Order(ctx, name, o)
	if !errors.Is(err, daemon.ErrNoAccount) {
		return err
	}
	a, err := d.elsewhere(name)
	if err != nil {
		return err
	}
	return o.Give(a.Orders, time.Now()) // which rings
}

// Approve keeps a person's yes to what the last plan asks for, and has it carried out.
func (d *Desk) Approve(ctx context.Context, name string, approval daemon.Approval) error {
	plan, err := d.Plan(ctx, name)
	if err != nil {
		return err
	}
	if plan == nil || !approval.Fits(plan) {
		return daemon.ErrOtherPlan
	}
	a, err := d.elsewhere(name)
	if err != nil {
		return err
	}
	if err := a.Orders.Approve(approval); err != nil {
		return err
	}
	d.Log.Info("something was approved", "account", name, "plan", approval.PlanHash, "allow", approval.Allow,
		"by", approval.By)
	return d.Wake(ctx, name, daemon.Approved, orders.Ask{})
}

// Accept keeps a person's yes to a commit that waits for one.
func (d *Desk) Accept(ctx context.Context, name string, acceptance daemon.Acceptance) error {
	s, err := d.Account(ctx, name)
	if err != nil {
		return err
	}
	a, err := d.Elsewhere(name)
	if err != nil {
		return err
	}
	if s.Rewritten == nil || s.Rewritten.Commit != acceptance.Commit || a.Accept == nil {
		return daemon.ErrOtherCommit
	}
	d.Log.Info("a rewritten history was accepted", "account", name, "commit", acceptance.Commit, "by", acceptance.By)
	return a.Accept(acceptance) // which rings
}

// Look reads a file that was dropped, where this daemon works on the account: others have not read its files.
func (d *Desk) Look(ctx context.Context, name string, f daemon.Dropped) (*daemon.Upload, error) {
	u, err := d.Hub.Look(ctx, name, f)
	return u, d.notHere(name, err)
}

// Commit puts a file on the branch for uploads, where this daemon works on the account.
func (d *Desk) Commit(ctx context.Context, name string, h daemon.Handed) (daemon.Committed, error) {
	c, err := d.Hub.Commit(ctx, name, h)
	return c, d.notHere(name, err)
}

// Draft finds what an edit of the files comes to, where this daemon works on the account.
func (d *Desk) Draft(ctx context.Context, name string, e daemon.Edit) (*daemon.Draft, error) {
	draft, err := d.Hub.Desk().Draft(ctx, name, e)
	return draft, d.notHere(name, err)
}

// Edit writes it, where this daemon works on the account.
func (d *Desk) Edit(ctx context.Context, name string, o daemon.EditOrder) (daemon.Edited, error) {
	edited, err := d.Hub.Desk().Edit(ctx, name, o)
	return edited, d.notHere(name, err)
}

// Files returns the account's own files, where this daemon works on it.
func (d *Desk) Files(ctx context.Context, name string) ([]string, error) {
	files, err := d.Hub.Desk().Files(ctx, name)
	return files, d.notHere(name, err)
}

// File returns one of them, where this daemon works on the account.
func (d *Desk) File(ctx context.Context, name, file, who string) ([]byte, error) {
	content, err := d.Hub.Desk().File(ctx, name, file, who)
	return content, d.notHere(name, err)
}

// Picture returns a picture of the files, where this daemon works on the account.
func (d *Desk) Picture(ctx context.Context, name, sum string) ([]byte, error) {
	content, err := d.Hub.Desk().Picture(ctx, name, sum)
	return content, d.notHere(name, err)
}

func (d *Desk) notHere(name string, err error) error {
	if _, there := d.of(name); there == nil && errors.Is(err, daemon.ErrNoAccount) {
		return daemon.ErrElsewhere
	}
	return err
}
