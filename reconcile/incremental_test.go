package reconcile_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/reconcile"
	"adsync/reconcile/apply"
	"adsync/reconcile/live"
	"adsync/state"

	"github.com/google/go-cmp/cmp"
)

// daily is a shelf that was read in full, with a log of n entries long settled.
type daily struct {
	*shelf
	agent   *reconcile.Agent
	store   state.Store
	desired *resource.Snapshot
}

func newDaily(t *testing.T, trees, entries int) *daily {
	t.Helper()
	s := newShelf(trees)
	for i := range entries {
		s.entry("Campaign", fmt.Sprint("c", i%trees), int64(1_799_000_000+i))
	}
	store, desired := s.bound(t)
	d := &daily{s, s.agent(t, store, s), store, desired}
	d.agent.Incremental = true
	view := s.planned(t, d.agent, desired)
	if !view.Live.Reading.Whole || len(view.Plan.Changes) != 0 {
		t.Fatalf("the first reading is %+v with %d changes; want a whole one, and none",
			view.Live.Reading, len(view.Plan.Changes))
	}
	s.asked = map[string]int{}
	return d
}

// edit is somebody's change at the service; tell says whether the log shows it.
// moved looks as a client does that has kept the head of the mirror.
func (d *daily) moved(t *testing.T) (live.Movement, error) {
	t.Helper()
	head, err := d.store.MirrorHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d.agent.MovedSince(t.Context(), head)
}

func (d *daily) edit(collection, object, id, name string, tell bool) {
	d.One(collection, id)["name"] = name
	if tell {
		d.entry(object, id, d.agent.Now().Unix())
	}
}

// Performance: a pass that finds nothing changed is one request, whatever the
// size of its log.
func TestNothingChangedIsOneRequest(t *testing.T) {
	for _, entries := range []int{0, 1, 99, 100, 101, 1000} {
		t.Run(fmt.Sprint(entries, " entries"), func(t *testing.T) {
			d := newDaily(t, 50+entries, entries)
			for range 3 {
				d.asked = map[string]int{}
				moved, err := d.moved(t)
				if err != nil || !moved.None() {
					t.Fatalf("Moved = %+v, %v; want nothing", moved, err)
				}
				if diff := cmp.Diff(map[string]int{"/audit_logs": 1}, d.asked); diff != "" {
					t.Fatalf("requests (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// A plan after a handful of changes reads those, and is the plan that a full
// refresh gives.
func TestIncrementalReadsWhatChanged(t *testing.T) {
	d := newDaily(t, 1000, 300)
	d.edit("campaigns", "Campaign", "c17", "Renamed by hand", true)
	d.edit("ads", "Ad", "a900", "Renamed as well", true)
	d.edit("ads", "Ad", "a900", "And again", true)
	d.remove("ad_groups", "g9")
	d.entry("AdGroup", "g9", d.agent.Now().Unix())
	d.put("campaigns", map[string]any{
		"id": "c-new", "name": "Somebody else's", "status": "active", "bidding_type": "clicks",
	})
	d.entry("Campaign", "c-new", d.agent.Now().Unix())
	d.entry("ApiKey", "key_1", d.agent.Now().Unix())
	if moved, err := d.moved(t); err != nil || moved.Entries != 6 {
		t.Errorf("Moved = %+v, %v; want 6 entries", moved, err)
	}
	view := d.planned(t, d.agent, d.desired)
	want := map[string]int{
		"/ad_account": 1, "/ad_account/spend_limit_windows": 1,
		"/campaigns/{id}": 2, "/ads/{id}": 1, "/ad_groups/{id}": 1,
	}
	delete(d.asked, "/audit_logs") // one page here; the plan asks again who changed what
	if diff := cmp.Diff(want, d.asked); diff != "" || view.Live.Reading.Whole {
		t.Errorf("reading %+v, requests (-want +got):\n%s", view.Live.Reading, diff)
	}
	d.agent.Incremental = false
	if diff := cmp.Diff(changes(d.planned(t, d.agent, d.desired)), changes(view)); diff != "" {
		t.Errorf("the plan is not that of a full refresh (-full +incremental):\n%s", diff)
	}
	if len(view.Live.Resources) != 3000 || len(view.Plan.Changes) != 3 {
		t.Errorf("%d resources, %d changes; want 3000 (one more, one gone) and 3",
			len(view.Live.Resources), len(view.Plan.Changes))
	}
	d.agent.Incremental = true
	if moved, err := d.moved(t); err != nil || !moved.None() {
		t.Errorf("Moved after the plan = %+v, %v; want nothing, as the plan has read it", moved, err)
	}
}

// TestALogThatIsQuietIsReadFromItsEnd: what a look rests on is one entry then, and
// what comes, or goes, is seen as before.
func TestALogThatIsQuietIsReadFromItsEnd(t *testing.T) {
	d := newDaily(t, 50, 70)
	head, err := d.store.MirrorHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	short := live.Settled(head)
	if len(short.Log) >= len(head.Log)/2 {
		t.Errorf("the place in the log is %s; want it shorter than %s", short.Log, head.Log)
	}
	moved := func() live.Movement {
		t.Helper()
		m, err := d.agent.MovedSince(t.Context(), short)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if m := moved(); !m.None() {
		t.Errorf("MovedSince = %+v; want nothing", m)
	}
	d.edit("campaigns", "Campaign", "c17", "Renamed by hand", true)
	if m := moved(); m.Entries != 1 {
		t.Errorf("MovedSince = %+v after a change; want one entry", m)
	}
	d.refuse("audit_logs", http.StatusBadRequest)
	if m := moved(); m.Why == "" {
		t.Errorf("MovedSince = %+v where the log cannot be read; want why", m)
	}
}

func changes(v *apply.View) []string {
	var all []string
	for _, c := range v.Plan.Changes {
		line := fmt.Sprint(c.Action, " ", c.Address, " gone ", c.IsGone())
		for _, f := range c.Fields {
			line += fmt.Sprintf(" %s %v %v", f.Name, f.Live(), f.Desired)
		}
		all = append(all, line)
	}
	return all
}

// What the log cannot tell is read in full, and said.
func TestWhatTheLogCannotTellIsReadInFull(t *testing.T) {
	for _, tc := range []struct {
		name  string
		spoil func(d *daily)
		why   string
	}{
		{name: "over a day later", spoil: func(d *daily) { d.clock += 25 * time.Hour },
			why: "everything is read once a day"},
		{name: "a clock that was put back", spoil: func(d *daily) { d.clock -= time.Hour },
			why: "the clock was put back"},
		{name: "a log that is not there", spoil: func(d *daily) { d.refuse("audit_logs", http.StatusNotFound) },
			why: "the audit log cannot be read"},
		{name: "a log the key may not read", spoil: func(d *daily) { d.refuse("audit_logs", http.StatusForbidden) },
			why: "the audit log cannot be read"},
		{name: "a cursor that expired", spoil: func(d *daily) { d.refuse("audit_logs", http.StatusBadRequest) },
			why: "the audit log cannot be read"},
		{name: "a log that was cut at the end", spoil: func(d *daily) { d.entries = d.entries[:250] },
			why: "does not show any more"},
		{name: "a log of another account", spoil: func(d *daily) {
			d.entries = []map[string]any{{"id": "x", "obj_type": "Campaign", "obj_id": "c1", "ts": int64(1)}}
		}, why: "does not show any more"},
		{name: "a page that repeats", spoil: func(d *daily) {
			d.change = func(at string, answer map[string]any) int {
				if rows, ok := answer["data"].([]map[string]any); ok && at == "audit_logs" {
					answer["data"] = append(slices.Clone(rows), rows...)
				}
				return 0
			}
		}, why: "shows an entry twice"},
		{name: "an entry nobody can read", spoil: func(d *daily) {
			d.entries = append(d.entries, map[string]any{"id": "", "ts": int64(1_800_000_000)})
		}, why: "an entry that cannot be read"},
		{name: "an entry about something unknown",
			spoil: func(d *daily) { d.entry("Placement", "pl_1", 1_800_000_000) }, why: `names a "Placement"`},
		{name: "a change everywhere", spoil: func(d *daily) {
			for i := range 20 {
				d.edit("ads", "Ad", fmt.Sprint("a", i), fmt.Sprint("Edited ", i), true)
			}
		}, why: "lists are fewer requests"},
		{name: "an own change the log does not show yet", spoil: func(d *daily) {
			if err := d.store.Await(context.Background(), []string{"c5"}); err != nil {
				panic(err)
			}
			d.edit("campaigns", "Campaign", "c5", "Sent by adsync", false)
		}, why: "the audit log lags behind: it does not name campaign c5"},
		{name: "an own create the log does not show yet", spoil: func(d *daily) {
			d.put("campaigns", map[string]any{"id": "c-own", "name": "Own", "status": "paused"})
			r := state.Applied{
				Address: address("campaign/own"), ID: "c-own",
				Attributes: resource.Attributes{{Name: "name", Value: resource.Text("Own")}},
			}
			if err := d.store.Record(context.Background(), []state.Applied{r}); err != nil {
				panic(err)
			}
		}, why: "the audit log lags behind: it does not name campaign c-own"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDaily(t, 20, 300)
			tc.spoil(d)
			view := d.planned(t, d.agent, d.desired)
			if !view.Live.Reading.Whole || !strings.Contains(view.Live.Reading.Why, tc.why) {
				t.Errorf("reading is %+v; want a whole one, because %s", view.Live.Reading, tc.why)
			}
			incremental := changes(view)
			d.agent.Incremental = false
			if diff := cmp.Diff(changes(d.planned(t, d.agent, d.desired)), incremental); diff != "" {
				t.Errorf("the plan is not that of a full refresh (-full +incremental):\n%s", diff)
			}
		})
	}
}

// refuse answers a path with a status from now on.
func (s *shelf) refuse(path string, status int) {
	s.change = func(at string, _ map[string]any) int {
		if at == path {
			return status
		}
		return 0
	}
}

// What adsync itself sent is read anew, though the log shows it too late: with
// the emulator, whose log may lag, the plan after an apply is empty.
func TestIncrementalAfterAnApplyIsEmpty(t *testing.T) {
	for _, points := range []string{"", "audit_log_lag=60s",
		"short_pages=yes", "parent_id_echoed=no", "list_archived=no",
		"list_ads=by_ad_group", "list_ads=by_ad_group,list_ad_groups=by_campaign,parent_id_echoed=no",
		"list_ads=not_allowed,parent_id_echoed=no"} {
		t.Run(points, func(t *testing.T) {
			w := newWorld(t, emulatortest.WithPoints(t, points))
			w.agent.Incremental = true
			w.tree("spring", "active")
			w.tree("autumn", "active")
			w.clean()
			w.write("campaign/spring", map[string]any{
				"name": "Renamed", "status": "active", "bidding_type": "clicks",
				"budget.lifetime": 90_000_000, "targeting.countries": []string{"CA", "US"},
			})
			w.clean()
			w.write("campaign/autumn", map[string]any{
				"name": "Campaign autumn", "status": "paused", "bidding_type": "clicks",
				"budget.lifetime": 100_000_000, "targeting.countries": []string{"CA", "US"},
			})
			w.clean()
			if reading := w.plan().Live.Reading; (points == "" || strings.HasPrefix(points, "list_ads")) &&
				reading.Whole {
				t.Errorf("the last reading is %+v; want an incremental one", reading)
			}
		})
	}
}

// A mirror that is only read is used, and stays as it is.
func TestReadOnlyPlanUsesTheMirror(t *testing.T) {
	d := newDaily(t, 10, 5)
	d.edit("ads", "Ad", "a3", "Edited", true)
	d.agent.Store = readOnly{d.store}
	for range 2 {
		view := d.planned(t, d.agent, d.desired)
		if view.Live.Reading.Whole || view.Live.Reading.Changed != 1 || len(view.Plan.Changes) != 1 {
			t.Errorf("reading %+v with %d changes; want the one that was changed",
				view.Live.Reading, len(view.Plan.Changes))
		}
	}
}

// readOnly is a state as plan opens it.
type readOnly struct{ state.Store }

func (readOnly) RecordMirror(context.Context, state.Mirror) error { return state.ErrReadOnly }

// A reading of the whole account that was asked for is the one of its day: what
// comes within 24 hours of it is told from it.
func TestAWholeReadingThatIsAskedForCountsAsThatOfTheDay(t *testing.T) {
	d := newDaily(t, 50, 10)
	began := d.agent.Now()
	at := func(hours time.Duration) { d.agent.Now = func() time.Time { return began.Add(hours * time.Hour) } }
	at(20)
	d.agent.Whole = true
	if view := d.planned(t, d.agent, d.desired); !view.Live.Reading.Whole || d.asked["/campaigns"] == 0 {
		t.Fatalf("what was asked for is %+v with requests %v; want a whole reading", view.Live.Reading, d.asked)
	}
	d.agent.Whole, d.asked = false, map[string]int{}
	at(30)
	if moved, err := d.moved(t); err != nil || !moved.None() {
		t.Fatalf("Moved = %+v, %v, 10 hours after a whole reading; want nothing", moved, err)
	}
	if view := d.planned(t, d.agent, d.desired); view.Live.Reading.Whole || d.asked["/campaigns"] != 0 {
		t.Errorf("10 hours after a whole reading another is made: %+v, %v", view.Live.Reading, d.asked)
	}
}
