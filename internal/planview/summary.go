package planview

import (
	"strings"

	"adsync/internal/resource"
)

// Summary returns what a plan says first, a label and a text each, for forms that
// are tables.
func Summary(schemas resource.Schemas, d *Document) [][2]string {
	p := describe(schemas, d, detail{room: 80, plainly: true})
	p.plainly(schemas, d)
	var lines [][2]string
	add := func(label, text string) { lines = append(lines, [2]string{label, text}) }
	for _, s := range p.money {
		add(s.label, s.text)
	}
	for _, s := range p.movers {
		add(s.label, s.text+" a day")
	}
	for _, s := range p.bounds {
		add(s.label, s.text)
	}
	for _, said := range p.caveat {
		add("Mind", said)
	}
	for _, said := range p.since {
		add("Since", said)
	}
	what, said, cut := strings.Cut(p.plan, ": ")
	if !cut {
		what, said = "Plan", p.plan
	}
	add(what, said)
	if p.held != "" {
		add(strings.TrimSuffix(p.says.HeldTitle, ":"), p.held)
	}
	for _, said := range p.selected {
		add("Selection", said)
	}
	for _, s := range p.slips {
		add("May be a slip: "+s.hazard, strings.TrimSpace(s.message+" "+s.examples+" "+s.release))
	}
	if p.review != "" {
		add(strings.TrimSuffix(reviewTitle(), ":"), p.review)
	}
	for _, r := range p.reviewed {
		add(upper(r.state)+": "+r.ad, strings.TrimSpace(r.why+". "+upper(r.do)))
	}
	return lines
}
