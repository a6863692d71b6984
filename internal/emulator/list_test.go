package emulator_test

import (
	"fmt"
	"slices"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

func twoAccounts(o *emulator.Options) {
	o.Accounts = append(o.Accounts, emulatortest.Account("adacct_other", "sk-other"))
}

// page is the names in one page of a list, and its cursors.
type page struct {
	names       []string
	first, last any
	more        bool
}

func (s *tree) page(t *testing.T, path string) page {
	t.Helper()
	m := s.Must(t, "GET", path, nil).Map(t)
	p := page{first: m["first_id"], last: m["last_id"], more: m["has_more"] == true}
	for _, row := range m["data"].([]any) {
		p.names = append(p.names, fmt.Sprint(row.(map[string]any)["name"]))
	}
	return p
}

func newList(t *testing.T, points string, n int) *tree {
	w := &tree{Service: emulatortest.Start(t, emulatortest.WithPoints(t, points))}
	for i := range n {
		w.Campaign(t, fmt.Sprintf("No %d", i))
	}
	return w
}

func TestPagesForwardAndBack(t *testing.T) {
	w := newList(t, "", 5)
	first := w.page(t, "/campaigns?limit=2")
	second := w.page(t, fmt.Sprintf("/campaigns?limit=2&after=%s", first.last))
	third := w.page(t, fmt.Sprintf("/campaigns?limit=2&after=%s", second.last))
	for i, want := range []page{
		{names: []string{"No 4", "No 3"}, more: true},
		{names: []string{"No 2", "No 1"}, more: true},
		{names: []string{"No 0"}, more: false},
	} {
		got := []page{first, second, third}[i]
		if !slices.Equal(got.names, want.names) || got.more != want.more {
			t.Errorf("page %d = %v more %v, want %v more %v", i, got.names, got.more, want.names, want.more)
		}
	}
	back := w.page(t, fmt.Sprintf("/campaigns?limit=2&before=%s", third.first))
	if !slices.Equal(back.names, second.names) || !back.more {
		t.Errorf("back from the last page = %v more %v, want %v and more", back.names, back.more, second.names)
	}
	if start := w.page(t, fmt.Sprintf("/campaigns?limit=2&before=%s", second.first)); !slices.Equal(start.names,
		first.names) || start.more {
		t.Errorf("back to the start = %v more %v, want %v and no more", start.names, start.more, first.names)
	}
	if asc := w.page(t, "/campaigns?limit=2&order=asc"); !slices.Equal(asc.names, []string{"No 0", "No 1"}) {
		t.Errorf("ascending = %v", asc.names)
	}
}

func TestListParameters(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	rows := []struct {
		path string
		want refusal
	}{
		{"/campaigns?limit=1", fine},
		{"/campaigns?limit=500", fine},
		{"/campaigns?limit=0", bad("integer_below_min_value", "limit")},
		{"/campaigns?limit=501", bad("integer_above_max_value", "limit")},
		{"/campaigns?limit=x", bad("invalid_type", "limit")},
		{"/campaigns?order=up", bad("invalid_value", "order")},
		{"/campaigns?after=cmpn_none", bad("invalid_cursor", "after")},
		{"/campaigns?after=a&before=b", bad("invalid_value", "before")},
		{"/campaigns?name=ab", bad("invalid_value", "name")},
		{"/campaigns?name=%20%20%20", bad("invalid_value", "name")},
		{"/campaigns?include=serving_issues", fine},
		{"/campaigns?include[]=serving_issues", fine},
		{"/campaigns?include[]=everything", bad("invalid_value", "include")},
		{"/ad_groups?campaign_id=cmpn_none", refusal{404, "not_found", ""}},
		{"/ad_groups?include[]=bid_too_low", fine},
		{"/ads?ad_group_id=adgrp_none", refusal{404, "not_found", ""}},
		{"/ads?campaign_id=ignored", fine},
		{"/ad_accounts?limit=501", bad("integer_above_max_value", "limit")},
	}
	for _, row := range rows {
		expect(t, "GET "+row.path, w.Do(t, "GET", row.path, nil), row.want)
	}
}

func TestListsAreFilteredByNameAndParent(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	w.AdGroup(t, w.Campaign(t, "spring"), "Walkers")
	rows := []struct {
		path string
		want []string
	}{
		{"/campaigns?name=SPRING", []string{"spring", "Spring"}},
		{"/campaigns?name=Spri", nil},
		{"/ad_groups?campaign_id=" + w.campaign, []string{"Runners"}},
		{"/ad_groups", []string{"Walkers", "Runners"}},
		{"/ads?ad_group_id=" + w.adGroup, []string{"Hero"}},
		{"/ads", []string{"Hero"}},
		{"/ad_accounts", []string{"Test account"}},
	}
	for _, row := range rows {
		if got := w.page(t, row.path); !slices.Equal(got.names, row.want) || got.more {
			t.Errorf("GET %s = %v more %v, want %v", row.path, got.names, got.more, row.want)
		}
	}
}

// TestListsThatWantTheirParent: what the lists of ad groups and ads answer in every
// published form, asked with a parent and without.
func TestListsThatWantTheirParent(t *testing.T) {
	missing := func(status int, param string) refusal { return refusal{status, "missing_required_parameter", param} }
	gone := refusal{404, "not_found", ""}
	for _, row := range []struct {
		points          string
		groups, ads     refusal // of the account
		beneath         refusal // of an ad group, for ads
		unknown         refusal // of an ad group that is not there
		shown, ofGroups int     // ads of the account, ad groups of the account
	}{
		{"", fine, fine, fine, gone, 1, 2},
		{"list_ads=by_ad_group", fine, missing(400, "ad_group_id"), fine, gone, 0, 2},
		{"list_ads=by_ad_group,list_ad_groups=by_campaign,list_without_parent=422,list_of_unknown_parent=400",
			missing(422, "campaign_id"), missing(422, "ad_group_id"), fine, bad("not_found", "ad_group_id"), 0, 0},
		{"list_ads=by_ad_group,list_ad_groups=by_campaign,list_without_parent=404", gone, gone, fine, gone, 0, 0},
		{"list_ads=by_ad_group,list_ad_groups=by_campaign,list_without_parent=empty,list_of_unknown_parent=empty",
			fine, fine, fine, fine, 0, 0},
		{"list_ads=absent", fine, gone, gone, gone, 0, 2},
		{"list_ads=not_allowed", fine, refusal{405, "method_not_allowed", ""},
			refusal{405, "method_not_allowed", ""}, refusal{405, "method_not_allowed", ""}, 0, 2},
	} {
		w := newTree(t, emulatortest.Start(t, emulatortest.WithPoints(t, row.points)))
		w.AdGroup(t, w.Campaign(t, "Autumn"), "Walkers")
		expect(t, row.points+" GET /ad_groups", w.Do(t, "GET", "/ad_groups", nil), row.groups)
		expect(t, row.points+" GET /ads", w.Do(t, "GET", "/ads", nil), row.ads)
		expect(t, row.points+" GET /ads?campaign_id", w.Do(t, "GET", "/ads?campaign_id="+w.campaign, nil), row.ads)
		expect(t, row.points+" GET /ads?ad_group_id", w.Do(t, "GET", "/ads?ad_group_id="+w.adGroup, nil), row.beneath)
		expect(t, row.points+" of one that is not there",
			w.Do(t, "GET", "/ads?ad_group_id=adgrp_none", nil), row.unknown)
		if row.beneath == fine {
			if got := w.page(t, "/ads?ad_group_id="+w.adGroup); !slices.Equal(got.names, []string{"Hero"}) {
				t.Errorf("%s: ads of the ad group are %v; want Hero", row.points, got.names)
			}
		}
		if got := w.page(t, "/ad_groups?campaign_id="+w.campaign); !slices.Equal(got.names, []string{"Runners"}) {
			t.Errorf("%s: ad groups of the campaign are %v; want Runners", row.points, got.names)
		}
		for path, want := range map[string]int{"/ads": row.shown, "/ad_groups": row.ofGroups} {
			if answer := w.Do(t, "GET", path, nil); answer.Status == 200 && len(answer.Map(t)["data"].([]any)) != want {
				t.Errorf("%s: GET %s = %v; want %d rows", row.points, path, answer.Map(t)["data"], want)
			}
		}
	}
}

func TestDefaultPageHas20(t *testing.T) {
	w := newList(t, "", 21)
	if got := w.page(t, "/campaigns"); len(got.names) != 20 || !got.more {
		t.Errorf("default page has %d rows, more %v; want 20 and more", len(got.names), got.more)
	}
}

func TestEmptyListHasNullCursors(t *testing.T) {
	w := newList(t, "", 0)
	if got := w.page(t, "/campaigns"); got.first != nil || got.last != nil || got.more || got.names != nil {
		t.Errorf("empty list = %+v, want null cursors and no more", got)
	}
}

func TestOpenPointsOfLists(t *testing.T) {
	w := newList(t, "list_default_order=asc", 2)
	if got := w.page(t, "/campaigns"); !slices.Equal(got.names, []string{"No 0", "No 1"}) {
		t.Errorf("list_default_order=asc gives %v", got.names)
	}
	w = newList(t, "list_visibility_lag=2s", 1)
	if got := w.page(t, "/campaigns"); len(got.names) != 0 {
		t.Errorf("list_visibility_lag=2s shows %v at once", got.names)
	}
	w.Advance(t, 3)
	if got := w.page(t, "/campaigns"); len(got.names) != 1 {
		t.Errorf("list_visibility_lag=2s shows %v after 3 s, want one", got.names)
	}
	w = newList(t, "short_pages=yes", 4)
	if got := w.page(t, "/campaigns?limit=4"); len(got.names) != 2 || !got.more {
		t.Errorf("short_pages=yes gives %v more %v, want two and more", got.names, got.more)
	}
	for points, want := range map[string]int{"": 1, "list_archived=no": 0} {
		w = newList(t, points, 1)
		w.Must(t, "POST", fmt.Sprintf("/campaigns/%s/archive", w.page(t, "/campaigns").last), nil)
		if got := w.page(t, "/campaigns"); len(got.names) != want {
			t.Errorf("%q: list with an archived campaign has %d rows, want %d", points, len(got.names), want)
		}
	}
}

func TestCursorAfterAWrite(t *testing.T) {
	for points, want := range map[string]refusal{
		"": fine, "cursor_after_write=refused": bad("invalid_cursor", "after"),
	} {
		w := newList(t, points, 3)
		after := fmt.Sprintf("/campaigns?limit=1&after=%s", w.page(t, "/campaigns?limit=1").last)
		expect(t, points+": before a write", w.Do(t, "GET", after, nil), fine)
		w.Campaign(t, "Another")
		expect(t, points+": after a write", w.Do(t, "GET", after, nil), want)
	}
}

func TestBracketsOnly(t *testing.T) {
	w := newList(t, "array_query=brackets", 0)
	expect(t, "bare include", w.Do(t, "GET", "/campaigns?include=serving_issues", nil), bad("invalid_type", "include"))
	expect(t, "include[]", w.Do(t, "GET", "/campaigns?include[]=serving_issues", nil), fine)
}
