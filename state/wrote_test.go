package state

import (
	"fmt"
	"testing"
	"time"
)

// What the service confirmed is remembered, a create of a step before what it updates,
// and of each resource that and one update; what was found by reading back is not.
func TestWritesThatWereConfirmedAreRemembered(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		finish := func(n int, outcomes ...OperationOutcome) {
			t.Helper()
			step := job(fmt.Sprintf("run/1/%d", n), len(outcomes))
			must(t, s.Begin(ctx, step))
			must(t, s.Move(ctx, step.ID, Sent, Update{SentAt: morning.Add(time.Duration(n) * time.Minute)}))
			for i := range outcomes {
				outcomes[i].Address, outcomes[i].Outcome = step.Operations[i].Address, OutcomeApplied
			}
			must(t, s.Finish(ctx, step.ID, nil, outcomes))
			must(t, s.Move(ctx, step.ID, Closed, Update{}))
		}
		finish(1, OperationOutcome{ResourceID: "found"})
		finish(2, OperationOutcome{ResourceID: "old", Answered: true},
			OperationOutcome{ResourceID: "new", Answered: true, Made: true})
		wrote, err := s.Wrote(ctx)
		must(t, err)
		if len(wrote) != 1 || wrote[0].ID != "new" || !wrote[0].Created {
			t.Errorf("Wrote() = %+v; want the create of the step that was answered", wrote)
		}
		finish(3, OperationOutcome{ResourceID: "other", Answered: true})
		finish(4, OperationOutcome{ResourceID: "new", Answered: true})
		wrote, err = s.Wrote(ctx)
		must(t, err)
		if len(wrote) != 3 || wrote[0].ID != "new" || wrote[2].ID != "new" || wrote[2].Created {
			t.Errorf("Wrote() = %+v; want the create, another update, and the update of what was created", wrote)
		}
		for n := range keptWrites - 1 {
			finish(10+n, OperationOutcome{ResourceID: fmt.Sprint(n), Answered: true, Made: true})
		}
		s = again()
		wrote, err = s.Wrote(ctx)
		must(t, err)
		kind := job("any", 1).Operations[0].Address.Kind
		want := []Wrote{{Kind: kind, ID: "new", SentAt: morning.Add(4 * time.Minute)}}
		for n := range keptWrites - 1 {
			want = append(want, Wrote{
				Kind: kind, ID: fmt.Sprint(n), Created: true, SentAt: morning.Add(time.Duration(10+n) * time.Minute),
			})
		}
		same(t, "writes", wrote, want)
	})
}

// What recovery found sent is remembered for a day from the first time it was found, although its step has ended.
func TestWhatMayComeLateIsRemembered(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		one := Late{Step: "run/1/1", Since: morning, Operations: job("run/1/1", 2).Operations}
		must(t, s.RecordLate(ctx, []Late{one}))
		serial := s.Header().Serial
		found := one
		found.Since = morning.Add(time.Hour)
		must(t, s.RecordLate(ctx, []Late{found}))
		if s.Header().Serial != serial {
			t.Error("what is known was written once more")
		}
		old := Late{Step: "run/0/1", Since: morning.Add(-keptLate - time.Hour), Operations: one.Operations}
		must(t, s.RecordLate(ctx, []Late{old}))
		must(t, s.RecordLate(ctx, nil)) // drops what is too old
		s = again()
		late, err := s.Late(ctx)
		must(t, err)
		same(t, "what may come late", late, []Late{one})
	})
}
