package daemoncmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"adsync/cmd/adsync/internal/pauses"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/eyes"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/state"
)

// watched is a run of the daemon: it notes in did what it comes to.
type watched struct {
	*worker
	request daemon.Request
	l       session.Loaded
	agent   *reconcile.Agent
	desired reconcile.Desired
	did     *done
}

// Recover ends what an earlier run left open, unless the account is suspended.
func (w *watched) Recover(ctx context.Context) (err error) {
	if w.suspended.Load() {
		return nil
	}
	w.did.recovered, err = session.Recovered(ctx, w.agent)
	return err
}

// Plan reads the account and plans, and looks who else writes to it.
func (w *watched) Plan(ctx context.Context) (view *reconcile.View, err error) {
	began, beside := w.agent.Now(), session.BesideOf(w.env, w.l.Project)
	view, err = w.agent.Plan(ctx, w.desired)
	failed := keepHeard(ctx, w.agent, beside, began, len(w.did.recovered.Steps) > 0)
	if failed != nil && ctx.Err() == nil {
		w.env.Note("what others changed at the service is not kept for Activity: %v", failed)
	}
	if err != nil {
		return nil, err
	}
	w.did.view = view
	w.did.writers = w.writers.fresh(ctx, w.env, w.agent, view, beside, began)
	session.See(w.env, w.l, view)
	return view, nil
}

// Guard reports whether there is something to send, and records what only a plan has seen where not.
func (w *watched) Guard(ctx context.Context, view *reconcile.View) (bool, error) {
	if w.suspended.Load() || diag.HasErrors(view.Plan.Problems) {
		return false, nil
	}
	if view.Plan.Empty() {
		return false, w.agent.RecordSeen(ctx, view)
	}
	return true, nil
}

// Apply carries the plan out, but for what newer files say otherwise of.
func (w *watched) Apply(ctx context.Context, view *reconcile.View) (*reconcile.Report, error) {
	w.did.Recorder.Approved = view.Approved
	for _, a := range view.Plan.Consented {
		w.did.Recorder.Links(a.By, a.Link)
	}
	n := len(view.Plan.Applicable())
	w.request.Tell("progress", map[string]any{
		"stage": "apply", "changes": n, "says": "applying " + diag.Plural(n, "change"),
	})
	ahead, end := w.lookAhead(ctx, w.request, w.l)
	defer end()
	handing := &handingOver{worker: w.worker}
	w.agent.Superseded = func(address resource.Address) string {
		return cmp.Or(handing.why(), ahead.why(address))
	}
	report, err := session.ApplyUnlessStopped(ctx, w.agent, view)
	w.did.overtaken = ahead.left.Load() || handing.left.Load()
	return report, err
}

// carryOut ends what was left open, plans and applies. Where nothing is sent it
// only plans.
func (w *worker) carryOut(ctx context.Context, request daemon.Request,
	l session.Loaded, store state.Store, desired reconcile.Desired) (did done) {
	did.Session = w.with(l, store)
	agent := did.Session.Agent
	agent.Incremental, agent.Whole, agent.Breaks = true, request.Full, &reconcile.Breaks{}
	did.Recorder = runs.Record(w.env, l, did.Session)
	watch := agent.Watch
	tells := &lookedOn{tell: request.Tell}
	agent.Watch = func(e reconcile.Event) { watch(e); tells.happened(e) }
	did.Report, did.Failure = reconcile.RunOnce(ctx, &watched{w, request, l, agent, desired, &did})
	return did
}

// done is a run up to its end.
type done struct {
	runs.Applying
	view      *reconcile.View
	recovered reconcile.Recovered
	overtaken bool     // newer files came, and something was left out for them
	writers   []string // who else writes to the account, of whom nobody was told yet
	expires   int64    // minutes an approval is good for
	eyes      *eyes.Rule
}

// lookedOn tells who looks on what happens in an apply.
type lookedOn struct {
	tell    func(kind string, data map[string]any)
	all     int // operations of the run
	settled map[[2]string]bool
}

// happened tells of an event. Which operation is the newest is also said in words: applying 3 of 14: Hiking Boots.
func (l *lookedOn) happened(e reconcile.Event) {
	switch e.Kind {
	case reconcile.RunCounted:
		l.all = e.Operations
	case reconcile.WaveStarted:
		l.tell("wave", map[string]any{"wave": e.Wave})
	case reconcile.OpSettled:
		if l.settled == nil {
			l.settled = map[[2]string]bool{}
		}
		l.settled[[2]string{e.Wave, e.Outcome.Address.String()}] = true
		name := diag.Printable(cmp.Or(e.Outcome.Name, e.Outcome.Address.String()))
		l.tell("outcome", map[string]any{
			"address": e.Outcome.Address.String(),
			"outcome": e.Outcome.Outcome, "message": diag.Printable(e.Outcome.Message),
			"says": fmt.Sprintf("applying %d of %d: %s", len(l.settled), max(l.all, len(l.settled)), name),
		})
	}
}

// open opens the state of an account, which the client needs too, until end is called.
func (w *worker) open(ctx context.Context, project config.Project) (store state.Store, end func(), err error) {
	store, err = session.OpenState(ctx, w.env, project, false)
	if errors.Is(err, state.ErrLocked) {
		w.freed.refused(func(ctx context.Context) (bool, error) {
			at, err := session.PlaceOf(ctx, w.env, project)
			if err != nil {
				return false, err
			}
			holding, err := at.HeldBy(ctx)
			return holding.Held, err
		})
	}
	if err != nil {
		return nil, nil, err
	}
	if lease, ok := store.(state.Lease); ok {
		w.lease.Store(&lease)
		w.again.opened(time.Now(), lease.TakenOver())
	}
	return store, func() {
		w.lease.Store(nil)
		w.client.LeaveSubmissions() // else the client keeps the store, and with it the whole run
		session.Closed(w.env, "state", store.Close())
	}, nil
}

// freedEvery is how often it is looked whether an account that another process holds is free. A look writes nothing.
const freedEvery = 2 * time.Second

// freed has the loop of an account run again soon after the process that held it lets it go.
type freed struct {
	waits atomic.Bool // no run has begun since the last one was refused
	held  chan isHeld // of the last one, at most; nil: nothing follows it
}

// isHeld reports whether another process holds an account.
type isHeld func(context.Context) (bool, error)

// refused notes that a run met another process, and by what that process is seen.
func (f *freed) refused(held isHeld) {
	f.waits.Store(true)
	select {
	case f.held <- held:
	default:
	}
}

// begins notes that a run has begun, which finds out for itself.
func (f *freed) begins() { f.waits.Store(false) }

// watch wakes the loop once who was seen to hold the account does so no longer.
func (f *freed) watch(ctx context.Context, wake func(daemon.Trigger)) {
	for {
		select {
		case <-ctx.Done():
			return
		case held := <-f.held:
			f.follow(ctx, held, wake)
		}
	}
}

func (f *freed) follow(ctx context.Context, held isHeld, wake func(daemon.Trigger)) {
	seen := false // else it was refused for another reason, and would be again
	for f.waits.Load() {
		is, err := held(ctx)
		switch {
		case err != nil: // the loop tries as it always does
		case is:
			seen = true
		case !seen:
			return
		case f.waits.Load():
			wake(daemon.Retried)
			return
		}
		if session.Sleep(ctx, freedEvery) != nil {
			return
		}
	}
}

// pauses are those of the account, for one run.
func (w *worker) pauses(request daemon.Request) *pauses.Account {
	return &pauses.Account{Env: w.env, Lease: w.orders, PlanOnly: w.planOnly,
		Tell: func(says string) { request.Tell("progress", map[string]any{"stage": "apply", "says": says}) },
		Open: func(ctx context.Context, l session.Loaded) (*session.Session, func(), error) {
			err := w.wrongAccount(l)
			if err == nil {
				err = w.dial(l)
			}
			if err != nil {
				return nil, nil, err
			}
			store, end, err := w.open(ctx, l.Project)
			if err != nil {
				return nil, nil, err
			}
			return w.with(l, store), end, nil
		},
		Send: func(send func() error) error {
			w.seen = nil
			w.pausing.Store(true)
			defer w.pausing.Store(false)
			return send()
		},
	}
}

// with is an agent of the account, on a state that is open.
func (w *worker) with(l session.Loaded, store state.Store) *session.Session {
	return &session.Session{Agent: session.AgentOf(w.env, l, store, w.client), Store: store}
}

// approvalAhead is how far ahead of now an approval may be. One that was given later
// than now, by a clock that was put back since, would be good for longer.
const approvalAhead = time.Hour

// approved adds what people agreed to, has not expired, and counts by the policy, as the state is now that the run
// has. Approvals of earlier versions, which were of a whole plan, count no more.
func (w *worker) approved(ctx context.Context, content string,
	desired *reconcile.Desired, p plan.Policy, store state.Store) (*eyes.Rule, error) {
	approvals, err := w.orders.Approvals()
	if err != nil {
		return nil, fmt.Errorf("read the approvals: %w", err)
	}
	approvals = slices.DeleteFunc(approvals, func(a daemon.Approval) bool {
		age := time.Since(a.Time)
		return age > time.Duration(p.ApprovalExpires)*time.Minute || age < -approvalAhead
	})
	rule, err := w.ruleOf(ctx, content, approvals, p, store)
	if err != nil {
		return nil, err
	}
	desired.Asks, desired.Bound = true, slices.Clone(desired.Bound)
	for _, a := range approvals {
		for _, one := range a.Asks {
			one, counts := rule.Counts(eyes.Yes{Who: a.Who, Serial: a.Serial}, one)
			if !counts {
				continue
			}
			k := plan.Consent{
				ID: a.Time.Format(time.RFC3339Nano) + " " + a.By, By: a.By, Link: a.Link, Hazard: one.Hazard,
				Parts: one.Parts,
			}
			desired.Consents = append(desired.Consents,
				reconcile.Consent{Consent: k, Lineage: a.Lineage, Serial: a.Serial})
		}
		if len(a.Asks) > 0 || a.PlanHash != "" {
			continue
		}
		for _, text := range a.Allow { // of adsync reconcile --retry: each names the refusal
			if allowance, err := plan.ParseAllowance(text); err == nil { // others were refused when they were given
				desired.Bound = append(desired.Bound, reconcile.Bound{Allow: allowance, By: a.By})
			}
		}
	}
	return rule, nil
}

// ruleOf is whose yes counts, by the policy and by who is known to have written what.
func (w *worker) ruleOf(ctx context.Context, content string,
	approvals []daemon.Approval, p plan.Policy, store state.Store) (*eyes.Rule, error) {
	if len(p.NotAuthor) == 0 {
		return eyes.NewRule(eyes.Rule{}), nil
	}
	used, err := store.Used(ctx)
	if err != nil {
		return nil, err
	}
	lineage := store.Header().Lineage
	r := eyes.Rule{Hazards: p.NotAuthor,
		Spent: func(key string, serial int64) bool { return reconcile.Spent(used, key, serial) }}
	if r.Wrote, err = eyes.Noted(w.orders.Place, lineage); err != nil {
		return nil, fmt.Errorf("read who wrote what: %w", err)
	}
	r.Wrote = append(r.Wrote, w.authors.Of(content, lineage)...)
	for _, a := range approvals {
		if a.Lineage == lineage {
			r.Given = append(r.Given, eyes.Yes{Who: a.Who, Serial: a.Serial, Asks: a.Asks})
		}
	}
	return eyes.NewRule(r), nil
}
