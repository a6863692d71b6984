package planning

import (
	"context"

	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/tidy"
)

// Edit is what the files of an account would say otherwise, each value in its very cell or line.
type Edit struct {
	Values   []Value
	Left     []plan.Stay    // what the files go on saying, and why
	Problems []diag.Problem // why values that were wanted cannot be written
	Rewrites []tidy.Rewrite
}

// Value is one that the files would say.
type Value struct {
	tidy.Accepted
	Said resource.Value // by the files now
	At   diag.Position  // where it is written
}

// Undo returns what has the files say what they said before a run, where they still say what it applied; of only one
// resource where its address is given. Last is the record of now. Nothing is written, and nobody is asked.
func Undo(ctx context.Context, env *session.Env, l session.Loaded,
	of *runs.ReportDocument, last *resource.Snapshot, only string) (Edit, error) {
	desired, err := runs.Desired(env, l, runs.PlanFlags{})
	if err != nil {
		return Edit{}, err
	}
	r := &reverting{loaded: l, of: of, moves: desired.Moves}
	called := map[string]resource.Address{} // by id, under the keys of now
	for one := range last.All() {
		called[one.ID] = one.Address
	}
	for _, d := range of.Done() {
		if only == "" || r.calls(d, called[d.ID], only) {
			r.done = append(r.done, d)
		}
	}
	r.inverse = plan.Invert(l.Schemas, last, r.done)
	former, left := r.asked()
	return edit(ctx, env, l, former, append(r.inverse.Stays, left...))
}

// Theirs returns what has the files say what somebody else gave a resource at the service, as a view of it shows.
// Nothing is written or recorded: the next run finds both sides alike.
func Theirs(ctx context.Context, env *session.Env, l session.Loaded,
	view *reconcile.View, of resource.Address) (Edit, error) {
	take := takeOver(l, DriftOf(l, view, []reconcile.Pick{{Address: of}}), true)
	e, err := edit(ctx, env, l, take.accepted, nil)
	e.Problems = append(take.problems, e.Problems...)
	return e, err
}

// calls reports whether an address is that of what a run did, then or now, in the record or in the files.
func (r *reverting) calls(d plan.Done, now resource.Address, address string) bool {
	if d.ID == "" || now.IsZero() {
		now = d.Address
	}
	row := r.row(now)
	return address == d.Address.String() || address == now.String() || row != nil && address == row.Address.String()
}

func edit(ctx context.Context, env *session.Env, l session.Loaded, wanted []tidy.Accepted, left []plan.Stay) (
	e Edit, err error) {
	e.Left = left
	rewrites, fits, problems, err := fit(ctx, env, l, wanted)
	if err != nil {
		return e, err
	}
	e.Rewrites, e.Problems = rewrites, problems
	for _, one := range fits {
		row := l.Desired.Snapshot.Get(one.Address)
		v := Value{Accepted: one, Said: row.Value(one.Attribute)}
		if v.At = v.Said.Position; v.At.IsZero() {
			v.At = row.Position
		}
		e.Values = append(e.Values, v)
	}
	return e, nil
}
