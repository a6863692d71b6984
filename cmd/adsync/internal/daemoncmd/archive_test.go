package daemoncmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/resource"
	"adsync/state"
	"adsync/state/place"

	"github.com/google/go-cmp/cmp"
)

// What resources are set to is what the service said of them when the account was read last.
func TestSettingsAreThoseThatWereReadLast(t *testing.T) {
	at := place.Place{Folder: t.TempDir()}
	store, err := at.Open(t.Context(), state.Options{})
	noError(t, err)
	noError(t, store.RecordMirror(t.Context(), state.Mirror{Full: time.Now(), Mirrored: []state.Mirrored{
		{Kind: "campaign", ID: "c1", Record: json.RawMessage(`{"id": "c1", "name": "Boots", "status": "active",
			"created_at": 1795000000, "start_time": 1795320000, "end_time": 1796000001,
			"budget": {"daily_spend_limit_micros": 5500000}}`)},
		{Kind: "campaign", ID: "c2", Record: json.RawMessage(`{"id": "c2", "name": "Coats", "status": "archived",
			"budget": {"lifetime_spend_limit_micros": 1500000000}, "serving_issues": ["no_ad_groups"]}`)},
		{Kind: "campaign", ID: "c3", Record: json.RawMessage(`[]`)},
		{Kind: "ad", ID: "a1", ParentID: "g1", Record: json.RawMessage(`{"id": "a1", "name": "Fine", "status": "paused",
			"creative": {"file_id": "file_2"}, "review_status": "approved"}`)},
		{Kind: "ad", ID: "a2", ParentID: "g1", Record: json.RawMessage(`{"id": "a2", "status": "active",
			"creative": {"title": "Shouts", "body": "Now", "target_url": "https://shop.example/", "price": "$1",
				"file_id": "file_1", "image_url": "https://signed.example/1", "image_crop": {"x": 0.5}}, "review_status": "rejected", "review": {"reason": "misleading"}}`)},
	}}))
	noError(t, store.RecordFile(t.Context(), "sha256:aa", "file_1"))
	noError(t, store.Close())
	r := archiveOf(at)
	got, err := r.Settings(t.Context(), []string{"campaign", "ad"})
	noError(t, err)
	why, do := got["ad"]["a2"].Why, got["ad"]["a2"].Do
	if !strings.Contains(why, "misleading") || do == "" {
		t.Errorf("the review says %q, to do %q; want the service's word in it, and what to do", why, do)
	}
	want := map[string]map[string]daemon.Setting{
		"campaign": {"c1": {Name: "Boots", Status: "active", Daily: 5_500_000, Created: time.Unix(1795000000, 0).UTC(),
			Starts: time.Unix(1795320000, 0).UTC(), Ends: time.Unix(1796000001, 0).UTC()},
			"c2": {Name: "Coats", Status: "archived", Removed: true, Lifetime: 1_500_000_000}},
		"ad": {"a1": {Name: "Fine", Parent: "g1", Status: "paused", Review: "approved",
			Look: &daemon.Look{Image: "file:file_2"}},
			"a2": {Name: "Shouts", Parent: "g1", Status: "active", Review: "rejected", Why: why, Do: do,
				Look: &daemon.Look{Title: "Shouts", Body: "Now", Target: "https://shop.example/", Price: "$1",
					Crop: `{"x":0.5}`, Image: "sha256:aa"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Settings() is not what the service said:\n%s", diff)
	}
}

func archiveOf(at place.Place) *archive {
	return &archive{env: &session.Env{}, mirror: at.OpenReadOnly, serial: func(ctx context.Context) int64 {
		serial, _ := at.SerialOf(ctx)
		return serial
	}}
}

// What was read once is read again when the state is another, and else after nobody looked for a while.
func TestSettingsAreReadAgainWhenTheStateIsAnother(t *testing.T) {
	at := place.Place{Folder: t.TempDir()}
	record := func(name string) {
		store, err := at.Open(t.Context(), state.Options{})
		noError(t, err)
		noError(t, store.RecordMirror(t.Context(), state.Mirror{Full: time.Unix(1, 0), Mirrored: []state.Mirrored{
			{Kind: "campaign", ID: "c1", Record: json.RawMessage(`{"id": "c1", "name": "` + name + `"}`)},
			{Kind: "ad", ID: "a1", Record: json.RawMessage(`{"id": "a1", "name": "` + name + `"}`)},
		}}))
		noError(t, store.Close())
	}
	record("Boots")
	r, reads := archiveOf(at), 0
	r.mirror = func(ctx context.Context) (state.Store, error) { reads++; return at.OpenReadOnly(ctx) }
	both := []string{"campaign", "ad"}
	for _, row := range []struct {
		name   string
		before func()
		levels []string
		want   string
		reads  int
	}{
		{"the first time", nil, []string{"campaign"}, "Boots", 1},
		{"again", nil, []string{"campaign"}, "Boots", 1},
		{"with another level", nil, both, "Boots", 2},
		{"both again", nil, both, "Boots", 2},
		{"one of both", nil, []string{"campaign"}, "Boots", 2},
		{"the account was read anew", func() { record("Coats") }, both, "Coats", 3},
		{"again after that", nil, both, "Coats", 3},
		{"forgotten", r.settings.drop, both, "Coats", 4},
		{"nobody knows the serial", func() { r.serial = func(context.Context) int64 { return 0 } }, both, "Coats", 5},
	} {
		if row.before != nil {
			row.before()
		}
		all, err := r.Settings(t.Context(), row.levels)
		noError(t, err)
		if len(all) != len(row.levels) || all["campaign"]["c1"].Name != row.want || reads != row.reads {
			t.Errorf("%s: %v, read %d times; want %s, %d times", row.name, all, reads, row.want, row.reads)
		}
	}
}

// BenchmarkSettings reads what 15,000 campaigns, ad groups and ads are set to, as each view of their page does.
func BenchmarkSettings(b *testing.B) {
	at := place.Place{Folder: b.TempDir()}
	store, err := at.Open(b.Context(), state.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m := state.Mirror{Full: time.Now()}
	for i := range 15_000 {
		kind, parent := "ad", fmt.Sprintf("ad_group_%d", i%3000)
		if i < 3000 {
			kind, parent = "ad_group", fmt.Sprintf("campaign_%d", i%300)
		}
		if i < 300 {
			kind, parent = "campaign", ""
		}
		id := fmt.Sprintf("%s_%d", kind, i)
		m.Mirrored = append(m.Mirrored, state.Mirrored{Kind: resource.Kind(kind), ID: id, ParentID: parent,
			Record: json.RawMessage(fmt.Sprintf(`{"id":%q,"name":"Name %d","status":"active","review_status":"approved",`+
				`"budget":{"daily_spend_limit_micros":80000000},"creative":{"title":"Title %d","body":%q}}`,
				id, i, i, strings.Repeat(fmt.Sprint("text ", i, " "), 40)))})
	}
	if err := store.RecordMirror(b.Context(), m); err != nil {
		b.Fatal(err)
	}
	store.Close()
	r := archiveOf(at)
	for _, row := range []struct {
		name   string
		levels []string
		again  bool // the state is the same as before
	}{
		{"campaigns", []string{"campaign"}, false}, {"ads", []string{"campaign", "ad_group", "ad"}, false},
		{"ads_again", []string{"campaign", "ad_group", "ad"}, true},
	} {
		levels := row.levels
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !row.again {
					r.settings.drop()
				}
				if all, err := r.Settings(b.Context(), levels); err != nil || len(all["campaign"]) != 300 {
					b.Fatal(len(all), err)
				}
			}
		})
	}
}

// What runs touched is in their reports; a run of before, one that changed nothing and one without a report say none.
func TestTouchedIsWhatReportsSay(t *testing.T) {
	store, err := state.NewMemory(state.Options{})
	noError(t, err)
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for i, row := range []struct {
		daysAgo, touched int
		report           string
	}{
		{9, 1, `{"outcomes":[{"address":"ad/old","id":"a9","name":"Old","outcome":"applied"}]}`},
		{3, 0, `{"outcomes":[{"address":"ad/idle","id":"a3","outcome":"applied"}]}`},
		{2, 1, ""},
		{1, 2, `{"outcomes":[{"address":"ad/new","id":"a1","name":"New","outcome":"applied"},
			{"address":"ad/held","id":"a2","outcome":"held"}]}`},
	} {
		run := state.Run{ID: fmt.Sprintf("run-%06d", i+1), Started: now.AddDate(0, 0, -row.daysAgo)}
		noError(t, store.RecordRun(t.Context(), run))
		head := fmt.Sprintf(`{"run":%q,"touched":%d,"started":%q}`, run.ID, row.touched,
			run.Started.Format(time.RFC3339))
		var report func(io.Writer) error
		if row.report != "" {
			report = func(w io.Writer) error { _, err := io.WriteString(w, row.report); return err }
		}
		noError(t, store.RecordReport(t.Context(), run.ID, []byte(head), report))
	}
	r := &archive{kept: func(context.Context, string) (*runs.KeptRuns, error) {
		return &runs.KeptRuns{Store: store, End: func() {}}, nil
	}}
	for _, row := range []struct {
		since time.Time
		want  []daemon.Touched
	}{
		{now.AddDate(0, 0, -7), []daemon.Touched{{Run: "run-000004", Address: "ad/new", ID: "a1", Name: "New"}}},
		{time.Time{}, []daemon.Touched{{Run: "run-000004", Address: "ad/new", ID: "a1", Name: "New"},
			{Run: "run-000001", Address: "ad/old", ID: "a9", Name: "Old"}}},
	} {
		got, err := r.Touched(t.Context(), row.since)
		noError(t, err)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("since %s:\n%s", row.since, diff)
		}
	}
}
