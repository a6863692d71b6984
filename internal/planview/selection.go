package planview

import (
	"maps"
	"slices"

	"adsync/internal/diag"
	"adsync/plan"
)

// pulledShown is how many changes that were pulled in are named.
const pulledShown = 5

// selection says what a selection left out, with its money, and what came along
// unnamed.
func (p *page) selection(d *Document) {
	for _, i := range d.Ignored {
		p.selected = append(p.selected, "Ignored until "+
			i.Until+" ("+diag.Printable(i.Owner)+": "+diag.Printable(i.Reason)+
			"): "+diag.Printable(i.Attribute)+" of "+Plural(i.Count, "resource")+", "+diag.Printable(i.Resource)+".")
	}
	for _, m := range d.Moved[:min(len(d.Moved), keptShown)] {
		p.selected = append(p.selected, diag.Printable(m.To)+" is moved from "+diag.Printable(m.From)+
			", with "+Thousands(m.Beneath)+" beneath it: the record goes along, nothing is sent for that.")
	}
	if more := len(d.Moved) - keptShown; more > 0 {
		p.selected = append(p.selected, Thousands(more)+" more keys are moved, all in -o json.")
	}
	s := d.Selection
	if s == nil {
		return
	}
	var counts []count
	for _, action := range slices.Sorted(maps.Keys(s.LeftOut.Counts)) {
		counts = append(counts, count{"to " + string(action), s.LeftOut.Counts[action]})
	}
	if left := counted(counts); left != "" {
		p.selected = append(p.selected, "Left out of this plan: "+left+spendLeftOut(s, d.currency())+".")
	}
	for _, pulled := range s.Pulled[:min(len(s.Pulled), pulledShown)] {
		p.selected = append(p.selected, "With it comes "+
			diag.Printable(pulled.Address)+": "+diag.Printable(pulled.For)+" needs it.")
	}
	if more := len(s.Pulled) - pulledShown; more > 0 {
		p.selected = append(p.selected, "And "+Thousands(more)+" more that are needed, all in -o json.")
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
		p.selected = append(p.selected, "Nothing of the saved plan has moved.")
	}
	for i := range s.Stale[:min(len(s.Stale), staleShown)] {
		p.selected = append(p.selected, movedSince(&s.Stale[i]))
	}
	if more := len(s.Stale) - staleShown; more > 0 {
		p.selected = append(p.selected, "And "+Thousands(more)+" more that moved, all in -o json.")
	}
	if s.Newer > 0 {
		p.selected = append(p.selected, "Left out, as the saved plan does not have it: "+
			counted([]count{{"changed since", s.Newer}})+".")
	}
}

func movedSince(s *plan.StaleDocument) string {
	at := ""
	if !s.Position.IsZero() {
		at = " (" + s.Position.String() + ")"
	}
	return "Moved since it was saved: " + diag.Printable(s.Address) + at + ": " + diag.Printable(s.Message) + "."
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
