package planview

import (
	"adsync/internal/diag"
	"adsync/plan"
)

// sinceBase tells what a pull request does to spend from what is pending
// without it.
func (p *page) sinceBase(d *Document) {
	b := d.Base
	if b == nil {
		return
	}
	since := "the commits since " + diag.Printable(b.Revision) + " (" + diag.Printable(short(b.Commit)) + ")"
	if !b.Whole {
		p.since = append(p.since, "The files at "+diag.Printable(b.Revision)+" ("+
			diag.Printable(short(b.Commit))+") have errors, so that everything counts as a consequence of this change.")
		return
	}
	if b.Money.Currency != "" {
		own := plan.Moved{Before: b.Money.Day.After, After: d.Possible().Day.After}
		pending := b.Money.Day
		p.since = append(p.since, "Because of "+since+": "+signed(own.After-own.Before)+
			" a day; pending without them: "+signed(pending.After-pending.Before)+" a day.")
	}
	if len(b.Withdrawn) > 0 {
		p.since = append(p.since, "Taken back by "+
			since+", and left as it is at the service: "+firstOf(b.Withdrawn)+".")
	}
}
