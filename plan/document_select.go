package plan

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

// Counts gives how many changes are left out, by action.
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
