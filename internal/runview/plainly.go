package runview

import (
	"net/url"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/state"
)

// plainly puts the page of a run into a marketer's words: names in the place of
// addresses and ids, headers in that of attributes, and what to do without a command.
func (p *htmlPage) plainly(schemas resource.Schemas, d *Document, undo string) {
	changes := make([]plan.ChangeDocument, len(d.Outcomes))
	for i := range d.Outcomes {
		changes[i].Address, changes[i].Name = d.Outcomes[i].Address, d.Outcomes[i].Name
	}
	names := words.NamesOf(schemas, changes)
	p.Counts, p.Error, p.Next = d.plainCounts(), names.In(p.Error), ""
	for i := range p.Notes {
		p.Notes[i] = names.In(p.Notes[i])
	}
	for i := range p.Problems {
		p.Problems[i].Message, p.Problems[i].Hint = names.In(p.Problems[i].Message), names.In(p.Problems[i].Hint)
	}
	p.Groups = nil
	for _, outcome := range outcomes {
		if some := d.of(outcome); len(some) > 0 {
			g := plainGroup(schemas, names, outcome, some)
			for i := range g.Outcomes {
				if undo != "" && outcome == state.OutcomeApplied {
					g.Outcomes[i].Undo = undo + "?" + url.Values{"of": {some[i].Address}}.Encode()
				}
			}
			p.Groups = append(p.Groups, g)
		}
	}
}

func plainGroup(schemas resource.Schemas, names *words.Names, outcome state.Outcome, some []*Outcome) htmlGroup {
	g := groupOf(schemas, outcome, some)
	g.Title, g.Whole = catalogue.Say("run.list."+string(outcome), "n", planview.Thousands(len(some))), ""
	for i := range g.Outcomes {
		one, o := &g.Outcomes[i], some[i]
		one.Action = words.Action(o.Action)
		if outcome == state.OutcomeApplied {
			one.Action = words.Done(o.Action)
		}
		one.Address, one.ID, one.Fields = names.Kind(o.Address), "", plainFields(schemas, o, one.Fields)
		if one.Name == "" {
			one.Name = printable(names.Leaf(o.Address))
		}
		if outcome != Held {
			one.Message, one.Do = names.In(one.Message), words.Do(string(outcome), o.Code)
			continue
		}
		hold := plan.Hold{Hazard: plan.Hazard(o.Code), Message: o.Message}
		if strings.Contains(o.Message, "--allow ") {
			hold.Allow = o.Code
		}
		one.Message, one.Do, _ = strings.Cut(names.Holds([]plan.Hold{hold}, words.OnPage), "\n")
	}
	return g
}

// plainFields have the header of a column in the place of an attribute.
func plainFields(schemas resource.Schemas, o *Outcome, lines []string) []string {
	address, _ := resource.ParseAddress(o.Address)
	for i, f := range o.Fields {
		if i < len(lines) {
			lines[i] = diag.Printable(words.Label(schemas.Of(address.Kind), f.Name)) +
				strings.TrimPrefix(lines[i], printable(f.Name))
		}
	}
	return lines
}

// plainCounts returns how many changes have which outcome.
func (h *Head) plainCounts() string {
	var parts []string
	for _, o := range counted {
		if n := h.count(o); n > 0 || o == state.OutcomeApplied {
			parts = append(parts, catalogue.Say("run.count."+string(o), "n", planview.Thousands(n)))
		}
	}
	return words.Commas(parts)
}
