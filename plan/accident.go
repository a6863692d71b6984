package plan

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Accident is what looks like a slip of the hand in a table: a column that was
// sorted alone, a series dragged down, micros typed as units, one value pasted
// over many rows, a name typed a second time. It is evidence for people. Some
// sorts hold the changes concerned until their hazard is allowed; the others are
// shown and pass (docs/use/accidents.md).
//
// What decides whether an accident holds is what the files say, and what was
// there before of the very fields it would hold. Whatever else of the plan is
// applied, the next plan finds the same accident in what was held.
type Accident struct {
	Hazard    Hazard
	Kind      resource.Kind
	Attribute string        // "" where whole resources are concerned
	Source    diag.Position // the file, the sheet and its column; zero where it is in several, or in none
	Count     int           // resources concerned
	Of        int           // of so many; 0 where no share counts
	Held      int           // changes it holds
	Allow     string        // the argument of --allow that releases all of them; "" when it holds nothing
	Message   string        // one sentence for people; may quote text of the files as it is
	Examples  []Example     // the first ones, at most examplesShown
}

// Example is one resource of an accident.
type Example struct {
	Address  resource.Address
	Position diag.Position
	Desired  resource.Value   // absent where the accident is not about a value
	Was      resource.Value   // what adsync applied last, else what is live; absent for a new resource
	Other    resource.Address // what it is like, zero where it is like nothing in particular
	Message  string           // for people, after the accident's own
}

// examplesShown is how many examples an accident gives.
const examplesShown = 3

// slipFinder looks for slips of the hand in what changes.
type slipFinder struct{ *draft }

// findAccidents looks for slips of the hand in what changes. Where nothing
// changes it does nothing.
func (d *slipFinder) findAccidents() {
	if len(d.plan.Changes) == 0 {
		return
	}
	found := (&surveyor{d.draft}).survey()
	for _, c := range found.columns {
		(&shifts{d}).findShifted(c)
		(&seriesFinder{d}).findSeries(c)
		(&fills{d}).findFill(c)
	}
	for _, e := range found.edits {
		(&replacements{d}).findReplacements(e)
		(&scaled{d}).findScale(e)
	}
	(&moves{d}).findMoved()
	(&outliers{d}).findOutliers()
	(&nearTwins{d}).findNearTwins()
	(&renamings{d}).findRenamed()
	(&activations{d}).findActivations()
	slices.SortFunc(d.plan.Accidents, Accident.compare)
}

// compare puts what holds something first.
func (a Accident) compare(b Accident) int {
	if (a.Held > 0) != (b.Held > 0) {
		return order(a.Held > 0)
	}
	return cmp.Or(strings.Compare(string(a.Hazard), string(b.Hazard)), strings.Compare(string(a.Kind), string(b.Kind)),
		strings.Compare(a.Attribute, b.Attribute), a.Source.Compare(b.Source), strings.Compare(a.Message, b.Message))
}

// report adds an accident to the plan, with the first examples.
func (d *slipFinder) report(a Accident, examples []Example) {
	a.Examples = examples[:min(len(examples), examplesShown)]
	if a.Held > 0 {
		a.Allow = string(a.Hazard)
	}
	d.plan.Accidents = append(d.plan.Accidents, a)
}

// holdRow holds what the accident concerns of one row, unless that is allowed:
// the field of a resource that exists, or a create with all that lies beneath
// it. It says whether it did.
func (d *slipFinder) holdRow(r *row, attribute string, hazard Hazard, message string) bool {
	c := &d.plan.Changes[r.change]
	c.Hazards = append(c.Hazards, hazard)
	if d.shownBefore(c, attribute) {
		return false
	}
	h := Hold{Hazard: hazard, Message: message, Allow: allowAt(hazard, *r.address)}
	h, held := d.unlessCovered(h, *r.address, func() []Part {
		if d.creates(c) {
			return partsOf(c, 0)
		}
		return fieldParts(c, 0, func(f *Field) bool { return f.Name == attribute })
	})
	if !held {
		return false
	}
	if d.creates(c) {
		d.holdTree(r.change, h)
		return true
	}
	for i := range c.Fields {
		if c.Fields[i].Name == attribute {
			c.Fields[i].hold(h)
		}
	}
	return true
}

// shownBefore reports whether a value is the rest of a plan that was cut off: what
// that made is now among what it is compared with.
func (d *draft) shownBefore(c *Change, attribute string) bool {
	i := slices.IndexFunc(c.Fields, func(f Field) bool { return f.Name == attribute })
	return i >= 0 && d.covers(c, &c.Fields[i])
}

// creates says that the change makes a resource, anew or in place of another.
func (d *tree) creates(c *Change) bool {
	fate := d.all[c.place].fate
	return fate != nil && fate.born
}

// holdTree holds a create and what this plan does beneath it. Changes are in
// the order of their addresses still.
func (d *draft) holdTree(change int, h Hold) {
	top := &d.plan.Changes[change]
	if top.Held.releasedBy(h.Allow) {
		return
	}
	top.hold(h)
	h.Message = "held with " + top.Address.String()
	for i := change + 1; i < len(d.plan.Changes) &&
		strings.HasPrefix(d.plan.Changes[i].Address.Key, top.Address.Key+"/"); i++ {
		d.plan.Changes[i].hold(h)
	}
}

// releasedBy says that a hold waits for this allowance already.
func (h *Hold) releasedBy(allow string) bool {
	return h.contains(func(h *Hold) bool { return h.Allow == allow })
}
