package planview

import (
	"adsync/internal/diag"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// startsTitle begins what is started without.
const startsTitle = "Starts with"

// startsOf returns what a resource that the change starts does not have: "no last day, all
// countries"; "" where there is nothing to say.
func startsOf(c *plan.ChangeDocument) string {
	var said []string
	for _, w := range c.Without {
		said = append(said, diag.Printable(w.Says))
	}
	return words.Commas(said)
}

// starts says of how many changes that is so: "Starts with: no last day (2), all
// countries (1)."
func (p *page) starts(d *Document) {
	var said []string
	for _, w := range d.Without {
		said = append(said, diag.Printable(w.Says)+" ("+Thousands(w.Count)+")")
	}
	if len(said) > 0 {
		p.started = catalogue.Say("sums.starts", "what", words.Commas(said))
		p.caveat = append(p.caveat, p.started)
	}
}
