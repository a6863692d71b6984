package reconcile_test

import (
	"testing"
)

// TestCheckAsksAndChangesNothing: what the service says in validate_only jobs is
// known, and account and state are as they were.
func TestCheckAsksAndChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	view := w.plan()
	checked, err := w.agent.Check(t.Context(), view)
	if err != nil {
		t.Fatal(err)
	}
	if checked.Operations+checked.Beyond == 0 || len(checked.Problems) > 0 {
		t.Errorf("Check = %+v; want operations and no problem", checked)
	}
	if n := len(w.mutations()); n != 0 {
		t.Errorf("Check made %d mutations; want none", n)
	}
	if runs, err := w.store.Runs(t.Context(), 0); err != nil || len(runs) > 0 {
		t.Errorf("Runs() = %v, %v; want none", runs, err)
	}
	if known, err := w.store.Capabilities(t.Context()); err != nil || len(known) > 0 {
		t.Errorf("Capabilities() = %v, %v; want nothing remembered", known, err)
	}
}
