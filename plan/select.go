package plan

import (
	"adsync/internal/resource"
)

// Selection narrows a plan to a part of the account. The zero Selection is all.
type Selection struct {
	Target  []Pattern // what is planned; none is everything
	Exclude []Pattern // what is left out of that
}

// IsAll reports whether the selection leaves nothing out.
func (s Selection) IsAll() bool { return len(s.Target) == 0 && len(s.Exclude) == 0 }

// Selected is what a selection made of a plan.
type Selected struct {
	Selection
	Pulled  []Pulled  // by address
	LeftOut []LeftOut // by address
	Spend   Spend     // of what was left out and nothing holds
}

// Pulled is a change nobody named, without which a named one cannot be made.
type Pulled struct{ Address, For resource.Address }

// LeftOut is a change that a selection leaves out.
type LeftOut struct {
	Address resource.Address
	Action  Action
	Held    bool // it would be held, wholly or in part, if it were not left out
}

func (s Spend) And(t Spend) Spend {
	return Spend{
		Plus(s.DailyBefore, t.DailyBefore), Plus(s.DailyAfter, t.DailyAfter),
		Plus(s.LifetimeBefore, t.LifetimeBefore), Plus(s.LifetimeAfter, t.LifetimeAfter),
	}
}

// SelectionDocument is the JSON form of what a selection made of a plan.
type SelectionDocument struct {
	Target  []string         `json:"target"`
	Exclude []string         `json:"exclude"`
	Pulled  []PulledDocument `json:"pulled_in"`
	LeftOut LeftOutDocument  `json:"left_out"`
}

// PulledDocument is a change nobody named, and the named one that needs it.
type PulledDocument struct {
	Address string `json:"address"`
	For     string `json:"for"`
}

// LeftOutDocument counts and lists what a selection leaves out.
type LeftOutDocument struct {
	Counts  map[Action]int          `json:"counts"` // by action
	Changes []LeftOutChangeDocument `json:"changes"`
	Spend   Spend                   `json:"spend"` // of those, what nothing holds
}

// LeftOutChangeDocument is a change that is left out.
type LeftOutChangeDocument struct {
	Address string `json:"address"`
	Action  Action `json:"action"`
	Held    bool   `json:"held"` // wholly or in part, if it were not left out
}

func (s *Selected) document() *SelectionDocument {
	if s == nil {
		return nil
	}
	d := &SelectionDocument{
		Target: texts(s.Target), Exclude: texts(s.Exclude), Pulled: []PulledDocument{},
		LeftOut: LeftOutDocument{Counts: s.Counts(), Changes: []LeftOutChangeDocument{}, Spend: s.Spend},
	}
	for _, p := range s.Pulled {
		d.Pulled = append(d.Pulled, PulledDocument{p.Address.String(), p.For.String()})
	}
	for _, l := range s.LeftOut {
		d.LeftOut.Changes = append(d.LeftOut.Changes, LeftOutChangeDocument{l.Address.String(), l.Action, l.Held})
	}
	return d
}

// Counts returns how many changes are left out, by action.
func (s *Selected) Counts() map[Action]int {
	counts := map[Action]int{}
	for _, l := range s.LeftOut {
		counts[l.Action]++
	}
	return counts
}

func texts(patterns []Pattern) []string {
	all := make([]string, 0, len(patterns))
	for _, p := range patterns {
		all = append(all, p.Text)
	}
	return all
}
