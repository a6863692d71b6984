package emulator_test

import (
	"sync/atomic"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
	"adsync/internal/testing/emulatortest"
)

func TestBulkNeedsAccess(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = false })
	expect(t, "without access", s.Do(t, "POST", "/bulk_mutation_jobs", job(campaignOp("a"))),
		refusal{404, "not_found", ""})
}

func TestJobTakesItsTime(t *testing.T) {
	s := emulatortest.Start(t, limited(-1, -1, -1),
		emulatortest.WithPoints(t, "bulk_duration=60s,bulk_complete_lag=2s"))
	id := s.Must(t, "POST", "/bulk_mutation_jobs", job(campaignOp("a"))).ID(t)
	at := "/bulk_mutation_jobs/" + id
	if got := s.Must(t, "GET", at, nil).Map(t); got["status"] != "pending" || got["completed_at"] != nil {
		t.Errorf("at once: %v, want pending", got)
	}
	expect(t, "cursor before the end", s.Do(t, "GET", at+"/operations?after=op-a", nil),
		bad("job_not_complete", "after"))
	s.Advance(t, 60)
	s.JobEnd(t, id)
	if got := s.Must(t, "GET", at+"/operations", nil).Map(t); got["complete"] != false {
		t.Errorf("at the end: complete = %v, want false for 2 s more", got["complete"])
	}
	s.Advance(t, 2)
	if got := s.Must(t, "GET", at+"/operations", nil).Map(t); got["complete"] != true {
		t.Errorf("2 s after the end: complete = %v, want true", got["complete"])
	}
}

func TestOrdersPutParentsFirst(t *testing.T) {
	for _, order := range []string{"listed", "by_type", "reverse"} {
		w := &tree{Service: emulatortest.Start(t, emulatortest.WithPoints(t, "bulk_order="+order))}
		for i, r := range w.runJob(t, adOp("a", "c", "g"), adGroupOp("g", "c"), campaignOp("c")) {
			if outcome(r) != "created" {
				t.Errorf("bulk_order=%s: operation %d %s", order, i, outcome(r))
			}
		}
	}
}

func TestUpdateOfWhatWasMadeAfterSubmission(t *testing.T) {
	s := emulatortest.Start(t, limited(-1, -1, -1), emulatortest.WithPoints(t, "bulk_duration=60s"))
	// Ids follow from the seed: a twin of this emulator tells the next one.
	twin := emulatortest.Start(t, limited(-1, -1, -1), emulatortest.WithPoints(t, "bulk_duration=60s"))
	twin.Must(t, "POST", "/bulk_mutation_jobs", job(change("campaign.update", "cmpn_x", object{"name": "New"})))
	next := twin.Campaign(t, "Late")
	id := s.Must(t, "POST", "/bulk_mutation_jobs", job(change("campaign.update", next, object{"name": "New"}))).ID(t)
	if late := s.Campaign(t, "Late"); late != next {
		t.Fatalf("late campaign is %s, want %s", late, next)
	}
	s.Advance(t, 60)
	s.JobEnd(t, id)
	if got := outcome(results(t, s, id)[0]); got != "failed not_found" {
		t.Errorf("update of a campaign made after submission: %s", got)
	}
}

func TestOperationHook(t *testing.T) {
	yes := true
	s := emulatortest.Start(t, func(o *emulator.Options) {
		o.Hooks = &service.Hooks{Operation: func(op service.Operation, next func() world.JobResult) world.JobResult {
			if op.Index == 1 {
				return world.JobResult{Status: "failed", ErrorCode: "armed", Retryable: &yes}
			}
			return next()
		}}
	})
	w := &tree{Service: s}
	all := w.runJob(t, campaignOp("a"), campaignOp("b"), adGroupOp("g", "b"))
	if outcome(all[0]) != "created" || outcome(all[1]) != "failed armed" ||
		outcome(all[2]) != "skipped dependency_failed" {
		t.Errorf("results = %v", all)
	}
}

func TestJobFaults(t *testing.T) {
	var held atomic.Bool
	held.Store(true)
	s := emulatortest.Start(t, func(o *emulator.Options) {
		o.Hooks = &service.Hooks{Job: func(job world.Job) service.JobFault {
			if held.Load() {
				return service.JobFault{Hold: true}
			}
			return service.JobFault{Error: "the job was lost"}
		}}
	})
	id := s.Must(t, "POST", "/bulk_mutation_jobs", job(campaignOp("a"))).ID(t)
	if got := s.Must(t, "GET", "/bulk_mutation_jobs/"+id, nil).Map(t)["status"]; got != "pending" {
		t.Errorf("held job is %v, want pending", got)
	}
	held.Store(false)
	s.Advance(t, 3600)
	if got := s.JobEnd(t, id)["status"]; got != "failed" {
		t.Errorf("lost job is %v, want failed", got)
	}
	if got := s.Must(t, "GET", "/bulk_mutation_jobs/"+id+"/operations",
		nil).Map(t)["error"]; got != "the job was lost" {
		t.Errorf("job-level error = %v", got)
	}
}
