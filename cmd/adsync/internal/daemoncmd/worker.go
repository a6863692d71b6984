package daemoncmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"adsync/cmd/adsync/internal/authors"
	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/eyes"
	"adsync/internal/gitstore"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/internal/public"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/commits"
	"adsync/sources/config"
	"adsync/sources/tree"
	"adsync/state"
	"adsync/state/kv"
)

// folderAt is where the files of an account lie at one moment.
type folderAt struct {
	dir      string
	revision daemon.Revision
}

// source gives a worker its files.
type source interface {
	// files brings the files up to what they are now. It may wait for the network.
	// Where history was rewritten it goes on with a commit that is accepted alone.
	files(ctx context.Context, request daemon.Request) (folderAt, error)
	// still says whether what was read, by its sum, is nothing that somebody is in
	// the middle of writing; it may wait for that.
	still(ctx context.Context, f folderAt, sum string, read []string) (bool, error)
	// moved reports whether the files are others by now than what was read, by its sum.
	moved(sum string) bool
}

// worker does the runs of one account for the daemon. Between runs it holds the
// client, whose limits are the account's, and what it takes to see that nothing
// moved; no snapshot, and no lock of the state.
type worker struct {
	env    *session.Env // of this account alone: its clock gives the place of the run away while it waits
	source source
	// is an error where the files are not beside what adsync remembers of the account; nil: they never are
	stays    func() error
	orders   *session.Lease
	busy     func() // is called once a run is more than a look; nil: nobody wants to know
	copies   *copies
	planOnly bool // nothing is ever applied
	rests    bool // from one look to the next no connection stays open
	answers  *answers
	merged   func(context.Context) // hands on what people agreed to of merged pull requests; nil: there are none

	mu        sync.Mutex       // guards line and client: who takes a look uses them too
	line      *session.Session // keeps open what the client needs
	client    *adsapi.Client
	requests  atomic.Int64
	counted   int64                       // of them, by the runs before
	suspended atomic.Bool                 // this run sends nothing
	pausing   atomic.Bool                 // what is sent pauses, which no order stops
	project   config.Project              // as the last run read it, of the account
	lease     atomic.Pointer[state.Lease] // of the state that this run has open, in a database
	id        string                      // of the ad account, where the state lies in a database
	again     rereading
	handing   orders.Handing
	seen      *fingerprint // what the last whole run saw; nil: nothing can be skipped
	at        string       // the commit of the last run
	writers   writers
	authors   authors.Known // of the files as people left them at the page
	keeping   keeping
	freed     freed
	ceiling   atomic.Int64                 // max_daily_exposure of the last run, in micros; 0: none
	reach     atomic.Pointer[public.Reach] // of the last run; nil: the public internet alone
}

// Run does one run, from the files to the report.
func (w *worker) Run(ctx context.Context, request daemon.Request) daemon.Result {
	w.freed.begins()
	w.suspended.Store(request.PlanOnly || w.planOnly)
	r := w.run(ctx, request)
	sent := w.requests.Load() // those of looks at files since the run before count too
	r.Requests, w.counted = int(sent-w.counted), sent
	if w.client != nil { // only this goroutine sets it
		r.Rate.Left, r.Rate.Limit = w.client.Left()
		if w.rests {
			w.client.Rest()
		}
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
	err := w.orders.Acquire(func(d time.Duration) { _ = w.env.Clock.Sleep(ctx, d) })
	away := errors.Is(err, kv.ErrAway)
	if err != nil && !away {
		class := daemon.Misplaced // a disk that cannot be written
		if errors.Is(err, orders.ErrAttended) {
			class = daemon.Locked
			w.freed.refused(func(context.Context) (bool, error) { return w.orders.Place.Lock.Taken() })
		}
		return daemon.Result{Class: class, Message: err.Error(), Unread: true}
	}
	if w.project.Home != "" { // a pause waits for no files
		if err := w.pauses(request).First(ctx, w.project); err != nil {
			return w.failed(ctx, daemon.Revision{}, err)
		}
	}
	f, err := w.source.files(ctx, request)
	if err != nil {
		r := w.failed(ctx, daemon.Revision{}, err)
		r.Unread = true
		return r
	}
	if request.Waits && f.revision.Commit == w.at {
		return daemon.Result{Waits: true}
	}
	if w.merged != nil && f.revision.Commit != w.at {
		daemon.Away(ctx, time.Minute, func() { w.merged(ctx) })
	}
	w.at = f.revision.Commit
	w.answers.late(ctx, w.env)
	if w.asBefore(ctx, request, f) {
		if r, skipped := w.skip(ctx, f); skipped {
			return r
		}
	}
	w.seen = nil
	w.orders.Busy()
	if w.busy != nil {
		w.busy()
	}
	began := time.Now()
	l := session.Load(ctx, w.env, f.dir)
	if commits.CommittedStop(l.Project) != "" {
		w.suspended.Store(true)
	}
	sum := cmp.Or(l.Desired.Hash, tree.SumOf(l.Project, nil)) // without a project nothing else was read
	w.authors.See(cmp.Or(l.Project.Root, f.dir), &l.Desired, sum, began)
	still, err := w.source.still(ctx, f, sum, l.Desired.Files)
	if err != nil {
		return w.failed(ctx, f.revision, err)
	}
	if !still || away && !l.Stops(false) { // it is there again, and nobody has taken it
		return daemon.Result{
			Class:   daemon.Transient,
			Message: catalogue.Say("ended.files-change"),
		}
	}
	f.revision.Content = sum
	return w.reconcile(ctx, request, f, l)
}

// reconcile is a whole run from files that were read: plan, apply, report.
func (w *worker) reconcile(ctx context.Context, request daemon.Request, f folderAt, l session.Loaded) daemon.Result {
	r := daemon.Result{Revision: f.revision}
	seen := &fingerprint{
		sum: f.revision.Content, read: l.Desired.Files, sources: l.Desired.Sources,
		operator: w.operatorSum(), approved: w.approvals(), planOnly: w.suspended.Load(),
	}
	var err error
	if seen.place, err = session.PlaceOf(ctx, w.env, l.Project); err != nil {
		return w.failed(ctx, f.revision, err)
	}
	w.project = l.Project
	w.project.Former, w.project.Unused, w.project.Kept = nil, nil, nil // for loading alone: they keep the schemas
	ordered := w.pauses(request)
	if err := ordered.First(ctx, l.Project); err != nil {
		return w.failed(ctx, f.revision, err)
	}
	if l.Stops(false) {
		if err := ordered.Refuse("the files cannot be planned as they are"); err != nil {
			return w.failed(ctx, f.revision, err)
		}
		r.Class, r.Message, r.Plan = daemon.Input, firstProblem(l.Desired.Problems), runs.Unplanned(l)
		r = withError(r, w.copies.refused(&l, l.Desired.Problems))
		r.Revision.Content = seen.taken(&l)
		seen.serial, _ = seen.place.SerialOf(ctx)
		seen.result, w.seen = r, seen
		return r
	}
	if err := w.wrongAccount(l); err != nil {
		return w.failed(ctx, f.revision, err)
	}
	g := session.Govern(w.env, l.Project, l.Schemas, time.Now())
	desired, err := runs.DesiredUnder(l, runs.PlanFlags{Unattended: true}, g)
	if err == nil {
		err = w.dial(l)
	}
	if err != nil {
		return w.failed(ctx, f.revision, err)
	}
	if handed, wanted := w.handedOver(); wanted {
		handed.Revision = f.revision
		return handed
	}
	store, end, err := w.open(ctx, l.Project)
	if err != nil {
		return w.failed(ctx, f.revision, err)
	}
	defer end()
	// Who had the account until now may have written them: a revert does. They are read anew, as those that change are.
	if w.source.moved(f.revision.Content) {
		return daemon.Result{Class: daemon.Transient, Message: catalogue.Say("ended.files-change")}
	}
	if err := session.NoteReady(w.env, l); err != nil {
		return w.failed(ctx, f.revision, err)
	}
	w.ceiling.Store(g.Policy.MaxDailyExposure)
	w.reach.Store(l.Project.Reach)
	eyesOf, err := w.approved(ctx, f.revision.Content, &desired, g.Policy, store)
	if err != nil {
		return w.failed(ctx, f.revision, err)
	}
	switch stops := w.orders.SuspensionAsLooked(time.Now()) != nil || commits.CommittedStop(l.Project) != ""; {
	case !w.suspended.Load():
		err = ordered.GoOn(ctx, l, w.with(l, store), g)
	case stops: // else it was resumed as this run began: the next carries it out
		err = ordered.Refuse("the account is suspended; want Resume first")
	}
	if err != nil {
		return w.failed(ctx, f.revision, err)
	}
	did := w.carryOut(ctx, request, l, store, desired)
	if did.view != nil {
		err = ordered.Last(ctx, l, did.Session, did.view)
	}
	if err != nil {
		return w.failed(ctx, f.revision, err)
	}
	did.expires, did.eyes = g.Policy.ApprovalExpires, eyesOf
	r = w.ended(ctx, &l, did, r)
	r.Revision.Content = seen.taken(&l)
	w.authors.Moved(f.revision.Content, &l.Desired)
	r.Until, r.Journal = w.again.until(g.Thaws), openSteps(ctx, store)
	if r.Class == daemon.Held && r.Run != nil {
		r.Until = time.Now().Add(againSoon)
	}
	if at := w.answers.again(time.Now(), r.Class); !at.IsZero() && (r.Until.IsZero() || at.Before(r.Until)) {
		r.Until = at
	}
	// what it left unknown, the recovery of the next may decide
	if r.Class == daemon.Undecided && r.Run != nil && len(did.recovered.Undecided) == 0 {
		r.Until = time.Now().Add(againSoon)
	}
	w.remember(ctx, seen, store, l, r)
	r.Writers = did.writers
	w.keeping.due(ctx, w.env, w, l, store)
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

// ended turns what a run came to into its result, and keeps its report.
func (w *worker) ended(ctx context.Context, l *session.Loaded, did done, r daemon.Result) daemon.Result {
	if did.view == nil {
		return w.failed(ctx, r.Revision, did.Failure)
	}
	r.Plan = w.shown(*l, did)
	if at := r.Plan.Revision; at != nil && r.Revision.Commit == "" { // a folder in a work tree
		r.Revision.Commit, r.Revision.Uncommitted = at.Commit, len(at.Uncommitted)
	}
	if did.Report == nil && did.Failure == nil {
		r.Class, r.Message = w.planned(*l, did, r.Plan)
		r = withError(r, w.copies.planned(l, did.view.Plan))
		if !w.suspended.Load() {
			w.answers.propose(ctx, w.env, *l, did.Session.Agent, did.view, w.copies)
		}
		return r
	}
	ending := did.Ending(ctx)
	d := runs.DocumentOf(w.env, *l, did.Report, did.Failure)
	did.Recorder.Mark(d)
	runs.EndAs(ctx, d, ending, session.From(w.env, l.Project.Root))
	did.Recorder.End(d)
	if did.Report == nil {
		return withError(w.failed(ctx, r.Revision, ending), w.refusedCopies(l, did.Failure))
	}
	session.ReadReviews(ctx, w.env, *l, did.Session.Agent, did.Report)
	r.Run = d
	r.Class, r.Message, r.After = w.class(ctx, did, ending)
	if did.overtaken && r.Class == daemon.Partial { // the next run is of the newer files, and soon
		r.Class = daemon.Transient
	}
	if r.Class == daemon.Applied && r.Plan.Summary.Held > 0 { // a part of a change was
		r.Class, r.Message = daemon.Held, firstHold(r.Plan)
	}
	pushed := w.answers.push(ctx, w.env, *l, did.Report, d)
	return withError(r, errors.Join(did.Recorder.Failed, w.copies.applied(l, did.Report, d), pushed))
}

// planned is the class of a run that applied nothing because there was nothing,
// or nothing that may go.
func (w *worker) planned(l session.Loaded, did done, d *runs.PlanDocument) (daemon.Class, string) {
	p := did.view.Plan
	switch {
	case diag.HasErrors(p.Problems):
		return daemon.Input, firstProblem(p.Problems)
	case w.planOnly && runs.Pending(p):
		return daemon.Held, catalogue.Say("ended.planned-only")
	case w.suspended.Load() && !w.planOnly:
		return daemon.Suspended, ""
	case len(did.recovered.Undecided) > 0:
		return daemon.Undecided, undecidedText(did.recovered.Undecided)
	case waitsInvalid(p) > 0:
		return daemon.Partial, firstProblem(session.OnceEach(l.Desired.Problems, p.Waits))
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
	code := console.ExitDone
	if ending != nil {
		code = console.ExitCode(ctx, ending)
	}
	if errors.Is(did.Failure, adsapi.ErrHalted) {
		return daemon.Suspended, console.OneLine(did.Failure), 0
	}
	switch {
	case ending == nil && did.Report.Refused() == 0:
		return daemon.Applied, did.Report.Summary(), 0
	case code == console.ExitDone, code == console.ExitRefused:
		return daemon.Held, console.OneLine(ending), 0
	case code == console.ExitPartial && did.Failure != nil:
		return console.ClassOfError(ctx, did.Failure), console.OneLine(ending), afterOf(did.Failure)
	case code == console.ExitPartial && did.Report.Count(state.OutcomeFailed)+
		did.Report.Count(state.OutcomeSkipped) == 0:
		if did.Report.Waiting() > 0 {
			return daemon.Partial, console.OneLine(ending), 0
		}
		return daemon.Held, console.OneLine(ending), 0
	case code == console.ExitPartial && !w.quarantined(ctx, did):
		return daemon.Transient, console.OneLine(ending), 0
	}
	return console.ClassOfExit(code), console.OneLine(ending), afterOf(did.Failure)
}

// quarantined reports whether all that failed is kept from being sent again: it waits
// for its row to change.
func (w *worker) quarantined(ctx context.Context, did done) bool {
	blocked, err := did.Session.Store.Blocked(context.WithoutCancel(ctx))
	if err != nil {
		return false
	}
	for _, o := range did.Report.Outcomes {
		if _, is := blocked[o.Address]; o.Outcome == state.OutcomeFailed && !is {
			return false
		}
	}
	return true
}

// failed is the result of a run that an error ended.
func (w *worker) failed(ctx context.Context, revision daemon.Revision, err error) daemon.Result {
	r := daemon.Result{
		Class: console.ClassOfError(ctx, err), Message: console.OneLine(err), Revision: revision, After: afterOf(err),
	}
	if held, is := errors.AsType[*heldCommit](err); is {
		r.Rewritten = &held.waits
	}
	return r
}

// shown is the plan as the page shows it, with what people may agree to.
func (w *worker) shown(l session.Loaded, did done) *runs.PlanDocument {
	d := runs.Document(w.env, l, did.Session.Agent.Account, did.view)
	runs.Draw(l, d)
	d.Rows, d.Pictures = rowsOf(did.view), picturesOf(l.Desired.Images)
	d.Asks, d.Agreed = did.view.Plan.FindAsks(), did.view.Plan.Consented
	for i := range d.Asks {
		if wants := did.eyes.Wants(&d.Asks[i]); wants != nil {
			if d.Eyes == nil {
				d.Eyes = map[string]*eyes.Lack{}
			}
			d.Eyes[d.Asks[i].Item] = wants
		}
	}
	d.Approvals = &planview.Approvals{
		Lineage: did.view.State.Lineage, Serial: did.view.State.Serial, Lasts: time.Duration(did.expires) * time.Minute,
	}
	return d
}

// rowsOf is where the files write what is live, by its id.
func rowsOf(v *reconcile.View) map[string]diag.Position {
	rows := make(map[string]diag.Position, v.Input.Live.Len())
	for live := range v.Input.Live.All() {
		if desired := v.Input.Desired.Get(live.Address); desired != nil && live.ID != "" {
			rows[strings.Clone(live.ID)] = desired.Position // without the whole record that the id is cut from
		}
	}
	return rows
}

func firstProblem(problems []diag.Problem) string {
	for _, p := range problems {
		if p.Severity == diag.Error {
			text := strings.TrimPrefix(p.Position.String()+": ", ": ") + p.Message + " (" + string(p.Code) + ")"
			if n := len(problems); n > 1 {
				text += fmt.Sprintf("; %s in all", console.Counted(problems))
			}
			return diag.Printable(text)
		}
	}
	return ""
}

func firstHold(d *runs.PlanDocument) string {
	for i := range d.Changes {
		holds := []*plan.HoldDocument{d.Changes[i].Held}
		for k := range d.Changes[i].Fields {
			holds = append(holds, d.Changes[i].Fields[k].Held)
		}
		for _, h := range holds {
			if h != nil {
				return diag.Printable(catalogue.Say("ended.first-held",
					"n", d.Summary.Held, "what", d.Changes[i].Address, "why", h.Message))
			}
		}
	}
	return ""
}

func undecidedText(undecided []string) string {
	return diag.Printable(catalogue.Say("ended.first-undecided", "n", len(undecided), "what", undecided[0]))
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
