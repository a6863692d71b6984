package reconcile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/emulator/service"
	world_ "adsync/internal/emulator/world"
	"adsync/internal/resource"
	"adsync/state"
)

// instead answers with something else than the service did, which has done what it
// was asked for, or has not.
func instead(done bool, status int, body string) line {
	return func(r *http.Request) (*http.Response, error) {
		if done {
			response, err := send(r)
			if err != nil {
				return nil, err
			}
			_ = response.Body.Close()
		}
		if status == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		return answer(r, status, body)
	}
}

// B1, N3 to N6, N9, N11: the answer to what is submitted is lost, is none, or names
// nothing. Nothing is taken for done, nothing is bound to an id of "", and what goes
// again, in this run and in the next, is the same bytes under the same key.
func TestB1WhatIsSubmittedGoesAgainAsItWas(t *testing.T) {
	for _, bulk := range []bool{true, false} {
		for _, done := range []bool{true, false} {
			for _, row := range []struct {
				name   string
				status int
				body   string
			}{
				{"cut off", 0, ""}, {"without an id", 202, `{}`}, {"an id of nothing", 200, `{"id":""}`},
				{"no body", 202, ""}, {"more behind it", 200, `{"id":"x_1"}x`},
				{"a page", 200, "<html>log in</html>"}, {"408", 408, refusal},
				{"500", 500, refusal}, {"502", 502, "bad gateway"}, {"503", 503, refusal}, {"504", 504, ""},
			} {
				t.Run(fmt.Sprintf("jobs %v, done %v, %s", bulk, done, row.name), func(t *testing.T) {
					w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = bulk })
					w.write("campaign/spring", map[string]any{
						"name": "Spring", "status": "paused", "bidding_type": "clicks", "budget.lifetime": 100_000_000,
					})
					broken, keys, sent := true, []string{}, &bodies{}
					w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
						if r.Method != http.MethodPost || validates(r) {
							return send(r)
						}
						sent.hold(t, r)
						keys = append(keys, r.Header.Get("Idempotency-Key"))
						if broken {
							return instead(done, row.status, row.body)(r)
						}
						return send(r)
					}), w.store)
					report, _ := w.agent.Apply(t.Context(), w.plan())
					if got := outcomes(report)["campaign/spring"]; got != state.OutcomeUnknown {
						t.Errorf("the campaign is %s; want it unknown", got)
					}
					if all, err := w.store.Last(t.Context()); err != nil || all.Len() != 0 {
						t.Errorf("%d resources are on record, %v; want none", all.Len(), err)
					}
					before := len(keys)
					broken = false
					if _, err := w.agent.Recover(t.Context()); err != nil {
						t.Fatal(err)
					}
					if again := slices.Compact(slices.Clone(keys)); before < 2 ||
						len(keys) == before || len(again) != 1 || again[0] == "" {
						t.Errorf("keys were %q, "+
							"the first %d before recovery; want it sent again by both, under one key", keys, before)
					}
					w.clean()
					w.eachOnce()
				})
			}
		}
	}
}

// N1: what never left is recorded as nothing sent, and the run ends in an error that
// says where to.
func TestN1WhatNeverLeftIsNotRecordedAsSent(t *testing.T) {
	for _, failure := range []error{
		&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED},
		&net.OpError{
			Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "ads.invalid", IsNotFound: true},
		},
	} {
		w := mixed(t)
		tries := 0
		w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPost && !validates(r) {
				tries++
				return nil, failure
			}
			return send(r)
		}), w.store)
		before := len(w.mutations())
		report, err := w.agent.Apply(t.Context(), w.plan())
		if err == nil || !errors.Is(err, adsapi.ErrUnavailable) || tries < 2 {
			t.Errorf("%v: apply: %v after %d tries; want unavailable after some", failure, err, tries)
		}
		if n := report.Count(state.OutcomeUnknown) + report.Count(state.OutcomeApplied); n != 0 {
			t.Errorf("%v: outcomes are %v; want none unknown and none applied", failure, outcomes(report))
		}
		if open, err := w.store.Open(t.Context()); err != nil || len(open) != 0 {
			t.Errorf("%v: %d steps are open, %v; want none", failure, len(open), err)
		}
		if n := len(w.mutations()); n != before {
			t.Errorf("%v: %d mutations more; want none", failure, n-before)
		}
		w.agent = w.newAgent()
		w.converge()
		w.eachOnce()
	}
}

// B2: a job that stands still for hours, through several runs and long after its key
// is too old to be sent, is asked for and never submitted anew. Each run says which
// job it is.
func TestB2AJobThatStandsForHoursIsNeverSentAgain(t *testing.T) {
	w := newWorld(t)
	w.tree("old", "paused")
	w.clean()
	hold := true
	w.service.SetHooks(&service.Hooks{Job: func(job world_.Job) service.JobFault {
		return service.JobFault{Hold: hold && !job.ValidateOnly && job.Count > 1}
	}})
	sent := &jobs{}
	w.noting(sent)
	w.tree("spring", "active")
	w.apply()
	for hour := range 3 {
		if err := w.sleep(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		w.noting(sent)
		recovered, err := w.agent.Recover(t.Context())
		said := fmt.Sprint(recovered.Undecided, err)
		if !strings.Contains(said, "blkmtnjob_") {
			t.Errorf("hour %d: Recover = %+v, %v; want the job named", hour, recovered, err)
		}
		w.desired.Get(address("campaign/old")).Set("name", resource.Text(fmt.Sprint("Renamed ", hour)))
		w.apply()
		if got := w.live("campaign/old", "name"); got != fmt.Sprintf(`"Renamed %d"`, hour) {
			t.Errorf("hour %d: the other campaign is %s; want it renamed", hour, got)
		}
	}
	if made := sent.with("create"); len(made.bodies) != 1 || len(w.creates(w.mutations())) != 3 {
		t.Errorf("%d jobs of creates were sent while the first stood still, creates %v; want it alone",
			len(made.bodies), w.creates(w.mutations()))
	}
	hold = false
	w.agent = w.newAgent()
	w.converge()
	w.eachOnce()
}

// N11: a create whose key the service has in progress waits, and goes again as it was.
func TestN11ACreateInProgressGoesAgainAsItWas(t *testing.T) {
	for _, status := range []int{408, 409} {
		w := beneath(t)
		keys, sent := []string{}, &bodies{}
		w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
			if posts(r, "ad_groups") {
				sent.hold(t, r)
				if keys = append(keys, r.Header.Get("Idempotency-Key")); len(keys) < 3 {
					return answer(r, status, refusal)
				}
			}
			return send(r)
		}), w.store)
		before := w.now()
		w.allApplied(w.apply())
		if waited := w.now().Sub(before); len(keys) != 3 || len(slices.Compact(keys)) != 1 || waited < time.Second {
			t.Errorf("%d: sent under %q within %s; want it three times under one key, with a wait between",
				status, keys, waited)
		}
		w.clean()
		w.once("New")
	}
}

// B4: a result for an operation that was not in the job is told, and changes nothing
// of what was.
func TestB4AResultOfNobodyIsTold(t *testing.T) {
	w := newWorld(t)
	w.service.SetHooks(&service.Hooks{Results: func(job world_.Job, results []world_.JobResult) []world_.JobResult {
		if job.ValidateOnly {
			return results
		}
		return append(slices.Clone(results), world_.JobResult{
			OperationID: "c99", Type: "campaign.create", Status: "created", ResourceID: "cmpn_nobodys",
		})
	}})
	w.tree("spring", "paused")
	w.allApplied(w.apply())
	told := slices.ContainsFunc(w.said, func(text string) bool {
		return strings.Contains(text, "blkmtnjob_") && strings.Contains(text, `"c99"`)
	})
	if !told {
		t.Errorf("said %q; want the job, and the operation that was not in it", w.said)
	}
	w.clean()
	w.eachOnce()
}

// B6: a job that ends as failed may still have done some of what it was asked. What its
// results say counts; of what has none nothing is taken for failed or for done before
// it is found.
func TestB6AJobThatFailedMayHaveDoneSome(t *testing.T) {
	for _, lost := range []string{"", "ad.create", "campaign.create ad_group.create ad.create"} {
		t.Run("without results of "+lost, func(t *testing.T) {
			w := hasty(newWorld(t, points("list_visibility_lag=60s"))) // else the list shows it at once
			losing := true
			w.losing(&losing, strings.Fields(lost)...)
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				response, err := send(r)
				if err == nil && strings.Contains(r.URL.Path, "/bulk_mutation_jobs") {
					response = answered(response, `"status":"completed"`, `"status":"failed"`)
					response = answered(response, `"complete":true,"error":null`,
						`"complete":true,"error":"the mill stands still"`)
				}
				return response, err
			}), w.store)
			w.tree("spring", "paused")
			for _, o := range w.apply().Outcomes {
				told := o.Outcome == state.OutcomeUnknown && strings.Contains(o.Message, "the mill stands still")
				if o.Outcome != state.OutcomeApplied && !told {
					t.Errorf("%s is %s, %q; want it applied, or unknown in the service's words",
						o.Address, o.Outcome, o.Message)
				}
			}
			losing = false
			w.agent = w.newAgent()
			w.converge()
			w.eachOnce()
		})
	}
}

// B8: adsync never asks for a job that stops at its first failure. One that does so all
// the same keeps what came before, reported as applied; what comes after is skipped, and
// goes out with the next run.
func TestB8AJobThatStopsAtItsFirstFailureKeepsWhatItDid(t *testing.T) {
	w := newWorld(t)
	for _, key := range []string{"a", "b", "c"} {
		w.write("campaign/"+key, map[string]any{
			"name": "Campaign " + key, "status": "paused", "bidding_type": "clicks", "budget.lifetime": 100_000_000,
		})
	}
	fails, no, order := true, false, []string{}
	w.service.SetHooks(&service.Hooks{Operation: func(op service.Operation,
		next func() world_.JobResult) world_.JobResult {
		if op.Type == "campaign.create" && !strings.HasPrefix(op.Key, "check-") && fails && op.Index == 1 {
			return world_.JobResult{
				OperationID: op.ID, Type: op.Type,
				Status: "failed", ErrorCode: "no", Error: "not this one", Retryable: &no,
			}
		}
		return next()
	}})
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if body := string(peek(r)); posts(r, "bulk_mutation_jobs") && !validates(r) {
			order = append(order, body)
			if strings.Contains(body, "partial_failure") {
				t.Errorf("a job says of partial_failure what is not its default: %s", body)
			}
			body = `{"partial_failure":false,` + body[1:]
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}
		return send(r)
	}), w.store)
	count := map[state.Outcome]int{}
	for _, outcome := range outcomes(w.apply()) {
		count[outcome]++
	}
	if len(order) != 1 || count[state.OutcomeApplied] != 1 ||
		count[state.OutcomeFailed] != 1 || count[state.OutcomeSkipped] != 1 {
		t.Errorf("%d jobs, outcomes %v; want one job, one applied, one failed and one skipped", len(order), count)
	}
	if n := len(w.creates(w.mutations())); n != 1 {
		t.Errorf("%d campaigns were made; want the one before the failure", n)
	}
	w.service.SetHooks(nil)
	fails = false
	w.agent = w.newAgent()
	w.converge()
	w.eachOnce()
}

// B21: a dry run uses no key that a request which changes something goes under, for the
// job or for an operation, whatever the service remembers of it.
func TestB21DryRunsHaveKeysOfTheirOwn(t *testing.T) {
	for _, takes := range []string{"yes", "no"} {
		w := newWorld(t, points("key_used_by_validate_only="+takes))
		dry, real := map[string]bool{}, map[string]bool{}
		w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPost {
				keys := real
				if validates(r) {
					keys = dry
				}
				var job struct{ Operations []operation }
				_ = json.Unmarshal(peek(r), &job) // what is no job has no operations
				for _, op := range job.Operations {
					keys[op.Key] = true
				}
				keys[r.Header.Get("Idempotency-Key")] = true
			}
			return send(r)
		}), w.store)
		w.tree("spring", "active")
		w.clean()
		delete(dry, "")
		if len(dry) == 0 || len(real) < 4 {
			t.Fatalf("%d keys of dry runs, %d of others; want some of each", len(dry), len(real))
		}
		for key := range real {
			if dry[key] {
				t.Errorf("key %q was used by a dry run too", key)
			}
		}
		w.eachOnce()
	}
}
