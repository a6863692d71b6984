package emulator_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/world"
	"adsync/internal/testing/emulatortest"
)

// TestEveryDrawKeepsTheRules draws every open point, lets a visitor loose, and
// checks the rules that hold wherever the interface is silent. EMULATOR_TEST_DRAWS
// sets the number of draws.
func TestEveryDrawKeepsTheRules(t *testing.T) {
	for seed := range count(t, "EMULATOR_TEST_DRAWS", 25) {
		points := fmt.Sprintf("random:%d", seed)
		t.Run(points, func(t *testing.T) {
			s := emulatortest.Start(t, emulatortest.WithPoints(t, points))
			h := newHistory()
			v := h.visit(s, uint64(seed), 1)
			for range 4 {
				v.act(t, 12)
				s.Advance(t, 45)
			}
			s.Advance(t, 3600)
			checkRules(t, s, h)
			s.Advance(t, 3600) // what the last jobs made is in lists by now
			checkListsAreWhole(t, s)
		})
	}
}

// TestManyVisitorsKeepTheRules lets visitors loose at once. EMULATOR_TEST_CLIENTS
// sets how many.
func TestManyVisitorsKeepTheRules(t *testing.T) {
	const limit = 150
	s := emulatortest.Start(t, func(o *emulator.Options) {
		o.Dir = t.TempDir()
		f := &o.Accounts[0].Features
		f.MaxCampaigns, f.MaxAdGroups = limit, limit
	})
	h := newHistory()
	var all sync.WaitGroup
	for client := range count(t, "EMULATOR_TEST_CLIENTS", 20) {
		v := h.visit(s, 1, uint64(client))
		all.Go(func() { v.act(t, 25) })
	}
	all.Wait()
	checkRules(t, s, h)
	checkListsAreWhole(t, s)
	for key, ids := range h.keyed {
		if len(ids) != 1 {
			t.Errorf("%s made %d objects, want 1 (part 1, idempotency)", key, len(ids))
		}
	}
	a := s.World().Account(emulatortest.AccountID)
	if n := a.LiveCampaign.Count("active", "paused"); n > limit {
		t.Errorf("%d campaigns are not archived, want at most %d (part 8)", n, limit)
	}
	if n := a.LiveAdGroup.Count("active", "paused"); n > limit {
		t.Errorf("%d ad groups are not archived, want at most %d (part 8)", n, limit)
	}
	t.Logf("%d mutations, %d jobs", s.World().MutationCount(), a.Jobs.Len())
}

// checkRules: no answer that no rule allows; jobs end as their results say; the
// mutation log has every change once, in order, of a request that was sent; the
// tables are where the log ends; every child has its parent.
func checkRules(t *testing.T, s *emulatortest.Service, h *history) {
	t.Helper()
	for _, each := range h.bad {
		t.Errorf("answer: %s", each)
	}
	a := s.World().Account(emulatortest.AccountID)
	var jobs []world.Job
	a.View(func() error { jobs = a.Jobs.All(); return nil })
	for _, job := range jobs {
		checkJob(t, s, job.ID)
	}
	log, err := s.World().Mutations(0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	last := replay(t, log, h)
	a.View(func() error {
		checkTable(t, last, "campaign", a.Campaigns.All(), func(c world.Campaign) (string, world.Status) {
			return c.ID, c.Status
		})
		checkTable(t, last, "ad_group", a.AdGroups.All(), func(g world.AdGroup) (string, world.Status) {
			return g.ID, g.Status
		})
		checkTable(t, last, "ad", a.Ads.All(), func(d world.Ad) (string, world.Status) { return d.ID, d.Status })
		for _, g := range a.AdGroups.All() {
			if _, ok := a.Campaigns.Get(g.CampaignID); !ok {
				t.Errorf("ad group %s is under %q, which is not there", g.ID, g.CampaignID)
			}
		}
		for _, d := range a.Ads.All() {
			if g, ok := a.AdGroups.Get(d.AdGroupID); !ok || g.CampaignID != d.CampaignID {
				t.Errorf("ad %s is under %q of %q, which is not there", d.ID, d.AdGroupID, d.CampaignID)
			}
		}
		return nil
	})
}

// replay follows the log, and gives the record that each resource ends with.
func replay(t *testing.T, log []world.Mutation, h *history) map[string]string {
	t.Helper()
	last := map[string]string{}
	for i, m := range log {
		if m.Seq != int64(i)+1 || i > 0 && m.At < log[i-1].At {
			t.Errorf("entry %d has seq %d at %d", i, m.Seq, m.At)
		}
		if !h.bodies[m.BodySHA256] {
			t.Errorf("entry %d (%s %s) is of a body that nobody sent", m.Seq, m.Action, m.Resource)
		}
		before, known := last[m.Resource+" "+m.ResourceID]
		if !known {
			before = "null"
		}
		if !known && m.Resource == "ad_account" { // it was there before the log
			before, known = string(m.Before), true
		}
		if string(m.Before) != before || known == (m.Action == "create") {
			t.Errorf("entry %d: %s of %s %s starts from %s, want %s",
				m.Seq, m.Action, m.Resource, m.ResourceID, m.Before, before)
		}
		last[m.Resource+" "+m.ResourceID] = string(m.After)
	}
	return last
}

func checkTable[T any](t *testing.T, last map[string]string,
	resource string, rows []T, of func(T) (string, world.Status)) {
	t.Helper()
	for _, row := range rows {
		id, status := of(row)
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		if logged := last[resource+" "+id]; string(text) != logged {
			t.Errorf("%s %s is %s, and in the log %s", resource, id, text, logged)
		}
		if !slices.Contains([]world.Status{world.Active, world.Paused, world.Archived}, status) {
			t.Errorf("%s %s has status %q (part 3)", resource, id, status)
		}
	}
}

// checkJob: the terminal status says what the results say (part 3), each
// operation has one result in order, and what was not created has no id.
func checkJob(t *testing.T, s *emulatortest.Service, id string) {
	t.Helper()
	ended := s.JobEnd(t, id)
	good, n := 0, 0
	a := s.World().Account(emulatortest.AccountID)
	a.View(func() error {
		for i, r := range a.ResultsOf.Of(id) {
			n++
			done := slices.Contains([]string{"created", "updated", "validated"}, r.Status)
			if done {
				good++
			}
			if !done && r.Status != "failed" && r.Status != "skipped" ||
				(r.ResourceID != "") != (done && r.Status != "validated") {
				t.Errorf("job %s: result %d is %+v", id, i, r)
			}
		}
		return nil
	})
	want := "partially_failed"
	switch good {
	case 0:
		want = "failed"
	case n:
		want = "completed"
	}
	if ended["status"] != want || fmt.Sprint(ended["operation_count"]) != fmt.Sprint(n) {
		t.Errorf("job %s is %v with %v operations; %d of %d results are good",
			id, ended["status"], ended["operation_count"], good, n)
	}
}

// checkListsAreWhole goes through each list page by page: every object is there once.
func checkListsAreWhole(t *testing.T, s *emulatortest.Service) {
	t.Helper()
	a, points := s.World().Account(emulatortest.AccountID), s.World().Points
	want, parents := map[string]int{}, map[string][]string{"/campaigns?": {""}, "/ad_groups?": {""}, "/ads?": {""}}
	a.View(func() error {
		want["/campaigns?"], want["/ad_groups?"], want["/ads?"] = a.LiveCampaign.Count("active", "paused"),
			a.LiveAdGroup.Count("active", "paused"), a.LiveAd.Count("active", "paused")
		if points.Is(openpoint.ListArchived, "yes") {
			want["/campaigns?"], want["/ad_groups?"], want["/ads?"] = a.Campaigns.Len(), a.AdGroups.Len(), a.Ads.Len()
		}
		if points.Is(openpoint.ListAdGroups, "by_campaign") {
			parents["/ad_groups?"] = nil
			for _, c := range a.Campaigns.All() {
				parents["/ad_groups?"] = append(parents["/ad_groups?"], "campaign_id="+c.ID)
			}
		}
		if points.Is(openpoint.ListAds, "by_ad_group") {
			parents["/ads?"] = nil
			for _, g := range a.AdGroups.All() {
				parents["/ads?"] = append(parents["/ads?"], "ad_group_id="+g.ID)
			}
		}
		return nil
	})
	if points.Is(openpoint.ListAds, "absent") || points.Is(openpoint.ListAds, "not_allowed") {
		delete(want, "/ads?")
	}
	for path, n := range want {
		seen := map[string]bool{}
		for _, parent := range parents[path] {
			for after, more := "", true; more; {
				listing := s.Must(t, "GET", path+parent+"&limit=50"+after, nil).Map(t)
				for _, row := range listing["data"].([]any) {
					id := fmt.Sprint(row.(map[string]any)["id"])
					if seen[id] {
						t.Fatalf("%s has %s twice", path, id)
					}
					seen[id] = true
				}
				more, after = listing["has_more"] == true, fmt.Sprint("&after=", listing["last_id"])
			}
		}
		if len(seen) != n {
			t.Errorf("%s has %d objects on its pages, want %d", path, len(seen), n)
		}
	}
}
