package plan

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/resource"
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
	after := plus(e.before, e.rise)
	most := d.Policy.MaxDailyExposure
	if most > 0 && after > most {
		d.holdRaisers(e, Hold{Hazard: Exposure, Message: fmt.Sprintf("daily caps plus what is left of lifetime "+
			"budgets would rise from %s to %s, above max_daily_exposure %s; the operator's file alone can raise that",
			resource.FormatMoney(e.before), resource.FormatMoney(after), resource.FormatMoney(most))})
	}
	base, when := d.exposureFrom(plus(e.before, e.rest))
	if e.raisers = e.further; base <= 0 || !exceeds(after, base, 100+d.Policy.ExposurePercent) {
		return
	}
	for _, r := range e.raisers {
		d.plan.Changes[r.change].Hazards = append(d.plan.Changes[r.change].Hazards, Exposure)
	}
	if d.countAllowed(Exposure, after-base) {
		return
	}
	d.holdUnagreed(e, Hold{Hazard: Exposure,
		Allow: Allowance{Hazard: Exposure, Amount: after - base, HasAmount: true, PerDay: true}.String(),
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
		e.before = plus(e.before, d.mostOf(d.all[s.index].live, s.now))
	}
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		k, live := d.all[c.index].kind, d.all[c.index].live
		if !k.counts() || len(c.Fields) == 0 {
			continue
		}
		before := d.exposureOf(k, live)
		most := d.exposureOf(k, d.raised(c, live, k.raises))
		if k.moves(c.Fields) {
			most = max(most, d.exposureOf(k, d.raised(c, live, raises)))
		}
		c.rise, c.fall, c.RestOf = max(most-before, 0), 0, ""
		if c.Held == nil {
			c.fall = max(before-d.exposureOf(k, d.after(c, live, freeField)), 0)
		}
		if most > before {
			e.rise, e.raisers = plus(e.rise, most-before), append(e.raisers, raiser{i, most - before})
			if !d.claim(claimed, c, before, most) {
				e.further = append(e.further, raiser{i, most - before})
			}
			continue
		}
		e.rise -= c.fall
		d.pays(claimed, c, c.fall)
	}
	e.rest = d.sum(claimed)
	return e
}

// raised is the resource with all that may raise, held or not, and with nothing
// that lowers but what goes: it goes first. What no flag releases stays as it is.
func (d *tree) raised(c *Change, live *resource.Resource, raises func(*Field) bool) *resource.Resource {
	switch {
	case !c.Held.releasable():
		return live
	case d.creates(c):
		return d.after(c, nil, everyField)
	}
	return d.after(c, live, func(f *Field) bool {
		return raises(f) && f.Held.releasable() || c.Held == nil && f.Held == nil && f.lowers()
	})
}

// raises says that a field may let its resource spend more: an amount, a start,
// or the days it runs.
func (k *kind) raises(f *Field) bool { return raises(f) || k.shifts(f) }

// shifts says that a field is a day the resource begins or ends to spend.
func (k *kind) shifts(f *Field) bool { return f.Name == k.first || f.Name == k.last }

// moves says that one of the fields is such a day.
func (k *kind) moves(fields []Field) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return k.shifts(&f) })
}

func raises(f *Field) bool { return f.Phase == Raise || f.Phase == Activate }

// exposureOf is the most a resource can spend on one day, in micros: its daily
// cap, and what is left of its lifetime budget.
func (d *tree) exposureOf(k *kind, r *resource.Resource) int64 {
	return d.mostOf(r, k.spendable(r, d.calendar.today))
}

func (d *tree) mostOf(r *resource.Resource, s spendable) int64 {
	if s.lifetime == 0 {
		return s.daily
	}
	return plus(s.daily, left(d.Spent, r.ID, s.lifetime))
}

func (d *exposures) holdRaisers(e exposed, h Hold) {
	for _, r := range e.raisers {
		d.holdRise(r.change, h)
	}
}

// holdUnagreed holds what raises and nobody agreed to, change by change.
func (d *exposures) holdUnagreed(e exposed, h Hold) {
	for _, r := range e.raisers {
		c := &d.plan.Changes[r.change]
		further := func(f *Field) bool {
			return d.all[c.index].kind.raisesMore(f) && (c.RestOf == "" || !d.covers(c, f))
		}
		own, held := d.unlessAgreed(h, c.Address, func() []Part {
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
func (k *kind) raisesMore(f *Field) bool { return k.raises(f) && !f.lowers() }

// holdRise holds what raises in one change: a create as a whole, with what lies
// beneath it.
func (d *draft) holdRise(change int, h Hold) {
	d.holdRiseOf(change, h, d.all[d.plan.Changes[change].index].kind.raisesMore)
}

// holdRiseOf is holdRise of some fields, where the change is no create.
func (d *draft) holdRiseOf(change int, h Hold, concerned func(*Field) bool) {
	c := &d.plan.Changes[change]
	if d.creates(c) {
		d.holdTree(change, h)
		return
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; concerned(f) {
			f.hold(h)
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
	h := Hold{
		Hazard: Unattended, Message: "raises what " +
			"can be spent while nobody looks; want max_daily_exposure in the operator's file",
	}
	for i := range d.plan.Changes {
		if c := &d.plan.Changes[i]; c.raises() && !c.heldFor(Unattended) {
			d.holdRise(i, h)
		}
	}
}

// frozen is the rule of freeze windows.
type frozen struct{ *draft }

// guard holds everything but pauses and decreases while a freeze window is
// open. Adsync's own record goes on.
func (d *frozen) guard() {
	var holds []Hold
	for _, f := range d.Policy.Frozen {
		holds = append(holds, Hold{
			Hazard: Frozen, Message: strings.TrimSpace(f.words()) + "; only pauses and decreases pass",
		})
	}
	for _, h := range holds {
		for i := range d.plan.Changes {
			d.freeze(&d.plan.Changes[i], &h)
		}
	}
}

func (d *frozen) freeze(c *Change, h *Hold) {
	switch {
	case c.Action == Record || c.Action == Forget:
	case c.Action == Archive || c.Action == Adopt || d.creates(c):
		c.hold(*h)
	default:
		for i := range c.Fields {
			if f := &c.Fields[i]; !f.lowers() && f.Cause != SentAlong {
				f.holdAll(h)
			}
		}
	}
}
