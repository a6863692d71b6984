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
	s := d.Selection
	if s == nil {
		return
	}
	var counts []count
	for _, action := range slices.Sorted(maps.Keys(s.LeftOut.Counts)) {
		counts = append(counts, count{"to " + string(action), s.LeftOut.Counts[action]})
	}
	left := counted(counts)
	if left == "" {
		left = "nothing"
	}
	p.selected = append(p.selected, "Left out by the selection: "+left+spendLeftOut(s, d.currency())+".")
	for _, pulled := range s.Pulled[:min(len(s.Pulled), pulledShown)] {
		p.selected = append(p.selected, "With it comes "+diag.Printable(pulled.Address)+": "+diag.Printable(pulled.For)+" needs it.")
	}
	if more := len(s.Pulled) - pulledShown; more > 0 {
		p.selected = append(p.selected, "And "+thousands(int64(more))+" more that are needed, all in -o json.")
	}
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
