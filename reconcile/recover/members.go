package recover

import (
	"context"
	"fmt"
	"slices"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/people"
	"adsync/state"
)

// membersRecovery ends operations on people that an earlier run left open.
type membersRecovery struct {
	*env.Env
	*people.Members
	*recovering
	*deciding
	*live.Lists
}

// recoverMembers brings an operation of an earlier run to its end.
func (a *membersRecovery) recoverMembers(ctx context.Context, step state.Step, recovered *Recovered) error {
	if step.JobID == "" {
		mutation, err := a.MadeAgain(step)
		if err != nil || !a.young(step) { // of people who are in no file any more nothing goes again
			return a.decideMembers(ctx, step, recovered)
		}
		if step.Point == state.Intent { // it never left: somebody may have been there meanwhile
			fills, err := a.StillFills(ctx, step, false)
			if err != nil {
				return err
			}
			if !fills {
				return a.abandon(ctx, step, "somebody changed who is in it before it was sent; plan again", recovered)
			}
		}
		if err := a.beforeAgain(ctx, step, recovered); err != nil {
			return err
		}
		accepted, failure := a.Service.ChangeMembers(ctx, mutation)
		if failure != nil {
			return a.membersInVain(ctx, step, failure, recovered)
		}
		if a.Merged(step) != nil && accepted.AudienceID == "" {
			return a.decideMerge(ctx, step, recovered)
		}
		if err := a.AcceptMembers(ctx, &step, accepted); err != nil {
			return err
		}
	}
	return a.followRecovered(ctx, step, recovered)
}

func (a *membersRecovery) membersInVain(ctx context.Context,
	step state.Step, failure error, recovered *Recovered) error {
	if env.Stops(failure) || adsapi.AppliedOf(failure) == adsapi.Unknown {
		return failure
	}
	return a.decideMembers(ctx, step, recovered)
}

// decideMembers ends a step whose operation the service may or may not have
// taken, once nothing is under way. It is taken for not done, and the revision
// it started from is recorded: had it been done, the revision has moved, and the
// next plan holds the list for a person instead of sending it once more.
func (a *membersRecovery) decideMembers(ctx context.Context, step state.Step, recovered *Recovered) error {
	if a.Merged(step) != nil {
		return a.decideMerge(ctx, step, recovered)
	}
	operation := step.Operations[0]
	all, err := a.Service.MemberOperations(ctx, operation.ResourceID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(o adsapi.MemberOperation) bool { return !o.Ended() }) {
		if _, err := a.ResumeStoppedOf(ctx, a.Schemas.Of(operation.Address.Kind).Membership,
			operation.ResourceID); env.Stops(err) {
			return err
		}
		recovered.Undecided = append(recovered.Undecided,
			fmt.Sprintf("%s: an operation on who is in it is under way at "+
				"the service, and may be the one whose answer was lost; apply again when it has ended",
				operation.Address))
		return nil
	}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return fmt.Errorf("read the last-applied record: %w", err)
	}
	m := a.Schemas.Of(operation.Address.Kind).Membership
	var noted resource.Attributes
	noted.Set(m.Revision, operation.Set.Value(m.Revision))
	if bound := last.Get(operation.Address); bound == nil || !bound.Value(m.File).IsSet() {
		noted.Set(m.File, resource.Null()) // a list was sent, and may not have come
	}
	if err := a.Store.Record(ctx,
		[]state.Applied{{Address: operation.Address, ID: operation.ResourceID, Attributes: noted}}); err != nil {
		return err
	}
	return a.abandon(ctx, step, "its answer was lost, and nothing shows that it was done", recovered)
}

// decideMerge ends a merge whose answer was lost and whose key is too old: it
// happened where one of its name is there that a merge has made.
func (a *membersRecovery) decideMerge(ctx context.Context, step state.Step, recovered *Recovered) error {
	operation := step.Operations[0]
	ids, err := a.BoundIDs(ctx)
	if err != nil {
		return err
	}
	found, err := a.find(ctx, step, operation, ids, false)
	switch {
	case err != nil:
		return err
	case found.Outcome == state.OutcomeUnknown:
		recovered.Undecided = append(recovered.Undecided, fmt.Sprintf("%s: %s", operation.Address, found.Message))
		return nil
	case found.ResourceID == "":
		return a.abandon(ctx, step, "reading back shows nothing of it", recovered)
	}
	all, err := a.Service.MemberOperations(ctx, found.ResourceID)
	if err != nil {
		return err
	}
	first := slices.IndexFunc(all, func(o adsapi.MemberOperation) bool { return o.Kind == "merge" })
	if first < 0 {
		return a.abandon(ctx, step, "what has its name was not made by a merge", recovered)
	}
	all[first].AudienceID = found.ResourceID
	if err := a.AcceptMembers(ctx, &step, all[first]); err != nil {
		return err
	}
	return a.followRecovered(ctx, step, recovered)
}

// followRecovered follows an operation of an earlier run to its end.
func (a *membersRecovery) followRecovered(ctx context.Context, step state.Step, recovered *Recovered) error {
	o, err := a.FollowMembers(ctx, step)
	switch {
	case err != nil:
		return err
	case o.Outcome == state.OutcomeUnknown:
		recovered.Undecided = append(recovered.Undecided, fmt.Sprintf("%s: %s", o.Address, o.Message))
		return nil
	}
	recovered.Finished++
	return nil
}
