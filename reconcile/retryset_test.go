package reconcile_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"adsync/internal/adsapi"
	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/reconcile/env"
	"adsync/state"
)

// jobs remembers the jobs that were submitted and change something.
type jobs struct{ bodies, keys []string }

func (j *jobs) note(r *http.Request) bool {
	if !posts(r, "bulk_mutation_jobs") {
		return false
	}
	content := peek(r)
	if strings.Contains(string(content), `"validate_only":true`) {
		return false
	}
	j.bodies, j.keys = append(j.bodies, string(content)), append(j.keys, r.Header.Get("Idempotency-Key"))
	return true
}

// with returns the jobs that hold such operations.
func (j *jobs) with(operation string) *jobs {
	some := &jobs{}
	for i, body := range j.bodies {
		if strings.Contains(body, "."+operation) {
			some.bodies, some.keys = append(some.bodies, body), append(some.keys, j.keys[i])
		}
	}
	return some
}

func (w *world) noting(j *jobs) {
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) { j.note(r); return send(r) }), w.store)
}

// failing has an operation of a type fail so many times, without being done.
func (w *world) failing(opType string, times int, retryable *bool, wait *int64) {
	w.service.SetHooks(&service.Hooks{Operation: func(op service.Operation,
		next func() world_.JobResult) world_.JobResult {
		if op.Type != opType || strings.HasPrefix(op.Key, "check-") || times == 0 {
			return next()
		}
		times--
		return world_.JobResult{
			OperationID: op.ID, Type: op.Type, Status: "failed",
			ErrorCode: "busy", Error: "try later", Retryable: retryable, RetryAfter: wait,
		}
	}})
}

// B11: a failure of which the service does not say whether it may pass goes
// again once: the same body under another key, and its creates keep theirs.
func TestFailureWithoutAWordOnRetryingGoesAgainOnce(t *testing.T) {
	for failures, want := range map[int]state.Outcome{1: state.OutcomeApplied, 2: state.OutcomeFailed} {
		w := newWorld(t)
		w.failing("ad_group.create", failures, nil, nil)
		sent := &jobs{}
		w.noting(sent)
		w.tree("spring", "paused")
		if got := outcomes(w.apply())["ad_group/spring/g"]; got != want {
			t.Errorf("after %d such failures the ad group is %s; want %s", failures, got, want)
		}
		if sent = sent.with("create"); len(sent.bodies) != 2 ||
			sent.bodies[0] != sent.bodies[1] || sent.keys[0] == sent.keys[1] {
			t.Errorf("%d jobs were sent, under %v; want the same body twice, under two keys",
				len(sent.bodies), sent.keys)
		}
		w.service.SetHooks(nil)
		w.converge()
		w.once("Group of spring")
	}
}

// B9, B11: what may pass, and then fails without a word on that, goes again once more.
func TestFailureThatIsUnclearOnlyTheSecondTimeGoesAgain(t *testing.T) {
	w := newWorld(t)
	yes, failures := true, 0
	w.service.SetHooks(&service.Hooks{Operation: func(op service.Operation,
		next func() world_.JobResult) world_.JobResult {
		if op.Type != "ad_group.create" || strings.HasPrefix(op.Key, "check-") || failures == 2 {
			return next()
		}
		failures++
		failed := world_.JobResult{
			OperationID: op.ID, Type: op.Type, Status: "failed", ErrorCode: "busy", Error: "try later", Retryable: &yes,
		}
		if failures == 2 {
			failed.Retryable = nil
		}
		return failed
	}})
	sent := &jobs{}
	w.noting(sent)
	w.tree("spring", "paused")
	if got := outcomes(w.apply())["ad_group/spring/g"]; got != state.OutcomeApplied {
		t.Errorf("the ad group is %s; want it applied the third time", got)
	}
	if sent = sent.with("create"); len(sent.bodies) != 3 {
		t.Errorf("%d jobs were sent; want three", len(sent.bodies))
	}
	w.once("Group of spring")
}

// B9: a wait the service asks for passes, a capped one; after three more tries it
// has failed, and is no refusal for good.
func TestRetryableFailureIsTriedFourTimesAtMost(t *testing.T) {
	w := newWorld(t)
	yes, absurd := true, int64(1<<40)
	w.failing("ad_group.create", 100, &yes, &absurd)
	sent := &jobs{}
	w.noting(sent)
	w.tree("spring", "paused")
	report := w.apply()
	if got := outcomes(report)["ad_group/spring/g"]; got != state.OutcomeFailed || len(sent.bodies) != 4 {
		t.Errorf("ad group is %s after %d jobs; want failed after four", got, len(sent.bodies))
	}
	if w.slept.Minutes() < 30 || w.slept.Minutes() > 32 {
		t.Errorf("waited %s; want three times the longest wait of ten minutes", w.slept)
	}
	w.service.SetHooks(nil)
	w.converge()
}

// Updates carry no key to be known by: only those that failed go again, so that a
// pause somebody made meanwhile stands.
func TestRepetitionOfUpdatesHoldsOnlyWhatFailed(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.tree("autumn", "active")
	w.clean()
	yes, wait := true, int64(60)
	w.failing("campaign.update", 1, &yes, &wait)
	sent := &jobs{}
	w.noting(sent)
	for _, key := range []string{"spring", "autumn"} {
		w.write("campaign/"+key, map[string]any{
			"name": "Renamed " + key, "status": "active",
			"bidding_type": "clicks", "budget.lifetime": 100_000_000, "targeting.countries": []string{"CA", "US"},
		})
	}
	w.clean()
	if len(sent.bodies) != 2 || strings.Count(sent.bodies[0], "operation_id") != 2 ||
		strings.Count(sent.bodies[1], "operation_id") != 1 {
		t.Errorf("jobs are %v; want both updates, and then the one that failed", sent.bodies)
	}
}

// B4: an update without a result is read back and never sent again by itself.
func TestUpdateWithoutAResultIsReadBack(t *testing.T) {
	for _, done := range []bool{true, false} {
		w := newWorld(t)
		w.tree("spring", "active")
		w.clean()
		w.service.SetHooks(&service.Hooks{
			Operation: func(op service.Operation, next func() world_.JobResult) world_.JobResult {
				if !done && op.Type == "campaign.update" {
					return world_.JobResult{OperationID: op.ID, Type: op.Type, Status: "failed"}
				}
				return next()
			},
			Job: func(world_.Job) service.JobFault { return service.JobFault{} },
			Results: func(_ world_.Job, results []world_.JobResult) []world_.JobResult {
				return nil
			},
		})
		sent := &jobs{}
		w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
			sent.note(r)
			response, err := send(r)
			if err == nil && r.Method == http.MethodGet &&
				strings.Contains(r.URL.Path, "/bulk_mutation_jobs/") && !strings.HasSuffix(r.URL.Path, "/operations") {
				return answered(response, "completed", "partially_failed"), nil
			}
			return response, err
		}), w.store)
		w.write("campaign/spring", map[string]any{
			"name": "Renamed", "status": "active",
			"bidding_type": "clicks", "budget.lifetime": 100_000_000, "targeting.countries": []string{"CA", "US"},
		})
		want := map[bool]state.Outcome{true: state.OutcomeApplied, false: state.OutcomeFailed}[done]
		if got := outcomes(w.apply())["campaign/spring"]; got != want || len(sent.bodies) != 1 {
			t.Errorf("done %v: the update is %s after %d jobs; want %s after one", done, got, len(sent.bodies), want)
		}
		if open, _ := w.store.Open(t.Context()); len(open) != 0 {
			t.Errorf("done %v: %d steps are open; want none", done, len(open))
		}
		w.service.SetHooks(nil)
		w.agent = w.newAgent()
		w.converge()
	}
}

// answered returns an answer with a word of its body put in place of another.
func answered(response *http.Response, was, is string) *http.Response {
	content, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	changed := strings.Replace(string(content), was, is, 1)
	response.Body, response.ContentLength = io.NopCloser(strings.NewReader(changed)), int64(len(changed))
	return response
}

// N11, B12: the same key in progress is waited for, and goes again under the same
// key; a key that stands for something else ends the run, and nothing follows.
func TestConflictOfAJob(t *testing.T) {
	for _, row := range []struct {
		name      string
		conflicts int
	}{{"in progress", 2}, {"another body", 1000}} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.tree("spring", "active")
			sent, conflicts := &jobs{}, row.conflicts
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				if sent.note(r) && conflicts > 0 {
					conflicts--
					return answer(r, 409, refusal)
				}
				return send(r)
			}), w.store)
			report, err := w.agent.Apply(t.Context(), w.plan())
			sent = sent.with("create")
			for i, key := range sent.keys {
				if key != sent.keys[0] || sent.bodies[i] != sent.bodies[0] {
					t.Errorf("request %d has key %s; want the same key and bytes as the first", i+1, key)
				}
			}
			if row.conflicts < 1000 {
				if err != nil || report.Count(state.OutcomeApplied) != 3 {
					t.Errorf("apply: %v, %v; want it applied once the first was done", err, outcomes(report))
				}
				return
			}
			if !errors.Is(err, adsapi.ErrConflict) || report.Count(state.OutcomeUnknown) != 3 || len(sent.keys) != 5 {
				t.Errorf("apply: %v after %d tries, %v; want it stopped with everything unknown",
					err, len(sent.keys), outcomes(report))
			}
		})
	}
}

// copyBody returns an answer again of which the body was taken.
func copyBody(response *http.Response, into *strings.Builder) *http.Response {
	content, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	into.Write(content)
	response.Body = io.NopCloser(strings.NewReader(string(content)))
	return response
}

// validates reports whether a request is a dry run.
func validates(r *http.Request) bool {
	return bytes.Contains(peek(r), []byte(`"validate_only":true`))
}

// A create that is recorded as failed is another one when it goes again: what its
// job leaves open of others does not send it once more under the key it had.
func TestJobWhoseFailuresAreRecordedIsNotRunAgain(t *testing.T) {
	w := newWorld(t)
	w.tree("bad", "paused")
	w.tree("lost", "paused")
	failing, losing := true, true
	of := func(op service.Operation, index int) bool {
		return op.Type == "campaign.create" && op.Index == index && !strings.HasPrefix(op.Key, "check-")
	}
	w.service.SetHooks(&service.Hooks{
		Operation: func(op service.Operation, next func() world_.JobResult) world_.JobResult {
			never := false
			switch {
			case failing && of(op, 0):
				return world_.JobResult{
					OperationID: op.ID, Type: op.Type,
					Status: "failed", ErrorCode: "no", Error: "not now", Retryable: &never,
				}
			case losing && of(op, 3):
				return world_.JobResult{
					OperationID: op.ID, Type: op.Type, Status: "failed", ErrorCode: "lost", Error: "nobody hears of it",
				}
			}
			return next()
		},
		Results: func(_ world_.Job, results []world_.JobResult) []world_.JobResult {
			return slices.DeleteFunc(slices.Clone(results), func(r world_.JobResult) bool {
				return r.ErrorCode == "lost"
			})
		},
	})
	_ = w.apply()
	for range 2 {
		if _, err := w.agent.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		failing = false
	}
	losing = false
	if err := w.sleep(t.Context(), 2*env.TrustWindow); err != nil {
		t.Fatal(err)
	}
	if _, err := w.agent.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.clean()
	w.onceEach()
}
