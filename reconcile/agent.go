package reconcile

import (
	"context"
	"time"

	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/plan"
	"adsync/reconcile/apply"
	"adsync/reconcile/live"
	"adsync/reconcile/recover"
	"adsync/reconcile/send"
	"adsync/state"
)

func (a *Agent) live() *live.Room {
	return live.New(&a.Env, &a.memory, a.Incremental, a.Whole)
}

func (a *Agent) recoverRoom() *recover.Room {
	live := a.live()
	return recover.New(&a.Env, live, send.New(&a.Env, &a.polls, live))
}

// newRun joins a run with what carries it out. Its environment is its own: what it
// records goes through its consents and events.
func (a *Agent) newRun(id string, view *apply.View) *apply.Run {
	env := a.Env
	live := live.New(&env, &a.memory, a.Incremental, a.Whole)
	sent := send.New(&env, &a.polls, live)
	return apply.New(id, &env, a.Options, &a.memory, view, live, sent, &a.polls)
}

// Requests goes through an apply of the plan wave by wave, deciding, encoding and
// packing as an apply does, and notes each request instead of sending it. What
// is not known of the account is asked for with validate_only jobs. Nothing is
// changed and nothing recorded.
func (a *Agent) Requests(ctx context.Context, view *apply.View) (*plan.Requests, error) {
	own := *a
	own.Watch, own.Superseded = nil, nil
	own.Progress, own.memory.Census = nil, a.memory.Census.Clone()
	return own.newRun("plan", view).Foresee(ctx)
}

// Check asks the service about every change of the plan that is not held, in
// validate_only jobs (interface, part 4, bulk rule 9). It mutates nothing and
// records nothing; an account without bulk jobs has nothing to say.
func (a *Agent) Check(ctx context.Context, view *apply.View) (apply.Checked, error) {
	return a.newRun("check", view).Check(ctx)
}

// Export reads the account as files would say it. It changes nothing.
func (a *Agent) Export(ctx context.Context) (*resource.Snapshot, error) { return a.live().Export(ctx) }

// Import reads the account and returns what is neither in the record nor named by
// the files: under the slugs of the names, as Export does. It changes nothing.
func (a *Agent) Import(ctx context.Context, desired *resource.Snapshot) (*live.Import, error) {
	return a.live().Import(ctx, desired)
}

// Known reads the account and changes nothing.
func (a *Agent) Known(ctx context.Context) (*live.Known, error) { return a.live().Known(ctx) }

// Recover brings every open step to an end, by the rule for the point it stands
// at. What nothing decides stays open, and everything else goes on.
func (a *Agent) Recover(ctx context.Context) (recover.Recovered, error) {
	return a.recoverRoom().Recover(ctx)
}

// Undecided returns what recovery has left open, oldest first.
func (a *Agent) Undecided(ctx context.Context) ([]send.Undecided, error) {
	return a.recoverRoom().Undecided(ctx)
}

// Evidence looks for what an operation of unknown outcome did. It changes
// nothing. There is none for an address with no such operation.
func (a *Agent) Evidence(ctx context.Context, address resource.Address) (*recover.Evidence, error) {
	return a.recoverRoom().Evidence(ctx, address)
}

// Resolve ends an operation as a person decides it, and writes down who did. What
// nothing shows is ErrUnproven, unless it is said to be right all the same; an id that
// it cannot be is ErrOtherID.
func (a *Agent) Resolve(ctx context.Context, e *recover.Evidence, d recover.Decision) error {
	return a.recoverRoom().Resolve(ctx, e, d)
}

// AuditLog reads the audit log, newest first, and reports whether there is more of it.
func (a *Agent) AuditLog(ctx context.Context, q live.AuditQuery) (entries []live.AuditEntry, more bool, err error) {
	return a.live().AuditLog(ctx, q)
}

// ListNotes says of a plan which kinds were listed beneath their parents within a
// minute: of those that take longer the plan warns.
func (a *Agent) ListNotes(live *live.Live) []string { return a.live().ListNotes(live) }

// UnlistedNotes returns a note for each kind that the last export or import found no list
// of: what it wrote has only those that adsync knows.
func (a *Agent) UnlistedNotes() []string { return a.live().UnlistedNotes() }

// Present checks the account and returns the present in its time zone, by the service's
// clock: its figures are of its days.
func (a *Agent) Present(ctx context.Context) (time.Time, error) { return a.live().Present(ctx) }

// Figures asks the service what the account's resources did in each window, and
// on each day of the shortest: one list a kind and window, whatever the size of
// the account. The figures are the service's own at every level, not sums.
func (a *Agent) Figures(ctx context.Context, windows []resource.Window) (*resource.Figures, error) {
	return a.live().Figures(ctx, windows)
}

// MovedSince asks whether anything was changed at the service since the account was last
// read, by the head of the mirror of then: one request where nothing was. It reads no
// account, and needs no store: what it finds is only a reason to plan.
func (a *Agent) MovedSince(ctx context.Context, m state.Mirror) (live.Movement, error) {
	return a.live().MovedSince(ctx, m)
}

// ReadReviews asks the service for the reviews of what adsync has recorded, and for what
// keeps it from being served, and takes them into a record. It changes nothing at the
// service, and sends no more than a minute's share of the budget: into.Left reports whether
// more is to be read.
func (a *Agent) ReadReviews(ctx context.Context, into *review.Record) error {
	return a.live().ReadReviews(ctx, into)
}

// OtherWriters returns who else has changed several resources of the account since a
// moment, by the audit log: under another name, or under adsync's own while this adsync
// did not write. Where the log does not tell which name that is, as others write at the
// same time, only what was done while it did not write counts.
func (a *Agent) OtherWriters(ctx context.Context, since time.Time, busy []live.Span) ([]live.Writer, error) {
	return a.live().OtherWriters(ctx, since, busy)
}

// Heard returns what others than this adsync did since a moment, of what this agent has read of the audit log to see
// what changed, the oldest first: it asks the service nothing. Own are the names by which the log knew who writes with
// adsync's key, and known are those by which it does now.
func (a *Agent) Heard(ctx context.Context, since time.Time, busy []live.Span,
	own []string) (others []live.AuditEntry, known []string, err error) {
	return a.live().Heard(ctx, since, busy, own)
}
