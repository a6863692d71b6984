package oracle

import "testing"

func soundVersions() map[int][]Version {
	return map[int][]Version{0: {
		{Serial: 1, Lineage: "l", Digest: "empty"}, {Serial: 2, Lineage: "l", Wrote: true, Digest: "two"},
		{Serial: 2, Lineage: "l", Digest: "two"}, {Serial: 3, Lineage: "l", Wrote: true, Digest: "three"},
	}}
}

func soundLoads() []Load {
	version := soundVersions()[0]
	return []Load{
		{Before: 2, Got: version[2]},
		{Before: 2, Damage: "power cut", Due: version[3], Got: version[3]},
		{Before: 2, Damage: "byte flipped", Refused: "damaged"},
		{Before: 3, Damage: "log cut", Refused: "one write is gone", Got: version[1]},
	}
}

// Every word of invariant 19, each with a history that goes against it alone.
func TestEveryDamageOfAStateIsSeen(t *testing.T) {
	for what, spoil := range map[string]func(*History){
		"a serial that falls":                     func(h *History) { h.Versions[0][3].Serial = 1 },
		"a write at the serial of before":         func(h *History) { h.Versions[0][2].Wrote = true },
		"another content at the serial of before": func(h *History) { h.Versions[0][2].Digest = "other" },
		"another lineage":                         func(h *History) { h.Versions[0][3].Lineage = "m" },
		"a sound state that is refused": func(h *History) {
			h.Loads[0] = Load{Before: 2, Refused: "damaged"}
		},
		"a damaged state taken for an empty one": func(h *History) {
			h.Loads[2] = Load{Before: 2, Damage: "byte flipped"}
		},
		"a damaged state with another content":        func(h *History) { h.Loads[1].Got.Digest = "other" },
		"a state of another lineage":                  func(h *History) { h.Loads[1].Got.Lineage = "m" },
		"an earlier state without a word":             func(h *History) { h.Loads[3].Refused = "" },
		"a state that was never acknowledged nor due": func(h *History) { h.Loads[1].Due = Version{} },
	} {
		refuses(t, 19, what, spoil)
	}
}
