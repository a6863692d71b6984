package planview

import (
	"adsync/internal/diag"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// sinceBase tells what a pull request does to spend from what is pending
// without it.
func (p *page) sinceBase(d *Document) {
	b := d.Base
	if b == nil {
		return
	}
	revision, commit := diag.Printable(b.Revision), diag.Printable(short(b.Commit))
	if !b.Whole {
		p.since = append(p.since, catalogue.Say("since.broken", "revision", revision, "commit", commit))
		return
	}
	if b.Money.Currency != "" {
		own := plan.Moved{Before: b.Money.Day.After, After: d.Possible().Day.After}
		pending := b.Money.Day
		p.since = append(p.since, catalogue.Say("since.money", "revision", revision, "commit", commit,
			"change", signed(own.After-own.Before), "pending", signed(pending.After-pending.Before)))
	}
	if len(b.Withdrawn) > 0 {
		p.since = append(p.since, catalogue.Say("since.withdrawn", "revision", revision, "commit", commit,
			"what", firstOf(b.Withdrawn)))
	}
}
