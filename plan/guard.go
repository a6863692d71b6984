package plan

import (
	"fmt"

	"adsync/internal/resource"
)

// guard holds what the policy's limits stop, in changes the table lets pass.
func (d *differ) guard() {
	rises := d.dailyRises()
	d.eachRise(func(c *Change, f *Field, a *resource.Attribute) {
		if h, ok := d.amountHold(c.Address, a, f, rises); ok {
			f.hold(h)
		}
	})
	d.guardPeople()
	archives := d.archivesByKind()
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		if c.Action == Archive {
			d.guardArchive(c, archives[c.Address.Kind])
			continue
		}
		d.holdBroken(c)
	}
}

// archiving is how many of a kind a plan would archive, and how many it may.
type archiving struct{ filed, pruned, limit int64 }

func (d *differ) archivesByKind() map[resource.Kind]*archiving {
	managed := map[resource.Kind]int64{}
	for _, a := range d.addresses {
		if d.Last.Get(a) != nil || d.Desired.Get(a) != nil {
			managed[a.Kind]++
		}
	}
	kinds := map[resource.Kind]*archiving{}
	for k := range d.kinds {
		kinds[k] = &archiving{limit: d.Policy.archiveLimit(managed[k])}
	}
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		switch {
		case c.Action == Archive && c.Pruned:
			kinds[c.Address.Kind].pruned++
		case c.Action == Archive:
			kinds[c.Address.Kind].filed++
		}
	}
	return kinds
}

// guardArchive holds an archive until it is allowed: by its address, by a count
// that all of its kind fit in, or by name while they are within the limit.
// What the files ask for does not count what the policy adds.
func (d *differ) guardArchive(c *Change, n *archiving) {
	asked := n.filed
	if c.Pruned {
		asked += n.pruned
	}
	for i := range d.Allow {
		a := &d.Allow[i]
		switch {
		case a.Hazard != Archives:
		case a.HasAmount && asked <= a.Amount:
			return
		case !a.HasAmount && a.Address == c.Address:
			return
		case !a.HasAmount && a.Address.IsZero() && asked <= n.limit:
			return
		}
	}
	message := "archiving cannot be undone"
	if c.Pruned {
		message = "is no longer in the files and the policy archives it; " + message
	}
	if asked > n.limit {
		message += fmt.Sprintf("; %d of kind %s would be archived and the limit is %d a run", asked, c.Address.Kind, n.limit)
	}
	c.hold(Hold{Hazard: Archives, Message: message, Allow: allowAt(Archives, c.Address)})
}

// dailyRises sums the guarded rises of daily caps, for an allowance such as
// raises-spend=120/day. It counts what is held for other reasons too, so that no
// allowance makes another one suffice.
func (d *differ) dailyRises() int64 {
	sum := int64(0)
	d.eachRise(func(c *Change, f *Field, a *resource.Attribute) {
		to, _ := f.Desired.Number()
		from, _ := f.Live.Number()
		if a.Per == "day" && exceeds(to, from, d.Policy.Budget.HoldAbove) {
			sum = plus(sum, to-from)
		}
	})
	return sum
}

// eachRise walks the amounts of existing resources that rise, are set or cleared.
func (d *differ) eachRise(do func(*Change, *Field, *resource.Attribute)) {
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		if c.Action == Create || c.Action == Archive {
			continue
		}
		for j := range c.Fields {
			a := d.kinds[c.Address.Kind].attributes[c.Fields[j].Name]
			if c.Fields[j].Phase == Raise && a.Spend == resource.Amount {
				do(c, &c.Fields[j], a)
			}
		}
	}
}

// amountHold holds a rise the policy does not let pass and nobody allowed.
func (d *differ) amountHold(at resource.Address, a *resource.Attribute, f *Field, rises int64) (Hold, bool) {
	to, toSet := f.Desired.Number()
	from, fromSet := f.Live.Number()
	limits := d.Policy.Budget
	if a.Per == "" {
		limits = d.Policy.Bid
	}
	share, capped := d.aboveShare(at, a, to)
	switch {
	case !toSet:
		return d.unlessAllowed(at, a, to, rises, a.Name+" is cleared, so that nothing caps it")
	case capped:
		return d.unlessExact(at, to, fmt.Sprintf("%s is %s, above %d %% of the daily budget %s; the exact amount must be allowed", a.Name, a.Format(f.Desired), d.Policy.BidShare, resource.FormatMoney(share)))
	case !fromSet && a.Per != "":
		return d.unlessAllowed(at, a, to, rises, a.Name+" takes the place of another cap: "+a.Format(f.Desired)+" per "+a.Per)
	case !fromSet:
		return Hold{}, false
	case reaches(to, from, limits.RefuseFrom):
		return d.unlessExact(at, to, fmt.Sprintf("%s rises %s, from %s to %s; from %s on the exact amount must be allowed", a.Name, times(to, from), a.Format(f.Live), a.Format(f.Desired), percent(limits.RefuseFrom)))
	case exceeds(to, from, limits.HoldAbove):
		return d.unlessAllowed(at, a, to, rises, fmt.Sprintf("%s rises %s, from %s to %s; up to %s passes", a.Name, times(to, from), a.Format(f.Live), a.Format(f.Desired), percent(limits.HoldAbove)))
	}
	return Hold{}, false
}

// aboveShare says that a bid is above its share of the daily cap over it, and
// gives the cap: what the files say, else what is live.
func (d *differ) aboveShare(at resource.Address, a *resource.Attribute, bid int64) (int64, bool) {
	if a.Per != "" {
		return 0, false
	}
	for up := d.Schemas.Parent(at); !up.IsZero(); up = d.Schemas.Parent(up) {
		for _, limit := range d.kinds[up.Kind].caps {
			most, ok := d.said(up, limit.Name)
			if ok && limit.Per == "day" && exceeds(bid, most, d.Policy.BidShare) {
				return most, true
			}
		}
	}
	return 0, false
}

func (d *differ) said(at resource.Address, name string) (int64, bool) {
	if r := d.Desired.Get(at); r != nil {
		if n, ok := r.Value(name).Number(); ok {
			return n, true
		}
	}
	if r := d.Live.Get(at); r != nil {
		return r.Value(name).Number()
	}
	return 0, false
}

// unlessAllowed gives the hold of a rise that a consent by name, by address, by
// amount or by a sum a day releases.
func (d *differ) unlessAllowed(at resource.Address, a *resource.Attribute, to, rises int64, message string) (Hold, bool) {
	for i := range d.Allow {
		w := &d.Allow[i]
		switch {
		case w.Hazard != RaisesSpend:
		case w.covers(RaisesSpend, at):
			return Hold{}, false
		case w.PerDay && a.Per == "day" && rises <= w.Amount:
			return Hold{}, false
		case w.HasAmount && !w.PerDay && w.Address == at && to > 0 && to <= w.Amount:
			return Hold{}, false
		}
	}
	return Hold{Hazard: RaisesSpend, Message: message, Allow: allowAt(RaisesSpend, at)}, true
}

// unlessExact gives the hold of a rise that only the very amount releases.
func (d *differ) unlessExact(at resource.Address, to int64, message string) (Hold, bool) {
	for i := range d.Allow {
		w := &d.Allow[i]
		if w.Hazard == RaisesSpend && w.HasAmount && !w.PerDay && w.Address == at && w.Amount == to {
			return Hold{}, false
		}
	}
	return Hold{Hazard: RaisesSpend, Message: message, Allow: Allowance{Hazard: RaisesSpend, Address: at, Amount: to, HasAmount: true}.String()}, true
}
