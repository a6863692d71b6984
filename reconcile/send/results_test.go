package send

import (
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/state"
)

func ptr[T any](v T) *T { return &v }

// TestResultsOfAJob reads every sort of result (faults B4 to B11).
func TestResultsOfAJob(t *testing.T) {
	address := resource.Address{Kind: "campaign", Key: "a"}
	step := state.Step{Operations: []state.Operation{{ID: "c1", Address: address}}}
	for _, row := range []struct {
		name    string
		results []adsapi.OperationResult
		want    state.Outcome
		wait    time.Duration
	}{
		{"created", []adsapi.OperationResult{{OperationID: "c1", Status: "created", ResourceID: ptr("cmpn_1")}},
			state.OutcomeApplied, -1},
		{"created without an id", []adsapi.OperationResult{{OperationID: "c1", Status: "created"}},
			state.OutcomeUnknown, time.Second},
		{"failed for good", []adsapi.OperationResult{{OperationID: "c1", Status: "failed", Retryable: ptr(false)}},
			state.OutcomeFailed, -1},
		{"failed, retryable unknown", []adsapi.OperationResult{{OperationID: "c1", Status: "failed"}},
			state.OutcomeFailed, time.Second},
		{"failed for now", []adsapi.OperationResult{{OperationID: "c1", Status: "failed",
			Retryable: ptr(true), RetryAfterSeconds: ptr(int64(7))}}, state.OutcomeFailed, 7 * time.Second},
		{"failed for now, an absurd wait", []adsapi.OperationResult{{OperationID: "c1", Status: "failed",
			Retryable: ptr(true), RetryAfterSeconds: ptr(int64(1 << 40))}}, state.OutcomeFailed, longestWait},
		{"skipped", []adsapi.OperationResult{{OperationID: "c1", Status: "skipped"}}, state.OutcomeSkipped, -1},
		{"no result", nil, state.OutcomeUnknown, time.Second},
		{"a result of another operation", []adsapi.OperationResult{{OperationID: "c9",
			Status: "created", ResourceID: ptr("cmpn_9")}}, state.OutcomeUnknown, time.Second},
		{"the same result twice",
			[]adsapi.OperationResult{{OperationID: "c1", Status: "created", ResourceID: ptr("cmpn_1")},
				{OperationID: "c1", Status: "created", ResourceID: ptr("cmpn_1")}}, state.OutcomeApplied, -1},
		{"two results that differ", []adsapi.OperationResult{{OperationID: "c1", Status: "created",
			ResourceID: ptr("cmpn_1")}, {OperationID: "c1", Status: "failed"}}, state.OutcomeUnknown, time.Second},
		{"two ids for one create",
			[]adsapi.OperationResult{{OperationID: "c1", Status: "created", ResourceID: ptr("cmpn_1")},
				{OperationID: "c1", Status: "created", ResourceID: ptr("cmpn_2")}}, state.OutcomeUnknown, time.Second},
		{"a word nobody knows", []adsapi.OperationResult{{OperationID: "c1", Status: "queued"}},
			state.OutcomeUnknown, time.Second},
	} {
		outcomes, again := outcomesOf(step, adsapi.OperationPage{Results: row.results, Complete: true})
		wait := again.wait
		if again.None() {
			wait = -1
		}
		if outcomes[0].Outcome != row.want || wait != row.wait {
			t.Errorf("%s: %s, wait %s; want %s, wait %s", row.name, outcomes[0].Outcome, wait, row.want, row.wait)
		}
	}
}

// A job that completed and made nothing new needs no result pages.
func TestCompletedUpdatesNeedNoPages(t *testing.T) {
	updates := state.Step{Operations: []state.Operation{{ID: "u1", ResourceID: "cmpn_1"}}}
	if _, ok := withoutPages(updates, adsapi.Job{Status: "completed"}); !ok {
		t.Error("completed updates ask for pages")
	}
	if _, ok := withoutPages(updates, adsapi.Job{Status: "partially_failed"}); ok {
		t.Error("updates of a job that failed in part are taken for done")
	}
	creates := state.Step{Operations: []state.Operation{{ID: "c1"}}}
	if _, ok := withoutPages(creates, adsapi.Job{Status: "completed"}); ok {
		t.Error("ids of creates are not asked for")
	}
}
