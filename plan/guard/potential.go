package guard

import (
	"math"
	"slices"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
	"adsync/plan/spend"
)

// heldDecreases is what a plan makes of possible spend where a decrease is held: who
// raises something is compared with what could be spent before and with what the
// files ask for, and not with what is left of them.
type heldDecreases struct {
	*drafting.Draft
	*spend.Credits
	at      []*plan.Change // by place; nil where nothing changes
	lower   []int          // places with a held decrease
	running []running      // by place, once it was asked for

	// only these hold others, and nothing releases it; nil: whatever is held does
	uncertain map[resource.Address]*plan.Unsettled
}

// states are one resource before the plan, as the files want it, and at the
// most: with every rise, held or not, and without the decreases that are held.
type states struct{ before, desired, most *resource.Resource }

// potentialSpend is the rule of what is held beside what goes.
type potentialSpend struct {
	*drafting.Draft
	*spend.Credits
}

// guard holds what raises or starts while something that is held, such as
// drift, would let more be spent with it than before and than the files ask for:
// at its own resource, beneath it, and in the whole account. Rises count whether
// or not they are held, so that no allowance makes another one suffice.
func (d *potentialSpend) guard() {
	w := &heldDecreases{Draft: d.Draft, Credits: d.Credits}
	w.guard()
}

func (w *heldDecreases) guard() {
	if !w.find() {
		return
	}
	for i := range w.All {
		w.guardOne(i)
	}
	w.guardTotal()
	w.holdBesideInvalid()
}

// find reports whether a decrease is held.
func (w *heldDecreases) find() bool {
	for i := range w.Plan.Changes {
		c := &w.Plan.Changes[i]
		if !c.IsHeld() || !w.mayLower(c) || w.uncertain != nil && w.uncertain[c.Address] == nil {
			continue
		}
		if w.at == nil {
			w.at = w.byPlace()
		}
		k, s := w.All[c.Index].Kind, w.states(c.Index)
		could, wanted := w.potentialOf(k, s.most), w.potentialOf(k, s.desired)
		if could.Day > wanted.Day || could.Month > wanted.Month ||
			level(k, s.most) > level(k, s.desired) || k.Schema.Caps || k.Gate || w.staysElsewhen(c) {
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
		return (c.Held != nil || f.Held != nil) && w.All[c.Index].Kind.Shifts(f)
	})
}

// mayLower reports whether a held part of the change may be a decrease. What takes the
// place of another cap is sent as a rise, whatever it is, and so are other days.
func (w *heldDecreases) mayLower(c *plan.Change) bool {
	k := w.All[c.Index].Kind
	for i := range c.Fields {
		f := &c.Fields[i]
		a := k.Attributes[f.Name]
		if c.Held == nil && f.Held == nil || c.Pruned || f.Cause == plan.SentAlong {
			continue
		}
		_, compares := f.Live().Number()
		blind := a.Spend == resource.Cover && invisible(c) // nobody sees which days it has
		if f.Lowers() || blind || k.Shifts(f) ||
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
	at := make([]*plan.Change, len(w.All))
	for i := range w.Plan.Changes {
		at[w.Plan.Changes[i].Index] = &w.Plan.Changes[i]
	}
	return at
}

// states returns what becomes of the resource at a place. What the policy removes
// is nothing the files ask for.
func (w *heldDecreases) states(place int) states {
	t, c := &w.All[place], w.at[place]
	s := states{t.Live, t.Live, t.Live}
	switch {
	case w.WaitsAt(place).Holds() && (c != nil || w.WaitsAt(place).Lowers), w.mayLowerAt(place):
		s.desired = w.lowest(t, c)
	case c == nil:
	case c.Pruned:
		if c.Held == nil {
			s.desired = w.After(c, t.Live, drafting.FreeField)
		}
		s.most = s.desired
	case w.Creates(c), c.Action == plan.Create:
		s.desired = t.Kind.Spending(nil, t.Given(), plan.EveryField)
		if c.Held == nil || c.Held.Releasable() && !t.Kind.Schema.Caps {
			s.most = s.desired
		}
	case invisible(c):
		s.desired = t.Kind.Spending(t.Last, t.Given(), plan.EveryField)
	default:
		s.desired = w.After(c, t.Live, plan.EveryField)
		s.most = w.most(t, c)
	}
	return s
}

// most is a resource with all that raises. A cap in the place of another may
// raise or not, and so may other days: what counts is the largest.
func (w *heldDecreases) most(t *drafting.Entry, c *plan.Change) *resource.Resource {
	passes := func(amounts, days bool) func(*plan.Field) bool {
		return func(f *plan.Field) bool {
			if c.Held == nil && f.Held == nil {
				return true
			}
			a := t.Kind.Attributes[f.Name]
			isAmount := drafting.OfSpend(a) || a.Spend == resource.Mode
			// it may be made already
			mayGo := c.Held.Releasable() && f.Held.Releasable() || w.uncertain[c.Address] != nil
			return drafting.Raises(f) && (amounts || !isAmount) && (days || !t.Kind.Shifts(f)) && mayGo
		}
	}
	// of two that come to the same, the days it has: limits may bound the others
	most := w.After(c, t.Live, passes(true, false))
	for _, amounts := range []bool{true, false} {
		for _, days := range []bool{false, true} {
			other := w.After(c, t.Live, passes(amounts, days))
			a, b := w.potentialOf(t.Kind, most), w.potentialOf(t.Kind, other)
			if b.Day > a.Day || b.Day == a.Day && b.Month > a.Month || level(t.Kind, other) > level(t.Kind, most) {
				most = other
			}
		}
	}
	return most
}

// potentialOf returns what one resource can spend by itself.
func (w *heldDecreases) potentialOf(k *drafting.Kind, r *resource.Resource) spend.Potential {
	if r == nil || !k.Counts() {
		return spend.Potential{}
	}
	_, month, _ := spend.Alone(w.Draft, k, r)()
	return spend.Potential{Day: w.ExposureOf(k, r), Month: month}
}

// running says at which of its states a resource and all above it are active.
type running struct{ before, desired, most bool }

// runs returns that of a place; what is above it stands before it.
func (w *heldDecreases) runs(place int, s states) (r running) {
	if w.running == nil {
		w.running = make([]running, len(w.All))
	}
	above, t := running{true, true, true}, &w.All[place]
	if t.Up >= 0 {
		above = w.running[t.Up]
	}
	is := func(r *resource.Resource) bool { return r != nil && (t.Kind.Delivery == "" || t.Kind.Delivers(r)) }
	r = running{above.before && is(s.before), above.desired && is(s.desired), above.most && is(s.most)}
	w.running[place] = r
	return r
}

// level is how much a resource that has no cap of its own asks for where it
// delivers: its bid, all of it where it has none, one where its kind never bids.
func level(k *drafting.Kind, r *resource.Resource) int64 {
	if r == nil || k.Counts() || k.Gate || !k.Delivers(r) {
		return 0
	}
	for i := range k.Schema.Attributes {
		a := &k.Schema.Attributes[i]
		if a.Spend != resource.Amount {
			continue
		}
		if n, set := r.Value(a.Name).Number(); set {
			return k.Scaled(a, n, r)
		}
		return math.MaxInt64
	}
	return 1
}

// guardOne holds what raises a resource, or starts it or what is above it, where
// a held part of it would then spend.
func (w *heldDecreases) guardOne(place int) {
	t := &w.All[place]
	s := w.states(place)
	runs := w.runs(place, s)
	if !slices.Contains(w.lower, place) {
		return
	}
	if t.Kind.Counts() {
		before, desired, most := w.potentialOf(t.Kind, s.before),
			w.potentialOf(t.Kind, s.desired), w.potentialOf(t.Kind, s.most)
		if most.Exceeds(before, desired) {
			w.holdRaises(place, most.Excess(before, spend.Potential{}), drafting.Raises,
				w.because(most.Words(t.Address.String(), before, desired), place, ""))
		}
		return
	}
	level := func(runs bool, r *resource.Resource) int64 {
		if !runs {
			return 0
		}
		return level(t.Kind, r)
	}
	before, desired, most := level(runs.before, s.before), level(runs.desired, s.desired), level(runs.most, s.most)
	if most <= max(before, desired) {
		return
	}
	words := w.because(catalogue.Fill("guard.delivers-more", "address", t.Address.String()), place, "")
	w.holdRaises(place, most-max(before, desired), drafting.Raises, words)
	for up := t.Up; up >= 0; up = w.All[up].Up {
		w.holdRaises(up, most-max(before, desired), func(f *plan.Field) bool {
			return f.Phase == plan.Activate
		}, words)
	}
}

// because ends what is said with what of a resource is held, so that others have to wait. Of another than what is
// spoken of it names the address.
func (w *heldDecreases) because(what string, place int, address string) string {
	end := "it"
	if address != "" {
		end = "other"
	}
	u := w.uncertain[w.All[place].Address]
	switch {
	case w.WaitsAt(place) != nil:
		return catalogue.Fill("guard.as.cell."+end, "what", what, "address", address)
	case u != nil && u.Unconfirmed:
		return catalogue.Fill("guard.as.unconfirmed."+end, "what", what, "change", plan.SentWords(u.What),
			"address", address)
	case u != nil:
		return u.Decide(catalogue.Fill("guard.as.unknown."+end, "what", what, "change", plan.SentWords(u.What),
			"address", address))
	}
	return catalogue.Fill("guard.as.held."+end, "what", what, "part", w.heldPart(place), "address", address)
}

// heldPart names what is held of a resource, and why.
func (w *heldDecreases) heldPart(place int) string {
	c := w.at[place]
	if c.Held != nil {
		return catalogue.Fill("guard.part-change", "change", plan.SentWords(string(c.Action)),
			"hazard", string(c.Held.Hazard))
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Held != nil && f.Held.Hazard != plan.ExceedsFiles {
			return catalogue.Fill("guard.part-field", "attribute", f.Name, "hazard", string(f.Held.Hazard))
		}
	}
	return catalogue.Fill("guard.part")
}

// holdRaises holds the fields of a change that raise and that nothing else holds.
func (w *heldDecreases) holdRaises(place int, excess int64, raises func(*plan.Field) bool, message string) {
	c := w.at[place]
	free := func(f *plan.Field) bool { return f.Held == nil && raises(f) && (!w.isShown(c) || !w.Covers(c, f)) }
	if c == nil || c.Held != nil || w.Creates(c) || !plan.AnyField(c.Fields, free) {
		return
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
// that is held bounds nothing, whichever plan it was of; and what a wrong cell in its tree
// was to lower or stop that plan did not know.
func (w *heldDecreases) isShown(c *plan.Change) bool {
	return c.RestOf != "" && !slices.ContainsFunc(w.lower, func(place int) bool {
		return place == c.Index || w.All[place].Kind.Schema.Caps || w.PaysAt(w.All[place].Address) ||
			w.mayLowerAt(place) && w.top(place) == w.top(c.Index)
	})
}

func (w *heldDecreases) unlessMeant(c *plan.Change,
	excess int64, message string, raises func(*plan.Field) bool) (plan.Hold, bool) {
	if w.uncertain != nil {
		return plan.Hold{Hazard: plan.Undecided, Message: message}, true
	}
	c.Hazards = append(c.Hazards, plan.ExceedsFiles)
	h := plan.Hold{Hazard: plan.ExceedsFiles, Message: message, Allow: plan.AllowAt(plan.ExceedsFiles, c.Address)}
	return w.UnlessCovered(h, c.Address, func() []plan.Part {
		if raises == nil {
			return drafting.PartsOf(c, excess)
		}
		return drafting.FieldParts(c, excess, func(f *plan.Field) bool { return f.Held == nil && raises(f) })
	})
}

// guardTotal holds everything that raises where the account could spend more
// than before and than the files ask for: a decrease that is held frees no money
// for others.
func (w *heldDecreases) guardTotal() {
	before, desired, most := w.totals()
	words := most.Excess(before, desired)
	if words == "" {
		return
	}
	last := w.lower[len(w.lower)-1]
	message := w.because(words, last, w.All[last].Address.String())
	for i := range w.Spending {
		place := w.Spending[i].Index
		c, k, s := w.at[place], w.All[place].Kind, w.states(place)
		if c == nil || c.Held != nil || k.Counts() &&
			!w.potentialOf(k, s.most).Exceeds(w.potentialOf(k, s.before), spend.Potential{}) && !w.otherDays(k, s) {
			continue
		}
		// as in guardOne, so that one yes is to both; what others add is theirs
		own := w.potentialOf(k, s.most).Excess(w.potentialOf(k, s.before), spend.Potential{})
		switch {
		case w.Creates(c) && w.isShown(c):
		case w.Creates(c) && k.Counts(), c.Action == plan.Archive && k.Schema.Caps:
			if h, held := w.unlessMeant(c, own, message, nil); held {
				w.HoldTree(w.indexOf(c), h)
			}
		default:
			w.holdRaises(place, own, drafting.Raises, message)
		}
	}
}

// otherDays reports whether a resource spends on days on which it did not: what holds there is
// another limit of the account.
func (w *heldDecreases) otherDays(k *drafting.Kind, s states) bool {
	return s.before != nil && s.most != nil && k.SpanOf(s.most).Beyond(k.SpanOf(s.before))
}

func (w *heldDecreases) indexOf(c *plan.Change) int {
	i, _ := slices.BinarySearchFunc(w.Plan.Changes, c.Index, func(o plan.Change, place int) int {
		return o.Index - place
	})
	return i
}

// totals returns the account at each of its states.
func (w *heldDecreases) totals() (before, desired, most *spend.Exposure) {
	of := [3]*spend.Exposure{}
	for i := range of {
		of[i] = spend.NewExposure(w.Draft)
	}
	for i := range w.Spending {
		place := w.Spending[i].Index
		one, s := &spend.Spender{Entry: &w.All[place], Now: w.Spending[i].Now}, w.states(place)
		of[0].Add(one, s.before)
		of[1].Add(one, s.desired)
		of[2].Add(one, s.most)
		if k := w.All[place].Kind; (k.Schema.Caps || k.Gate) && w.mayLowerAt(place) {
			of[1].Stop(w.All[place].Address)
		}
	}
	return of[0], of[1], of[2]
}
