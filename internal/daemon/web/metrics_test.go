package web

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/planview"
)

func TestMetrics(t *testing.T) {
	a := ask(t, nil)
	m := a.server.Metrics
	m.Ran("shoes", daemon.Result{Class: daemon.Held,
		Plan: a.desk.plans["shoes"], Run: a.desk.runs["shoes"][0], Requests: 7}, 3*time.Second)
	m.Ran("shoes", daemon.Result{Class: daemon.InSync, Skipped: true, Requests: 1}, time.Millisecond)
	m.Ran("gone", daemon.Result{Class: daemon.Transient}, time.Second)
	a.get("/metrics") // first sees who is there
	body := text(t, a.get("/metrics"))
	for _, want := range []string{
		`adsync_runs_total{account="shoes",class="held"} 1`,
		`adsync_looks_total{account="shoes"} 1`,
		`adsync_run_seconds_bucket{account="shoes",le="5"} 1`,
		`adsync_run_seconds_bucket{account="shoes",le="1"} 0`,
		`adsync_requests_total{account="shoes"} 8`,
		`adsync_changes_total{account="shoes",action="create",outcome="failed"} 1`,
		`adsync_changes_total{account="shoes",action="update",outcome="held"} 1`,
		`adsync_held{account="shoes",hazard="raises-spend"} 1`,
		`adsync_rate_left{account="shoes"} 940`,
		`adsync_exposure_daily{account="boots & bags"} 1220.5`,
		`adsync_drift_fields{account="shoes"} 2`,
		`adsync_journal_steps{account="shoes"} 1`,
		`adsync_failures_in_a_row{account="hats"} 3`,
		`adsync_last_good_timestamp_seconds{account="hats"} 0`,
		`adsync_state_info{account="hats",class="input"} 1`,
		`adsync_applied_revision_info{account="shoes",commit="81d2e0c5a2b3c4d5e6f708192a3b4c5d6e7f8091",content=""} 1`,
		`adsync_account_info{account="shoes",currency="USD",id="adacct_quickstart"} 1`,
		`adsync_build_info{version="1.2.3"} 1`,
		"go_goroutines ",
	} {
		if !strings.Contains(body, want+"\n") && !strings.Contains(body, "\n"+want) {
			t.Errorf("no line %s", want)
		}
	}
	if strings.Contains(body, `adsync_runs_total{account="shoes",class="in_sync"}`) {
		t.Error("a look that found all as it was is counted as a run")
	}
	if strings.Contains(body, `account="gone"`) {
		t.Error("an account that is not configured has a series")
	}
}

// TestMetricsOfWhatIsNotKnown: before the first plan there is no figure of one, and
// files that cannot be planned leave what is held as it was.
func TestMetricsOfWhatIsNotKnown(t *testing.T) {
	a := ask(t, nil)
	m := a.server.Metrics
	m.Ran("shoes", daemon.Result{Class: daemon.Held, Plan: a.desk.plans["shoes"]}, time.Second)
	m.Ran("shoes", daemon.Result{Class: daemon.Input, Plan: &planview.Document{Error: "1 error"}}, time.Second)
	body := text(t, a.get("/metrics"))
	for _, name := range []string{"adsync_pending_changes",
		"adsync_held_changes", "adsync_drift_fields", "adsync_exposure_daily",
		"adsync_exposure_lifetime", "adsync_exposure_month_end", "adsync_figures_timestamp_seconds"} {
		if strings.Contains(body, name+`{account="hats"}`) {
			t.Errorf("%s of an account without a plan is there; want it absent", name)
		}
		if !strings.Contains(body, name+`{account="shoes"}`) {
			t.Errorf("%s of an account with a plan is not there", name)
		}
	}
	for _, want := range []string{`adsync_held{account="shoes",hazard="raises-spend"} 1`,
		`adsync_unplanned_timestamp_seconds{account="hats"} 1.7953632e+09`,
		`adsync_unplanned_timestamp_seconds{account="shoes"} 0`} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("no line %s", want)
		}
	}
}

func TestHealthAndReadiness(t *testing.T) {
	stuck := errors.New("shoes stands still")
	var alive error
	a := ask(t, func(o *Options) { o.Alive = func() error { return alive } })
	wantStatus(t, a.get("/healthz"), http.StatusOK)
	alive = stuck
	health := a.get("/healthz")
	wantStatus(t, health, http.StatusServiceUnavailable)
	if body := text(t, health); body != `{"alive":false,"message":"shoes stands still"}`+"\n" {
		t.Errorf("healthz: %s", body)
	}
	if body := text(t, a.get("/readyz")); body != `{"ready":true,"waiting":[]}`+"\n" {
		t.Errorf("readyz: %s", body)
	}
	a.desk.accounts[1].State = ""
	answer := a.get("/readyz")
	wantStatus(t, answer, http.StatusServiceUnavailable)
	if body := text(t, answer); body != `{"ready":false,"waiting":["boots \u0026 bags"]}`+"\n" {
		t.Errorf("readyz: %s", body)
	}
}
