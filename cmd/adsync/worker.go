package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"
)

// files is where the files of an account lie at one moment.
type files struct {
	dir      string
	revision daemon.Revision
}

// source gives a worker its files.
type source interface {
	// files brings the files up to what they are now. It may wait for the network.
	// Where history was rewritten it goes on with a commit that is accepted alone.
	files(ctx context.Context, accepts []string) (files, error)
	// still says whether what was read, by its sum, is nothing that somebody is in
	// the middle of writing; it may wait for that.
	still(ctx context.Context, f files, sum string, read []string) (bool, error)
}

// worker does the runs of one account for the daemon. Between runs it holds the
// client, whose limits are the account's, and what it takes to see that nothing
// moved; no snapshot, and no lock of the state.
type worker struct {
	app    *app // of this account alone: its clock gives the place of the run away while it waits
	source source
	// is an error where the files are not beside what adsync remembers of the account; nil: they never are
	stays    func() error
	orders   *attendant
	copies   *copies
	planOnly bool // nothing is ever applied
	answers  *answers

	mu        sync.Mutex // guards line and client: who takes a look uses them too
	line      *session   // keeps open what the client needs
	client    *adsapi.Client
	requests  atomic.Int64
	counted   int64       // of them, by the runs before
	suspended atomic.Bool // this run sends nothing
	seen      *sight      // what the last whole run saw; nil: nothing can be skipped
	at        string      // the commit of the last run
	writers   writers
	keeping   keeping
}

// Run does one run, from the files to the report.
func (w *worker) Run(ctx context.Context, request daemon.Request) daemon.Result {
	w.suspended.Store(request.PlanOnly || w.planOnly)
	r := w.run(ctx, request)
	sent := w.requests.Load() // those of looks at files since the run before count too
	r.Requests, w.counted = int(sent-w.counted), sent
	if w.client != nil { // only this goroutine sets it
		r.Rate.Left, r.Rate.Limit = w.client.Left()
	}
	if r.Class == daemon.Credentials || r.Class == daemon.Misplaced {
		w.hangUp() // the address or the key may be another by the next run
	}
	return r
}

func (w *worker) run(ctx context.Context, request daemon.Request) daemon.Result {
	if w.stays != nil {
		if err := w.stays(); err != nil {
			r := w.failed(ctx, daemon.Revision{}, err)
			r.Unread = true
			return r
		}
	}
	err := w.orders.attend(func(d time.Duration) { _ = w.app.clock.sleep(ctx, d) })
	away := errors.Is(err, errAway)
	if err != nil && !away {
		class := daemon.Misplaced // a disk that cannot be written
		if errors.Is(err, orders.ErrAttended) {
			class = daemon.Locked
		}
		return daemon.Result{Class: class, Message: err.Error(), Unread: true}
	}
	f, err := w.source.files(ctx, request.Accept)
	if err != nil {
		r := w.failed(ctx, daemon.Revision{}, err)
		r.Unread = true
		return r
	}
	if request.Waits && f.revision.Commit == w.at {
		return daemon.Result{Waits: true}
	}
	w.at = f.revision.Commit
	w.answers.late(ctx, w.app)
	if w.asBefore(request, f) {
		if r, skipped := w.skip(ctx, f); skipped {
			return r
		}
	}
	w.seen = nil
	w.orders.busy()
	l := w.app.load(ctx, f.dir)
	if l.project.CommittedStop() != "" {
		w.suspended.Store(true)
	}
	sum := cmp.Or(l.desired.Hash, l.project.Sum(nil)) // without a project nothing else was read
	still, err := w.source.still(ctx, f, sum, l.desired.Files)
	if err != nil {
		return w.failed(ctx, f.revision, err)
	}
	if !still || away && !l.stops(false) { // it is there again, and nobody has taken it
		return daemon.Result{
			Class:   daemon.Transient,
			Message: "the files change while they are read; they are read again once they hold still",
		}
	}
	f.revision.Content = sum
	return w.reconcile(ctx, request, f, l)
}

// reconcile is a whole run from files that were read: plan, apply, report.
func (w *worker) reconcile(ctx context.Context, request daemon.Request, f files, l loaded) daemon.Result {
	r := daemon.Result{Revision: f.revision}
	seen := &sight{
		sum: f.revision.Content, read: l.desired.Files, sources: l.desired.Sources,
		operator: w.operatorSum(), approved: w.approvals(), planOnly: w.suspended.Load(),
	}
	if l.stops(false) {
		r.Class, r.Message, r.Plan = daemon.Input, firstProblem(l.desired.Problems), w.app.unplanned(l)
		r = withError(r, w.copies.refused(&l, l.desired.Problems))
		r.Revision.Content = seen.taken(&l)
		seen.serial, _ = state.SerialOf(l.project.StateFolder())
		seen.result, w.seen = r, seen
		return r
	}
	g := w.app.govern(l.project, l.schemas, time.Now())
	desired, err := w.app.wantedUnder(l, planFlags{unattended: true}, g)
	if err == nil {
		err = w.approved(&desired, g.policy.ApprovalExpires)
	}
	if err == nil {
		err = w.dial(l)
	}
	if err != nil {
		return w.failed(ctx, f.revision, err)
	}
	store, err := w.app.openState(ctx, l.project, false)
	if err != nil {
		return w.failed(ctx, f.revision, err)
	}
	defer func() { w.app.closed("state", store.Close()) }()
	did := w.carryOut(ctx, request, l, store, desired)
	did.expires = g.policy.ApprovalExpires
	r = w.ended(ctx, &l, did, r)
	r.Revision.Content = seen.taken(&l)
	r.Until, r.Journal = g.thaws, openSteps(ctx, store)
	if r.Class == daemon.Held && r.Run != nil {
		r.Until = time.Now().Add(againSoon)
	}
	// what it left unknown, the recovery of the next may decide
	if r.Class == daemon.Undecided && r.Run != nil && len(did.recovered.Undecided) == 0 {
		r.Until = time.Now().Add(againSoon)
	}
	w.remember(ctx, seen, store, l, r)
	r.Writers = did.writers
	w.keeping.due(ctx, w.app, w, l, store)
	return r
}

// openSteps counts the steps that are not closed, whatever the run came to; nil where
// that cannot be known.
func openSteps(ctx context.Context, store state.Store) *int {
	steps, err := store.Open(context.WithoutCancel(ctx))
	if err != nil {
		return nil
	}
	n := len(steps)
	return &n
}

// againSoon is when what an apply left held is planned anew, as it is by then. So it is
// when what an apply left unknown is looked for.
const againSoon = time.Second

// done is a run up to its end.
type done struct {
	applying
	view      *reconcile.View
	recovered reconcile.Recovered
	overtaken bool     // newer files came, and something was left out for them
	writers   []string // who else writes to the account, of whom nobody was told yet
	expires   int64    // minutes an approval is good for
}

// carryOut ends what was left open, plans and applies. Where nothing is sent it
// only plans.
func (w *worker) carryOut(ctx context.Context, request daemon.Request,
	l loaded, store state.Store, desired reconcile.Desired) (did done) {
	agent := w.app.agentOf(l, store, w.client)
	agent.Incremental, agent.Whole, agent.Breaks = true, request.Full, &reconcile.Breaks{}
	did.session = &session{agent: agent, store: store}
	did.recorder = w.app.record(l, did.session)
	watch := agent.Watch
	agent.Watch = func(e reconcile.Event) { watch(e); tellOf(request, e) }
	if !w.suspended.Load() {
		if did.recovered, did.failure = w.app.recovered(ctx, agent); did.failure != nil {
			return did
		}
	}
	began := agent.Now()
	did.view, did.failure = agent.Plan(ctx, desired)
	if did.failure == nil {
		did.writers = w.writers.fresh(ctx, w.app, agent, did.view, l.project.StateFolder(), began)
		did.failure = w.app.see(l, did.view)
	}
	if did.failure != nil || w.suspended.Load() || diag.HasErrors(did.view.Plan.Problems) {
		return did
	}
	if did.view.Plan.Empty() {
		did.failure = agent.RecordSeen(ctx, did.view)
		return did
	}
	did.recorder.approved = did.view.Approved
	request.Tell("progress", map[string]any{"stage": "apply", "changes": len(did.view.Plan.Applicable())})
	ahead, end := w.lookAhead(ctx, request, l)
	defer end()
	agent.Superseded = ahead.why
	did.report, did.failure = applyObeying(ctx, agent, did.view)
	did.overtaken = ahead.left.Load()
	return did
}

// ended turns what a run came to into its result, and keeps its report.
func (w *worker) ended(ctx context.Context, l *loaded, did done, r daemon.Result) daemon.Result {
	if did.view == nil {
		return w.failed(ctx, r.Revision, did.failure)
	}
	r.Plan = w.shown(*l, did)
	if at := r.Plan.Revision; at != nil && r.Revision.Commit == "" { // a folder in a work tree
		r.Revision.Commit, r.Revision.Uncommitted = at.Commit, len(at.Uncommitted)
	}
	if did.report == nil && did.failure == nil {
		r.Class, r.Message = w.planned(*l, did, r.Plan)
		r = withError(r, w.copies.planned(l, did.view.Plan))
		if !w.suspended.Load() {
			w.answers.propose(ctx, w.app, *l, did.session.agent, did.view)
		}
		return r
	}
	ending := did.ending(ctx)
	d := w.app.documentOf(*l, did.report, did.failure)
	did.recorder.mark(d)
	endAs(ctx, d, ending, w.app.from(l.project.Root))
	did.recorder.end(d)
	if did.report == nil {
		return withError(w.failed(ctx, r.Revision, ending), w.refusedCopies(l, did.failure))
	}
	w.app.readReviews(ctx, *l, did.session.agent, did.report)
	r.Run = d
	r.Class, r.Message, r.After = w.class(ctx, did, ending)
	if did.overtaken && r.Class == daemon.Partial { // the next run is of the newer files, and soon
		r.Class = daemon.Transient
	}
	if r.Class == daemon.Applied && r.Plan.Summary.Held > 0 { // a part of a change was
		r.Class, r.Message = daemon.Held, firstHold(r.Plan)
	}
	pushed := w.answers.push(ctx, w.app, *l, did.report, d)
	return withError(r, errors.Join(did.recorder.failed, w.copies.applied(l, did.report, d), pushed))
}

// planned is the class of a run that applied nothing because there was nothing,
// or nothing that may go.
func (w *worker) planned(l loaded, did done, d *planDocument) (daemon.Class, string) {
	p := did.view.Plan
	switch {
	case diag.HasErrors(p.Problems):
		return daemon.Input, firstProblem(p.Problems)
	case w.planOnly && pending(p):
		return daemon.Held, "this account is planned and never applied by the daemon"
	case w.suspended.Load() && !w.planOnly:
		return daemon.Suspended, ""
	case len(did.recovered.Undecided) > 0:
		return daemon.Undecided, undecidedText(did.recovered.Undecided)
	case waitsInvalid(p) > 0:
		return daemon.Partial, firstProblem(onceEach(l.desired.Problems, p.Waits))
	case d.Summary.Held > 0:
		return daemon.Held, firstHold(d)
	}
	return daemon.InSync, ""
}

// waitsInvalid counts the rows of a plan that wait as they are not valid.
func waitsInvalid(p *plan.Plan) int {
	n := 0
	for i := range p.Changes {
		if held := p.Changes[i].Held; held != nil && held.Hazard == plan.Invalid {
			n++
		}
	}
	return n
}

// class is that of a run that applied something.
func (w *worker) class(ctx context.Context, did done, ending error) (daemon.Class, string, time.Duration) {
	code := exitDone
	if ending != nil {
		code = exitCode(ctx, ending)
	}
	if errors.Is(did.failure, adsapi.ErrHalted) {
		return daemon.Suspended, oneLine(did.failure), 0
	}
	switch {
	case ending == nil && did.report.Refused() == 0:
		return daemon.Applied, did.report.Summary(), 0
	case code == exitDone, code == exitRefused:
		return daemon.Held, oneLine(ending), 0
	case code == exitPartial && did.failure != nil:
		return classOfError(ctx, did.failure), oneLine(ending), afterOf(did.failure)
	case code == exitPartial && did.report.Count(state.OutcomeFailed)+did.report.Count(state.OutcomeSkipped) == 0:
		if did.report.Waiting() > 0 {
			return daemon.Partial, oneLine(ending), 0
		}
		return daemon.Held, oneLine(ending), 0
	case code == exitPartial && !w.quarantined(ctx, did):
		return daemon.Transient, oneLine(ending), 0
	}
	return classOfExit(code), oneLine(ending), afterOf(did.failure)
}

// quarantined says that all that failed is kept from being sent again: it waits
// for its row to change.
func (w *worker) quarantined(ctx context.Context, did done) bool {
	blocked, err := did.session.store.Blocked(context.WithoutCancel(ctx))
	if err != nil {
		return false
	}
	for _, o := range did.report.Outcomes {
		if _, is := blocked[o.Address]; o.Outcome == state.OutcomeFailed && !is {
			return false
		}
	}
	return true
}

// failed is the result of a run that an error ended.
func (w *worker) failed(ctx context.Context, revision daemon.Revision, err error) daemon.Result {
	r := daemon.Result{Class: classOfError(ctx, err), Message: oneLine(err), Revision: revision, After: afterOf(err)}
	if held, is := errors.AsType[*heldCommit](err); is {
		r.Rewritten = &held.waits
	}
	return r
}

// approvalAhead is how far ahead of now an approval may be. One that was given later
// than now, by a clock that was put back since, would be good for longer.
const approvalAhead = time.Hour

// approved adds what people agreed to and has not expired. Approvals of earlier
// versions, which were of a whole plan, count no more.
func (w *worker) approved(desired *reconcile.Desired, expires int64) error {
	approvals, err := w.orders.Approvals()
	if err != nil {
		return fmt.Errorf("read the approvals: %w", err)
	}
	desired.Asks, desired.Bound = true, slices.Clone(desired.Bound)
	for _, a := range approvals {
		if age := time.Since(a.Time); age > time.Duration(expires)*time.Minute || age < -approvalAhead {
			continue
		}
		for _, one := range a.Asks {
			k := plan.Consent{
				ID: a.Time.Format(time.RFC3339Nano) + " " + a.By, By: a.By, Hazard: one.Hazard, Parts: one.Parts,
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
	return nil
}

// shown is the plan as the page shows it, with what people may agree to.
func (w *worker) shown(l loaded, did done) *planDocument {
	d := w.app.document(l, did.session.agent.Account, did.view)
	d.Asks, d.Agreed = did.view.Plan.FindAsks(), did.view.Plan.Consented
	d.Approvals = &planview.Approvals{
		Lineage: did.view.State.Lineage, Serial: did.view.State.Serial, Lasts: time.Duration(did.expires) * time.Minute,
	}
	return d
}

// unplanned is the document of files nothing can be planned from.
func (a *app) unplanned(l loaded) *planDocument {
	d := &planDocument{
		FormatVersion: formatVersion, InputHash: l.desired.Hash,
		Document: nothingPlanned(), Error: counted(l.desired.Problems) + "; nothing was changed",
	}
	d.Account = accountDocument{
		ID: l.project.Account.ID, Currency: l.project.Account.Currency, TimeZone: l.project.Account.TimeZone,
	}
	d.Problems, d.Unread = listed(l.desired.Problems), l.desired.Unread
	return d
}

// tellOf tells who looks on what happens in an apply.
func tellOf(request daemon.Request, e reconcile.Event) {
	switch e.Kind {
	case reconcile.WaveStarted:
		request.Tell("wave", map[string]any{"wave": e.Wave})
	case reconcile.OpSettled:
		request.Tell("outcome", map[string]any{
			"address": e.Outcome.Address.String(),
			"outcome": e.Outcome.Outcome, "message": diag.Printable(e.Outcome.Message),
		})
	}
}

func firstProblem(problems []diag.Problem) string {
	for _, p := range problems {
		if p.Severity == diag.Error {
			text := strings.TrimPrefix(p.Position.String()+": ", ": ") + p.Message + " (" + string(p.Code) + ")"
			if n := len(problems); n > 1 {
				text += fmt.Sprintf("; %s in all", counted(problems))
			}
			return diag.Printable(text)
		}
	}
	return ""
}

func firstHold(d *planDocument) string {
	for i := range d.Changes {
		holds := []*plan.HoldDocument{d.Changes[i].Held}
		for k := range d.Changes[i].Fields {
			holds = append(holds, d.Changes[i].Fields[k].Held)
		}
		for _, h := range holds {
			if h != nil {
				return diag.Printable(fmt.Sprintf("%s held; first %s: %s",
					plural(d.Summary.Held, "change"), d.Changes[i].Address, h.Message))
			}
		}
	}
	return ""
}

func undecidedText(undecided []string) string {
	return diag.Printable(plural(len(undecided), "outcome") + " unknown; adsync resolve decides: " + undecided[0])
}

// oneLine is an error as a status shows it.
func oneLine(err error) string {
	if err == nil {
		return ""
	}
	return diag.Printable(strings.ReplaceAll(coded(err), "\n", "; "))
}

// afterOf is how long the service, or the server of the repository, asked to be left
// alone.
func afterOf(err error) time.Duration {
	if e, ok := errors.AsType[*adsapi.Error](err); ok {
		return e.RetryAfter
	}
	if e, ok := errors.AsType[*gitstore.Error](err); ok {
		return e.RetryAfter
	}
	return 0
}
