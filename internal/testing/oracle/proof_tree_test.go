package oracle

import "testing"

// The archive of a second one of a key may come after its create in the run that made
// it, and in no later one.
func TestOnlyASecondOfThisRunIsArchivedLate(t *testing.T) {
	for _, row := range []struct {
		name string
		from int64 // where the run begins that archives it
		lets bool
	}{
		{"in the run that made it", 3, true},
		{"in a later run, behind a rise", 4, false},
	} {
		h := sound()
		h.KeysHold = false
		second := func(path, action string, before, after Record) {
			r, e := h.more("first", path, action, after)
			r.Key = "create-1"
			e.ID, e.Before, e.Key = "cmp_2", before, r.Key
		}
		second("/campaigns", "create", nil, campaign("active", 150))
		r, e := h.more("first", "/campaigns/cmp_1", "update", campaign("active", 160)) // a rise
		e.ID, e.Before, e.Key, r.Key = "cmp_1", campaign("active", 150), "rise", "rise"
		second("/campaigns/cmp_2/archive", "archive", campaign("active", 150), campaign("archived", 150))
		h.Applies = []*Apply{{Process: 2, Commit: 2, From: row.from, To: 6}}
		if err := PauseWins(h); (err == nil) != row.lets {
			t.Errorf("%s: %v; want it let pass: %v", row.name, err, row.lets)
		}
	}
}

// What stands beneath one of several of its parent is where the files want it only if
// that one is as they say.
func TestWhatStandsBeneathASecondParentIsNotInItsTree(t *testing.T) {
	for above, in := range map[string]bool{"cmp_1": true, "cmp_2": false, "cmp_3": false} {
		h := sound()
		_, e := h.more("first", "/campaigns", "create", campaign("paused", 150))
		e.ID, e.Before = "cmp_2", nil
		h.Commits[2]["g1"] = Item{
			Kind: "ad_group", Tag: "g1", Parent: "c1", Values: map[string]any{"name": "g1 runners"},
		}
		group := &Entry{Kind: "ad_group", ID: "grp_1", After: Record{"name": "g1 runners", "campaign_id": above}}
		if err := h.excuses().inItsTree("g1", group); (err == nil) != in {
			t.Errorf("beneath %s: %v; want it in its tree: %v", above, err, in)
		}
	}
}
