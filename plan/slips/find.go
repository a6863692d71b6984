// Package slips finds suspicious edits: slips of the hand in what changes, such as a column that
// is shifted by a row, an amount in the wrong unit, or a row renamed without a key or an id.
//
// Open find.go first: it lists the finders, a file each, and holds what they find: scale.go
// amounts in the wrong unit (×100 and more; a rise of one zero is held by plan/guard), series.go
// amounts that count up, shifted.go and massedit.go columns, renamed.go, moved.go, twin.go and
// replacement.go rows. column.go has the columns they look at, words.go what they say.
package slips

import (
	"slices"

	"adsync/plan"
	"adsync/plan/drafting"
)

// examplesShown is how many examples a suspicious edit gives.
const examplesShown = 3

// finder looks for slips of the hand in what changes.
type finder struct{ *drafting.Draft }

// Find looks for slips of the hand in what changes. Where nothing changes it does nothing.
func Find(draft *drafting.Draft) {
	d := &finder{draft}
	if len(d.Plan.Changes) == 0 {
		return
	}
	found := (&surveyor{d.Draft}).survey()
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
	slices.SortFunc(d.Plan.SuspiciousEdits, plan.SuspiciousEdit.Compare)
}

// report adds a suspicious edit to the plan, with the first examples.
func (d *finder) report(a plan.SuspiciousEdit, examples []plan.Example) {
	a.Examples = examples[:min(len(examples), examplesShown)]
	if a.Held > 0 {
		a.Allow = string(a.Hazard)
	}
	d.Plan.SuspiciousEdits = append(d.Plan.SuspiciousEdits, a)
}

// holdRow holds what the suspicious edit concerns of one row, unless that is allowed:
// the field of a resource that exists, or a create with all that lies beneath
// it. It says whether it did.
func (d *finder) holdRow(r *row, attribute string, hazard plan.Hazard, message string) bool {
	c := &d.Plan.Changes[r.change]
	c.Hazards = append(c.Hazards, hazard)
	if d.shownBefore(c, attribute) {
		return false
	}
	h := plan.Hold{Hazard: hazard, Message: message, Allow: plan.AllowAt(hazard, *r.address)}
	h, held := d.UnlessCovered(h, *r.address, func() []plan.Part {
		if d.Creates(c) {
			return drafting.PartsOf(c, 0)
		}
		return drafting.FieldParts(c, 0, func(f *plan.Field) bool { return f.Name == attribute })
	})
	if !held {
		return false
	}
	if d.Creates(c) {
		d.HoldTree(r.change, h)
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
func (d *finder) shownBefore(c *plan.Change, attribute string) bool {
	i := slices.IndexFunc(c.Fields, func(f plan.Field) bool { return f.Name == attribute })
	return i >= 0 && d.Covers(c, &c.Fields[i])
}
