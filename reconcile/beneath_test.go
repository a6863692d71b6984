package reconcile_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/emulator"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"

	"github.com/google/go-cmp/cmp"
)

// listForms are the published forms of the lists of ad groups and ads, and what is
// open beside them.
func listForms() (forms []string) {
	unknown := []string{"404", "400", "empty"}
	for _, ads := range []string{"account", "by_ad_group", "absent", "not_allowed"} {
		for _, groups := range []string{"account", "by_campaign"} {
			for _, without := range []string{"400", "422", "404", "empty"} {
				for _, echoed := range []string{"yes", "no"} {
					forms = append(forms, fmt.Sprintf("list_ads=%s,"+
						"list_ad_groups=%s,list_without_parent=%s,parent_id_echoed=%s,list_of_unknown_parent=%s",
						ads, groups, without, echoed, unknown[len(forms)%len(unknown)]))
				}
			}
		}
	}
	return forms
}

// Whatever the lists want to be asked with, and whatever the service
// makes of what was sent, the plan after an apply is empty.
func TestTheSecondPlanIsEmptyWhateverListsWant(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	const normalising = ",normalise_names=trimmed," +
		"normalise_arrays=sorted,normalise_url_host=lowered,normalise_empty_lists=dropped,normalise_description=empty"
	for _, form := range listForms() {
		for _, route := range []string{"bulk", "single"} {
			t.Run(strings.ReplaceAll(form, ",", " ")+" "+route, func(t *testing.T) {
				w := newWorld(t, emulatortest.WithPoints(t, form+normalising), func(o *emulator.Options) {
					o.Accounts[0].Features.Bulk = route == "bulk"
				})
				w.wide("spring", 3)
				w.clean()
				w.write("campaign/spring", map[string]any{
					"name": "Renamed", "status": "paused",
					"bidding_type": "clicks", "budget.lifetime": 90_000_000, "targeting.countries": []string{"US"},
				})
				w.tree("autumn", "active")
				w.clean()
			})
		}
	}
}

// wanting makes the lists of ad groups and ads want their parent.
func (s *shelf) wanting() *shelf {
	s.beneath = map[string]string{"ad_groups": "campaign_id", "ads": "ad_group_id"}
	return s
}

// A list for each parent, and that the list of the account is refused is asked once a
// day: 40 trees are 40 lists of ad groups and 40 of ads.
func TestListsBeneathParentsAreAsManyAsTheParents(t *testing.T) {
	s := newShelf(40).wanting()
	store, desired := s.bound(t)
	a := s.agent(t, store, s)
	began := a.Now()
	for i, refused := range []int{1, 0, 0, 1} {
		if i == 3 { // the next day
			a.Now = func() time.Time { return began.Add(25 * time.Hour) }
		}
		view := s.planned(t, a, desired)
		if len(view.Plan.Changes) != 0 || len(view.Live.Resources) != 120 {
			t.Errorf("reading %d: %d resources, %d changes; want 120 and none",
				i, len(view.Live.Resources), len(view.Plan.Changes))
		}
		want := map[string]int{
			"/campaigns": 1, "/ad_groups": 40 + refused,
			"/ads": 40 + refused, "/ad_account": 1, "/ad_account/spend_limit_windows": 1,
		}
		if i > 0 { // it is known how much is listed, and kept for who reads by the log next
			want["/audit_logs"] = 1
		}
		if diff := cmp.Diff(want, s.asked); diff != "" {
			t.Errorf("reading %d: requests (-want +got):\n%s", i, diff)
		}
		notes := a.ListNotes(view.Live)
		if len(notes) != 2 || notes[1] !=
			"the service lists ads beneath one parent at a time: "+
				"40 lists were read, one for each ad group, in at most 1 min under the service's limits" {
			t.Errorf("reading %d is told as %q", i, notes)
		}
	}
}

// What is listed beneath parents uses up the limits of both lists at once, holds
// them, and a plan that takes minutes says so. Where all is tried the account has
// 15,000 resources.
func TestListsBeneathParentsUseTheLimits(t *testing.T) { synctest.Test(t, listBeneath) }

func listBeneath(t *testing.T) {
	for name, asked := range map[string]time.Duration{
		"found out today": time.Hour, "found out yesterday": 25 * time.Hour,
	} {
		listBeneathAfter(t, name, asked)
	}
}

// listBeneathAfter reads an account of which it was found out so long ago what its
// lists want.
func listBeneathAfter(t *testing.T, name string, asked time.Duration) {
	trees, least := 960, 2*time.Minute
	if *whole {
		trees, least = 5000, 5000*time.Minute/480
	}
	s := newShelf(trees).wanting()
	store, desired := s.boundAt(t, time.Now().Add(-asked))
	for _, collection := range []string{"ad_groups", "ads"} {
		if err := store.RecordCapability(t.Context(),
			resource.Capability("list_"+collection+"_by_parent"), true); err != nil {
			t.Fatal(err)
		}
	}
	a := s.agent(t, store, s)
	a.Now, a.Sleep = time.Now, nil // of the bubble, as the client's below: here the limits are held
	timed := &timed{next: s}
	client, err := adsapi.New(adsapi.Config{
		BaseURL: "http://127.0.0.1/v1", Key: adsapi.NewSecret("k"), Transport: timed,
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Service = client
	start := time.Now()
	view := s.planned(t, a, desired)
	took := time.Since(start)
	if took > least+least/20+2*time.Second {
		t.Errorf("%s: it took %s; want %s, at most 5 %% more", name, took, least)
	}
	t.Logf("%d lists beneath parents in %s of %s", 2*trees, took, least)
	if all, one := timed.most(); all > 960 || one > 480 {
		t.Errorf("%d requests in a minute, %d to one endpoint; want at most 960 and 480", all, one)
	}
	if len(view.Plan.Changes) != 0 || len(view.Live.Resources) != 3*trees {
		t.Errorf("%d resources, %d changes; want %d and none",
			len(view.Live.Resources), len(view.Plan.Changes), 3*trees)
	}
	want := fmt.Sprintf("the service lists ads beneath "+
		"one parent at a time: %d lists were read, one for each ad group, in at most %d min", trees, (trees+479)/480)
	if !slices.ContainsFunc(view.Plan.Problems, func(p diag.Problem) bool {
		return p.Code == diag.ListedByParent && p.Severity == diag.Warning && strings.HasPrefix(p.Message, want)
	}) {
		t.Errorf("the plan says %v; want a warning that %s", view.Plan.Problems, want)
	}
}

// A reading of many lists is kept, whoever asked for it: from then on a pass that
// finds nothing changed is one page of the audit log, and one that finds something
// reads that.
func TestWhatWasListedBeneathParentsIsReadOnByTheLog(t *testing.T) {
	s := newShelf(200).wanting()
	store, desired := s.bound(t)
	a := s.agent(t, store, s)
	s.planned(t, a, desired) // learns what the lists want
	s.planned(t, a, desired) // an attended plan
	a.Incremental = true
	view := s.planned(t, a, desired)
	want := map[string]int{"/audit_logs": 1, "/ad_account": 1, "/ad_account/spend_limit_windows": 1}
	if diff := cmp.Diff(want, s.asked); diff != "" ||
		view.Live.Reading.Whole || len(view.Plan.Changes) != 0 || len(view.Live.Resources) != 600 {
		t.Errorf("%+v with %d resources and %d changes, requests (-want +got):\n%s",
			view.Live.Reading, len(view.Live.Resources), len(view.Plan.Changes), diff)
	}
	if notes := a.ListNotes(view.Live); len(notes) != 0 {
		t.Errorf("a plan that read no list says %q", notes)
	}
	for i := range 150 { // fewer than the lists
		s.One("ads", fmt.Sprint("a", i))["name"] = "By hand"
		s.entry("Ad", fmt.Sprint("a", i), a.Now().Unix())
	}
	view = s.planned(t, a, desired)
	if view.Live.Reading.Whole || s.asked["/ads/{id}"] != 150 || s.asked["/ads"] != 0 || len(view.Plan.Changes) != 150 {
		t.Errorf("%+v, %d changes and requests %v; want the 150 ads alone",
			view.Live.Reading, len(view.Plan.Changes), s.asked)
	}
}

// Somebody else's stand beneath the parent they were listed by, or that the audit log
// names, where their answers do not say it.
func TestSomebodyElsesStandBeneathTheirParent(t *testing.T) {
	for _, tc := range []struct {
		name  string
		spoil func(s *shelf)
	}{
		{"lists beneath parents", func(*shelf) {}},
		{"lists that show nothing without a parent", func(s *shelf) {
			s.change = func(at string, answer map[string]any) int {
				if _, refused := answer["error"]; refused {
					delete(answer, "error")
					answer["data"], answer["has_more"] = []any{}, false
					return http.StatusOK
				}
				return 0
			}
		}},
		{"a list of the account that does not say it", func(s *shelf) { s.both = true }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newShelf(30).wanting()
			s.unechoed = true
			tc.spoil(s)
			store, desired := s.bound(t)
			a := s.agent(t, store, s)
			a.Incremental = true
			beneath := func(id string) string {
				for _, live := range s.planned(t, a, desired).Live.Resources {
					if live.ID == id {
						return live.ParentID
					}
				}
				return "(not seen)"
			}
			s.put("ad_groups", map[string]any{
				"id": "g-theirs", "campaign_id": "c17", "name": "Theirs", "status": "active",
			})
			s.put("ads", map[string]any{
				"id": "a-theirs", "ad_group_id": "g-theirs", "name": "Theirs", "status": "active",
			})
			if got := beneath("g-theirs") + " " + beneath("a-theirs"); got != "c17 g-theirs" {
				t.Errorf("they stand beneath %s; want c17 and g-theirs", got)
			}
			s.put("ads", map[string]any{"id": "a-late", "ad_group_id": "g3", "name": "Later", "status": "active"})
			s.entry("Ad", "a-late", a.Now().Unix())
			s.entries[len(s.entries)-1]["ad_group_id"] = "g3"
			if got := beneath("a-late"); got != "g3" || s.asked["/ads"] != 0 {
				t.Errorf("what the log names stands beneath %s, with requests %v; want g3, and no list", got, s.asked)
			}
			s.put("ads", map[string]any{"id": "a-silent", "ad_group_id": "g5", "name": "Silent", "status": "active"})
			s.entry("Ad", "a-silent", a.Now().Unix())
			if got := beneath("a-silent"); got != "g5" {
				t.Errorf("what the log does not place stands beneath %s; want g5", got)
			}
		})
	}
}

// A parent that the service takes and does not look at puts nothing beneath it, and is
// found out with a handful of lists.
func TestAParentThatIsIgnoredPlacesNothing(t *testing.T) {
	for _, unechoed := range []bool{false, true} {
		s := newShelf(100).wanting()
		s.unechoed, s.ignored = unechoed, true
		store, desired := s.bound(t)
		s.put("ads", map[string]any{"id": "a-theirs", "ad_group_id": "g50", "name": "Theirs", "status": "active"})
		view := s.planned(t, s.agent(t, store, s), desired)
		if len(view.Plan.Changes) != 0 || len(view.Live.Resources) != 301 ||
			s.asked["/ads"] > 10 || s.asked["/ad_groups"] > 10 {
			t.Errorf("unechoed %t: %d changes, %d resources, requests %v; want none, 301, "+
				"and at most ten lists of each", unechoed, len(view.Plan.Changes), len(view.Live.Resources), s.asked)
		}
		for _, live := range view.Live.Resources {
			want := map[bool]string{false: "g50", true: ""}[unechoed]
			if live.ID == "a-theirs" && live.ParentID != want {
				t.Errorf("unechoed %t: somebody else's ad stands beneath %q; want %q", unechoed, live.ParentID, want)
			}
		}
	}
}

// A parent that is gone while its children are listed hides no others, and what is
// archived is not asked for what nobody manages beneath it.
func TestAParentThatIsGoneHidesNoOthers(t *testing.T) {
	s := newShelf(100).wanting()
	store, desired := s.bound(t)
	for _, id := range []string{"g0", "g60"} {
		s.refused[id] = true
	}
	for i := range 20 {
		s.put("ad_groups", map[string]any{
			"id": fmt.Sprint("g-old", i), "campaign_id": "c1", "name": "Old", "status": "archived",
		})
	}
	s.put("ads", map[string]any{"id": "a-theirs", "ad_group_id": "g99", "name": "Theirs", "status": "active"})
	view := s.planned(t, s.agent(t, store, s), desired)
	if len(view.Plan.Changes) != 0 || len(view.Live.Resources) != 321 || len(view.Live.OneByOne) != 0 {
		t.Errorf("%d changes, %d resources, one by one %v; want none, 321, none",
			len(view.Plan.Changes), len(view.Live.Resources), view.Live.OneByOne)
	}
	if s.asked["/ads"] != 1+100 || s.asked["/ads/{id}"] != 2 {
		t.Errorf("requests %v; want 100 lists of ads beside the refused one, and the two that they did not show",
			s.asked)
	}
}
