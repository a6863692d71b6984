package planview

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// slipsShown is how many accidents are listed.
const slipsShown = 30

// accidents writes what looks like a slip of the hand.
func (p *page) accidents(d *Document) {
	for i := range d.SuspiciousEdits[:min(len(d.SuspiciousEdits), slipsShown)] {
		a := &d.SuspiciousEdits[i]
		s := slip{
			hazard:  diag.Printable(string(a.Hazard)),
			message: diag.Printable(a.Message), examples: examplesOf(a), held: a.Held, source: a.Source,
		}
		if s.held > 0 {
			s.release = Thousands(a.Held) + " held, all released with --allow " + diag.Printable(a.Allow)
		}
		p.slips = append(p.slips, s)
	}
	if more := len(d.SuspiciousEdits) - slipsShown; more > 0 {
		p.slips = append(p.slips, slip{
			hazard: catalogue.Say("slips.more-title"), message: catalogue.Say("slips.more", "n", Thousands(more)),
		})
	}
}

// examplesOf writes the examples, and how many more there are.
func examplesOf(a *plan.SuspiciousEditDocument) string {
	var examples []string
	for _, e := range a.Examples {
		examples = append(examples, diag.Printable(e.Message))
	}
	if more := a.Count - len(examples); more > 0 && len(examples) > 0 {
		examples = append(examples, catalogue.Say("list.more", "n", Thousands(more)))
	}
	return words.Commas(examples)
}

// keptShown is how many addresses a notice names.
const keptShown = 10

// keep says what the files no longer name and the policy keeps.
func (p *page) keep(d *Document) {
	if len(d.Kept) > 0 {
		p.kept = catalogue.Say("changes.kept", "what", firstOf(d.Kept))
	}
}

// hold says which workbooks are drafts.
func (p *page) hold(d *Document) {
	var drafts []string
	for _, of := range d.Drafts {
		drafts = append(drafts, diag.Printable(of.File+": "+of.Words))
	}
	p.drafts = Semicolons(drafts)
}

func firstOf(texts []string) string {
	var names []string
	for _, a := range texts[:min(len(texts), keptShown)] {
		names = append(names, diag.Printable(a))
	}
	if more := len(texts) - keptShown; more > 0 {
		names = append(names, catalogue.Say("list.more-json", "n", Thousands(more)))
	}
	return words.Commas(names)
}

// releasing lists each allowance something waits for, and what none releases.
func (p *page) releasing(d *Document) {
	for address, never := range unreleased(d) {
		p.unallowed = append(p.unallowed, fmt.Sprintf("%s (%s)", diag.Printable(address), strings.Join(never, ", ")))
	}
	for _, r := range Releases(d) {
		p.releases = append(p.releases, release{diag.Printable(r.Allow), r.Holds})
	}
}

// unreleased yields the address of each change that waits for what no allowance releases, and for what it waits.
func unreleased(d *Document) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for i := range d.Changes {
			var never []string
			for _, h := range allHolds(&d.Changes[i]) {
				switch hazard := h.hazard; {
				case hazard == string(plan.Unselected), hazard == string(plan.Outdated): // says itself what to do
				case h.allow == "" && !slices.Contains(never, hazard):
					never = append(never, hazard)
				}
			}
			if len(never) > 0 && !yield(d.Changes[i].Address, never) {
				return
			}
		}
	}
}
