package reconcile

import (
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/state"
	"context"
	"time"
)

// liveRoom reads what the service holds.
type liveRoom struct {
	*lists
	*auditLog
	*actors
	*mirroring
	*refreshing
	*insights
	*reviewing
}

func newLiveRoom(env *Env, known *memory, incremental, whole bool) *liveRoom {
	x := &liveRoom{}
	x.lists = &lists{Env: env, memory: known}
	x.auditLog = &auditLog{Env: env, lists: x.lists}
	x.actors = &actors{Env: env}
	x.mirroring = &mirroring{Env: env, lists: x.lists, auditLog: x.auditLog, whole: whole}
	x.refreshing = &refreshing{Env: env, lists: x.lists, mirroring: x.mirroring, incremental: incremental}
	x.insights = &insights{Env: env}
	x.reviewing = &reviewing{Env: env, lists: x.lists}
	return x
}

// sendRoom brings one step to its end.
type sendRoom struct {
	*members
	*keyring
	*requests
	*duplicates
	*payers
	*finisher
	*follower
	*sender
	*retries
	*singles
}

func newSendRoom(env *Env, polls *pollEstimator, live *liveRoom) *sendRoom {
	x := &sendRoom{}
	x.members = &members{Env: env}
	x.keyring = &keyring{Env: env}
	x.requests = &requests{Env: env}
	x.duplicates = &duplicates{Env: env, requests: x.requests}
	x.payers = &payers{Env: env, actors: live.actors}
	x.finisher = &finisher{Env: env, keyring: x.keyring, duplicates: x.duplicates, payers: x.payers}
	x.follower = &follower{Env: env, polls: polls}
	x.sender = &sender{Env: env, requests: x.requests, follower: x.follower, finisher: x.finisher}
	x.retries = &retries{Env: env, lists: live.lists, keyring: x.keyring, finisher: x.finisher}
	x.singles = &singles{
		Env: env, lists: live.lists, requests: x.requests, finisher: x.finisher, keyring: x.keyring, members: x.members,
	}
	return x
}

// recoverRoom ends and decides what earlier runs left open.
type recoverRoom struct {
	*recovering
	*deciding
	*membersRecovery
	*recovery
	*openSteps
	*resolver
}

func newRecoverRoom(env *Env, live *liveRoom, sent *sendRoom) *recoverRoom {
	x := &recoverRoom{}
	x.recovering = &recovering{Env: env}
	x.deciding = &deciding{
		Env: env, lists: live.lists, auditLog: live.auditLog,
		finisher: sent.finisher, keyring: sent.keyring, recovering: x.recovering,
	}
	x.membersRecovery = &membersRecovery{
		Env: env, members: sent.members, recovering: x.recovering, deciding: x.deciding, lists: live.lists,
	}
	x.recovery = &recovery{
		Env: env, lists: live.lists, members: sent.members, requests: sent.requests, follower: sent.follower,
		finisher: sent.finisher, sender: sent.sender, retries: sent.retries, recovering: x.recovering,
		deciding: x.deciding, membersRecovery: x.membersRecovery, payers: sent.payers, duplicates: sent.duplicates,
	}
	x.openSteps = &openSteps{Env: env}
	x.resolver = &resolver{
		Env: env, lists: live.lists, auditLog: live.auditLog, recovery: x.recovery,
		recovering: x.recovering, openSteps: x.openSteps, finisher: sent.finisher, deciding: x.deciding,
	}
	return x
}

// newApplying joins what carries a run out.
func newApplying(r *run, live *liveRoom, sent *sendRoom, polls *pollEstimator) *applying {
	parts := &parts{Env: r.Env, run: r}
	naming := &naming{Env: r.Env, run: r}
	uploads := &uploads{Env: r.Env, run: r, parts: parts}
	memberWaves := &memberWaves{
		Env: r.Env, run: r, parts: parts, uploads: uploads, members: sent.members, keyring: sent.keyring,
	}
	jobs := &jobs{
		Env: r.Env, run: r, parts: parts, sender: sent.sender,
		retries: sent.retries, keyring: sent.keyring, duplicates: sent.duplicates,
	}
	reporting := &reporting{Env: r.Env, run: r, parts: parts}
	readback := &readback{Env: r.Env, run: r, parts: parts, reporting: reporting, lists: live.lists}
	repeating := &repeating{Env: r.Env, run: r, parts: parts, jobs: jobs, readback: readback}
	singleRequests := &singleRequests{Env: r.Env, run: r, parts: parts, singles: sent.singles, lists: live.lists}
	freshening := &freshening{Env: r.Env, run: r, lists: live.lists}
	probing := &probing{Env: r.Env, run: r, parts: parts, requests: sent.requests, polls: polls}
	creating := &creating{Env: r.Env, run: r, parts: parts}
	preflighting := &preflighting{Env: r.Env, run: r, parts: parts, creating: creating, probing: probing}
	capabilities := &capabilities{
		Env: r.Env, run: r, parts: parts, probing: probing, preflighting: preflighting, lists: live.lists,
	}
	updating := &updating{
		Env: r.Env, run: r, parts: parts, freshening: freshening, singleRequests: singleRequests, jobs: jobs,
	}
	creationWaves := &creationWaves{
		Env: r.Env, run: r, parts: parts, naming: naming, creating: creating, jobs: jobs, repeating: repeating,
		singleRequests: singleRequests, uploads: uploads, updating: updating, lists: live.lists,
	}
	recording := &recording{Env: r.Env, run: r, parts: parts}
	checking := &checking{Env: r.Env, run: r, parts: parts, creating: creating, preflighting: preflighting}
	waveRunner := &waveRunner{
		Env: r.Env, run: r, parts: parts, reporting: reporting,
		recording: recording, readback: readback, memberWaves: memberWaves,
		uploads: uploads, singleRequests: singleRequests, updating: updating, creationWaves: creationWaves,
	}
	return &applying{
		Env: r.Env, run: r, parts: parts, reporting: reporting,
		waveRunner: waveRunner, capabilities: capabilities, preflighting: preflighting, checking: checking,
	}
}

func (a *Agent) live() *liveRoom { return newLiveRoom(&a.Env, &a.memory, a.Incremental, a.Whole) }

func newInputs(env *Env) *inputs { return &inputs{Env: env} }

func (a *Agent) recoverRoom() *recoverRoom {
	live := a.live()
	return newRecoverRoom(&a.Env, live, newSendRoom(&a.Env, &a.polls, live))
}

// Recover brings every open step to an end, by the rule for the point it stands
// at. What nothing decides stays open, and everything else goes on.
func (a *Agent) Recover(ctx context.Context) (Recovered, error) { return a.recoverRoom().Recover(ctx) }

// Undecided returns what recovery has left open, oldest first.
func (a *Agent) Undecided(ctx context.Context) ([]Undecided, error) {
	return a.recoverRoom().Undecided(ctx)
}

// Evidence looks for what an operation of unknown outcome did. It changes
// nothing. There is none for an address with no such operation.
func (a *Agent) Evidence(ctx context.Context, address resource.Address) (*Evidence, error) {
	return a.recoverRoom().Evidence(ctx, address)
}

// Resolve ends an operation as a person decides it, and writes down who did. What
// nothing shows is ErrUnproven, unless it is said to be right all the same; an id that
// it cannot be is ErrOtherID.
func (a *Agent) Resolve(ctx context.Context, e *Evidence, d Decision) error {
	return a.recoverRoom().Resolve(ctx, e, d)
}

// AuditLog reads the audit log, newest first, and reports whether there is more of it.
func (a *Agent) AuditLog(ctx context.Context, q AuditQuery) (entries []AuditEntry, more bool, err error) {
	return a.live().AuditLog(ctx, q)
}

// ListNotes says of a plan which kinds were listed beneath their parents within a
// minute: of those that take longer the plan warns.
func (a *Agent) ListNotes(live *Live) []string { return a.live().ListNotes(live) }

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

// Moved asks whether anything was changed at the service since the account was
// last read: one request where nothing was. It reads no account: what it finds
// is only a reason to plan.
func (a *Agent) Moved(ctx context.Context) (Movement, error) { return a.live().Moved(ctx) }

// MovedSince is Moved for who has kept the head of the mirror. It needs no store.
func (a *Agent) MovedSince(ctx context.Context, m state.Mirror) (Movement, error) {
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
func (a *Agent) OtherWriters(ctx context.Context, since time.Time, busy []Span) ([]Writer, error) {
	return a.live().OtherWriters(ctx, since, busy)
}
