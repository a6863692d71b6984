package planview

import (
	"maps"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// pulledShown is how many changes that were pulled in are named.
const pulledShown = 5

// selection says what a selection left out, with its money, and what came along
// unnamed.
func (p *page) selection(d *Document) {
	for _, i := range d.Ignored {
		p.selected = append(p.selected, catalogue.Say("selection.ignored", "day", i.Until,
			"who", diag.Printable(i.Owner), "reason", diag.Printable(i.Reason),
			"column", diag.Printable(i.Attribute), "n", Thousands(i.Count), "what", diag.Printable(i.Resource)))
	}
	for _, m := range d.Moved[:min(len(d.Moved), keptShown)] {
		p.selected = append(p.selected, catalogue.Say("selection.moved",
			"to", diag.Printable(m.To), "from", diag.Printable(m.From), "n", Thousands(m.Beneath)))
	}
	if more := len(d.Moved) - keptShown; more > 0 {
		p.selected = append(p.selected, catalogue.Say("selection.more-moved", "n", Thousands(more)))
	}
	s := d.Selection
	if s == nil {
		return
	}
	var counts []string
	for _, action := range slices.Sorted(maps.Keys(s.LeftOut.Counts)) {
		if n := s.LeftOut.Counts[action]; n > 0 {
			counts = append(counts, catalogue.Say("selection."+string(action), "n", Thousands(n)))
		}
	}
	if left := words.Commas(counts); left != "" {
		p.selected = append(p.selected,
			catalogue.Say("selection.left-out", "what", left+spendLeftOut(s, d.currency())))
	}
	for _, pulled := range s.Pulled[:min(len(s.Pulled), pulledShown)] {
		p.selected = append(p.selected, catalogue.Say("selection.pulled",
			"what", diag.Printable(pulled.Address), "for", diag.Printable(pulled.For)))
	}
	if more := len(s.Pulled) - pulledShown; more > 0 {
		p.selected = append(p.selected, catalogue.Say("selection.more-pulled", "n", Thousands(more)))
	}
}

// staleShown is how much of what moved is listed.
const staleShown = 20

// saved says what moved since the plan was saved, with both values and the row.
func (p *page) saved(d *Document) {
	s := d.Saved
	if s == nil {
		return
	}
	if len(s.Stale) == 0 {
		p.selected = append(p.selected, catalogue.Say("selection.same"))
	}
	for i := range s.Stale[:min(len(s.Stale), staleShown)] {
		p.selected = append(p.selected, movedSince(&s.Stale[i]))
	}
	if more := len(s.Stale) - staleShown; more > 0 {
		p.selected = append(p.selected, catalogue.Say("selection.more-stale", "n", Thousands(more)))
	}
	if s.Newer > 0 {
		p.selected = append(p.selected, catalogue.Say("selection.newer", "n", Thousands(s.Newer)))
	}
}

func movedSince(s *plan.StaleDocument) string {
	what, how := diag.Printable(s.Address), diag.Printable(s.Message)
	if s.Position.IsZero() {
		return catalogue.Say("selection.stale", "what", what, "how", how)
	}
	return catalogue.Say("selection.stale-at", "what", what, "cell", s.Position.String(), "how", how)
}

// spendLeftOut is what the rest would do to possible spend, "" where it would do
// nothing.
func spendLeftOut(s *plan.SelectionDocument, currency string) string {
	said := spendOf(&plan.ChangeDocument{Spend: s.LeftOut.Spend}, currency)
	if said == "" {
		return ""
	}
	return " (" + said + ")"
}
