package compare

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// pruning is what becomes of what the files no longer name.
type pruning struct {
	*draft
	shrunk   map[resource.Kind]bool // nothing of these kinds is pruned
	unpruned map[resource.Kind]bool // nor of these, as a row of them waits
}

// removedFromFiles handles what adsync manages and the files no longer name.
// Absence removes nothing unless the policy says so (design.md 2.9), and then
// the policy of the highest resource removed decides for all beneath it.
func (d *pruning) removedFromFiles(t entry) {
	if t.gone() || t.above.born {
		d.becomes(t, &effect{dead: true})
		if !d.unpruned[t.address.Kind] { // a row that waits may be this one: what is removed by hand stays known
			d.change(t, plan.Forget)
		}
		return
	}
	d.becomes(t, &effect{removed: true})
	policy := d.Policy.PruneFor(t.address.Kind)
	switch {
	case t.above.removed:
		d.keep(t)
	case policy == plan.PrunePause && d.mayPrune(t):
		d.prunePause(t)
	case policy == plan.PruneArchive && d.mayPrune(t):
		d.becomes(t, &effect{closed: true})
		c := d.change(t, plan.Archive)
		c.Fields, c.Pruned = []plan.Field{removalField(t)}, true
		c.Hazards = []plan.Hazard{t.kind.removalHazard()}
		d.holdOverEdit(t, c, noLongerNamed)
	default:
		d.keep(t)
	}
}

const noLongerNamed = "is no longer in the files"

// holdOverEdit holds an archive, or what the policy would do, where somebody else
// changed the same of the resource: who asked for it need not have known.
func (d *pruning) holdOverEdit(t entry, c *plan.Change, asks string) {
	f := &c.Fields[0]
	if !f.IsForeign() {
		return
	}
	c.Hazards = append(c.Hazards, plan.Conflicts)
	a := t.kind.attributes[f.Name]
	h := plan.Hold{
		Hazard: plan.Conflicts, Message: asks + ", and someone changed " + a.Name + " to " +
			a.Show(f.Live()) + " outside adsync; it was " + a.Show(f.Last()),
		Allow: plan.AllowAt(plan.Conflicts, t.address),
	}
	if h, held := d.unlessCovered(h, t.address, func() []plan.Part { return partsOf(c, 0) }); held {
		c.Hold(h)
	}
}

func (d *pruning) keep(t entry) { d.plan.Kept = append(d.plan.Kept, t.address) }

// mayPrune reports whether no guard keeps the resource: its kind is there in the
// files as before, it has a status, and the files name nothing beneath it.
func (d *pruning) mayPrune(t entry) bool {
	return !d.shrunk[t.address.Kind] && !d.unpruned[t.address.Kind] &&
		d.waitsAt(t.index) == nil && t.kind.removal != "" && t.kind.schema.Lasting == "" && !d.namedBeneath(t)
}

func (d *pruning) namedBeneath(t entry) bool {
	prefix := t.address.Key + "/"
	for i := t.index + 1; i < len(d.all) && strings.HasPrefix(d.all[i].address.Key, prefix); i++ {
		if d.all[i].desired != nil {
			return true
		}
	}
	return false
}

func (d *pruning) prunePause(t entry) {
	if !t.kind.delivers(t.live) {
		d.keep(t)
		return
	}
	c := d.change(t, plan.Update)
	c.Fields, c.Pruned = []plan.Field{statusField(t, plan.Paused)}, true
	d.holdOverEdit(t, c, noLongerNamed)
}

// removalField removes what is live. What bounds spend goes last, with the raises.
func removalField(t entry) plan.Field {
	name := t.kind.removal
	f := plan.Field{
		Name: name, Desired: resource.Text(t.kind.schema.Removal),
		Cause: plan.Edit, Phase: plan.Lower, Known: plan.KnownOf(valueOf(t.last, name), t.live.Value(name)),
	}
	if t.desired != nil {
		f.Desired = t.desired.Value(name)
	}
	if t.kind.schema.Caps {
		f.Phase = plan.Raise
	}
	return f
}

func (k *kind) removalHazard() plan.Hazard {
	if k.schema.Caps {
		return plan.RaisesSpend
	}
	return plan.Archives
}

func statusField(t entry, status string) plan.Field {
	name := t.kind.delivery
	return plan.Field{
		Name: name, Desired: resource.Text(status),
		Cause: plan.Edit, Phase: plan.Lower, Known: plan.KnownOf(t.last.Value(name), t.live.Value(name)),
	}
}

// findShrunk finds the kinds the files name so much less of that nothing is
// pruned: a cut file must not look like a decision (design.md section 6).
func (d *pruning) findShrunk() {
	d.shrunk = map[resource.Kind]bool{}
	if !d.prunes() {
		return
	}
	had, missing, named := map[resource.Kind]int64{}, map[resource.Kind]int64{}, map[resource.Kind]int64{}
	for i := range d.all {
		t := &d.all[i]
		if t.desired != nil {
			named[t.address.Kind]++
		}
		if t.last != nil {
			had[t.address.Kind]++
			if t.desired == nil {
				missing[t.address.Kind]++
			}
		}
	}
	for _, s := range d.Schemas {
		k := s.Kind
		d.shrunk[k] = missing[k] > 0 &&
			(named[k] == 0 || had[k] >= d.Policy.ShrinkFrom && missing[k]*100 > had[k]*d.Policy.ShrinkPercent)
		if d.shrunk[k] && d.Policy.PruneFor(k) != plan.PruneKeep {
			d.problems.Add(diag.Problem{Severity: diag.Warning, Code: diag.NeedsDecision,
				Message: fmt.Sprintf("the files name %d of %d "+
					"%s resources adsync manages; nothing of this kind is pruned", had[k]-missing[k], had[k], k),
				Hint: "if that is meant, set their status to archived in the files"})
		}
	}
}

func (d *pruning) prunes() bool {
	return slices.ContainsFunc(d.Schemas, func(s *resource.Schema) bool {
		p := d.Policy.PruneFor(s.Kind)
		return p == plan.PrunePause || p == plan.PruneArchive
	})
}
