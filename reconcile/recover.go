package reconcile

import (
	"context"
	"errors"
	"fmt"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/state"
)

// Recovered is what became of the steps an earlier run left open.
type Recovered struct {
	Finished  int      // carried to their end
	Abandoned int      // certain to have had no effect
	Undecided []string // for a person: nothing is sent until they are
}

// Recover brings every open step to an end before anything new is planned. The
// rule for each point is that of design.md section 7: bytes that may have been
// sent go again, the same ones under the same key, while the key is trusted;
// later only reading back decides, and what it leaves open stops the run.
func (a *Agent) Recover(ctx context.Context) (Recovered, error) {
	if err := a.checkAccount(ctx); err != nil {
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
	var recovered Recovered
	for _, step := range steps {
		if err := a.recoverStep(ctx, step, &recovered); err != nil {
			return recovered, fmt.Errorf("recover step %s: %w", step.ID, err)
		}
	}
	return recovered, a.closeRecovered(ctx)
}

// closeRecovered reads back what the bound steps touched, so that the normal
// form the service gave is not taken for drift, and ends them.
func (a *Agent) closeRecovered(ctx context.Context) error {
	steps, err := a.Store.Open(ctx)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return fmt.Errorf("read the last-applied record: %w", err)
	}
	var expected []expectation
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
				expected = append(expected, expectation{o.Address, bound.ID, bound.ParentID, bound.Attributes, false})
			}
			expected[i].created = expected[i].created || o.Complete
		}
	}
	if _, err := a.observe(ctx, expected); err != nil {
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

func (a *Agent) recoverStep(ctx context.Context, step state.Step, recovered *Recovered) error {
	switch step.Point {
	case state.Sent, state.Unknown, state.Accepted, state.Terminal:
		if step.Route == state.Membership {
			return a.recoverMembers(ctx, step, recovered)
		}
	}
	switch step.Point {
	case state.Intent: // the journal says sent before the first byte leaves
		return a.abandon(ctx, step, "never sent", recovered)
	case state.Sent, state.Unknown:
		return a.recoverSent(ctx, step, recovered)
	case state.Accepted, state.Terminal, state.ResultsRead: // how the job ended is the service's to say
		return a.recoverJob(ctx, step, adsapi.Job{ID: step.JobID}, recovered)
	case state.Bound, state.Verified:
		recovered.Finished++
		return nil
	}
	recovered.Undecided = append(recovered.Undecided, fmt.Sprintf("%s: %s", step.ID, step.Note))
	return nil
}

func (a *Agent) abandon(ctx context.Context, step state.Step, note string, recovered *Recovered) error {
	recovered.Abandoned++
	return a.Store.Move(ctx, step.ID, state.Abandoned, state.Update{Note: note})
}

// recoverSent handles a step whose request may have reached the service.
func (a *Agent) recoverSent(ctx context.Context, step state.Step, recovered *Recovered) error {
	switch {
	case step.Route == state.Upload:
		return a.abandon(ctx, step, "an upload has no key; at worst a file is left that nobody uses", recovered)
	case a.Now().Sub(step.SentAt) >= TrustWindow, step.Key == "":
		return a.readBackStep(ctx, step, recovered)
	}
	if step.Point == state.Unknown { // the same bytes go again; SentAt stays that of the first
		if err := a.Store.Move(ctx, step.ID, state.Sent, state.Update{}); err != nil {
			return err
		}
	}
	if step.Route == state.Bulk {
		return a.resubmit(ctx, step, recovered)
	}
	return a.resend(ctx, step, recovered)
}

// resend repeats a create, byte for byte. A refusal of the repetition says
// nothing of the request before it: that is read back.
func (a *Agent) resend(ctx context.Context, step state.Step, recovered *Recovered) error {
	record, failure := a.mutate(ctx, step)
	if failure != nil {
		return a.repeatedInVain(ctx, step, failure, recovered)
	}
	recovered.Finished++
	o := step.Operations[0]
	return a.finish(ctx, step, []settled{{Address: o.Address, ResourceID: record.ID, Outcome: state.OutcomeApplied}})
}

func (a *Agent) repeatedInVain(ctx context.Context, step state.Step, failure error, recovered *Recovered) error {
	if stops(failure) || adsapi.AppliedOf(failure) == adsapi.Unknown || errors.Is(failure, adsapi.ErrConflict) {
		return failure
	}
	return a.readBackStep(ctx, step, recovered)
}

// resubmit repeats a job submission, byte for byte, under the same key: the
// service answers with the job it has, or takes it now.
func (a *Agent) resubmit(ctx context.Context, step state.Step, recovered *Recovered) error {
	job, err := a.submit(ctx, step)
	if err != nil {
		return a.repeatedInVain(ctx, step, err, recovered)
	}
	if err := a.Store.Move(ctx, step.ID, state.Accepted, state.Update{JobID: job.ID}); err != nil {
		return err
	}
	step.Point, step.JobID = state.Accepted, job.ID
	return a.recoverJob(ctx, step, job, recovered)
}

// recoverJob follows a job to its end and binds its results. What it gave no
// result for goes again once, as the same body under a new job key, and is then
// looked for.
func (a *Agent) recoverJob(ctx context.Context, step state.Step, job adsapi.Job, recovered *Recovered) error {
	page, err := a.followJob(ctx, step, job)
	if errors.Is(err, adsapi.ErrNotFound) {
		return a.lostJob(ctx, step, err, recovered)
	}
	if err != nil {
		return err
	}
	outcomes, wait := outcomesOf(step, page)
	if anyUnknown(outcomes) && a.Now().Sub(step.SentAt) < TrustWindow {
		if outcomes, err = a.repeatJob(ctx, step, outcomes, wait); err != nil {
			return err
		}
	}
	if anyUnknown(outcomes) {
		return a.decide(ctx, step, outcomes, recovered)
	}
	recovered.Finished++
	return a.finish(ctx, step, outcomes)
}

// lostJob handles a job that cannot be asked for, as the account has no bulk jobs
// any more: what it did is read back.
func (a *Agent) lostJob(ctx context.Context, step state.Step, cause error, recovered *Recovered) error {
	if step.Point != state.Unknown {
		if err := a.Store.Move(ctx, step.ID, state.Unknown, state.Update{Note: cause.Error()}); err != nil {
			return err
		}
		step.Point = state.Unknown
	}
	return a.readBackStep(ctx, step, recovered)
}

// repeatJob runs the body of a job whose results are not whole once more, unless
// reading back what carries no key leaves nothing unknown.
func (a *Agent) repeatJob(ctx context.Context, step state.Step, outcomes []settled, g again) ([]settled, error) {
	outcomes, g, err := a.lookForUpdates(ctx, step, outcomes, g)
	if err != nil || !anyUnknown(outcomes) {
		return outcomes, err
	}
	if err := a.Sleep(ctx, g.wait); err != nil {
		return outcomes, err
	}
	sequence, err := a.Store.NextSequence(ctx)
	if err != nil {
		return outcomes, err
	}
	repeated, err := a.repetition(ctx, step, int(sequence), g)
	if err != nil {
		return outcomes, err
	}
	sent, err := a.sendJob(ctx, repeated)
	if sent.refusal != nil {
		return outcomes, a.repetitionRefused(ctx, repeated, sent.refusal)
	}
	if err != nil {
		return outcomes, err
	}
	return better(outcomes, sent.outcomes), nil
}
