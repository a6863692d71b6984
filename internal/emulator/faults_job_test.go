package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/testing/emulatortest"
)

// TestFaultsOfJobs runs the same job of three under each fault: what its status
// and results say, and how many creates the mutation log has.
func TestFaultsOfJobs(t *testing.T) {
	rows := []struct {
		match, action string
		status, list  string
		made          int64
	}{
		{`{}`, `{"do":"fail_op","n":1,"retry_after":30}`, "failed", "failed(true 30) skipped skipped", 0},
		{`{}`, `{"do":"fail_op","n":2,"retryable":false}`,
			"partially_failed", "created failed(false <nil>) skipped", 1},
		{`{"op_type":"ad.create"}`, `{"do":"fail_op"}`, "partially_failed", "created created failed(true <nil>)", 2},
		{`{"nth":3}`, `{"do":"skip"}`, "partially_failed", "created created skipped", 2},
		{`{}`, `{"do":"job_error","message":"Lost."}`, "failed", "skipped skipped skipped, Lost.", 0},
		{`{}`, `{"do":"lose_result","n":2}`, "completed", "created created", 4},
		{`{}`, `{"do":"repeat_result","n":2}`, "completed", "created created created created", 4},
		{`{}`, `{"do":"incomplete_listing"}`, "completed", "created, not complete", 4},
	}
	for _, row := range rows {
		s := emulatortest.Start(t)
		armed(t, s, row.match, `{"job":`+row.action+`}`)
		body := with(job(campaignOp("c"), adGroupOp("g", "c"), adOp("a", "c", "g")), "partial_failure", true)
		id := s.Must(t, "POST", "/bulk_mutation_jobs", body).ID(t)
		if status := s.JobEnd(t, id)["status"]; status != row.status {
			t.Errorf("%s: the job is %v, want %s", row.action, status, row.status)
		}
		if got := listingOf(s.Must(t, "GET", "/bulk_mutation_jobs/"+id+"/operations", nil).Map(t)); got != row.list {
			t.Errorf("%s: results are %s, want %s", row.action, got, row.list)
		}
		if made := s.World().MutationCount(); made != row.made {
			t.Errorf("%s: %d mutations, want %d", row.action, made, row.made)
		}
		if fired := countOf(t, s, "fired"); fired != "1" {
			t.Errorf("%s: fired %s times, want 1", row.action, fired)
		}
	}
}

func listingOf(listing map[string]any) string {
	var all []string
	for _, each := range listing["data"].([]any) {
		r := each.(map[string]any)
		text := fmt.Sprint(r["status"])
		if text == "failed" {
			text += fmt.Sprintf("(%v %v)", r["retryable"], r["retry_after_seconds"])
		}
		all = append(all, text)
	}
	text := strings.Join(all, " ")
	if listing["error"] != nil {
		text += fmt.Sprint(", ", listing["error"])
	}
	if listing["complete"] != true {
		text += ", not complete"
	}
	return text
}

func TestAStuckJobGoesOnWhenTheFaultIsGone(t *testing.T) {
	s := emulatortest.Start(t)
	armed(t, s, `{"nth":1}`, `{"job":{"do":"stuck"}}`)
	stuck := s.Must(t, "POST", "/bulk_mutation_jobs", job(campaignOp("a"))).ID(t)
	eventually(t, "the job is struck", func() bool { return countOf(t, s, "fired") == "1" })
	other := s.Must(t, "POST", "/bulk_mutation_jobs", job(campaignOp("b"))).ID(t)
	s.JobEnd(t, other)
	if got := s.Must(t, "GET", "/bulk_mutation_jobs/"+stuck, nil).Map(t)["status"]; got != "pending" {
		t.Errorf("the stuck job is %v, want pending", got)
	}
	s.Must(t, "DELETE", "/_emulator/faults", nil)
	s.Advance(t, 1)
	if got := s.JobEnd(t, stuck)["status"]; got != "completed" {
		t.Errorf("the job is %v after the fault is gone, want completed", got)
	}
}
