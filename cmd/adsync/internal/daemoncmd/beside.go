package daemoncmd

import (
	"cmp"
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/figures"
	"adsync/internal/figures/overspend"
	"adsync/internal/icons"
	"adsync/internal/notify"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/config"
)

// reviewer is a worker beside whose runs the reviews and the figures of its account are read.
type reviewer struct {
	daemon.Worker
	of       *worker        // whose client asks
	project  config.Project // of the account
	bell     chan struct{}
	reached  chan struct{}    // rings after the first run
	figures  chan struct{}    // rings whenever figures were read; nil: nobody listens
	notifier *notify.Notifier // nil: nobody is told
	once     bool             // nobody watches beside the run
	began    bool             // a run has ended
	others   int              // how many accounts the daemon has
	archive  daemon.Archive   // of the account
	pace     config.Pace
	icons    bool            // those of brands are fetched
	spend    overspend.Watch // whether what was spent is to be looked at
}

// Run rings after the first run, which has made the client, and after each that changed
// something.
func (r *reviewer) Run(ctx context.Context, request daemon.Request) daemon.Result {
	read := r.spend.Take()
	result := r.Worker.Run(ctx, request)
	if !r.once {
		r.look(ctx, &result, read)
	}
	if r.once {
		r.read(ctx)
		if r.notifier != nil {
			ctx, cancel := context.WithTimeout(ctx, flushMost)
			defer cancel()
			r.notifier.Flush(ctx)
		}
		return result
	}
	if result.Run == nil && r.began {
		return result
	}
	if !r.began {
		r.began = true
		close(r.reached)
	}
	select {
	case r.bell <- struct{}{}:
	default:
	}
	return result
}

// watch reads the reviews as often as they are due, and wakes the account where one is
// another: its plan and its copies say so.
func (r *reviewer) watch(ctx context.Context, wake func(daemon.Trigger)) {
	select {
	case <-r.bell:
	case <-ctx.Done():
		return
	}
	w := &review.Watch{Bell: r.bell, Read: func(ctx context.Context) review.Pass {
		pass, moved := r.read(ctx)
		if moved {
			wake(daemon.Reviewed)
		}
		return pass
	}}
	w.Run(ctx)
}

// besideRuns marks the requests of no run, and has their number.
type besideRuns struct{}

// beside counts requests apart from those of runs.
func beside(ctx context.Context) (context.Context, *atomic.Int64) {
	sent := new(atomic.Int64)
	return context.WithValue(ctx, besideRuns{}, sent), sent
}

// countIn counts a request: beside runs where it belongs to none.
func countIn(ctx context.Context, runs *atomic.Int64) {
	if sent, is := ctx.Value(besideRuns{}).(*atomic.Int64); is {
		runs = sent
	}
	runs.Add(1)
}

// read asks for the reviews, once. A run that has just done so is not asked after.
func (r *reviewer) read(ctx context.Context) (pass review.Pass, moved bool) {
	apart, _ := beside(ctx)
	known, err := r.ask(apart)
	if err != nil {
		if ctx.Err() == nil {
			session.NoteReviews(r.of.env, err)
		}
		return review.Pass{Failed: true}, known.Moved()
	}
	return review.Pass{Left: known.Left, Waits: known.Waits()}, known.Moved()
}

func (r *reviewer) ask(ctx context.Context) (known *review.Record, err error) {
	agent, end, err := r.agent(ctx)
	if err != nil {
		return &review.Record{}, err
	}
	defer end()
	var tell func([]review.Line)
	if r.notifier != nil {
		tell = r.notifier.TellReviews
	}
	return session.AskReviews(ctx, r.of.env, r.project, agent, session.Fresh{Rests: review.Least}, tell)
}

// agent reads the account by the client of its runs.
func (r *reviewer) agent(ctx context.Context) (agent *reconcile.Agent, end func(), err error) {
	client := r.of.dialed()
	if client == nil {
		return nil, nil, console.Configuration("no run has reached the account yet")
	}
	l := session.Loaded{
		Project: config.Project{Home: r.project.StateFolder()}, Schemas: session.Schemas(),
		Desired: sources.Desired{Snapshot: &resource.Snapshot{}},
	}
	store, err := session.OpenState(ctx, r.of.env, l.Project, true)
	if err != nil {
		return nil, nil, err
	}
	agent = session.AgentOf(r.of.env, l, store, client.Reader())
	agent.Breaks = &reconcile.Breaks{}
	return agent, func() { session.Closed(r.of.env, "state", store.Close()) }, nil
}

// readFigures reads the days of the account's figures that are due.
func (r *reviewer) readFigures(ctx context.Context) (passed figures.Passed, err error) {
	ctx, sent := beside(ctx)
	defer func() { passed.Requests = int(sent.Load()) }()
	agent, end, err := r.agent(ctx)
	if err != nil {
		return passed, err
	}
	defer end()
	now, err := agent.Present(ctx)
	if err != nil {
		return passed, err
	}
	c := figures.Collector{
		Kept: r.of.orders.Figures(), Service: agent.Service, Currency: agent.Account.Currency, Brand: agent.Brand,
		Now: now,
	}
	passed.Read, err = c.Pass(ctx)
	r.followIcon(ctx, agent.Icon, now)
	if err == nil {
		r.spend.Passed(passed.Read, now)
		select {
		case r.figures <- struct{}{}:
		default:
		}
	}
	if client := r.of.dialed(); client != nil {
		_, passed.PerMinute = client.PerMinute()
	}
	return passed, err
}

// followIcon has the cards of ads show the icon of the brand, where the operator lets it be fetched.
func (r *reviewer) followIcon(ctx context.Context, address string, now time.Time) {
	kept := icons.Kept{Store: r.of.orders.Place}
	var err error
	if r.icons {
		err = kept.Follow(ctx, address, now, r.of.reach.Load())
	} else {
		err = kept.Forget()
	}
	if err != nil && ctx.Err() == nil {
		r.of.env.Note("the icon of the brand cannot be shown: %s", console.OneLine(err))
	}
}

// When figures are first read after the first run: where there are many accounts, not those of all at once.
const (
	figuresAfter  = 10 * time.Second
	figuresWithin = 5 * time.Minute
)

// watchFigures reads figures for as long as the account is worked on, and shows what it spent of late: what is kept
// once the account was reached, and then what each pass came to.
func (r *reviewer) watchFigures(ctx context.Context, show func(*figures.Lately)) {
	select {
	case <-r.reached:
	case <-ctx.Done():
		return
	}
	note := func(err error) { r.of.env.Note("the figures could not be read: %s", console.OneLine(err)) }
	if err := r.showSpent(show); err != nil {
		note(err)
	}
	w := figures.Watch{
		Bell: r.reached, Rest: figuresAfter + rand.N(min(time.Duration(1+r.others)*figuresAfter, figuresWithin)),
		Pass: func(ctx context.Context) (figures.Passed, error) {
			passed, err := r.readFigures(ctx)
			if err == nil && passed.Read {
				err = r.showSpent(show)
			}
			return passed, err
		},
		Note: note,
	}
	w.Run(ctx)
}

func (r *reviewer) showSpent(show func(*figures.Lately)) error {
	spent, err := r.of.orders.Figures().Lately()
	if err == nil && spent != nil {
		show(spent)
	}
	return err
}

// readBudgets are the classes of runs that know the budgets of the account as they are.
var readBudgets = map[daemon.Class]bool{daemon.InSync: true, daemon.Applied: true, daemon.Held: true,
	daemon.Suspended: true, daemon.Partial: true}

// look says in the result of a run whether spend passed what is allowed, and tells what is new of it. read is zero
// where no figures were read before the run.
func (r *reviewer) look(ctx context.Context, result *daemon.Result, read time.Time) {
	if read.IsZero() {
		return
	}
	if !readBudgets[result.Class] {
		r.spend.Back()
		return
	}
	found, paced, err := r.measured(ctx, r.of.ceiling.Load(), read)
	if err == nil {
		result.Paced = paced
		result.Passed, err = overspend.Note(r.of.orders.Kept(), found, read, func(fresh []overspend.Passing) {
			if r.notifier != nil {
				r.notifier.TellPassed(fresh)
			}
		})
		result.Measured = err == nil
	}
	if err != nil && ctx.Err() == nil {
		r.of.env.Note("whether spend passed what is allowed could not be found: %s", console.OneLine(err))
	}
}

// measured finds what passed what is allowed by a moment of the account, and how its budgets are spent.
func (r *reviewer) measured(ctx context.Context, ceiling int64,
	now time.Time) ([]overspend.Passing, *overspend.Paced, error) {
	level := figures.Levels[0]
	settings, err := r.archive.Settings(ctx, []string{level})
	if err != nil {
		return nil, nil, err
	}
	budgets := make(map[string]overspend.Budget, len(settings[level]))
	for id, one := range settings[level] {
		b := overspend.Budget{Name: cmp.Or(one.Name, id), Daily: one.Daily, Lifetime: one.Lifetime,
			Begins: one.Created, Ends: one.Ends, Changed: one.Changed, Delivers: one.Status == plan.Active}
		if one.Starts.After(one.Created) {
			b.Begins = one.Starts
		}
		budgets[id] = b
	}
	found, err := overspend.Find(r.archive.Figures(), budgets, overspend.Limits{
		OverDaily: r.pace.Daily, OverEven: r.pace.Lifetime, Cap: ceiling, Largest: r.largest(ctx, level, budgets)}, now)
	if err != nil {
		return nil, nil, err
	}
	paced, err := overspend.Pace(r.archive.Figures(), budgets, ceiling, now)
	return found, paced, err
}

// entriesMost is how much of the service's audit log is read to find which budgets were changed on a day.
const entriesMost = 1000

// largest finds the largest daily budget of a resource on a day in the service's audit log, which is read once a day,
// and only where somebody asks.
func (r *reviewer) largest(ctx context.Context, level string,
	budgets map[string]overspend.Budget) func(id string, from, to time.Time) (int64, bool) {
	ctx, _ = beside(ctx)
	logs, path := map[time.Time][]reconcile.AuditEntry{}, dailyPath(level)
	return func(id string, from, to time.Time) (int64, bool) {
		if _, read := logs[from]; !read {
			logs[from] = r.auditSince(ctx, from)
		}
		return largestIn(logs[from], id, path, budgets[id], to)
	}
}

// auditSince is the audit log since a moment, the newest entry first; none where not all of it can be read.
func (r *reviewer) auditSince(ctx context.Context, since time.Time) []reconcile.AuditEntry {
	agent, end, err := r.agent(ctx)
	if err != nil {
		return nil
	}
	defer end()
	entries, more, err := agent.AuditLog(ctx, reconcile.AuditQuery{Since: since, Most: entriesMost})
	if err != nil || more {
		return nil
	}
	return entries
}

// dailyPath is where records of a level have their daily budget.
func dailyPath(level string) string {
	for _, s := range session.Schemas() {
		for i := range s.Attributes {
			if a := &s.Attributes[i]; s.Insights == level && a.Spend == resource.Amount && a.Per == "day" {
				return a.Wire.Path
			}
		}
	}
	return ""
}

// largestIn is the largest daily budget of a resource until a moment, from entries of an audit log that begins with the
// day, the newest first; false where the last change is not among them, as they may lack others as well.
func largestIn(entries []reconcile.AuditEntry, id, path string, now overspend.Budget,
	until time.Time) (most int64, known bool) {
	root, key, _ := strings.Cut(path, ".")
	stood, day := now.Daily, int64(0) // as the day ended, and the largest before
	for i := range entries {
		e := &entries[i]
		if e.Object != id {
			continue
		}
		known = known || !e.At.Before(now.Changed)
		for _, c := range e.Changes {
			var before, after map[string]*int64
			switch {
			case c.Field != root:
				continue
			case json.Unmarshal(c.Before, &before) != nil, json.Unmarshal(c.After, &after) != nil:
				return 0, false
			case !e.At.Before(until):
				stood = amountOf(before[key])
			default:
				day = max(day, amountOf(before[key]), amountOf(after[key]))
			}
		}
	}
	return max(stood, day), known
}

// amountOf is 0 where there is none.
func amountOf(micros *int64) int64 {
	if micros == nil {
		return 0
	}
	return *micros
}
