package reconcile_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/internal/resource"
	"adsync/reconcile/apply"
	"adsync/reconcile/env"
)

// What an account can do is asked again after a day; whether parents can be
// repeated never, as asking costs a second parent.
func TestCapabilitiesAreAskedAgainAfterADay(t *testing.T) {
	w := newWorld(t)
	for capability, there := range map[resource.Capability]bool{
		resource.BulkJobs: false, resource.RepeatParent: false,
	} {
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
		t.Errorf("%d jobs and %d that only ask a day later; want the account asked, and its jobs used",
			len(s.jobs), s.checks)
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
	w.agent.Progress = func(p env.Progress) { shown = p.Stage }
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
		w.write("campaign/spring", map[string]any{
			"name": "Spring", "status": "active", "bidding_type": "clicks", capability: 5_000_000,
		})
		w.clean()
		if err := w.sleep(t.Context(), 25*time.Hour); err != nil { // what the account can do is asked anew
			t.Fatal(err)
		}
		hold := true
		w.service.SetHooks(&service.Hooks{Job: func(world_.Job) service.JobFault {
			return service.JobFault{Hold: hold}
		}})
		w.write("campaign/spring", map[string]any{
			"name": "Spring", "status": "paused", "bidding_type": "clicks", capability: 5_000_000,
		})
		began := w.now()
		report, s := w.applyCounting()
		w.allApplied(report)
		if took := w.now().Sub(began); took > 20*time.Minute || len(s.jobs) > 0 {
			t.Errorf("the pause took %s and %d jobs; want it by a request once the question has waited long enough",
				took, len(s.jobs))
		}
		if known, err := w.store.Capabilities(t.Context()); err != nil || known[resource.BulkJobs] != true {
			t.Errorf("remembered %v, %v; want what was known before, to be asked again", known, err)
		}
		w.clean()
	}
}

// B2: a preflight that does not end keeps nothing from going out either: requests carry
// the run, the pause of it first.
func TestARehearsalThatStandsStillKeepsNothingBack(t *testing.T) {
	w := newWorld(t)
	w.tree("autumn", "active")
	w.clean()
	w.service.SetHooks(&service.Hooks{Job: func(job world_.Job) service.JobFault {
		return service.JobFault{Hold: true}
	}})
	w.tree("spring", "paused")
	w.desired.Get(address("campaign/autumn")).Set("status", resource.Text("paused"))
	report, s := w.applyCounting()
	w.allApplied(report)
	if len(s.jobs) != 0 || !slices.ContainsFunc(w.said, func(text string) bool {
		return strings.Contains(text, "goes without jobs")
	}) {
		t.Errorf("%d jobs that change something were sent, and said %q; want none, and that it is gone without",
			len(s.jobs), w.said)
	}
	w.clean()
	w.eachOnce()
}

// N11: a job that only asks and meets another in progress is asked again, and where it
// meets one for ever, requests carry the run, the pause of it first: nothing is wrong
// with what was asked.
func TestAQuestionThatConflictsKeepsNothingBack(t *testing.T) {
	for _, row := range []struct {
		name  string
		fails int // jobs that only ask
		from  int // the first of them that meets it
		jobs  bool
	}{
		{"what the account can do, once", 1, 1, true},
		{"what the account can do, always", 1000, 1, false},
		{"the rehearsal, once", 1, 2, true},
		{"the rehearsal, always", 1000, 2, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.tree("autumn", "active")
			w.clean()
			if err := w.sleep(t.Context(), 25*time.Hour); err != nil { // what the account can do is asked anew
				t.Fatal(err)
			}
			w.write("campaign/spring", map[string]any{
				"name": "Spring", "status": "paused", "bidding_type": "clicks", "budget.daily": 5_000_000,
			})
			w.desired.Get(address("campaign/autumn")).Set("status", resource.Text("paused"))
			asked, met, jobs := 0, 0, 0
			agent := w.through(line(func(r *http.Request) (*http.Response, error) {
				if !posts(r, "bulk_mutation_jobs") {
					return send(r)
				}
				content, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(content))
				if !bytes.Contains(content, []byte(`"validate_only":true`)) {
					jobs++
					return send(r)
				}
				if asked++; asked >= row.from && met < row.fails {
					met++
					return answer(r, 409, refusal)
				}
				return send(r)
			}), w.store)
			report, err := agent.Apply(t.Context(), w.plan())
			if err != nil {
				t.Fatal(err)
			}
			w.allApplied(report)
			if met == 0 || (jobs > 0) != row.jobs {
				t.Errorf("%d questions met a conflict, and %d jobs were sent; want some, and jobs: %v",
					met, jobs, row.jobs)
			}
			if known, err := w.store.Capabilities(t.Context()); err != nil || !known[resource.BulkJobs] {
				t.Errorf("remembered %v, %v; want what was known before", known, err)
			}
			w.clean()
			w.eachOnce()
		})
	}
}

// A question what the account can do that the service could not answer just now is
// asked again after the wait it names; where it stays so, this run takes requests, and
// nothing is remembered of an account that may well have jobs.
func TestAQuestionThatMayPassIsAskedAgain(t *testing.T) {
	wait := int64(7)
	for _, row := range []struct {
		name     string
		fails    int // questions that meet it
		jobs     bool
		known    bool // it was learned that jobs carry daily budgets
		jobError string
	}{
		{"once", 1, true, true, ""},
		{"always", 1000, false, false, ""},
		{"the job fails once", 1, true, true, "shard 7 is away"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.bulk.Preflight = apply.PreflightNever
			w.agent = w.newAgent()
			w.write("campaign/spring", map[string]any{
				"name": "Spring", "status": "paused", "bidding_type": "clicks", "budget.daily": 5_000_000,
			})
			met := 0
			w.service.SetHooks(&service.Hooks{
				Job: func(job world_.Job) service.JobFault {
					if job.ValidateOnly && row.jobError != "" && met < row.fails {
						met++
						return service.JobFault{Error: row.jobError}
					}
					return service.JobFault{}
				},
				Operation: func(op service.Operation, next func() world_.JobResult) world_.JobResult {
					if row.jobError == "" && op.ID == "probe" && met < row.fails {
						met++
						yes := true
						return world_.JobResult{
							Status: "failed", ErrorCode: "busy",
							Error: "Try again.", Retryable: &yes, RetryAfter: &wait,
						}
					}
					return next()
				},
			})
			began := w.now()
			report, s := w.applyCounting()
			w.allApplied(report)
			known, err := w.store.Capabilities(t.Context())
			if there, asked := known[resource.BulkDailyBudget]; err != nil ||
				asked != row.known || there != row.known || (len(s.jobs) > 0) != row.jobs {
				t.Errorf("remembered %v, %v; %d jobs; want daily budgets known: %t, jobs: %t",
					known, err, len(s.jobs), row.known, row.jobs)
			}
			if there, asked := known[resource.BulkJobs]; asked && !there {
				t.Error("remembered that the account has no jobs; want that left open")
			}
			if took := w.now().Sub(began); row.jobError == "" && took < time.Duration(wait)*time.Second {
				t.Errorf("asked again after %s; want %d s at least", took, wait)
			}
			if met == 0 {
				t.Error("no question met the fault")
			}
		})
	}
}
