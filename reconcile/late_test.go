package reconcile_test

import (
	"strings"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/state"
)

// N23: right after an apply, what neither list nor id shows is not gone and not
// made again, and the plan says so; later it is gone.
func TestN23WhatDoesNotShowRightAfterAnApplyIsNotGone(t *testing.T) {
	s := newShelf(3)
	store, desired := s.bound(t)
	a := s.agent(t, store, s)
	if err := store.RecordRun(t.Context(),
		state.Run{ID: "run-1", Started: a.Now().Add(-time.Minute), Finished: a.Now()}); err != nil {
		t.Fatal(err)
	}
	s.remove("campaigns", "c1")
	s.remove("ads", "a2")
	view := s.planned(t, a, desired)
	var said []string
	for _, p := range view.Plan.Problems {
		if p.Code == diag.NotVerified {
			said = append(said, p.Message)
		}
	}
	all := strings.Join(said, "\n")
	if len(view.Plan.Changes) != 0 || len(said) != 2 ||
		!strings.Contains(all, "campaign/k1 does not show") || !strings.Contains(all, "ad/k2/k2/k2 does not show") {
		t.Errorf("the plan says %q and has %d changes; want two warnings and none: %s",
			said, len(view.Plan.Changes), describe(view.Plan))
	}
	s.clock += 3 * time.Minute
	if err := store.RecordRun(t.Context(), // to accept a state is no apply
		state.Run{ID: state.AcceptPrefix + "000002", Started: a.Now(), Finished: a.Now()}); err != nil {
		t.Fatal(err)
	}
	gone := 0
	for _, c := range s.planned(t, a, desired).Plan.Changes {
		if c.IsGone() {
			gone++
		}
	}
	if gone != 2 {
		t.Errorf("%d are gone three minutes later; want 2", gone)
	}
}
