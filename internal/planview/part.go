package planview

import (
	"html/template"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Parts are a plan as parts of a page that has a first heading, the look of
// Style and the script of Script. Nothing in them runs or loads.
type Parts struct {
	Top       template.HTML // money first, then problems and slips
	Changes   template.HTML
	Unallowed []string // what no allowance releases, and why
}

// HTMLParts writes a plan as parts of a page, in a marketer's words. Where nothing could be planned they say
// nothing of spend: the page says what it knows of it.
func HTMLParts(schemas resource.Schemas, d *Document) (*Parts, error) {
	return HTMLPartsSaid(schemas, d, nil)
}

// Said is what people said of a change.
type Said struct {
	Path, Link string // to all of it
	Last       []Remark
}

// Remark is one thing that somebody said.
type Remark struct{ By, When, Text string }

// HTMLPartsSaid is HTMLParts, with what people said of each change; nil: nothing is known of it.
func HTMLPartsSaid(schemas resource.Schemas, d *Document, said func(address string) Said) (*Parts, error) {
	p := describe(schemas, d, detail{room: 400, list: 300, like: 30, most: 600, plainly: true})
	p.plainly(schemas, d)
	if d.Error != "" {
		p.money = nil
	}
	page, err := htmlPageOf(p, d)
	if err != nil {
		return nil, err
	}
	page.remark(said, p)
	page.Groups = p.group(page.Trees)
	var top, changes strings.Builder
	if err := htmlTemplate().ExecuteTemplate(&top, "top", page); err != nil {
		return nil, err
	}
	if err := htmlTemplate().ExecuteTemplate(&changes, "told", page); err != nil {
		return nil, err
	}
	return &Parts{template.HTML(top.String()), template.HTML(changes.String()), p.unallowed}, nil
}

// Script filters and copies on a page that shows a plan.
func Script() string { return htmlScript }

// Release is an allowance that something in a plan waits for.
type Release struct {
	Allow string   // as --allow takes it
	Holds int      // how many holds wait for it
	First []string // the first of them: address and the words of the hold, printable
}

// releaseShown is how many holds of a release are named.
const releaseShown = 20

// Releases returns what a person may allow of a plan, sorted: what nothing releases
// besides is left out. What releases a whole accident stands for each of its rows.
func Releases(d *Document) []Release {
	whole := map[string]bool{}
	for i := range d.SuspiciousEdits {
		if a := &d.SuspiciousEdits[i]; a.Held > 0 && a.Allow != "" {
			whole[a.Allow] = true
		}
	}
	releases := map[string]*Release{}
	for i := range d.Changes {
		c := &d.Changes[i]
		for _, h := range releasable(c) {
			allow := h.Allow
			switch {
			case whole[string(h.Hazard)]:
				allow = string(h.Hazard)
			}
			r := releases[allow]
			if r == nil {
				r = &Release{Allow: allow}
				releases[allow] = r
			}
			if r.Holds++; r.Holds <= releaseShown {
				r.First = append(r.First, diag.Printable(c.Address+": "+h.Message))
			}
		}
	}
	var all []Release
	for _, r := range releases {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b Release) int { return strings.Compare(a.Allow, b.Allow) })
	return all
}

// Unreleased is a change that no allowance releases, wholly or in part.
type Unreleased struct {
	Hazard plan.Hazard
	Text   string // address and the words of the hold, printable
	With   int    // changes beneath it that are held with it
}

// AllUnreleased returns what no allowance releases, in the order of the plan: of each
// change the first hold that is so.
func AllUnreleased(d *Document) (all []Unreleased) {
	at := map[string]int{} // by what is said of what is held with one of them
	for i := range d.Changes {
		c := &d.Changes[i]
		holds := flat(c.Held)
		for k := range c.Fields {
			holds = append(holds, flat(c.Fields[k].Held)...)
		}
		first := slices.IndexFunc(holds, func(h *plan.HoldDocument) bool { return h.Allow == "" })
		if first < 0 {
			continue
		}
		h := holds[first]
		top, with := at[h.Message]
		if with {
			all[top].With++
		} else {
			top = len(all)
			all = append(all, Unreleased{Hazard: h.Hazard, Text: diag.Printable(c.Address + ": " + h.Message)})
		}
		at[catalogue.Fill("guard.with", "what", c.Address)] = top
	}
	return all
}

// AsksAgain is the address of an allowance to ask the service once more for what it
// refused there, "" of any other.
func AsksAgain(allow string) string {
	a, err := plan.ParseAllowance(allow)
	if err != nil || a.Hazard != plan.WasRefused {
		return ""
	}
	return a.Address.String()
}

// HeldBy counts the changes that each hazard holds.
func HeldBy(d *Document) map[string]int {
	changes := map[string]int{}
	for i := range d.Changes {
		own := map[string]bool{}
		for _, h := range allHolds(&d.Changes[i]) {
			own[h.hazard] = true
		}
		for hazard := range own {
			changes[hazard]++
		}
	}
	return changes
}

// releasable are the holds of a change and of its fields that allowances release
// together.
func releasable(c *plan.ChangeDocument) []*plan.HoldDocument {
	final := func(h *plan.HoldDocument) bool { return h.Allow == "" }
	all := flat(c.Held)
	if slices.ContainsFunc(all, final) {
		return nil
	}
	for i := range c.Fields {
		if holds := flat(c.Fields[i].Held); !slices.ContainsFunc(holds, final) {
			all = append(all, holds...)
		}
	}
	return all
}

// flat is a hold and those beside it.
func flat(h *plan.HoldDocument) []*plan.HoldDocument {
	if h == nil {
		return nil
	}
	all := []*plan.HoldDocument{h}
	for i := range h.Also {
		all = append(all, flat(&h.Also[i])...)
	}
	return all
}
