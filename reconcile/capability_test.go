package reconcile_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/internal/resource"
	"adsync/reconcile"
)

// What an account can do is asked again after a day; whether parents can be
// repeated never, as asking costs a second parent.
func TestCapabilitiesAreAskedAgainAfterADay(t *testing.T) {
	w := newWorld(t)
	for capability, there := range map[resource.Capability]bool{resource.BulkJobs: false, resource.RepeatParent: false} {
		if err := w.store.RecordCapability(t.Context(), capability, there); err != nil {
			t.Fatal(err)
		}
	}
	w.tree("spring", "paused")
	report, s := w.applyCounting()
	w.allApplied(report)
	if n := len(s.jobs) + s.checks; n != 0 {
		t.Errorf("%d jobs on the same day; want none: the account has no bulk jobs", n)
	}
	if err := w.sleep(t.Context(), 25*time.Hour); err != nil {
		t.Fatal(err)
	}
	w.tree("autumn", "paused")
	report, s = w.applyCounting()
	w.allApplied(report)
	if len(s.jobs) == 0 || s.checks == 0 {
		t.Errorf("%d jobs and %d that only ask a day later; want the account asked, and its jobs used", len(s.jobs), s.checks)
	}
	known, err := w.store.Capabilities(t.Context())
	if reused, asked := known[resource.RepeatParent]; err != nil || reused || !asked || !known[resource.BulkJobs] {
		t.Errorf("remembered %v, %v; want bulk jobs, and no repeated parents", known, err)
	}
}

// Whoever looks on sees that the account is asked: the job of that may take a minute.
func TestAQuestionWhatTheAccountCanDoIsShown(t *testing.T) {
	w := newWorld(t)
	w.write("campaign/spring", map[string]any{"name": "Spring", "bidding_type": "clicks", "budget.daily": 5_000_000})
	shown, before := "", "nothing"
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "bulk_mutation_jobs") && before == "nothing" {
			before = shown
		}
		return send(r)
	}), w.store)
	w.agent.Progress = func(p reconcile.Progress) { shown = p.Stage }
	w.clean()
	if before != "check" {
		t.Errorf("shown as the first job goes out: %q; want check", before)
	}
}

// B2: jobs of which none ends keep no pause from going out, and no create: the question
// whether the account has them has an end, and requests carry what the run was for. The
// next run asks again.
func TestJobsThatStandStillKeepNothingBack(t *testing.T) {
	for _, capability := range []string{"budget.lifetime", "budget.daily"} {
		w := newWorld(t)
		w.write("campaign/spring", map[string]any{"name": "Spring", "status": "active", "bidding_type": "clicks", capability: 5_000_000})
		w.clean()
		if err := w.sleep(t.Context(), 25*time.Hour); err != nil { // what the account can do is asked anew
			t.Fatal(err)
		}
		hold := true
		w.service.SetHooks(&service.Hooks{Job: func(world_.Job) service.JobFault { return service.JobFault{Hold: hold} }})
		w.write("campaign/spring", map[string]any{"name": "Spring", "status": "paused", "bidding_type": "clicks", capability: 5_000_000})
		began := w.now()
		report, s := w.applyCounting()
		w.allApplied(report)
		if took := w.now().Sub(began); took > 20*time.Minute || len(s.jobs) > 0 {
			t.Errorf("the pause took %s and %d jobs; want it by a request once the question has waited long enough", took, len(s.jobs))
		}
		if known, err := w.store.Capabilities(t.Context()); err != nil || known[resource.BulkJobs] != true {
			t.Errorf("remembered %v, %v; want what was known before, to be asked again", known, err)
		}
		w.clean()
	}
}

// A rehearsal that does not end is the service's: it is tried again later, and nothing
// was changed.
func TestARehearsalThatStandsStillIsTriedAgainLater(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	w.service.SetHooks(&service.Hooks{Job: func(job world_.Job) service.JobFault { return service.JobFault{Hold: job.ValidateOnly} }})
	if _, err := w.agent.Apply(t.Context(), w.plan()); !errors.Is(err, adsapi.ErrUnavailable) {
		t.Errorf("Apply = %v; want %v", err, adsapi.ErrUnavailable)
	}
	if n := len(w.mutations()); n != 0 {
		t.Errorf("%d mutations; want none", n)
	}
}
