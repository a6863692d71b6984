package compare

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/spend"
)

// agreeOnHolds compares what the guards hold now with what was held when the
// plan was saved: nothing goes that did not go then, and what went then and is
// held now is said. The guards look once more at what that leaves.
func (d *comparedToSaved) compareHolds() {
	if d.Saved == nil {
		return
	}
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		saved := d.Saved.Changes[c.Address]
		d.holdAsSaved(i, &saved)
		d.heldSince(c, &saved)
		d.compareSpend(i, &saved)
	}
	d.guardAgain()
	slices.SortStableFunc(d.Plan.Stale, func(a, b plan.Stale) int {
		return cmp.Or(a.Address.Compare(b.Address), strings.Compare(a.Attribute, b.Attribute))
	})
}

// holdBesideNewer holds what would exceed the files beside a change that the saved plan
// does not know, and that is held itself: left out, it frees no more money than held. The
// guards look at all changes for that, and nothing else of what they find counts.
func (d *comparedToSaved) holdBesideNewer(c *choice) {
	if !slices.ContainsFunc(d.Plan.Changes, func(change plan.Change) bool { return !c.chosen[change.Address] }) {
		return
	}
	before, used, problems := *d.Plan, slices.Clone(d.Used), d.Problems.Sorted()
	before.Changes = slices.Clone(before.Changes)
	for i := range before.Changes {
		change := &before.Changes[i]
		change.Fields, change.Hazards = slices.Clone(change.Fields), slices.Clone(change.Hazards)
	}
	d.guards.Hold()
	all := d.Plan.Changes
	*d.Plan, d.Used, d.Problems = before, used, diag.List{}
	d.Problems.AddAll(problems)
	for i := range all {
		change := &d.Plan.Changes[i]
		for _, h := range all[i].Held.Exceeding() {
			change.Hold(h)
		}
		for j := range change.Fields {
			for _, h := range all[i].Fields[j].Held.Exceeding() {
				change.Fields[j].Hold(h)
			}
		}
	}
}

func (d *comparedToSaved) holdAsSaved(i int, saved *plan.SavedChange) {
	c := &d.Plan.Changes[i]
	if c.Writes() && c.Held == nil && (saved.Held != nil || saved.Action != c.Action) {
		d.holdOutdated(i, catalogue.Fill("saved.held-then"))
		return
	}
	for j := range c.Fields {
		f := &c.Fields[j]
		if f.Held == nil && f.Cause != plan.SentAlong && !saved.Let(f.Name) {
			f.Hold(plan.Hold{Hazard: plan.Outdated,
				Message: catalogue.Fill("saved.again", "what", catalogue.Fill("saved.held-then"))})
		}
	}
}

// heldSince says what went when the plan was saved and is held now, by a guard
// that changed or without the allowance that was given then.
func (d *comparedToSaved) heldSince(c *plan.Change, saved *plan.SavedChange) {
	if !saved.Sends() {
		return
	}
	say := func(h *plan.Hold, attribute string, at diag.Position) {
		if h == nil || slices.ContainsFunc(h.Flatten(nil), func(h plan.Hold) bool {
			return h.Hazard == plan.Outdated
		}) {
			return
		}
		message := catalogue.Fill("saved.held-now", "hazard", string(h.Hazard), "why", h.Message)
		if h.Allow != "" {
			message = catalogue.Fill("saved.allow", "what", message, "command", "--allow "+h.Allow)
		}
		d.Plan.Stale = append(d.Plan.Stale, plan.Stale{
			Address: c.Address, Attribute: attribute, What: plan.StaleConsent, Position: at, Message: message,
		})
	}
	say(c.Held, "", c.Position)
	for i := range c.Fields {
		if f := &c.Fields[i]; saved.Let(f.Name) {
			say(f.Held, f.Name, f.Desired.Position)
		}
	}
}

// agreeOnSpend holds what raises or starts where the whole change comes to more
// possible spend than it was saved with: a budget the files do not manage may
// have moved beneath an activation.
func (d *comparedToSaved) compareSpend(i int, saved *plan.SavedChange) {
	c := &d.Plan.Changes[i]
	spend.CountOne(d.Draft, c)
	if !saved.Sends() || c.Spend.DailyAfter <= saved.Spend.DailyAfter &&
		c.Spend.LifetimeAfter <= saved.Spend.LifetimeAfter {
		return
	}
	if c.Spend.DailyAfter <= c.Spend.DailyBefore && c.Spend.LifetimeAfter <= c.Spend.LifetimeBefore {
		return // it raises nothing itself
	}
	message := catalogue.Fill("saved.spend",
		"day", resource.FormatMoney(c.Spend.DailyAfter), "lifetime", resource.FormatMoney(c.Spend.LifetimeAfter),
		"saved-day", resource.FormatMoney(saved.Spend.DailyAfter),
		"saved-lifetime", resource.FormatMoney(saved.Spend.LifetimeAfter))
	d.Plan.Stale = append(d.Plan.Stale, plan.Stale{
		Address: c.Address, What: plan.StaleSpend, Position: c.Position, Message: message,
	})
	if c.Action != plan.Update && c.Action != plan.Adopt {
		d.holdOutdated(i, message)
		return
	}
	for j := range c.Fields {
		if f := &c.Fields[j]; f.Phase >= plan.Raise && f.Held == nil {
			f.Hold(plan.Hold{Hazard: plan.Outdated, Message: catalogue.Fill("saved.again", "what", message)})
		}
	}
}
