package reconcile_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/state"
)

// status has a person, or the files, make a campaign active or paused.
func (w *world) status(by, status string) {
	w.t.Helper()
	switch by {
	case "files":
		w.tree("spring", status)
	case "person":
		call := map[string]string{"active": "activate", "paused": "pause"}[status]
		w.service.Must(w.t, http.MethodPost, "/campaigns/"+w.last("campaign/spring").ID+"/"+call, nil)
	}
	if err := w.sleep(w.t.Context(), 2*time.Second); err != nil {
		w.t.Fatal(err)
	}
}

// Invariant 11: what somebody started and paused again since adsync looked is not started
// by the files, though it is as the last apply left it: the audit log tells. The pause is
// that person's from then on, until the files change the status.
func TestAPauseThatOnlyTheAuditLogTellsOfStays(t *testing.T) {
	for _, row := range []struct {
		name   string
		points string
		looks  bool   // at what somebody has started, before it is paused again
		cut    bool   // the last apply was cut off
		during bool   // it ended after somebody had started it
		said   string // what a person said since is among the runs under this name
	}{
		{"between two applies", "audit_log_types=action", false, false, false, ""},
		{"in a log of updates", "audit_log_types=update", false, false, false, ""},
		{"after an apply that saw it started", "audit_log_types=action", true, false, false, ""},
		{"after an apply that was cut off", "audit_log_types=action", false, true, false, ""},
		{"after an apply that went on while it was started", "audit_log_types=action", false, false, true, ""},
		{"and that was cut off", "audit_log_types=action", false, true, true, ""},
		{"after a state was accepted", "audit_log_types=action", false, false, false, state.AcceptPrefix + "000009"},
		{"after a decision", "audit_log_types=action", false, false, false, env.Decisions + "000009"},
		{"after a verb that writes at once", "audit_log_types=action", false, false, false, "direct-000009"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, emulatortest.WithPoints(t, row.points))
			w.status("files", "paused")
			w.clean()
			if row.cut {
				now := w.now()
				noErr(t, w.store.RecordRun(t.Context(), state.Run{ID: "run-999999", Read: now, Started: now}))
				w.status("", "")
			}
			w.status("person", "active")
			if row.looks {
				w.apply()
				w.status("", "")
			}
			w.status("files", "active")
			if row.during {
				runs, err := w.store.Runs(t.Context(), 1)
				noErr(t, err)
				runs[0].Started, runs[0].Finished = w.now(), w.now()
				noErr(t, w.store.RecordRun(t.Context(), runs[0]))
				w.status("", "")
			}
			w.status("person", "paused")
			if row.said != "" {
				now := w.now()
				noErr(t, w.store.RecordRun(t.Context(), state.Run{ID: row.said, Started: now, Finished: now}))
				w.status("", "")
			}
			for run := range 3 {
				f := fieldOf(t, w.plan().Plan, "campaign/spring", "status")
				if f.Cause != plan.Drift || f.Foreign() == nil || !strings.HasPrefix(f.Foreign().Actor, "api_key ") {
					t.Fatalf("plan %d has the status as %s by %v; want it as a person's doing",
						run+1, f.Cause, f.Foreign())
				}
				if w.apply(); w.live("campaign/spring", "status") != `"paused"` {
					t.Fatalf("the campaign is started by apply %d; want the pause kept", run+1)
				}
				w.status("", "")
			}
		})
	}
}

// The log shows what was done a minute late: what it has started last and is paused was paused since.
func TestAPauseThatTheAuditLogDoesNotShowYetStays(t *testing.T) {
	w := newWorld(t, emulatortest.WithPoints(t, "audit_log_types=action,audit_log_lag=60s"))
	w.status("files", "paused")
	w.clean()
	w.status("", "") // of another second
	w.status("person", "active")
	w.status("files", "active")
	noErr(t, w.sleep(t.Context(), 70*time.Second))
	w.status("person", "paused")
	if w.apply(); w.live("campaign/spring", "status") != `"paused"` {
		t.Error("the campaign is started; want the pause kept, which the log does not show yet")
	}
}

// The run saw that somebody had started it, and paused something else or was cut off, so that the pause that followed
// has no start beside it: the log tells that another key paused it.
func TestAPauseByAnotherKeyStaysAfterARunThatPausedSomethingElse(t *testing.T) {
	const stranger = "sk-a-stranger"
	for _, row := range []struct {
		name  string
		cut   bool          // the run was cut off
		ahead time.Duration // how much the clock of this machine is ahead of the service's
		same  bool          // the pause is of the second in which the run began to look
	}{
		{"and ended", false, 0, false}, {"and was cut off", true, 0, false},
		{"by a clock that is ahead", false, 10 * time.Minute, false},
		{"by a clock that is behind", false, -10 * time.Minute, false},
		{"in the second in which it began to look", false, 0, true},
		{"in the second in which one began to look that was cut off", true, 0, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, func(o *emulator.Options) {
				o.Accounts[0].Keys = append(o.Accounts[0].Keys, emulator.APIKey{Name: "stranger", Key: stranger})
			})
			w.slept += row.ahead
			w.permitAll("activates")
			does := func(call string) {
				t.Helper()
				w.status("", "") // of another second
				w.service.Must(t, http.MethodPost, "/campaigns/"+w.last("campaign/spring").ID+"/"+call, nil,
					"Authorization", "Bearer "+stranger)
				w.status("", "")
			}
			w.tree("summer", "active")
			w.status("files", "paused")
			w.clean()
			does("activate")
			w.tree("summer", "paused")
			w.apply()
			if row.cut {
				runs, err := w.store.Runs(t.Context(), 1)
				noErr(t, err)
				runs[0].Finished, runs[0].Settled = time.Time{}, false
				noErr(t, w.store.RecordRun(t.Context(), runs[0]))
			}
			w.status("files", "active")
			does("pause")
			if row.same {
				runs, err := w.store.Runs(t.Context(), 1)
				noErr(t, err)
				runs[0].Read = time.Unix(w.newestLogged(), 0)
				noErr(t, w.store.RecordRun(t.Context(), runs[0]))
			}
			if w.apply(); w.live("campaign/spring", "status") != `"paused"` {
				t.Error("the campaign is started; want the pause of somebody else kept")
			}
		})
	}
}

// newestLogged returns the second of the newest entry of the audit log.
func (w *world) newestLogged() int64 {
	w.t.Helper()
	var page struct {
		Data []struct {
			At int64 `json:"ts"`
		}
	}
	answer := w.service.Must(w.t, http.MethodGet, "/audit_logs?order=desc&limit=1", nil)
	if err := json.Unmarshal(answer.Body, &page); err != nil || len(page.Data) != 1 {
		w.t.Fatalf("the audit log is %s: %v; want one entry", answer.Body, err)
	}
	return page.Data[0].At
}

// To pause everything is no apply: it looks at nothing that somebody paused before, and what it pauses is somebody's
// pause.
func TestNoApplyStartsWhatWasPausedBeforeAndByPauseAll(t *testing.T) {
	for _, row := range []struct {
		name  string
		steps []string // who makes it what
	}{
		{"somebody paused it before", []string{"files active", "person active", "person paused", "all"}},
		{"it was started by somebody", []string{"person active", "files active", "all"}},
		{"after an apply that saw it started", []string{"person active", "apply", "files active", "all"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.permitAll("activates")
			w.tree("summer", "active")
			w.status("files", "paused")
			w.clean()
			for _, step := range row.steps {
				switch by, status, _ := strings.Cut(step, " "); by {
				case "apply":
					w.tree("summer", "paused")
					w.apply()
				case "all":
					_, err := w.pauseAll()
					noErr(t, err)
				default:
					w.status(by, status)
				}
				w.status("", "")
			}
			for run := range 2 {
				if w.apply(); w.live("campaign/spring", "status") != `"paused"` {
					t.Fatalf("the campaign is started by apply %d; want the pause kept", run+1)
				}
				w.status("", "")
			}
		})
	}
}

// A record that lost its applies, which somebody accepted, does not say from when on the log may tell of a pause that
// nobody saw: all of it is asked, and where it is too long, or is not shown, the start waits for a yes.
func TestAfterALossOfEveryApplyAllOfTheLogIsAsked(t *testing.T) {
	for _, row := range []struct {
		name string
		does func(w *world)
		want string
	}{
		{"nobody paused it", func(*world) {}, `"active"`},
		{"somebody paused it", func(w *world) { w.status("person", "active"); w.status("person", "paused") }, `"paused"`},
		{"the log is too long", func(w *world) {
			for n := range live.MaxLogged {
				w.service.Must(w.t, http.MethodPost, "/campaigns/"+w.last("campaign/other").ID,
					map[string]any{"description": strconv.Itoa(n)})
			}
		}, `"paused"`},
		{"the log is not shown", func(w *world) { w.agent = w.through(withoutAuditLog(true), w.store) }, `"paused"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.permitAll("activates")
			w.tree("other", "active")
			w.status("files", "paused")
			w.clean()
			last, err := w.store.Last(t.Context())
			noErr(t, err)
			w.store, err = state.NewMemory(state.Options{Now: w.now})
			noErr(t, err)
			for r := range last.All() {
				noErr(t, w.store.Record(t.Context(), []state.Applied{{
					Address: r.Address, ID: r.ID, ParentID: r.ParentID, Attributes: r.Attributes,
				}}))
			}
			noErr(t, w.store.RecordRun(t.Context(), state.Run{ID: state.AcceptPrefix + "000009", Started: w.now()}))
			w.agent = w.newAgent()
			row.does(w)
			w.status("files", "active")
			if w.apply(); w.live("campaign/spring", "status") != row.want {
				t.Errorf("the campaign is %s; want it %s", w.live("campaign/spring", "status"), row.want)
			}
		})
	}
}

// A daemon applies nothing of a plan that is all held, and makes no run of it. The way out
// that the hold names works all the same: the file says paused once, and then active.
func TestAHeldStartGoesOnceTheFileSaidPaused(t *testing.T) {
	w := newWorld(t)
	look := func() *plan.Plan { // as the daemon does
		t.Helper()
		view := w.plan()
		if !view.Plan.Empty() {
			w.apply()
		} else if err := w.agent.RecordSeen(t.Context(), view); err != nil {
			t.Fatal(err)
		}
		w.status("", "")
		return view.Plan
	}
	w.status("files", "paused")
	w.clean()
	w.status("person", "active")
	w.status("person", "paused")
	w.status("files", "active")
	for range 2 {
		if f := fieldOf(t, look(), "campaign/spring", "status"); f.Held == nil ||
			!strings.Contains(f.Held.Message, "say paused once and then active") {
			t.Fatalf("the start is held by %v; want the pause of a person, and the way out", f.Held)
		}
	}
	w.status("files", "paused")
	look()
	w.status("files", "active")
	look()
	if live := w.live("campaign/spring", "status"); live != `"active"` {
		t.Errorf("the campaign is %s after the file said paused and then active; want it started", live)
	}
}

// What nobody else did is started: adsync's own writes before the last apply ended are no
// reason to wait, nor is a pause the files have caught up with, nor a log that is not shown.
func TestAnActivationWaitsForNobodyElsesPause(t *testing.T) {
	for _, row := range []struct {
		name  string
		steps []string // who makes it what; "apply"
		dumb  bool     // the service shows no audit log
	}{
		{"nobody was there", []string{"files active", "apply", "files paused", "apply", "files active"}, false},
		{"adsync had looked since", []string{"files paused",
			"apply", "person active", "person paused", "files paused", "touch", "apply", "files active"}, false},
		{"the files changed the status again", []string{"files paused", "apply",
			"files active", "person active", "person paused", "apply", "files paused", "apply", "files active"}, false},
		{"an apply that was cut off had paused it itself",
			[]string{"files active", "apply", "files paused", "cut", "files active"}, false},
		{"no log tells", []string{"files paused", "apply", "files active", "person active", "person paused"}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.permitAll("activates")
			for _, step := range append(row.steps, "apply") {
				by, status, _ := strings.Cut(step, " ")
				switch by {
				case "apply":
					if row.dumb {
						w.agent = w.through(withoutAuditLog(true), w.store)
					}
					w.apply()
				case "cut": // after its last write
					w.apply()
					runs, err := w.store.Runs(t.Context(), 1)
					if err != nil {
						t.Fatal(err)
					}
					runs[0].Finished, runs[0].Settled, runs[0].Started = time.Time{},
						false, runs[0].Started.Add(-2*time.Second)
					runs[0].Read = runs[0].Started
					if err := w.store.RecordRun(t.Context(), runs[0]); err != nil {
						t.Fatal(err)
					}
				case "touch": // so that there is something to apply
					w.write("campaign/autumn", map[string]any{
						"name": "Autumn", "status": "paused", "bidding_type": "clicks", "budget.lifetime": 50_000_000,
					})
				}
				w.status(by, status)
			}
			if got := w.live("campaign/spring", "status"); got != `"active"` {
				t.Errorf("the campaign is %s; want it started: %s", got, describe(w.plan().Plan))
			}
		})
	}
}

// Invariant 14: the files begin to say that the account runs, and somebody pauses it before
// the apply. No log tells when, so that the pause is theirs, until the files say paused, and then that it runs.
func TestAPauseOfTheAccountStaysWhereTheFilesBeginToNameIt(t *testing.T) {
	w := newWorld(t)
	w.permitAll("activates", "adopt=account/account")
	w.write("account/account", map[string]any{"account_name": "Shop"})
	w.clean()
	w.desired.Get(address("account/account")).Set("status", resource.Text("active"))
	w.service.Must(t, http.MethodPost, "/ad_account/pause", nil)
	for range 2 {
		if f := fieldOf(t, w.plan().Plan, "account/account", "status"); f.Cause != plan.Drift || f.Held == nil {
			t.Fatalf("the status is planned as %s, held %v; want it as somebody's doing, held", f.Cause, f.Held)
		}
		if w.apply(); !strings.Contains(string(w.service.Must(t, http.MethodGet, "/ad_account", nil).Body),
			`"status":"paused"`) {
			t.Fatal("the account is started; want the pause kept")
		}
	}
	for _, status := range []string{"paused", "active"} {
		w.desired.Get(address("account/account")).Set("status", resource.Text(status))
		w.apply()
	}
	if !strings.Contains(string(w.service.Must(t, http.MethodGet, "/ad_account", nil).Body), `"status":"active"`) {
		t.Error("the account is paused; want it started, as the files said paused in between")
	}
}
