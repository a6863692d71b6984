package reconcile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/reconcile"
	"adsync/reconcile/apply"
	"adsync/state"
)

// bulk.rehearse: one validate_only job at most, or one for every job, or none. Where
// there is one, a first apply asks for bulk jobs with it, and else with one of its own.
func TestHowManyJobsAreRehearsed(t *testing.T) {
	for _, row := range []struct {
		rehearse apply.Preflight
		checks   int
	}{{apply.PreflightAuto, 1}, {apply.PreflightAlways, 3}, {apply.PreflightNever, 1}} {
		t.Run(string(row.rehearse), func(t *testing.T) {
			w := small(newWorld(t))
			w.bulk.Preflight = row.rehearse
			w.agent = w.newAgent()
			for i := range 5 { // three jobs of two trees at most
				w.tree(fmt.Sprintf("spring-%d", i), "active")
			}
			report, s := w.applyCounting()
			w.allApplied(report)
			if s.checks != row.checks {
				t.Errorf("%d jobs were only validated; want %d", s.checks, row.checks)
			}
		})
	}
}

// A tree of another shape is among those that are preflighted, however many there
// are of the first.
func TestSampleHoldsATreeOfEveryShape(t *testing.T) {
	w := small(newWorld(t))
	for i := range 5 {
		w.tree(fmt.Sprintf("spring-%d", i), "active")
	}
	// a name too short for the service
	w.write("campaign/odd", map[string]any{
		"name": "ab", "status": "active", "bidding_type": "impressions", "budget.lifetime": 100_000_000,
	})
	_, err := w.agent.Apply(t.Context(), w.plan())
	if err == nil {
		t.Fatal("apply went through; want the service's refusal of the name before anything is sent")
	}
	if n := len(w.mutations()); n != 0 {
		t.Errorf("%d changes were made; want none", n)
	}
}

// What the service says to try again is no word about the row: the preflight lets it
// pass, and the job itself waits and goes again.
func TestARehearsalDoesNotRefuseWhatMayPass(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	validating, met := map[string]bool{}, 0
	w.service.SetHooks(&service.Hooks{
		Job: func(job world_.Job) service.JobFault {
			validating[job.ID] = job.ValidateOnly
			return service.JobFault{}
		},
		Operation: func(op service.Operation, next func() world_.JobResult) world_.JobResult {
			if !validating[op.JobID] || op.ID == "probe" {
				return next()
			}
			met++
			yes := true
			return world_.JobResult{Status: "failed", ErrorCode: "busy", Error: "Try again.", Retryable: &yes}
		},
	})
	w.allApplied(w.apply())
	if met == 0 {
		t.Error("no operation of a rehearsal met the fault")
	}
}

// What the service refuses in a preflight stands at its row, in its words; what was not
// sent for that waits for it.
func TestWhatARehearsalRefusesFailsAtItsRow(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	// a name too short for the service
	w.write("campaign/odd", map[string]any{
		"name": "ab", "status": "active", "bidding_type": "impressions", "budget.lifetime": 100_000_000,
	})
	report, err := w.agent.Apply(t.Context(), w.plan())
	if invalid := new(reconcile.InvalidError); !errors.As(err, &invalid) ||
		len(invalid.Problems) != 1 || err.Error() != "1 problem; nothing was changed" {
		t.Fatalf("Apply = %v; want one problem, and nothing changed", err)
	}
	for _, o := range report.Outcomes {
		switch {
		case o.Address.String() == "campaign/odd":
			if o.Outcome != state.OutcomeFailed ||
				o.Code != string(diag.ServiceRefused) || !strings.Contains(o.Message, "name") {
				t.Errorf("%s: %s: %s (%s); want it failed, in the service's words",
					o.Address, o.Outcome, o.Message, o.Code)
			}
		case o.Outcome != state.OutcomeSkipped || o.Code != string(diag.OperationSkipped):
			t.Errorf("%s: %s: %s (%s); want it waiting for what was refused", o.Address, o.Outcome, o.Message, o.Code)
		}
	}
	if n := len(w.mutations()); n != 0 {
		t.Errorf("%d changes were made; want none", n)
	}
}
