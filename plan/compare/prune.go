package compare

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// pruning is what becomes of what the files no longer name.
type pruning struct {
	*drafting.Draft
	shrunk   map[resource.Kind]bool // nothing of these kinds is pruned
	unpruned map[resource.Kind]bool // nor of these, as a row of them waits
}

// removedFromFiles handles what adsync manages and the files no longer name.
// Absence removes nothing unless the policy says so (design.md 2.9), and then
// the policy of the highest resource removed decides for all beneath it.
func (d *pruning) removedFromFiles(t drafting.Entry) {
	if t.Gone() || t.Above.Born {
		d.Becomes(t, &drafting.Effect{Dead: true})
		// a row that waits, or of a draft, may be this one: what is removed by hand stays known
		if !d.InDraft && !d.unpruned[t.Address.Kind] {
			d.Change(t, plan.Forget)
		}
		return
	}
	d.Becomes(t, &drafting.Effect{Removed: true})
	policy := d.Policy.PruneFor(t.Address.Kind)
	switch {
	case t.Above.Removed:
		d.keep(t)
	case policy == plan.PrunePause && d.mayPrune(t):
		d.prunePause(t)
	case policy == plan.PruneArchive && d.mayPrune(t):
		d.Becomes(t, &drafting.Effect{Closed: true})
		c := d.Change(t, plan.Archive)
		c.Fields, c.Pruned = []plan.Field{removalField(t)}, true
		c.Hazards = []plan.Hazard{removalHazard(t.Kind)}
		d.holdOverEdit(t, c, noLongerNamed)
	default:
		d.keep(t)
	}
}

// Who asks for an archive, as keys of texts.
const (
	archivesIt    = "guard.archives-edited"
	noLongerNamed = "guard.prunes-edited"
)

// holdOverEdit holds an archive, or what the policy would do, where somebody else
// changed the same of the resource: who asked for it need not have known.
func (d *pruning) holdOverEdit(t drafting.Entry, c *plan.Change, key string) {
	f := &c.Fields[0]
	if !f.IsForeign() {
		return
	}
	c.Hazards = append(c.Hazards, plan.Conflicts)
	a := t.Kind.Attributes[f.Name]
	h := plan.Hold{
		Hazard: plan.Conflicts, Allow: plan.AllowAt(plan.Conflicts, t.Address),
		Message: catalogue.Fill(key, "attribute", a.Name, "live", a.Show(f.Live()), "last", a.Show(f.Last())),
	}
	if h, held := d.UnlessCovered(h, t.Address, func() []plan.Part { return drafting.PartsOf(c, 0) }); held {
		c.Hold(h)
	}
}

func (d *pruning) keep(t drafting.Entry) {
	if !d.Unheard { // else a draft may be the file that names it
		d.Plan.Kept = append(d.Plan.Kept, t.Address)
	}
}

// mayPrune reports whether no guard keeps the resource: its kind is there in the
// files as before, it has a status, and the files name nothing beneath it.
func (d *pruning) mayPrune(t drafting.Entry) bool {
	return !d.InDraft && !d.shrunk[t.Address.Kind] && !d.unpruned[t.Address.Kind] &&
		d.WaitsAt(t.Index) == nil && t.Kind.Removal != "" && t.Kind.Schema.Lasting == "" && !d.namedBeneath(t)
}

func (d *pruning) namedBeneath(t drafting.Entry) bool {
	prefix := t.Address.Key + "/"
	for i := t.Index + 1; i < len(d.All) && strings.HasPrefix(d.All[i].Address.Key, prefix); i++ {
		if d.All[i].Desired != nil {
			return true
		}
	}
	return false
}

func (d *pruning) prunePause(t drafting.Entry) {
	if !t.Kind.Delivers(t.Live) {
		d.keep(t)
		return
	}
	c := d.Change(t, plan.Update)
	c.Fields, c.Pruned = []plan.Field{statusField(t, plan.Paused)}, true
	d.holdOverEdit(t, c, noLongerNamed)
}

// removalField removes what is live. What bounds spend goes last, with the raises.
func removalField(t drafting.Entry) plan.Field {
	name := t.Kind.Removal
	f := plan.Field{
		Name: name, Desired: resource.Text(t.Kind.Schema.Removal),
		Cause: plan.Edit, Phase: plan.Lower, Known: plan.KnownOf(drafting.ValueOf(t.Last, name), t.Live.Value(name)),
	}
	if t.Desired != nil {
		f.Desired = t.Desired.Value(name)
	}
	if t.Kind.Schema.Caps {
		f.Phase = plan.Raise
	}
	return f
}

func removalHazard(k *drafting.Kind) plan.Hazard {
	if k.Schema.Caps {
		return plan.RaisesSpend
	}
	return plan.Archives
}

func statusField(t drafting.Entry, status string) plan.Field {
	name := t.Kind.Delivery
	return plan.Field{
		Name: name, Desired: resource.Text(status),
		Cause: plan.Edit, Phase: plan.Lower, Known: plan.KnownOf(t.Last.Value(name), t.Live.Value(name)),
	}
}

// findShrunk finds the kinds the files name so much less of that nothing is
// pruned: a cut file must not look like a decision (design.md section 6).
func (d *pruning) findShrunk() {
	d.shrunk = map[resource.Kind]bool{}
	if d.InDraft || !d.prunes() {
		return
	}
	had, missing, named := map[resource.Kind]int64{}, map[resource.Kind]int64{}, map[resource.Kind]int64{}
	for i := range d.All {
		t := &d.All[i]
		if t.Desired != nil {
			named[t.Address.Kind]++
		}
		if t.Last != nil {
			had[t.Address.Kind]++
			if t.Desired == nil {
				missing[t.Address.Kind]++
			}
		}
	}
	for _, s := range d.Schemas {
		k := s.Kind
		d.shrunk[k] = missing[k] > 0 &&
			(named[k] == 0 || had[k] >= d.Policy.ShrinkFrom && missing[k]*100 > had[k]*d.Policy.ShrinkPercent)
		if d.shrunk[k] && d.Policy.PruneFor(k) != plan.PruneKeep {
			d.Problems.Add(diag.Problem{Severity: diag.Warning, Code: diag.NeedsDecision,
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
