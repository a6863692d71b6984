package spend

import (
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/drafting"
)

// Credits are those of earlier plans, as this one uses them.
type Credits struct{ *drafting.Draft }

// FindCredits takes over what is still good of the credits: the changes of this
// plan that are the rest of another, and the decreases that stand.
func (d *Credits) FindCredits() {
	if len(d.Credits) == 0 {
		return
	}
	changes := make(map[resource.Address]*plan.Change, len(d.Plan.Changes))
	for i := range d.Plan.Changes {
		changes[d.Plan.Changes[i].Address] = &d.Plan.Changes[i]
	}
	for i := range d.Credits {
		if left, some := d.leftOf(&d.Credits[i], changes); some {
			d.Plan.Credits = append(d.Plan.Credits, left)
		}
	}
}

// leftOf returns what is left of a credit, and reports whether anything can use it.
func (d *Credits) leftOf(c *plan.Credit, changes map[resource.Address]*plan.Change) (left plan.Credit, some bool) {
	left = plan.Credit{Run: c.Run, Lost: c.Lost, Desired: &resource.Snapshot{}, Last: c.Last, Live: c.Live}
	for want := range c.Desired.All() {
		change, shown := changes[want.Address], c.ShownAt(want.Address)
		rest := &resource.Resource{Address: want.Address}
		for _, n := range want.Attributes {
			if d.isRest(c, change, n) {
				rest.Attributes.Set(n.Name, n.Value)
			}
		}
		some = some || len(rest.Attributes) > 0
		switch {
		case shown.Fall == 0:
		case d.stands(c, want, rest, &left):
		case slices.ContainsFunc(d.Unsettled, func(u plan.Unsettled) bool { return u.Address == want.Address }):
			rest, left.Unsure = want, plan.Plus(left.Unsure, shown.Fall)
		default:
			left.Lost = plan.Plus(left.Lost, shown.Fall)
			continue
		}
		if len(rest.Attributes) == 0 {
			continue
		}
		left.Desired.Add(rest)
		if shown.Rise != 0 || shown.Fall != 0 {
			left.Shown = append(left.Shown, shown)
		}
	}
	return left, some
}

// isRest reports whether a value of a credit is still to be sent, from where it was
// to start.
func (d *Credits) isRest(c *plan.Credit, change *plan.Change, n resource.Named) bool {
	if change == nil {
		return false
	}
	i := slices.IndexFunc(change.Fields, func(f plan.Field) bool { return f.Name == n.Name })
	if i < 0 {
		return false
	}
	f, last := &change.Fields[i], d.All[change.Index].Last
	live := c.Live.Get(change.Address)
	switch {
	case f.Cause == plan.SentAlong || !f.Desired.Equal(n.Value):
		return false
	case live != nil:
		was := drafting.ValueOf(c.Last.Get(change.Address), n.Name)
		return change.Action != plan.Create && f.Live().Equal(live.Value(n.Name)) && f.Last().Equal(was)
	case d.Creates(change):
		return last == nil || change.Action == plan.Replace
	}
	return f.Cause == plan.Edit && !f.Last().Equal(n.Value) // it was created, and this is to follow
}

// stands reports whether a decrease was made by adsync and is still there, or is
// still to be made, and its row is as it was. It adds to the rest what was made, and
// notes what is due.
func (d *Credits) stands(c *plan.Credit, want, rest *resource.Resource, left *plan.Credit) bool {
	at, found := slices.BinarySearchFunc(d.All, want.Address, func(t drafting.Entry, a resource.Address) int {
		return t.Address.Compare(a)
	})
	if !found {
		return false
	}
	t, due := &d.All[at], false
	for _, n := range want.Attributes {
		a := t.Kind.Attributes[n.Name]
		if a == nil || !a.OfMoney() {
			continue
		}
		if rest.Attributes.At(n.Name) != nil {
			due = true
			continue
		}
		was, is := drafting.ValueOf(c.Last.Get(want.Address), n.Name), drafting.ValueOf(t.Last, n.Name)
		written := is.Equal(n.Value) && !is.Equal(was)
		if !written || !drafting.ValueOf(t.Live, n.Name).Equal(n.Value) ||
			!drafting.ValueOf(t.Desired, n.Name).Equal(n.Value) {
			return false
		}
		rest.Attributes.Set(n.Name, n.Value)
	}
	if due {
		left.Due = append(left.Due, c.ShownAt(want.Address))
	}
	return true
}

// CheckDue finds which of the decreases that are still to come go with this plan: what
// is held or left out pays for nothing.
func (d *Credits) CheckDue() {
	for i := range d.Plan.Credits {
		credit := &d.Plan.Credits[i]
		credit.Uncertain = credit.Unsure
		going := map[resource.Address]bool{}
		for j := range d.Plan.Changes {
			if c := &d.Plan.Changes[j]; len(credit.Due) > 0 && c.Held == nil {
				going[c.Address] = !plan.AnyField(c.Fields, func(f *plan.Field) bool {
					return f.Held != nil && credit.Covers(c, f)
				})
			}
		}
		for _, s := range credit.Due {
			if !going[s.Address] {
				credit.Uncertain = plan.Plus(credit.Uncertain, s.Fall)
			}
		}
	}
}

// PaysAt reports whether a credit counts on a decrease at an address.
func (d *Credits) PaysAt(at resource.Address) bool {
	for i := range d.Plan.Credits {
		if d.Plan.Credits[i].ShownAt(at).Fall > 0 {
			return true
		}
	}
	return false
}

// restIn counts what raises in a change, and how much of it a credit covers.
func (d *Credits) restIn(credit *plan.Credit, c *plan.Change) (covered, raising int) {
	k := d.All[c.Index].Kind
	for i := range c.Fields {
		f := &c.Fields[i]
		moves := k.Raises(f) && !f.Lowers()
		if a := k.Attributes[f.Name]; d.Creates(c) {
			moves = a != nil && a.OfMoney()
		}
		if !moves || f.Cause == plan.SentAlong {
			continue
		}
		if raising++; credit.Covers(c, f) {
			covered++
		}
	}
	return covered, raising
}

// Claims is how much of each credit a plan uses, in micros: what rises, and the
// decreases it still has to make for that.
type Claims []struct{ rise, fall int64 }

// Claim counts the rise of a change, as far as a credit covers it, to the first that
// does, and reports whether all of it may go by that.
func (d *Credits) Claim(all Claims, c *plan.Change, before, most int64) (whole bool) {
	for i := range d.Plan.Credits {
		credit := &d.Plan.Credits[i]
		covered, raising := d.restIn(credit, c)
		if covered == 0 || covered < raising && d.Creates(c) {
			continue
		}
		rise := most - before
		if covered < raising {
			t := &d.All[c.Index]
			shown := d.Raised(c, t.Live, func(f *plan.Field) bool { return t.Kind.Raises(f) && credit.Covers(c, f) })
			rise = max(d.ExposureOf(t.Kind, shown)-before, 0)
		}
		if rise > credit.ShownAt(c.Address).Rise {
			continue
		}
		all[i].rise = plan.Plus(all[i].rise, rise)
		if credit.Intact() {
			c.RestOf = credit.Run
		}
		return credit.Intact() && covered == raising
	}
	return false
}

// Pays counts a decrease that is still to come to the credits that count on it.
func (d *Credits) Pays(all Claims, c *plan.Change, fall int64) {
	for i := range d.Plan.Credits {
		if d.Plan.Credits[i].ShownAt(c.Address).Fall > 0 {
			all[i].fall = plan.Plus(all[i].fall, fall)
		}
	}
}

// Sum is by how much more could be spent by now if nothing had been cut off.
func (d *Credits) Sum(all Claims) (sum int64) {
	for i := range all {
		credit := &d.Plan.Credits[i]
		sum = plan.Plus(sum, max(all[i].rise-all[i].fall-credit.Lost-credit.Uncertain, 0))
	}
	return sum
}
