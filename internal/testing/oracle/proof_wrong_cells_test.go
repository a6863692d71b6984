package oracle

import "testing"

// wrongCell has the files of a commit hold a cell that cannot be read.
func (h *History) wrongCell(commit int, tag, name string) {
	item := h.Commits[commit][tag]
	item.Wrong = []string{name}
	h.Commits[commit][tag] = item
}

// What waits for a cell is not written by a run of those files, whichever cell it is; what
// a run of earlier files journalled is.
func TestWhatWaitsForACellIsLeftAsItIs(t *testing.T) {
	for _, row := range []struct {
		what    string
		spoil   func(*History)
		refused bool
	}{
		{"an update of a row with a wrong name", func(h *History) { h.wrongCell(2, "c1", "name") }, true},
		{"a create of one", func(h *History) { h.wrongCell(1, "c1", "budget.lifetime") }, true},
		{"an update beneath one", func(h *History) {
			h.Commits[2]["c0"] = Item{Kind: "campaign", Tag: "c0", Wrong: []string{"name"}}
			item := h.Commits[2]["c1"]
			item.Parent = "c0"
			h.Commits[2]["c1"] = item
		}, true},
		{"bytes of earlier files", func(h *History) {
			h.Commits = append(h.Commits, Files{"c1": h.Commits[2]["c1"]})
			h.wrongCell(3, "c1", "name")
		}, false},
		{"an update beside one", func(h *History) {
			h.Commits[2]["c2"] = Item{Kind: "campaign", Tag: "c2", Wrong: []string{"status"}}
		}, false},
	} {
		h := sound()
		row.spoil(h)
		if err := WaitingLeft(h); (err != nil) != row.refused {
			t.Errorf("%s: %v; want it refused: %v", row.what, err, row.refused)
		}
	}
}

// Nothing of a kind is removed while a row of it waits, nor above what a lost row may be.
func TestNothingIsRemovedWhileARowOfItsKindWaits(t *testing.T) {
	for _, row := range []struct {
		what    string
		files   Files
		refused bool
	}{
		{"no row waits", Files{"c2": {Kind: "campaign", Tag: "c2"}}, false},
		{"a campaign waits", Files{"c2": {Kind: "campaign", Tag: "c2", Wrong: []string{"name"}}}, true},
		{"an ad group waits", Files{
			"c2": {Kind: "campaign", Tag: "c2"},
			"g1": {Kind: "ad_group", Tag: "g1", Parent: "c2", Wrong: []string{"name"}},
		}, false},
		{"nobody knows beneath which campaign an ad group is", Files{
			"c2": {Kind: "campaign", Tag: "c2"},
			"g1": {Kind: "ad_group", Tag: "g1", Parent: "c2", Wrong: []string{elsewhere}},
		}, true},
	} {
		h := sound()
		h.Prune, h.Commits = "pause", append(h.Commits, row.files)
		r, _ := h.more("first", "/campaigns/cmp_1/pause", "pause", campaign("paused", 150))
		r.Commit, r.Process = 3, 3
		for what, find := range map[string]func(*History) error{"37": WaitingLeft, "2": JustifiedWrite} {
			if err := find(h); (err != nil) != row.refused {
				t.Errorf("%s, invariant %s: %v; want it refused: %v", row.what, what, err, row.refused)
			}
		}
	}
}

// Nothing rises beside a wrong cell that could have lowered or stopped what is active in
// the same campaign.
func TestNothingRisesBesideAWrongCell(t *testing.T) {
	for _, row := range []struct {
		what, cell, status, parent string
		refused                    bool
	}{
		{"a bid", "bid.max", "active", "c1", true},
		{"a status", "status", "active", "c1", true},
		{"nobody knows of which campaign it is", elsewhere, "active", "c1", true},
		{"a text", "description", "active", "c1", false},
		{"of what is paused", "bid.max", "paused", "c1", false},
		{"in another campaign", "bid.max", "active", "c2", false},
	} {
		h := sound()
		group := Record{"name": "g1 first", "status": row.status, "campaign_id": "cmp_1"}
		_, e := h.more("person", "/ad_groups", "create", group)
		e.Kind, e.ID, e.Before = "ad_group", "adgrp_1", nil
		h.Commits[2]["c2"] = Item{Kind: "campaign", Tag: "c2"}
		h.Commits[2]["g1"] = Item{Kind: "ad_group", Tag: "g1", Parent: row.parent, Wrong: []string{row.cell}}
		h.Applies[1].From = 4
		r, e := h.more("first", "/campaigns/cmp_1", "update", campaign("active", 150))
		r.Origin, e.Before = 2, campaign("active", 140)
		if err := WaitingLeft(h); (err != nil) != row.refused {
			t.Errorf("%s: %v; want it refused: %v", row.what, err, row.refused)
		}
	}
}

// A create beneath what stays paused starts nothing, and only that is let pass.
func TestACreateBeneathWhatStaysPausedStartsNothing(t *testing.T) {
	for _, row := range []struct {
		what, action, live, asked string
		refused                   bool
	}{
		{"beneath what is paused, and stays so", "create", "paused", "paused", false},
		{"beneath what the files do not start", "create", "paused", "", false},
		{"beneath what the files start", "create", "paused", "active", true},
		{"beneath what is active", "create", "active", "paused", true},
		{"beneath what is not there", "create", "", "paused", true},
		{"beneath what ended", "create", "archived", "paused", true},
		{"an update", "update", "paused", "paused", true},
	} {
		h := sound()
		group := func(tag, status string) *Entry {
			_, e := h.more("person", "/ad_groups", "create", Record{
				"name": tag + " first", "status": status, "campaign_id": "cmp_1",
			})
			e.Kind, e.ID, e.Before = "ad_group", "adgrp_"+tag, nil
			return e
		}
		group("g1", "active")
		if row.live != "" {
			group("g2", row.live)
		}
		h.Applies[1].From = h.last()
		h.Commits[2]["g1"] = Item{Kind: "ad_group", Tag: "g1", Parent: "c1", Wrong: []string{"bid.max"}}
		h.Commits[2]["g2"] = Item{
			Kind: "ad_group", Tag: "g2", Parent: "c1", Values: map[string]any{"status": row.asked},
		}
		h.Commits[2]["a1"] = Item{Kind: "ad", Tag: "a1", Parent: "g2"}
		r, e := h.more("first", "/ads/ad_1", row.action, Record{"name": "a1 first", "status": "active"})
		r.Origin, e.Kind, e.ID, e.Before = 2, "ad", "ad_1", nil
		if err := WaitingLeft(h); (err != nil) != row.refused {
			t.Errorf("%s: %v; want it refused: %v", row.what, err, row.refused)
		}
	}
}

// A rise that is held beside what a row may be of which nobody can tell which resource it
// is: one that stands in the same campaign, and that no row names.
func TestARiseBesideWhatALostRowMayBeIsExcused(t *testing.T) {
	const said = "exceeds-files may rest on what a wrong cell of ad_group/nowhere/g2 was to lower or stop"
	for _, row := range []struct {
		what, status, above, cell, said string
		named, excused                  bool
	}{
		{"no row names it", "active", "c1", elsewhere, said, false, true},
		{"the hold names what it may be", "active",
			"c1", elsewhere, "exceeds-files ad_group/c1/g1 would deliver with more", false, true},
		{"the hold names another", "active", "c1",
			elsewhere, "exceeds-files may rest on ad_group/nowhere/g3 x", false, false},
		{"another hold", "active", "c1", elsewhere, "activates ad_group/nowhere/g2 x", false, false},
		{"a row names it", "active", "c1", elsewhere, said, true, false},
		{"it is paused", "paused", "c1", elsewhere, said, false, false},
		{"it stands in another campaign", "active", "c2", elsewhere, said, false, false},
		{"everybody can tell what the row is", "active", "c1", "bid.max", said, false, false},
	} {
		h := sound()
		_, e := h.more("person", "/ad_groups", "create", Record{"name": "g1 first", "status": row.status})
		e.Kind, e.ID, e.Before = "ad_group", "adgrp_1", nil
		group := Item{Kind: "ad_group", Tag: "g1", Parent: row.above, Values: map[string]any{"name": "g1 first"}}
		h.Commits[1]["c2"], h.Commits[1]["g1"] = Item{Kind: "campaign", Tag: "c2"}, group
		if row.named {
			h.Commits[2]["g1"] = group
		}
		h.Commits[2]["c1"].Values["budget.lifetime"] = int64(200) // it is not reached
		h.Commits[2]["g2"] = Item{Kind: "ad_group", Tag: "g2", Parent: "c1", Wrong: []string{row.cell}}
		if err := Convergence(h, map[string]string{"c1": row.said, "g2": "invalid x"}); (err == nil) != row.excused {
			t.Errorf("%s: %v; want it excused: %v", row.what, err, row.excused)
		}
	}
}

// A budget that cannot be read frees no money, nor does one of a row whose name cannot.
func TestWhatWaitsFreesNoMoney(t *testing.T) {
	for cell, refused := range map[string]bool{"": false, "budget.lifetime": true, "name": true} {
		h := sound()
		asked := func(name string, budget int64) map[string]any {
			return map[string]any{"name": name, "status": "active", "budget.lifetime": budget}
		}
		other := func(budget int64) Record {
			r := campaign("active", budget)
			r["name"] = "c2 hats"
			return r
		}
		_, e := h.more("person", "/campaigns", "create", other(100))
		e.ID, e.Before = "cmp_2", nil
		h.Commits = append(h.Commits, Files{
			"c1": {Kind: "campaign", Tag: "c1", Values: asked("c1 shoes", 200)},
			"c2": {Kind: "campaign", Tag: "c2", Values: asked("c2 hats", 40)},
		})
		h.Applies = append(h.Applies, &Apply{Process: 3, Commit: 3, From: 4, To: 6})
		if cell != "" {
			h.wrongCell(3, "c2", cell)
		} else {
			lower := h.send(3, 3, "/campaigns/cmp_2", "", "lower")
			h.write(lower, "first", "update", "campaign", "cmp_2", other(100), other(40))
		}
		rise := h.send(3, 3, "/campaigns/cmp_1", "", "rise")
		h.write(rise, "first", "update", "campaign", "cmp_1", campaign("active", 150), campaign("active", 210))
		if err := ExposurePath(h); (err != nil) != refused {
			t.Errorf("wrong cell %q: %v; want it refused: %v", cell, err, refused)
		}
	}
}

// What waits is excused where the agent says so, and a rise that is held where something
// that waits could have lowered what is live.
func TestWhatWaitsIsExcusedWhereItIsSaid(t *testing.T) {
	for _, row := range []struct {
		what, wrong, cell string
		said              map[string]string
		excused           bool
	}{
		{"it is said", "c1", "name", map[string]string{"c1": "invalid its name"}, true},
		{"another thing is said", "c1", "name", map[string]string{"c1": "drift changed outside"}, false},
		{"nothing is said", "c1", "name", nil, false},
		{"no cell is wrong", "", "", map[string]string{"c1": "invalid its name"}, false},
		{"a rise that rests on it", "c2", "budget.lifetime",
			map[string]string{"c2": "invalid x", "c1": "exceeds-files x"}, true},
		{"a rise beside a text", "c2", "name", map[string]string{"c2": "invalid x", "c1": "exceeds-files x"}, false},
		{"another hold", "c2", "budget.lifetime", map[string]string{"c2": "invalid x", "c1": "activates x"}, false},
	} {
		h := sound()
		r := campaign("active", 100)
		r["name"] = "c2 hats"
		_, e := h.more("person", "/campaigns", "create", r)
		e.ID, e.Before = "cmp_2", nil
		h.Commits[2]["c1"].Values["budget.lifetime"] = int64(200) // it is not reached
		h.Commits[2]["c2"] = Item{
			Kind: "campaign", Tag: "c2", Values: map[string]any{"name": "c2 hats", "status": "active"},
		}
		if row.wrong != "" {
			h.wrongCell(2, row.wrong, row.cell)
		}
		if err := Convergence(h, row.said); (err == nil) != row.excused {
			t.Errorf("%s: %v; want it excused: %v", row.what, err, row.excused)
		}
	}
}
