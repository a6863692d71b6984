package compare

import (
	"adsync/plan"
	"slices"
	"strings"
)

// examplesShown is how many examples a suspicious edit gives.
const examplesShown = 3

// slipFinder looks for slips of the hand in what changes.
type finder struct{ *draft }

// findAccidents looks for slips of the hand in what changes. Where nothing
// changes it does nothing.
func (d *finder) find() {
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
	slices.SortFunc(d.plan.SuspiciousEdits, plan.SuspiciousEdit.Compare)
}

// report adds a suspicious edit to the plan, with the first examples.
func (d *finder) report(a plan.SuspiciousEdit, examples []plan.Example) {
	a.Examples = examples[:min(len(examples), examplesShown)]
	if a.Held > 0 {
		a.Allow = string(a.Hazard)
	}
	d.plan.SuspiciousEdits = append(d.plan.SuspiciousEdits, a)
}

// holdRow holds what the suspicious edit concerns of one row, unless that is allowed:
// the field of a resource that exists, or a create with all that lies beneath
// it. It says whether it did.
func (d *finder) holdRow(r *row, attribute string, hazard plan.Hazard, message string) bool {
	c := &d.plan.Changes[r.change]
	c.Hazards = append(c.Hazards, hazard)
	if d.shownBefore(c, attribute) {
		return false
	}
	h := plan.Hold{Hazard: hazard, Message: message, Allow: plan.AllowAt(hazard, *r.address)}
	h, held := d.unlessCovered(h, *r.address, func() []plan.Part {
		if d.creates(c) {
			return partsOf(c, 0)
		}
		return fieldParts(c, 0, func(f *plan.Field) bool { return f.Name == attribute })
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
			c.Fields[i].Hold(h)
		}
	}
	return true
}

// shownBefore reports whether a value is the rest of a plan that was cut off: what
// that made is now among what it is compared with.
func (d *draft) shownBefore(c *plan.Change, attribute string) bool {
	i := slices.IndexFunc(c.Fields, func(f plan.Field) bool { return f.Name == attribute })
	return i >= 0 && d.Covers(c, &c.Fields[i])
}

// creates reports whether the change makes a resource, anew or in place of another.
func (d *tree) creates(c *plan.Change) bool {
	effect := d.all[c.Index].effect
	return effect != nil && effect.born
}

// holdTree holds a create and what this plan does beneath it. Changes are in
// the order of their addresses still.
func (d *draft) holdTree(change int, h plan.Hold) {
	top := &d.plan.Changes[change]
	if top.Held.ReleasedBy(h.Allow) {
		return
	}
	top.Hold(h)
	h.Message = "held with " + top.Address.String()
	for i := change + 1; i < len(d.plan.Changes) &&
		strings.HasPrefix(d.plan.Changes[i].Address.Key, top.Address.Key+"/"); i++ {
		d.plan.Changes[i].Hold(h)
	}
}
