package oracle

import "testing"

// A second agent that could not tell what the first made may spend what the files
// say once more, and no more; one that could is refused.
func TestOnlyWhatCouldNotBeToldMayBeSpentTwice(t *testing.T) {
	for _, row := range []struct {
		name  string
		shown string // what the files call it by now
		spent int64
		lets  bool
	}{
		{"under another name", "c1 boots", 150, true},
		{"under another name, and more than the files say", "c1 boots", 151, false},
		{"under the same name", "c1 shoes", 150, false},
	} {
		h := sound()
		h.Shared, h.Alone = true, false
		second := func(path, action string, before, after Record) {
			r, e := h.more("first", path, action, after)
			r.Agent, r.Key = 1, path
			e.Actor, e.ID, e.Before, e.Key = "second", "cmp_2", before, path
		}
		named := func(status string) Record {
			r := campaign(status, row.spent)
			r["name"] = row.shown
			return r
		}
		h.Applies = append(h.Applies, &Apply{Agent: 1, Process: 3, Commit: 2, From: 3})
		second("/campaigns", "create", nil, named("paused"))
		second("/campaigns/cmp_2/activate", "activate", named("paused"), named("active"))
		if err := ExposurePath(h); (err == nil) != row.lets {
			t.Errorf("%s: %v; want it let pass: %v", row.name, err, row.lets)
		}
	}
}
