package compare

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/plan"
)

// exposed is what a plan would do to exposure: the daily caps of active campaigns
// plus what is left of lifetime budgets, in micros. All of it could go in one day.
type exposed struct {
	before, rise int64
	raisers      []raiser
	rest         int64    // of the rise, what is the rest of plans that were cut off
	further      []raiser // raisers that are not, or not wholly
}

// exposures is the rule of how much more could be spent in a day.
type exposures struct {
	*draft
	*credits
}

// guard holds everything that raises exposure while the rise of a day is
// larger than the policy lets pass. What is held for other reasons counts
// as if it were not, and a decrease counts only if nothing holds it.
//
// What somebody agreed to goes up to the rise it was shown with; the rest waits.
func (d *exposures) guard() {
	e := d.exposed()
	if e.rise <= 0 {
		return
	}
	after := plan.Plus(e.before, e.rise)
	most := d.Policy.MaxDailyExposure
	if most > 0 && after > most {
		d.holdRaisers(e, plan.Hold{Hazard: plan.Exposure,
			Message: fmt.Sprintf("daily caps plus what is left of lifetime "+
				"budgets would rise from %s to %s, "+
				"above max_daily_exposure %s; the operator's file alone can raise that",
				resource.FormatMoney(e.before), resource.FormatMoney(after), resource.FormatMoney(most))})
	}
	base, when := d.exposureFrom(plan.Plus(e.before, e.rest))
	if e.raisers = e.further; base <= 0 || !exceeds(after, base, 100+d.Policy.ExposurePercent) {
		return
	}
	for _, r := range e.raisers {
		d.plan.Changes[r.change].Hazards = append(d.plan.Changes[r.change].Hazards, plan.Exposure)
	}
	if d.countAllowed(plan.Exposure, after-base) {
		return
	}
	d.holdUnagreed(e, plan.Hold{Hazard: plan.Exposure,
		Allow: plan.Allowance{Hazard: plan.Exposure, Amount: after - base, HasAmount: true, PerDay: true}.String(),
		Message: fmt.Sprintf("daily caps plus what is "+
			"left of lifetime budgets would rise %s%s, from %s to %s; up to %s passes", times(after, base), when,
			resource.FormatMoney(base), resource.FormatMoney(after), percent(100+d.Policy.ExposurePercent))})
}

// exposureFrom is what the rise of a day is measured from: what could be spent
// 24 hours ago, so that many small applies are one large one. Where nothing
// could be spent it is the first there was, and so it is where nothing can be
// any more.
func (d *exposures) exposureFrom(before int64) (base int64, when string) {
	for _, level := range d.Recent.Levels {
		if level > 0 && (level < before || before == 0) {
			return level, " within 24 hours"
		}
		if level > 0 {
			break
		}
	}
	return before, ""
}

// raiser is a change that raises exposure, and by how much, in micros.
type raiser struct {
	change int
	rise   int64
}

func (d *exposures) exposed() exposed {
	d.checkDue()
	e, claimed := exposed{}, make(claims, len(d.plan.Credits))
	for i := range d.spending {
		s := &d.spending[i]
		e.before = plan.Plus(e.before, d.mostOf(d.all[s.index].live, s.now))
	}
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		k, live := d.all[c.Index].kind, d.all[c.Index].live
		if !k.counts() || len(c.Fields) == 0 {
			continue
		}
		before := d.exposureOf(k, live)
		most := d.exposureOf(k, d.raised(c, live, k.Raises))
		if k.Moves(c.Fields) {
			most = max(most, d.exposureOf(k, d.raised(c, live, raises)))
		}
		c.Rise, c.Fall, c.RestOf = max(most-before, 0), 0, ""
		if c.Held == nil {
			c.Fall = max(before-d.exposureOf(k, d.after(c, live, freeField)), 0)
		}
		if most > before {
			e.rise, e.raisers = plan.Plus(e.rise, most-before), append(e.raisers, raiser{i, most - before})
			if !d.claim(claimed, c, before, most) {
				e.further = append(e.further, raiser{i, most - before})
			}
			continue
		}
		e.rise -= c.Fall
		d.pays(claimed, c, c.Fall)
	}
	e.rest = d.sum(claimed)
	return e
}

// raised is the resource with all that may raise, held or not, and with nothing
// that lowers but what goes: it goes first. What no flag releases stays as it is.
func (d *tree) raised(c *plan.Change, live *resource.Resource, raises func(*plan.Field) bool) *resource.Resource {
	switch {
	case !c.Held.Releasable():
		return live
	case d.creates(c):
		return d.after(c, nil, plan.EveryField)
	}
	return d.after(c, live, func(f *plan.Field) bool {
		return raises(f) && f.Held.Releasable() || c.Held == nil && f.Held == nil && f.Lowers()
	})
}

// raises says that a field may let its resource spend more: an amount, a start,
// or the days it runs.
func (k *kind) Raises(f *plan.Field) bool { return raises(f) || k.shifts(f) }

// shifts reports whether a field is a day the resource begins or ends to spend.
func (k *kind) shifts(f *plan.Field) bool { return f.Name == k.first || f.Name == k.last }

// moves says that one of the fields is such a day.
func (k *kind) Moves(fields []plan.Field) bool {
	return slices.ContainsFunc(fields, func(f plan.Field) bool { return k.shifts(&f) })
}

func raises(f *plan.Field) bool { return f.Phase == plan.Raise || f.Phase == plan.Activate }

// exposureOf is the most a resource can spend on one day, in micros: its daily
// cap, and what is left of its lifetime budget.
func (d *tree) exposureOf(k *kind, r *resource.Resource) int64 {
	return d.mostOf(r, k.spendable(r, d.calendar.today))
}

func (d *tree) mostOf(r *resource.Resource, s spendable) int64 {
	if s.lifetime == 0 {
		return s.daily
	}
	return plan.Plus(s.daily, left(d.Spent, r.ID, s.lifetime))
}

func (d *exposures) holdRaisers(e exposed, h plan.Hold) {
	for _, r := range e.raisers {
		d.holdRise(r.change, h)
	}
}

// holdUnagreed holds what raises and nobody agreed to, change by change.
func (d *exposures) holdUnagreed(e exposed, h plan.Hold) {
	for _, r := range e.raisers {
		c := &d.plan.Changes[r.change]
		further := func(f *plan.Field) bool {
			return d.all[c.Index].kind.raisesMore(f) && (c.RestOf == "" || !d.Covers(c, f))
		}
		own, held := d.unlessAgreed(h, c.Address, func() []plan.Part {
			if d.creates(c) {
				return partsOf(c, r.rise)
			}
			return fieldParts(c, r.rise, further)
		})
		if held {
			d.holdRiseOf(r.change, own, further)
		}
	}
}

// raisesMore reports whether a field is one that holdRise holds.
func (k *kind) raisesMore(f *plan.Field) bool { return k.Raises(f) && !f.Lowers() }

// holdRise holds what raises in one change: a create as a whole, with what lies
// beneath it.
func (d *draft) holdRise(change int, h plan.Hold) {
	d.holdRiseOf(change, h, d.all[d.plan.Changes[change].Index].kind.raisesMore)
}

// holdRiseOf is holdRise of some fields, where the change is no create.
func (d *draft) holdRiseOf(change int, h plan.Hold, concerned func(*plan.Field) bool) {
	c := &d.plan.Changes[change]
	if d.creates(c) {
		d.holdTree(change, h)
		return
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; concerned(f) {
			f.Hold(h)
		}
	}
}

// unattended is the rule of what an unattended run may not raise.
type unattended struct{ *draft }

// guard holds everything that raises while nobody looks at the plan
// and the operator set no ceiling (design.md section 6, exposure).
func (d *unattended) guard() {
	if !d.Policy.Unattended || d.Policy.MaxDailyExposure > 0 && !d.Policy.CeilingWatched {
		return
	}
	h := plan.Hold{
		Hazard: plan.Unattended, Message: "raises what " +
			"can be spent while nobody looks; want max_daily_exposure in the operator's file",
	}
	for i := range d.plan.Changes {
		if c := &d.plan.Changes[i]; c.Raises() && !c.HeldFor(plan.Unattended) {
			d.holdRise(i, h)
		}
	}
}

// frozen is the rule of freeze windows.
type frozen struct{ *draft }

// guard holds everything but pauses and decreases while a freeze window is
// open. Adsync's own record goes on.
func (d *frozen) guard() {
	var holds []plan.Hold
	for _, f := range d.Policy.Frozen {
		holds = append(holds, plan.Hold{
			Hazard: plan.Frozen, Message: strings.TrimSpace(f.Words()) + "; only pauses and decreases pass",
		})
	}
	for _, h := range holds {
		for i := range d.plan.Changes {
			d.freeze(&d.plan.Changes[i], &h)
		}
	}
}

func (d *frozen) freeze(c *plan.Change, h *plan.Hold) {
	switch {
	case c.Action == plan.Record || c.Action == plan.Forget:
	case c.Action == plan.Archive || c.Action == plan.Adopt || d.creates(c):
		c.Hold(*h)
	default:
		for i := range c.Fields {
			if f := &c.Fields[i]; !f.Lowers() && f.Cause != plan.SentAlong {
				f.HoldAll(h)
			}
		}
	}
}
