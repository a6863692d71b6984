package reconcile_test

import (
	"net/http"
	"testing"
	"time"

	"adsync/reconcile"
	"adsync/state"
)

// Invariant 17: processes of one state that follow each other at once keep the
// limit of submissions together, dry runs and repetitions counted. A submission
// that a clock ahead of this one has noted counts as of now.
func TestProcessesOfOneStateKeepTheLimitOfSubmissionsTogether(t *testing.T) {
	store, err := state.NewMemory(state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := newShelf(1)
	var a *reconcile.Agent
	var sent []time.Time
	trip := line(func(r *http.Request) (*http.Response, error) {
		if !posts(r, "bulk_mutation_jobs") {
			return s.RoundTrip(r)
		}
		sent = append(sent, a.Now())
		status := http.StatusAccepted
		if len(sent)%5 == 0 {
			status = http.StatusServiceUnavailable // the client sends it once more
		}
		return answer(r, status, `{"id":"j","status":"pending"}`)
	})
	a = s.agent(t, store, trip)
	began := a.Now()
	if err := store.RecordSubmitted(t.Context(), began.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		a = s.agent(t, store, trip)
		if _, err := a.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 3 { // as many as a short apply sends; then the next process begins
			if _, err := a.Service.SubmitJob(t.Context(), "key", []byte(`{"validate_only":true}`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := 8; i < len(sent); i++ {
		if within := sent[i].Sub(sent[i-8]); within < 9990*time.Millisecond { // they are noted in whole milliseconds
			t.Errorf("submission %d comes %s after the eighth before it; want 10 s", i+1, within)
		}
	}
	if took := a.Now().Sub(began); len(sent) != 37 || took > time.Minute {
		t.Errorf("%d submissions took %s; want 37 in less than a minute", len(sent), took)
	}
}
