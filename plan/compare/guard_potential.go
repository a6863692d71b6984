package compare

import (
	"fmt"
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
)

// waiting is what a plan makes of possible spend where a decrease is held: who
// raises something is compared with what could be spent before and with what the
// files ask for, and not with what is left of them.
type heldDecreases struct {
	*draft
	*credits
	at      []*plan.Change // by place; nil where nothing changes
	lower   []int          // places with a held decrease
	running []running      // by place, once it was asked for

	// only these hold others, and nothing releases it; nil: whatever is held does
	uncertain map[resource.Address]*plan.Unsettled
}

// states are one resource before the plan, as the files want it, and at the
// most: with every rise, held or not, and without the decreases that are held.
type states struct{ before, desired, most *resource.Resource }

// could is what can be spent, in micros: on one day, which all that is left of a
// lifetime budget could go in, and this month.
type potential struct{ day, month int64 }

func (c potential) exceeds(before, desired potential) bool {
	return c.day > max(before.day, desired.day) || c.month > max(before.month, desired.month)
}

// waitingRule is the rule of what is held beside what goes.
type potentialSpend struct {
	*draft
	*credits
}

// guard holds what raises or starts while something that is held, such as
// drift, would let more be spent with it than before and than the files ask for:
// at its own resource, beneath it, and in the whole account. Rises count whether
// or not they are held, so that no allowance makes another one suffice.
func (d *potentialSpend) guard() {
	w := &heldDecreases{draft: d.draft, credits: d.credits}
	w.guard()
}

func (w *heldDecreases) guard() {
	if !w.find() {
		return
	}
	for i := range w.all {
		w.guardOne(i)
	}
	w.guardTotal()
	w.holdBesideInvalid()
}

// find reports whether a decrease is held.
func (w *heldDecreases) find() bool {
	for i := range w.plan.Changes {
		c := &w.plan.Changes[i]
		if !c.IsHeld() || !w.mayLower(c) || w.uncertain != nil && w.uncertain[c.Address] == nil {
			continue
		}
		if w.at == nil {
			w.at = w.byPlace()
		}
		k, s := w.all[c.Index].kind, w.states(c.Index)
		could, wanted := w.potentialOf(k, s.most), w.potentialOf(k, s.desired)
		if could.day > wanted.day || could.month > wanted.month ||
			k.level(s.most) > k.level(s.desired) || k.schema.Caps || k.gate || w.staysElsewhen(c) {
			w.lower = append(w.lower, c.Index)
		}
	}
	if w.uncertain == nil {
		w.findInvalid()
	}
	return len(w.lower) > 0
}

// staysElsewhen reports whether days of a change are held: what comes to the same by itself may
// come to more beside the limits of the account, which have days of their own.
func (w *heldDecreases) staysElsewhen(c *plan.Change) bool {
	return plan.AnyField(c.Fields, func(f *plan.Field) bool {
		return (c.Held != nil || f.Held != nil) && w.all[c.Index].kind.shifts(f)
	})
}

// mayLower reports whether a held part of the change may be a decrease. What takes the
// place of another cap is sent as a rise, whatever it is, and so are other days.
func (w *heldDecreases) mayLower(c *plan.Change) bool {
	k := w.all[c.Index].kind
	for i := range c.Fields {
		f := &c.Fields[i]
		a := k.attributes[f.Name]
		if c.Held == nil && f.Held == nil || c.Pruned || f.Cause == plan.SentAlong {
			continue
		}
		_, compares := f.Live().Number()
		blind := a.Spend == resource.Cover && invisible(c) // nobody sees which days it has
		if f.Lowers() || blind || k.shifts(f) ||
			a.Spend == resource.Mode || a.Spend == resource.Amount && (!compares || !f.Desired.IsSet()) {
			return true
		}
	}
	return false
}

// invisible reports whether the account may not use the kind, so that the resource does not
// show.
func invisible(c *plan.Change) bool {
	return c.Held.Contains(func(h *plan.Hold) bool { return h.Hazard == plan.Unavailable })
}

func (w *heldDecreases) byPlace() []*plan.Change {
	at := make([]*plan.Change, len(w.all))
	for i := range w.plan.Changes {
		at[w.plan.Changes[i].Index] = &w.plan.Changes[i]
	}
	return at
}

// states returns what becomes of the resource at a place. What the policy removes
// is nothing the files ask for.
func (w *heldDecreases) states(place int) states {
	t, c := &w.all[place], w.at[place]
	s := states{t.live, t.live, t.live}
	switch {
	case w.waitsAt(place).holds() && (c != nil || w.waitsAt(place).Lowers), w.mayLowerAt(place):
		s.desired = w.lowest(t, c)
	case c == nil:
	case c.Pruned:
		if c.Held == nil {
			s.desired = w.after(c, t.live, freeField)
		}
		s.most = s.desired
	case w.creates(c), c.Action == plan.Create:
		s.desired = t.kind.spending(nil, t.given(), plan.EveryField)
		if c.Held == nil || c.Held.Releasable() && !t.kind.schema.Caps {
			s.most = s.desired
		}
	case invisible(c):
		s.desired = t.kind.spending(t.last, t.given(), plan.EveryField)
	default:
		s.desired = w.after(c, t.live, plan.EveryField)
		s.most = w.most(t, c)
	}
	return s
}

// most is a resource with all that raises. A cap in the place of another may
// raise or not, and so may other days: what counts is the largest.
func (w *heldDecreases) most(t *entry, c *plan.Change) *resource.Resource {
	passes := func(amounts, days bool) func(*plan.Field) bool {
		return func(f *plan.Field) bool {
			if c.Held == nil && f.Held == nil {
				return true
			}
			a := t.kind.attributes[f.Name]
			isAmount := a.Spend == resource.Amount || a.Spend == resource.Mode
			// it may be made already
			mayGo := c.Held.Releasable() && f.Held.Releasable() || w.uncertain[c.Address] != nil
			return raises(f) && (amounts || !isAmount) && (days || !t.kind.shifts(f)) && mayGo
		}
	}
	// of two that come to the same, the days it has: limits may bound the others
	most := w.after(c, t.live, passes(true, false))
	for _, amounts := range []bool{true, false} {
		for _, days := range []bool{false, true} {
			other := w.after(c, t.live, passes(amounts, days))
			a, b := w.potentialOf(t.kind, most), w.potentialOf(t.kind, other)
			if b.day > a.day || b.day == a.day && b.month > a.month || t.kind.level(other) > t.kind.level(most) {
				most = other
			}
		}
	}
	return most
}

// could gives what one resource can spend by itself.
func (w *heldDecreases) potentialOf(k *kind, r *resource.Resource) potential {
	if r == nil || !k.counts() {
		return potential{}
	}
	_, month, _ := w.alone(k, r)()
	return potential{w.exposureOf(k, r), month}
}

// running says at which of its states a resource and all above it are active.
type running struct{ before, desired, most bool }

// runs returns that of a place; what is above it stands before it.
func (w *heldDecreases) runs(place int, s states) (r running) {
	if w.running == nil {
		w.running = make([]running, len(w.all))
	}
	above, t := running{true, true, true}, &w.all[place]
	if t.up >= 0 {
		above = w.running[t.up]
	}
	is := func(r *resource.Resource) bool { return r != nil && (t.kind.delivery == "" || t.kind.delivers(r)) }
	r = running{above.before && is(s.before), above.desired && is(s.desired), above.most && is(s.most)}
	w.running[place] = r
	return r
}

// level is how much a resource that has no cap of its own asks for where it
// delivers: its bid, all of it where it has none, one where its kind never bids.
func (k *kind) level(r *resource.Resource) int64 {
	if r == nil || k.counts() || k.gate || !k.delivers(r) {
		return 0
	}
	for i := range k.schema.Attributes {
		a := &k.schema.Attributes[i]
		if a.Spend != resource.Amount {
			continue
		}
		if n, set := r.Value(a.Name).Number(); set {
			return n
		}
		return unbounded
	}
	return 1
}

// guardOne holds what raises a resource, or starts it or what is above it, where
// a held part of it would then spend.
func (w *heldDecreases) guardOne(place int) {
	t := &w.all[place]
	s := w.states(place)
	runs := w.runs(place, s)
	if !slices.Contains(w.lower, place) {
		return
	}
	because := w.because(place, "of it")
	if t.kind.counts() {
		before, desired, most := w.potentialOf(t.kind, s.before),
			w.potentialOf(t.kind, s.desired), w.potentialOf(t.kind, s.most)
		if most.exceeds(before, desired) {
			w.holdRaises(place, most.excess(before, potential{}),
				raises, "on "+t.address.String(), most.Words(before, desired)+because)
		}
		return
	}
	level := func(runs bool, r *resource.Resource) int64 {
		if !runs {
			return 0
		}
		return t.kind.level(r)
	}
	before, desired, most := level(runs.before, s.before), level(runs.desired, s.desired), level(runs.most, s.most)
	if most <= max(before, desired) {
		return
	}
	words := t.address.String() + " would deliver with more than it does now and than the files ask for" + because
	w.holdRaises(place, most-max(before, desired), raises, "", words)
	for up := t.up; up >= 0; up = w.all[up].up {
		w.holdRaises(up, most-max(before, desired), func(f *plan.Field) bool {
			return f.Phase == plan.Activate
		}, "", words)
	}
}

// words says how much could be spent, and how much could be before and by the
// files.
func (c potential) Words(before, desired potential) string {
	const said = "%s could be spent %s, more than %s now and %s by the files"
	if c.day > max(before.day, desired.day) {
		return fmt.Sprintf(said, resource.FormatMoney(c.day),
			"a day", resource.FormatMoney(before.day), resource.FormatMoney(desired.day))
	}
	return fmt.Sprintf(said, resource.FormatMoney(c.month),
		"this month", resource.FormatMoney(before.month), resource.FormatMoney(desired.month))
}

// because returns what of a resource is held, so that others have to wait.
func (w *heldDecreases) because(place int, whose string) string {
	u := w.uncertain[w.all[place].address]
	switch {
	case w.waitsAt(place) != nil:
		return ", as a cell of the row " + whose + " is not valid and may lower it"
	case u != nil && u.Unconfirmed:
		return ", as the " + u.What + " " + whose + " is not confirmed"
	case u != nil:
		return ", as it is unknown whether the " + u.What + " " + whose + " was made" + u.Decide()
	}
	return ", as " + w.heldPart(place) + " " + whose + " is held"
}

// heldPart names what is held of a resource, and why.
func (w *heldDecreases) heldPart(place int) string {
	c := w.at[place]
	if c.Held != nil {
		return "the " + string(c.Action) + " (" + string(c.Held.Hazard) + ")"
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Held != nil && f.Held.Hazard != plan.ExceedsFiles {
			return f.Name + " (" + string(f.Held.Hazard) + ")"
		}
	}
	return "a part"
}

// holdRaises holds the fields of a change that raise and that nothing else holds.
func (w *heldDecreases) holdRaises(place int, excess int64, raises func(*plan.Field) bool, what, message string) {
	c := w.at[place]
	free := func(f *plan.Field) bool { return f.Held == nil && raises(f) && (!w.isShown(c) || !w.Covers(c, f)) }
	if c == nil || c.Held != nil || w.creates(c) || !plan.AnyField(c.Fields, free) {
		return
	}
	if what != "" {
		message = what + " " + message
	}
	h, held := w.unlessMeant(c, excess, message, raises)
	for i := range c.Fields {
		if f := &c.Fields[i]; held && free(f) {
			f.Hold(h)
		}
	}
}

// isShown reports whether a change is the rest of a plan that was compared with what
// there was before it, and none of whose own decreases is held. A limit of the account
// that is held bounds nothing, whichever plan it was of.
func (w *heldDecreases) isShown(c *plan.Change) bool {
	return c.RestOf != "" && !slices.ContainsFunc(w.lower, func(place int) bool {
		return w.all[place].kind.schema.Caps || w.paysAt(w.all[place].address)
	})
}

func (w *heldDecreases) unlessMeant(c *plan.Change,
	excess int64, message string, raises func(*plan.Field) bool) (plan.Hold, bool) {
	if w.uncertain != nil {
		return plan.Hold{Hazard: plan.Undecided, Message: message}, true
	}
	c.Hazards = append(c.Hazards, plan.ExceedsFiles)
	h := plan.Hold{Hazard: plan.ExceedsFiles, Message: message, Allow: plan.AllowAt(plan.ExceedsFiles, c.Address)}
	return w.unlessCovered(h, c.Address, func() []plan.Part {
		if raises == nil {
			return partsOf(c, excess)
		}
		return fieldParts(c, excess, func(f *plan.Field) bool { return f.Held == nil && raises(f) })
	})
}

// excess is by how much more can be spent than before and than the files ask for, in
// micros.
func (c potential) excess(before, desired potential) int64 {
	return max(c.day-max(before.day, desired.day), c.month-max(before.month, desired.month), 0)
}

// guardTotal holds everything that raises where the account could spend more
// than before and than the files ask for: a decrease that is held frees no money
// for others.
func (w *heldDecreases) guardTotal() {
	before, desired, most := w.totals()
	words := most.excess(before, desired)
	if words == "" {
		return
	}
	last := w.lower[len(w.lower)-1]
	message := "in the account " + words + w.because(last, "of "+w.all[last].address.String())
	for i := range w.spending {
		place := w.spending[i].index
		c, k, s := w.at[place], w.all[place].kind, w.states(place)
		if c == nil || c.Held != nil || k.counts() &&
			!w.potentialOf(k, s.most).exceeds(w.potentialOf(k, s.before), potential{}) && !w.otherDays(k, s) {
			continue
		}
		// as in guardOne, so that one yes is to both; what others add is theirs
		own := w.potentialOf(k, s.most).excess(w.potentialOf(k, s.before), potential{})
		switch {
		case w.creates(c) && w.isShown(c):
		case w.creates(c) && k.counts(), c.Action == plan.Archive && k.schema.Caps:
			if h, held := w.unlessMeant(c, own, message, nil); held {
				w.holdTree(w.indexOf(c), h)
			}
		default:
			w.holdRaises(place, own, raises, "", message)
		}
	}
}

// otherDays reports whether a resource spends on days on which it did not: what holds there is
// another limit of the account.
func (w *heldDecreases) otherDays(k *kind, s states) bool {
	return s.before != nil && s.most != nil && k.spanOf(s.most).beyond(k.spanOf(s.before))
}

func (w *heldDecreases) indexOf(c *plan.Change) int {
	i, _ := slices.BinarySearchFunc(w.plan.Changes, c.Index, func(o plan.Change, place int) int {
		return o.Index - place
	})
	return i
}

// totals returns the account at each of its states.
func (w *heldDecreases) totals() (before, desired, most *exposure) {
	of := [3]*exposure{}
	for i := range of {
		of[i] = &exposure{calendar: w.calendar, spent: w.Spent}
	}
	for i := range w.spending {
		place := w.spending[i].index
		one, s := &spender{entry: &w.all[place], now: w.spending[i].now}, w.states(place)
		of[0].add(one, s.before)
		of[1].add(one, s.desired)
		of[2].add(one, s.most)
		if k := w.all[place].kind; (k.schema.Caps || k.gate) && w.mayLowerAt(place) {
			of[1].limits = append(of[1].limits, limit{address: w.all[place].address, per: pausedAccount})
		}
	}
	return of[0], of[1], of[2]
}

// excess returns where more can be spent than before and than the files ask for, "" where
// nowhere: in all, and on each day from which other limits hold.
func (e *exposure) excess(before, desired *exposure) string {
	if is, was, wanted := e.potentialOf(), before.potentialOf(), desired.potentialOf(); is.exceeds(was, wanted) {
		return is.Words(was, wanted)
	}
	for _, day := range turns(e, before, desired) {
		if is, was, wanted := e.on(day), before.on(day), desired.on(day); is > max(was, wanted) {
			return fmt.Sprintf("%s could be spent on %s, more than %s now and %s by the files",
				resource.FormatMoney(is), day, resource.FormatMoney(was), resource.FormatMoney(wanted))
		}
	}
	return ""
}

// turns are the days, from today on, from which some limit holds, or holds no more.
func turns(all ...*exposure) (days []string) {
	for _, e := range all {
		for _, l := range e.limits {
			days = append(days, l.first)
			if l.last != "" {
				days = append(days, dayAfter(l.last))
			}
		}
	}
	today := all[0].today
	days = append(days, today)
	slices.Sort(days)
	return slices.DeleteFunc(slices.Compact(days), func(day string) bool { return today == "" || day < today })
}

// on returns what can be spent on one day, within the account's limits.
func (e *exposure) on(day string) int64 {
	if slices.ContainsFunc(e.limits, func(l limit) bool { return l.per == pausedAccount }) {
		return 0
	}
	return min(plan.Plus(e.daily, e.lifetime), e.mostOn(day))
}

// could gives what can be spent within the account's limits.
func (e *exposure) potentialOf() potential {
	day, month, lifetime := e.bounded()
	if lifetime > 0 {
		day = min(plan.Plus(e.daily, lifetime), e.mostOfADay())
	}
	return potential{day, month}
}
