package daemoncmd

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/commits"
	"adsync/sources/config"
	"adsync/sources/tree"
	"adsync/state"
	"adsync/state/place"
)

// fingerprint is what a run rested on. While it is the same, and the audit log names
// nothing, another run would end as that one did.
type fingerprint struct {
	sum      string   // of the files
	read     []string // their names
	sources  []sources.Source
	operator string      // sum of the operator's file
	place    place.Place // of the state
	serial   int64       // of the state
	approved string      // how many approvals there were, and when the last was given
	planOnly bool
	day      string    // in the account's time zone: plans depend on it
	thaws    time.Time // when a freeze window ends that was open
	mirror   state.Mirror
	since    time.Time     // when the account was read
	result   daemon.Result // how it ended
}

// taken has what the next run rests on be the files as adsync has written into them, and
// returns their sum.
func (s *fingerprint) taken(l *session.Loaded) string {
	if l.Desired.Hash != "" {
		s.sum, s.sources = l.Desired.Hash, l.Desired.Sources
	}
	return s.sum
}

// asBefore reports whether everything a run rests on is as the last one saw it, but
// for the service, which was not asked yet.
func (w *worker) asBefore(ctx context.Context, request daemon.Request, f folderAt) bool {
	s := w.seen
	if s == nil || w.again.wants() || w.copies.due() || request.Full ||
		slices.ContainsFunc(request.Triggers, func(t daemon.Trigger) bool {
			return t == daemon.Asked || t == daemon.Daily || t == daemon.Reviewed
		}) {
		return false
	}
	project, _ := session.ReadProject(w.env, f.dir) // what is wrong with it is part of what was seen
	if s.operator != w.operatorSum() {              // which says where the state lies
		return false
	}
	serial, err := w.serialOf(ctx, s.place)
	return err == nil && serial == s.serial &&
		s.approved == w.approvals() && s.planOnly == w.suspended.Load() &&
		(s.day == "" || s.day == w.today(project)) &&
		(s.thaws.IsZero() || time.Now().Before(s.thaws)) && tree.SumOf(project, s.read) == s.sum
}

// skip asks whether anything moved at the service, with one request, and ends the
// run where nothing did. Files that cannot be planned ask nothing.
func (w *worker) skip(ctx context.Context, f folderAt) (r daemon.Result, skipped bool) {
	r = w.seen.result
	r.Skipped, r.Plan, r.Run, r.Revision = true, nil, nil, w.standing(f)
	if r.Class == daemon.Input {
		return r, true
	}
	agent := &reconcile.Agent{Env: reconcile.Env{
		Service: w.client, Now: w.env.Clock.Now, Sleep: w.env.Clock.Sleep,
	}}
	moved, err := agent.MovedSince(ctx, w.seen.mirror)
	if err != nil {
		return w.failed(ctx, f.revision, err), true
	}
	if moved.None() && time.Since(w.seen.since) > reconcile.QuietFor {
		w.seen.mirror = reconcile.Settled(w.seen.mirror)
	}
	return r, moved.None()
}

// standing is where files stand that are as they were seen. Of a folder whose files
// were not all committed it is looked at anew: a commit changes none of them.
func (w *worker) standing(f folderAt) daemon.Revision {
	r, before := f.revision, &w.seen.result.Revision
	r.Content = w.seen.sum
	if r.Commit != "" {
		return r
	}
	if before.Uncommitted > 0 {
		project, _ := session.ReadProject(w.env, f.dir)
		if now, err := commits.RevisionOf(project, w.seen.sources); err == nil {
			before.Commit, before.Uncommitted = now.Commit, len(now.Uncommitted)
		}
	}
	r.Commit, r.Uncommitted = before.Commit, before.Uncommitted
	return r
}

// remember keeps what the next run may rest on, where this one came to an end
// that stands until something changes.
func (w *worker) remember(ctx context.Context, seen *fingerprint,
	store state.Store, l session.Loaded, r daemon.Result) {
	if !slices.Contains([]daemon.Class{daemon.InSync,
		daemon.Applied, daemon.Held, daemon.Partial, daemon.Undecided, daemon.Suspended}, r.Class) {
		return
	}
	mirror, err := store.MirrorHead(context.WithoutCancel(ctx))
	if err != nil || len(mirror.Awaited) > 0 { // what adsync itself changed is read back by the next run
		return
	}
	seen.mirror, seen.serial, seen.thaws, seen.day = mirror, store.Header().Serial, r.Until, w.today(l.Project)
	seen.result, seen.since = r, time.Now()
	seen.result.Plan, seen.result.Run = nil, nil
	w.seen = seen
}

// serialOf is the serial of the state, as the look that asks for a run saw it where that is known.
func (w *worker) serialOf(ctx context.Context, at place.Place) (int64, error) {
	if looked := w.orders.Looked(); looked != nil {
		return looked.Serial, nil
	}
	return at.SerialOf(ctx)
}

// approvals is another text with each approval.
func (w *worker) approvals() string {
	if looked := w.orders.Looked(); looked != nil {
		return looked.Approvals
	}
	approvals, err := w.orders.Approvals()
	if err != nil {
		return "unknown"
	}
	if len(approvals) == 0 {
		return ""
	}
	return fmt.Sprint(len(approvals), " ", approvals[len(approvals)-1].Time)
}

// operatorSum follows the operator's file, on which limits and allowances rest.
func (w *worker) operatorSum() string {
	name, _ := session.OperatorFile(w.env)
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(file, 2<<20)); err != nil {
		return ""
	}
	return string(sum.Sum(nil))
}

func (w *worker) today(p config.Project) string {
	zone, err := time.LoadLocation(p.Account.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	return time.Now().In(zone).Format(time.DateOnly)
}

// rereading is when an account is read again that was taken over from a process that is gone: what that one sent last
// may come late. Until then no run is left out.
type rereading struct{ at time.Time }

// rereadAfter is how late what was sent may come.
const rereadAfter = time.Minute

// opened notes that a run has the state, and whether it took it over. A run after the time has read what came late.
func (r *rereading) opened(now time.Time, takenOver bool) {
	switch {
	case takenOver:
		r.at = now.Add(rereadAfter)
	case !r.at.IsZero() && !now.Before(r.at):
		r.at = time.Time{}
	}
}

// wants reports whether a run is wanted although nothing is new.
func (r *rereading) wants() bool { return !r.at.IsZero() }

// until is when a run is wanted at the latest: then, or before.
func (r *rereading) until(before time.Time) time.Time {
	if before.IsZero() || r.wants() && r.at.Before(before) {
		return r.at
	}
	return before
}
