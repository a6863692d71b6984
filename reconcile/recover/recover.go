package recover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/people"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"
)

// Recovered is what became of the steps an earlier run left open.
type Recovered struct {
	Finished  int      // carried to their end
	Abandoned int      // certain to have had no effect
	Undecided []string // what nothing at the service decides: only what depends on it waits

	Steps []RecoveredStep // oldest first

	again []string  // ids of jobs that were submitted again
	began time.Time // by then whoever sent the open steps had stopped
}

// RecoveredStep is one step as recovery found it, and what became of it.
type RecoveredStep struct {
	Step      state.Step
	Rule      RecoveryRule
	Became    string // "finished", "abandoned", "undecided"
	Undecided []string
}

// recovery ends what an earlier run left open, a rule a point of the journal.
type recovery struct {
	*env.Env
	*live.Lists
	*people.Members
	*send.Requests
	*send.Follower
	*send.Finisher
	*send.Sender
	*send.Retries
	*recovering
	*deciding
	*membersRecovery
	*send.Payers
	*send.Duplicates
}

// Recover brings every open step to an end, by the rule for the point it stands
// at. What nothing decides stays open, and everything else goes on.
func (a *recovery) Recover(ctx context.Context) (Recovered, error) {
	if err := a.CheckAccount(ctx); err != nil {
		return Recovered{}, err
	}
	steps, err := a.Store.Open(ctx)
	if err != nil {
		return Recovered{}, fmt.Errorf("read the journal: %w", err)
	}
	if len(steps) > 0 { // what they did is in no mirror
		if err := a.Store.RecordMirror(ctx, state.Mirror{}); err != nil {
			return Recovered{}, err
		}
	}
	recovered := Recovered{began: a.Now()}
	if err := a.noteLate(ctx, steps, recovered.began); err != nil {
		return recovered, err
	}
	for _, step := range steps {
		if err := a.recoverStep(ctx, step, &recovered); err != nil {
			return recovered, fmt.Errorf("recover step %s: %w", step.ID, err)
		}
	}
	return recovered, a.closeRecovered(ctx)
}

// noteLate notes what was sent to resources that are there: whatever becomes of it now, it may arrive later, from a
// process that froze and wakes.
func (a *recovery) noteLate(ctx context.Context, steps []state.Step, now time.Time) error {
	var late []state.Late
	for _, step := range steps {
		one := state.Late{Step: step.ID, Since: now}
		for _, o := range step.Operations {
			if o.ResourceID != "" && !o.Complete && !wire.Aside(o.Action) {
				one.Operations = append(one.Operations, o)
			}
		}
		if step.Point != state.Intent && len(one.Operations) > 0 {
			late = append(late, one)
		}
	}
	if len(late) == 0 {
		return nil
	}
	return a.Store.RecordLate(ctx, late)
}

// closeRecovered reads back what the bound steps touched, so that the normal
// form the service gave is not taken for drift, and ends them.
func (a *recovery) closeRecovered(ctx context.Context) error {
	steps, err := a.Store.Open(ctx)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return fmt.Errorf("read the last-applied record: %w", err)
	}
	var expected []live.Expectation
	index := map[resource.Address]int{}
	for _, step := range steps {
		for _, o := range step.Operations {
			bound := last.Get(o.Address)
			if step.Point != state.Bound || bound == nil {
				continue
			}
			i, known := index[o.Address]
			if !known {
				i = len(expected)
				index[o.Address] = i
				expected = append(expected,
					live.Expectation{
						Address: o.Address, ID: bound.ID, ParentID: bound.ParentID, Sent: bound.Attributes, Late: true,
					})
			}
			expected[i].Created = expected[i].Created || o.Complete
		}
	}
	if _, err := a.Observe(ctx, expected); err != nil {
		return err
	}
	if err := a.NoteMade(ctx, last); err != nil {
		return err
	}
	if err := a.retireRecovered(ctx, steps, last); err != nil {
		return err
	}
	for _, step := range steps {
		if step.Point != state.Bound && step.Point != state.Verified {
			continue
		}
		if err := a.Store.Move(ctx, step.ID, state.Closed, state.Update{Note: "closed by recovery"}); err != nil {
			return err
		}
	}
	return nil
}

// recoverStep does with a step what the rule of its point says, and notes what
// became of it. What goes wrong with this step alone leaves it undecided.
func (a *recovery) recoverStep(ctx context.Context, step state.Step, recovered *Recovered) error {
	rule := a.recoveryRule(step)
	before := *recovered
	if err := rule.act(a, ctx, step, recovered); err != nil {
		if !ofThisStep(err) {
			return err
		}
		recovered.stepUndecided(step, err.Error())
	}
	one := RecoveredStep{
		Step: step, Rule: rule.RecoveryRule, Became: "finished", Undecided: recovered.Undecided[len(before.Undecided):],
	}
	switch {
	case len(one.Undecided) > 0:
		one.Became = "undecided"
	case recovered.Abandoned > before.Abandoned:
		one.Became = "abandoned"
	}
	recovered.Steps = append(recovered.Steps, one)
	return nil
}

func (r *Recovered) undecided(address resource.Address, message string) {
	said := fmt.Sprintf("%s: %s", address, message)
	if !slices.Contains(r.Undecided, said) { // a job and its repetition leave the same open
		r.Undecided = append(r.Undecided, said)
	}
}

// stepUndecided names what a step is about: its first address, or itself where it
// has none.
func (r *Recovered) stepUndecided(step state.Step, message string) {
	about := step.ID
	if len(step.Operations) > 0 {
		about = step.Operations[0].Address.String()
	}
	r.Undecided = append(r.Undecided, about+": "+message)
}

// ofThisStep reports whether an error is the service's word on one step: its key
// stands for something else there, or its job has not ended.
func ofThisStep(err error) bool {
	return !env.Stops(err) && (errors.Is(err, adsapi.ErrConflict) || errors.Is(err, send.ErrStillRunning))
}

// recovering is what every rule of recovery uses: dropping a step, and waiting before it goes again.
type recovering struct {
	*env.Env
}

func (a *recovering) abandon(ctx context.Context, step state.Step, note string, recovered *Recovered) error {
	recovered.Abandoned++
	return a.Store.Move(ctx, step.ID, state.Abandoned, state.Update{Note: note})
}

func (a *recovery) abandonUnsent(ctx context.Context, step state.Step, recovered *Recovered) error {
	return a.abandon(ctx, step, "never sent", recovered)
}

func (a *recovery) abandonUpload(ctx context.Context, step state.Step, recovered *Recovered) error {
	return a.abandon(ctx, step, "an upload has no key; at worst a file is left that nobody uses", recovered)
}

// beforeAgain waits until the service knows the key of a step, had it come just
// before the recovery began, and puts the step back to sent; SentAt stays that of
// the first time.
func (a *recovering) beforeAgain(ctx context.Context, step state.Step, recovered *Recovered) error {
	why := "what was sent last may have come, and its " +
		"key is not known to the service at once; waiting %s before it goes again"
	if _, err := a.waitLag(ctx, recovered, why); err != nil || step.Point != state.Unknown {
		return err
	}
	return a.Store.Move(ctx, step.ID, state.Sent, state.Update{})
}

// waitLag waits until the service has had time to know and to show what came just
// before the recovery began, and reports whether there was anything to wait for. All
// steps of a recovery are waited for together.
func (a *recovering) waitLag(ctx context.Context, recovered *Recovered, why string) (waited bool, err error) {
	wait := recovered.began.Add(a.Service.KeyLag()).Sub(a.Now())
	if wait <= 0 {
		return false, nil
	}
	wait += env.LagMargin
	a.Tell(why, wait.Round(time.Second))
	if err := a.Sleep(ctx, wait); errors.Is(err, context.Canceled) {
		return false, env.Interrupted{Words: "interrupted while it was waited for: nothing was sent"}
	} else if err != nil {
		return false, err
	}
	return true, nil
}

func (a *recovery) askJob(ctx context.Context, step state.Step, recovered *Recovered) error {
	return a.recoverJob(ctx, step, adsapi.Job{ID: step.JobID}, recovered)
}

func (a *recovery) nothingLeft(_ context.Context, _ state.Step, recovered *Recovered) error {
	recovered.Finished++ // closeRecovered reads it back
	return nil
}

func (a *recovery) askPerson(_ context.Context, step state.Step, recovered *Recovered) error {
	recovered.stepUndecided(step, step.Note)
	return nil
}

// resend repeats a create, byte for byte. A refusal of the repetition says
// nothing of the request before it: that is read back.
func (a *recovery) resend(ctx context.Context, step state.Step, recovered *Recovered) error {
	if err := a.beforeAgain(ctx, step, recovered); err != nil {
		return err
	}
	record, failure := a.Mutate(ctx, step)
	if failure != nil {
		return a.repeatedInVain(ctx, step, failure, recovered)
	}
	recovered.Finished++
	o := step.Operations[0]
	return a.Finish(ctx, step, []state.OperationOutcome{{Address: o.Address,
		ResourceID: record.ID, Outcome: state.OutcomeApplied, Answered: true, Made: o.ResourceID == ""}})
}

func (a *recovery) repeatedInVain(ctx context.Context, step state.Step, failure error, recovered *Recovered) error {
	if conflict := send.ConflictOf(step.Operations[0], failure); conflict != "" && step.Route == state.Single {
		step.Operations = slices.Clone(step.Operations)
		step.Operations[0].Code = string(conflict)
		return a.readBackStep(ctx, step, recovered)
	}
	if env.Stops(failure) || adsapi.AppliedOf(failure) == adsapi.Unknown || errors.Is(failure, adsapi.ErrConflict) {
		return failure
	}
	return a.readBackStep(ctx, step, recovered)
}

// resubmit repeats a job submission, byte for byte, under the same key: the
// service answers with the job it has, or takes it now.
func (a *recovery) resubmit(ctx context.Context, step state.Step, recovered *Recovered) error {
	if err := a.beforeAgain(ctx, step, recovered); err != nil {
		return err
	}
	job, err := a.Submit(ctx, step)
	if err != nil {
		return a.repeatedInVain(ctx, step, err, recovered)
	}
	if err := a.Store.Move(ctx, step.ID, state.Accepted, state.Update{JobID: job.ID}); err != nil {
		return err
	}
	step.Point, step.JobID = state.Accepted, job.ID
	recovered.again = append(recovered.again, step.ID)
	return a.recoverJob(ctx, step, job, recovered)
}

// recoverJob follows a job to its end and binds its results. What it gave no
// result for goes again once, as the same body under a new job key, and is then
// looked for.
func (a *recovery) recoverJob(ctx context.Context, step state.Step, job adsapi.Job, recovered *Recovered) error {
	page, err := a.FollowJob(ctx, step, job)
	if errors.Is(err, adsapi.ErrNotFound) {
		return a.lostJob(ctx, step, err, recovered)
	}
	if err != nil {
		return err
	}
	outcomes, wait, err := a.ResultsOf(ctx, step, page)
	if err != nil {
		return err
	}
	keepKnown(step, outcomes)
	if send.AnyUnknown(outcomes) && a.young(step) && !begunAnew(step) {
		if outcomes, err = a.repeatJob(ctx, step, outcomes, wait); err != nil {
			return err
		}
	}
	if err := a.AnsweredPaid(ctx, step, outcomes, slices.Contains(recovered.again, step.ID)); err != nil {
		return err
	}
	if send.AnyUnknown(outcomes) {
		return a.decide(ctx, step, outcomes, recovered)
	}
	recovered.Finished++
	return a.Finish(ctx, step, outcomes)
}

// begunAnew reports whether a create of a step is recorded as not made: its next attempt
// goes under another key, and never again in the body of this step.
func begunAnew(step state.Step) bool {
	return slices.ContainsFunc(step.Operations, func(o state.Operation) bool {
		return wire.Keyed(o) && wire.Decided(o) && o.Outcome != state.OutcomeApplied
	})
}

// lostJob handles a job that cannot be asked for, as the account has no bulk jobs
// any more: what it did is read back. Unless it is known to have ended it may still
// do it.
func (a *recovery) lostJob(ctx context.Context, step state.Step, cause error, recovered *Recovered) error {
	if step.Point != state.Unknown {
		if err := a.Store.Move(ctx, step.ID, state.Unknown, state.Update{Note: cause.Error()}); err != nil {
			return err
		}
	}
	if ended := step.Point == state.Terminal || step.Point == state.ResultsRead; !ended {
		step.Point = state.Accepted
	}
	return a.readBackStep(ctx, step, recovered)
}

// repeatJob runs the body of a job whose results are not whole once more, unless
// reading back leaves nothing unknown.
func (a *recovery) repeatJob(ctx context.Context, step state.Step,
	outcomes []state.OperationOutcome, g send.RetrySet) ([]state.OperationOutcome, error) {
	outcomes, g, err := a.LookForLost(ctx, step, outcomes, g)
	if err != nil || !send.AnyUnknown(outcomes) {
		return outcomes, err
	}
	if err := a.Sleep(ctx, a.WaitBeforeRetry(step, outcomes, g)); err != nil {
		return outcomes, err
	}
	sequence, err := a.Store.NextSequence(ctx)
	if err != nil {
		return outcomes, err
	}
	repeated, err := a.Repetition(ctx, step, int(sequence), outcomes, g)
	if err != nil {
		return outcomes, err
	}
	sent, err := a.SendJob(ctx, repeated, send.Turn{})
	if sent.Refusal != nil {
		return outcomes, a.RepetitionRefused(ctx, repeated, sent.Refusal)
	}
	if err == nil && send.AnyUnknown(sent.Outcomes) { // the step it repeats holds what is unknown
		err = a.Store.Finish(ctx, repeated.ID, nil, nil)
	}
	if err != nil {
		return outcomes, err
	}
	return send.Better(outcomes, a.WithoutDuplicates(repeated, sent.Outcomes)), nil
}
