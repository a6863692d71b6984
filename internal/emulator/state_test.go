package emulator_test

import (
	"testing"

	"adsync/internal/testing/emulatortest"
)

// each runs fn for a fresh campaign, ad group and ad.
func each(t *testing.T, points string, fn func(t *testing.T, w *tree, path string)) {
	t.Helper()
	for _, what := range []string{"/campaigns/{campaign}", "/ad_groups/{ad_group}", "/ads/{ad}"} {
		t.Run(what, func(t *testing.T) {
			w := newTree(t, emulatortest.Start(t, emulatortest.WithPoints(t, points)))
			fn(t, w, w.fill(what))
		})
	}
}

func TestStateChanges(t *testing.T) {
	each(t, "", func(t *testing.T, w *tree, path string) {
		steps := []struct {
			do, body string
			want     refusal
			status   string
		}{
			{"/activate", "", fine, "active"},
			{"/activate", "", fine, "active"},
			{"/pause", "{}", fine, "paused"},
			{"/pause", "", fine, "paused"},
			{"", `{"status":"active"}`, fine, "active"},
			{"/pause", `{"why":"x"}`, bad("unexpected_body", ""), "active"},
			{"/archive", "", fine, "archived"},
			{"/archive", "", fine, "archived"},
			{"/activate", "", refusal{409, "resource_archived", ""}, "archived"},
			{"/pause", "", refusal{409, "resource_archived", ""}, "archived"},
			{"", `{"status":"paused"}`, refusal{409, "resource_archived", ""}, "archived"},
			{"", `{"name":"Another"}`, refusal{409, "resource_archived", ""}, "archived"},
		}
		for _, step := range steps {
			expect(t, step.do+" "+step.body, w.Do(t, "POST", path+step.do, step.body), step.want)
			if got := w.Must(t, "GET", path, nil).Map(t)["status"]; got != step.status {
				t.Errorf("status after %s %s = %v, want %s", step.do, step.body, got, step.status)
			}
		}
	})
}

func TestUpdateMayArchive(t *testing.T) {
	each(t, "", func(t *testing.T, w *tree, path string) {
		if got := w.Must(t, "POST", path, `{"status":"archived"}`).Map(t)["status"]; got != "archived" {
			t.Errorf("status = %v, want archived", got)
		}
	})
}

func TestOpenPointsOfStates(t *testing.T) {
	rows := []struct {
		points, first, then string
		want                refusal
	}{
		{"archived_change=bad_request", "/archive", "/activate", bad("resource_archived", "")},
		{"archived_change=allowed", "/archive", "/activate", fine},
		{"conflict_status=422", "/archive", "/activate", refusal{422, "resource_archived", ""}},
		{"archive_again=refused", "/archive", "/archive", refusal{409, "status_unchanged", ""}},
		{"status_again=refused", "/pause", "/activate", fine},
		{"status_again=refused", "/activate", "/activate", refusal{409, "status_unchanged", ""}},
	}
	for _, row := range rows {
		each(t, row.points, func(t *testing.T, w *tree, path string) {
			w.Do(t, "POST", path+row.first, nil)
			expect(t, row.points+": "+row.then+" after "+row.first, w.Do(t, "POST", path+row.then, nil), row.want)
		})
	}
}

func TestPausedParentsLeaveChildrenAlone(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	w.Must(t, "POST", "/ads/"+w.ad+"/activate", nil)
	w.Must(t, "POST", "/campaigns/"+w.campaign+"/pause", nil)
	w.Must(t, "POST", "/ad_account/pause", nil)
	if got := w.Must(t, "GET", "/ads/"+w.ad, nil).Map(t)["status"]; got != "active" {
		t.Errorf("ad under paused parents is %v, want active", got)
	}
	if got := w.Must(t, "GET", "/ad_account", nil).Map(t)["status"]; got != "paused" {
		t.Errorf("account is %v, want paused", got)
	}
	if got := w.Must(t, "POST", "/ad_account/activate", nil).Map(t)["status"]; got != "active" {
		t.Errorf("account is %v, want active", got)
	}
}

func TestNothingIsCreatedUnderAnArchivedParent(t *testing.T) {
	for points, want := range map[string]refusal{
		"": {409, "parent_archived", ""}, "create_under_archived=allowed": fine,
	} {
		w := newTree(t, emulatortest.Start(t, emulatortest.WithPoints(t, points)))
		w.Must(t, "POST", "/ad_groups/"+w.adGroup+"/archive", nil)
		w.Must(t, "POST", "/campaigns/"+w.campaign+"/archive", nil)
		expect(t, points+" ad group", w.Do(t, "POST", "/ad_groups", emulatortest.AdGroupBody(w.campaign, "Late")), want)
		expect(t, points+" ad", w.Do(t, "POST", "/ads", emulatortest.AdBody(w.adGroup, "Late", w.file)), want)
	}
}
