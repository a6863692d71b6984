package oracle

import "testing"

// What a policy allows is let pass, and only with that policy.
func TestPoliciesAllowWhatTheySay(t *testing.T) {
	gone := func(h *History) {
		h.Commits = append(h.Commits, Files{"c2": {Kind: "campaign", Tag: "c2"}})
	}
	removed := func(status string, budget int64) func(*History) {
		return func(h *History) {
			gone(h)
			r, _ := h.more("first", "/campaigns/cmp_1/"+status, status, campaign(status, budget))
			r.Commit, r.Process = 3, 3
		}
	}
	reverted := func(h *History) {
		h.more("person", "/campaigns/cmp_1", "update", renamed("c1 by hand"))
		h.Applies = nil
		h.read()
		h.more("first", "/campaigns/cmp_1", "update", campaign("active", 150))
	}
	for _, row := range []struct {
		name    string
		number  int
		do      func(*History)
		allowed func(*History)
	}{
		{"an archive of what the files leave out", 6, removed("archived", 150), func(h *History) {
			h.Prune = "archive"
		}},
		{"a pause of what the files leave out", 6, removed("paused", 150), func(h *History) { h.Prune = "pause" }},
		{"a pause the files do not ask for", 2, removed("paused", 150), func(h *History) { h.Prune = "pause" }},
		{"drift written back", 14, reverted, func(h *History) { h.Revert = true }},
	} {
		refuses(t, row.number, row.name, row.do)
		h := sound()
		row.do(h)
		row.allowed(h)
		if err := Judge(h, Safety); err != nil {
			t.Errorf("%s, where the policy says so: %v", row.name, err)
		}
	}
	archives := func(h *History) { h.Prune = "archive" }
	for what, do := range map[string]func(*History){
		"an archive of what the files name": func(h *History) {
			h.more("first", "/campaigns/cmp_1/archive", "archive", campaign("archived", 150))
		},
		"an archive where the policy pauses": func(h *History) { removed("archived", 150)(h); h.Prune = "pause" },
		"an archive that changes a budget":   removed("archived", 140),
		"an archive beneath which the files name something": func(h *History) {
			removed("archived", 150)(h)
			h.Commits[3]["g1"] = Item{Kind: "ad_group", Tag: "g1", Parent: "c1"}
		},
		"an archive of what they never named": func(h *History) {
			removed("archived", 150)(h)
			h.Commits = []Files{{}, {}, {}, {}}
		},
	} {
		refuses(t, 6, what, func(h *History) { archives(h); do(h) })
	}
	refuses(t, 14, "a conflict written over", func(h *History) {
		h.Revert = true
		h.more("person", "/campaigns/cmp_1", "update", renamed("c1 by hand"))
		h.W[3].Commit = 2 // the files say another name since
		h.Commits[2]["c1"].Values["name"] = "c1 boots"
		h.Applies = nil
		h.read()
		h.more("first", "/campaigns/cmp_1", "update", renamed("c1 boots"))
	})
	unapplied := sound()
	unapplied.Revert = true
	reverted(unapplied)
	unapplied.Commits[1]["c1"].Values["name"] = "c1 boots" // when the stranger wrote; nobody applied that
	unapplied.W[3].Commit = 2
	if err := FreshBasis(unapplied); err != nil {
		t.Errorf("drift from what was applied last, which the files say again: %v", err)
	}
	refuses(t, 10, "an archive after a create", func(h *History) {
		h.Applies[1].To = 9
		h.more("first", "/campaigns/cmp_1/archive", "archive", campaign("archived", 150))
	})
}
