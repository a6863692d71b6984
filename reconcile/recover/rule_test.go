package recover

import (
	"testing"
	"time"

	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/send"
	"adsync/state"
)

// Each row of the table of recovery decides for the steps it is about, and every
// open step has a row: one that is taken away, moved or widened is missed here.
func TestRecoveryTableRowByRow(t *testing.T) {
	now := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	a := newTestRoom(func() time.Time { return now })
	young, old := now.Add(-env.TrustWindow+time.Second), now.Add(-env.TrustWindow)
	reached := map[string]bool{}
	for _, row := range []struct {
		step state.Step
		want string
	}{
		{state.Step{Point: state.Intent, Route: state.Bulk, Key: "k"}, "never sent"},
		{state.Step{Point: state.Intent, Route: state.Membership}, "never sent"},
		{state.Step{Point: state.Intent, Route: state.Upload}, "never sent"},
		{state.Step{Point: state.Sent, Route: state.Membership, Key: "k", SentAt: young}, "people"},
		{state.Step{Point: state.Unknown, Route: state.Membership, Key: "k", SentAt: old}, "people"},
		{state.Step{Point: state.Accepted, Route: state.Membership, Key: "k", JobID: "j", SentAt: old}, "people"},
		{state.Step{Point: state.Terminal, Route: state.Membership, Key: "k", JobID: "j", SentAt: old}, "people"},
		{state.Step{Point: state.Sent, Route: state.Upload, SentAt: young}, "upload"},
		{state.Step{Point: state.Unknown, Route: state.Upload, SentAt: old}, "upload"},
		{state.Step{Point: state.Unknown, Route: state.Bulk, Key: "k", JobID: "j", SentAt: young},
			"job with unknown results"},
		{state.Step{Point: state.Unknown, Route: state.Bulk, Key: "k", JobID: "j", SentAt: old},
			"job with unknown results"},
		{state.Step{Point: state.Sent, Route: state.Bulk, Key: "k", SentAt: young}, "job, young"},
		{state.Step{Point: state.Unknown, Route: state.Bulk, Key: "k", SentAt: young}, "job, young"},
		{state.Step{Point: state.Sent, Route: state.Single, Key: "k", SentAt: young}, "request, young"},
		{state.Step{Point: state.Unknown, Route: state.Single, Key: "k", SentAt: young}, "request, young"},
		{state.Step{Point: state.Sent, Route: state.Bulk, Key: "k", SentAt: old}, "read back"},
		{state.Step{Point: state.Unknown, Route: state.Single, Key: "k", SentAt: old}, "read back"},
		{state.Step{Point: state.Sent, Route: state.Single, SentAt: young}, "read back"}, // no key
		{state.Step{Point: state.Sent, Route: state.Single, Key: "k", SentAt: now.Add(env.ClockSlack + time.Second)},
			"read back"},
		{state.Step{Point: state.Accepted, Route: state.Bulk, Key: "k", JobID: "j", SentAt: old}, "job accepted"},
		{state.Step{Point: state.Terminal, Route: state.Bulk, Key: "k", JobID: "j", SentAt: old}, "job ended"},
		{state.Step{Point: state.ResultsRead, Route: state.Bulk, Key: "k", JobID: "j", SentAt: young}, "job ended"},
		{state.Step{Point: state.Bound, Route: state.Bulk, JobID: "j"}, "recorded"},
		{state.Step{Point: state.Verified, Route: state.Single}, "recorded"},
		{state.Step{Point: state.BlockedStep, Route: state.Single, Key: "k", SentAt: young}, "blocked"},
	} {
		got := a.recoveryRule(row.step)
		reached[got.Name] = true
		if got.Name != row.want {
			t.Errorf("a %s step at %s, sent %s, job %q: rule %q; want %q",
				row.step.Route, row.step.Point, row.step.SentAt, row.step.JobID, got.Name, row.want)
		}
	}
	for _, r := range rules {
		if !reached[r.Name] {
			t.Errorf("no step here is decided by the rule %q", r.Name)
		}
	}
}

// N20: a step is young for as long as its key is trusted, and not where the clock was
// put back since it was sent.
func TestAStepIsYoungForTheTrustWindow(t *testing.T) {
	now := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	a := newTestRoom(func() time.Time { return now })
	for age, want := range map[time.Duration]bool{
		0: true, env.TrustWindow - time.Second: true, env.TrustWindow: false, 48 * time.Hour: false,
		-env.ClockSlack: true, -env.ClockSlack - time.Second: false, -48 * time.Hour: false,
	} {
		if got := a.young(state.Step{SentAt: now.Add(-age)}); got != want {
			t.Errorf("a step sent %s ago is young: %t; want %t", age, got, want)
		}
	}
}

// newTestRoom returns a room without a service.
func newTestRoom(now func() time.Time) *Room {
	e := &env.Env{Now: now}
	read := live.New(e, &live.Memory{}, false, false)
	return New(e, read, send.New(e, &send.PollEstimator{}, read))
}
