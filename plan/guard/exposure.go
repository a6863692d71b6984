package guard

import (
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
	"adsync/plan/spend"
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
	*drafting.Draft
	*spend.Credits
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
		d.holdRaisers(e, plan.Hold{Hazard: plan.Exposure, Message: catalogue.Fill("guard.exposure-cap",
			"from", resource.FormatMoney(e.before), "to", resource.FormatMoney(after),
			"most", resource.FormatMoney(most))})
	}
	base, today := d.exposureFrom(plan.Plus(e.before, e.rest))
	if e.raisers = e.further; base <= 0 || !drafting.Exceeds(after, base, 100+d.Policy.ExposurePercent) {
		return
	}
	for _, r := range e.raisers {
		d.Plan.Changes[r.change].Hazards = append(d.Plan.Changes[r.change].Hazards, plan.Exposure)
	}
	if d.CountAllowed(plan.Exposure, after-base) {
		return
	}
	rise := worth{base, after, today}
	d.holdUnagreed(e, plan.Hold{Hazard: plan.Exposure,
		Allow: plan.Allowance{Hazard: plan.Exposure, Amount: after - base, HasAmount: true, PerDay: true}.String(),
		Message: catalogue.Fill("guard.exposure."+rise.since(), "times", drafting.Times(after, base),
			"from", resource.FormatMoney(base), "to", resource.FormatMoney(after),
			"limit", drafting.Percent(100+d.Policy.ExposurePercent))})
}

// exposureFrom is what the rise of a day is measured from: what could be spent
// 24 hours ago, so that many small applies are one large one. Where nothing
// could be spent it is the first there was, and so it is where nothing can be
// any more.
func (d *exposures) exposureFrom(before int64) (base int64, today bool) {
	for _, level := range d.Recent.Levels {
		if level > 0 && (level < before || before == 0) {
			return level, true
		}
		if level > 0 {
			break
		}
	}
	return before, false
}

// raiser is a change that raises exposure, and by how much, in micros.
type raiser struct {
	change int
	rise   int64
}

func (d *exposures) exposed() exposed {
	d.CheckDue()
	e, claimed := exposed{}, make(spend.Claims, len(d.Plan.Credits))
	for i := range d.Spending {
		s := &d.Spending[i]
		e.before = plan.Plus(e.before, d.MostOf(d.All[s.Index].Live, s.Now))
	}
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		k, live := d.All[c.Index].Kind, d.All[c.Index].Live
		if !k.Counts() || len(c.Fields) == 0 {
			continue
		}
		before := d.ExposureOf(k, live)
		most := d.ExposureOf(k, d.Raised(c, live, k.Raises))
		if movesDays(k, c.Fields) {
			most = max(most, d.ExposureOf(k, d.Raised(c, live, drafting.Raises)))
		}
		c.Rise, c.Fall, c.RestOf = max(most-before, 0), 0, ""
		if c.Held == nil {
			c.Fall = max(before-d.ExposureOf(k, d.After(c, live, drafting.FreeField)), 0)
		}
		if most > before {
			e.rise, e.raisers = plan.Plus(e.rise, most-before), append(e.raisers, raiser{i, most - before})
			if !d.Claim(claimed, c, before, most) {
				e.further = append(e.further, raiser{i, most - before})
			}
			continue
		}
		e.rise -= c.Fall
		d.Pays(claimed, c, c.Fall)
	}
	e.rest = d.Sum(claimed)
	return e
}

// moves says that one of the fields is such a day.
func movesDays(k *drafting.Kind, fields []plan.Field) bool {
	return slices.ContainsFunc(fields, func(f plan.Field) bool { return k.Shifts(&f) })
}

func (d *exposures) holdRaisers(e exposed, h plan.Hold) {
	for _, r := range e.raisers {
		holdRise(d.Draft, r.change, h)
	}
}

// holdUnagreed holds what raises and nobody agreed to, change by change.
func (d *exposures) holdUnagreed(e exposed, h plan.Hold) {
	for _, r := range e.raisers {
		c := &d.Plan.Changes[r.change]
		further := func(f *plan.Field) bool {
			return d.All[c.Index].Kind.RaisesMore(f) && (c.RestOf == "" || !d.Covers(c, f))
		}
		own, held := d.UnlessAgreed(h, c.Address, func() []plan.Part {
			if d.Creates(c) {
				return drafting.PartsOf(c, r.rise)
			}
			return drafting.FieldParts(c, r.rise, further)
		})
		if held {
			holdRiseOf(d.Draft, r.change, own, further)
		}
	}
}

// holdRise holds what raises in one change: a create as a whole, with what lies
// beneath it.
func holdRise(d *drafting.Draft, change int, h plan.Hold) {
	holdRiseOf(d, change, h, d.All[d.Plan.Changes[change].Index].Kind.RaisesMore)
}

// holdRiseOf is holdRise of some fields, where the change is no create.
func holdRiseOf(d *drafting.Draft, change int, h plan.Hold, concerned func(*plan.Field) bool) {
	c := &d.Plan.Changes[change]
	if d.Creates(c) {
		d.HoldTree(change, h)
		return
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; concerned(f) {
			f.Hold(h)
		}
	}
}

// unattended is the rule of what an unattended run may not raise.
type unattended struct{ *drafting.Draft }

// guard holds everything that raises while nobody looks at the plan
// and the operator set no ceiling (design.md section 6, exposure).
func (d *unattended) guard() {
	if !d.Policy.Unattended || d.Policy.MaxDailyExposure > 0 && !d.Policy.CeilingWatched {
		return
	}
	h := plan.Hold{
		Hazard: plan.Unattended, Message: catalogue.Fill("guard.unattended"),
	}
	for i := range d.Plan.Changes {
		if c := &d.Plan.Changes[i]; c.Raises() && !c.HeldFor(plan.Unattended) {
			holdRise(d.Draft, i, h)
		}
	}
}

// frozen is the rule of freeze windows.
type frozen struct{ *drafting.Draft }

// guard holds everything but pauses and decreases while a freeze window is
// open. Adsync's own record goes on.
func (d *frozen) guard() {
	var holds []plan.Hold
	for _, f := range d.Policy.Frozen {
		holds = append(holds, plan.Hold{
			Hazard: plan.Frozen, Message: catalogue.Fill("guard.frozen", "window", strings.TrimSpace(f.Words())),
		})
	}
	for _, h := range holds {
		for i := range d.Plan.Changes {
			d.freeze(&d.Plan.Changes[i], &h)
		}
	}
}

func (d *frozen) freeze(c *plan.Change, h *plan.Hold) {
	switch {
	case c.Action == plan.Record || c.Action == plan.Forget:
	case c.Action == plan.Archive || c.Action == plan.Adopt || d.Creates(c):
		c.Hold(*h)
	default:
		for i := range c.Fields {
			if f := &c.Fields[i]; !f.Lowers() && f.Cause != plan.SentAlong {
				f.HoldAll(h)
			}
		}
	}
}
