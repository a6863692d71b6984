package state

import (
	"flag"
	"fmt"
	"maps"
	"testing"
	"time"
)

var soakRuns = flag.Int("soak-runs",
	keptRuns+40, "how many runs a state is used for; 10000 is more than a year of them")

// S23: run after run, an hour apart, each with a step, a report and a move of
// spend. From a certain point on a state holds as much as before, and what is
// still open is never dropped.
func TestS23AStateThatIsUsedForYearsStaysAsLargeAsItIs(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	now := morning
	s, err := NewMemory(Options{Now: func() time.Time { return now }, Random: lineages()})
	must(t, err)
	ctx := t.Context()
	must(t, s.RecordRun(ctx, Run{ID: "run-open", Started: now}))
	open := job("run-open/1/0", 2)
	open.Run = "run-open"
	must(t, s.Begin(ctx, open))
	must(t, s.Move(ctx, open.ID, Sent, Update{SentAt: now}))
	var full map[class]int
	for n := range *soakRuns {
		now = now.Add(time.Hour)
		run := fmt.Sprintf("run-%06d", n)
		must(t, s.RecordRun(ctx, Run{ID: run, Started: now}))
		step := job(run+"/1/0", 1)
		step.Run = run
		must(t, s.Begin(ctx, step))
		must(t, s.Move(ctx, step.ID, Sent, Update{SentAt: now}))
		must(t, s.Finish(ctx, step.ID, ads(0, 1), nil))
		must(t, s.Move(ctx, step.ID, Closed, Update{}))
		must(t, s.RecordMove(ctx, Move{Run: run, At: now, Before: 1, After: 2}))
		must(t, s.RecordReport(ctx, run, []byte("head"), written("report of "+run)))
		if n == keptRuns+20 {
			full = maps.Clone(s.(*store).counts)
		}
	}
	same(t, "records by class after so many runs", s.(*store).counts, full)
	steps, err := s.Open(ctx)
	must(t, err)
	if len(steps) != 1 || steps[0].ID != open.ID || len(steps[0].Body) == 0 {
		t.Errorf("open steps are %+v; want %s, with its bytes", steps, open.ID)
	}
	runs, err := s.Runs(ctx, 0)
	must(t, err)
	if len(runs) < keptRuns || len(runs) > keptRuns+1 {
		t.Errorf("%d runs are kept; want the newest %d, and the one that left a step open", len(runs), keptRuns)
	}
}
