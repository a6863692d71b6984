package guard

import (
	"slices"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// rest is what cannot go without a part that is held.
type rest struct{ *drafting.Draft }

// guard holds what cannot go without a part that is held.
func (d *rest) guard() {
	for i := range d.Plan.Changes {
		if c := &d.Plan.Changes[i]; c.Action != plan.Archive {
			d.holdBroken(c)
			d.holdSpan(c)
		}
	}
}

// holdBroken holds the rest of a setting that is sent whole where the held part
// of it would leave what breaks a rule: a strategy without the bid it needs.
func (d *rest) holdBroken(c *plan.Change) {
	k, live := d.All[c.Index].Kind, d.All[c.Index].Live
	if live == nil || !splits(k, c.Fields) || !d.breaks(c, live) {
		return
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		if !isRest(k, f) {
			continue
		}
		for j := range c.Fields {
			if h := c.Fields[j].Held; h != nil && k.Whole[f.Name] == k.Whole[c.Fields[j].Name] {
				f.Hold(plan.Hold{
					Hazard: h.Hazard, Message: catalogue.Fill("guard.with-needed", "attribute", c.Fields[j].Name),
					Allow: h.Allow,
				})
				break
			}
		}
	}
}

// breaks reports whether what would be live without the held fields breaks a rule
// that neither the whole edit nor what is live breaks.
func (d *rest) breaks(c *plan.Change, live *resource.Resource) bool {
	k := d.All[c.Index].Kind
	part, whole := k.Overlay(live, c.Fields, drafting.FreeField), k.Overlay(live, c.Fields, plan.EveryField)
	return slices.ContainsFunc(k.Schema.Rules, func(r resource.Rule) bool {
		return r.Check(part.Value) != nil && r.Check(whole.Value) == nil && r.Check(live.Value) == nil
	})
}

// splits reports whether of a setting that is sent whole a part is held and a part is not.
func splits(k *drafting.Kind, fields []plan.Field) bool {
	for i := range fields {
		if fields[i].Held == nil || k.Whole[fields[i].Name] == "" {
			continue
		}
		for j := range fields {
			if isRest(k, &fields[j]) && k.Whole[fields[j].Name] == k.Whole[fields[i].Name] {
				return true
			}
		}
	}
	return false
}

// isRest reports whether the field would go with a setting of which a part is held.
func isRest(k *drafting.Kind, f *plan.Field) bool {
	return f.Held == nil && f.Cause != plan.SentAlong && !f.Lowers() && k.Whole[f.Name] != ""
}

// holdSpan holds the other half of a schedule that moves where all its days are
// others: half a move would spend on every day between.
func (d *rest) holdSpan(c *plan.Change) {
	t := &d.All[c.Index]
	k := t.Kind
	now, then, moves := d.MovesSpan(t, c.Fields)
	if !moves || !now.Disjoint(then) {
		return
	}
	for i := range c.Fields {
		h := c.Fields[i].Held
		if h == nil || !k.IsSpan(c.Fields[i].Name) {
			continue
		}
		for j := range c.Fields {
			if f := &c.Fields[j]; f.Held == nil && k.IsSpan(f.Name) {
				f.Hold(plan.Hold{
					Hazard: h.Hazard, Message: catalogue.Fill("guard.with-days", "attribute", c.Fields[i].Name),
					Allow: h.Allow,
				})
			}
		}
	}
}
