package compare

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// What bounds the spend of the whole account is turned round: to make one lowers
// possible spend, to remove one or to leave days out of it raises it (interface,
// part 4, spend limit rules 1 to 9).

// coverPhase is when an edit of a first or last day is sent: more days that are
// bounded, or no end, lower possible spend.
func coverPhase(a *resource.Attribute, desired, live resource.Value) plan.Phase {
	isLast := a.Type == resource.TypeLast
	switch {
	case plan.Unset(desired):
		return plan.Lower // no end
	case plan.Unset(live):
		return plan.Raise
	case isLast == (desired.Text() > live.Text()):
		return plan.Lower
	}
	return plan.Raise
}

// caps is the rule of the limits of the account.
type caps struct{ *draft }

// guardCaps holds what lets the account spend more because less bounds it.
func (d *caps) guardCaps(c *plan.Change) {
	k := d.all[c.Index].kind
	if !k.schema.Caps {
		return
	}
	h := plan.Hold{Hazard: plan.RaisesSpend, Allow: plan.AllowAt(plan.RaisesSpend, c.Address)}
	if c.Action == plan.Archive {
		h.Message = "without it the account can spend more" + d.capWords(c.Address)
		if h, held := d.unlessCovered(h, c.Address, func() []plan.Part { return d.archiveParts(c) }); held {
			c.Hold(h)
		}
		return
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		if a := k.attributes[f.Name]; a != nil && a.Spend == resource.Cover && f.Phase == plan.Raise && f.Held == nil {
			h.Message = f.Name + " moves from " + shownDay(a, f.Live()) +
				" to " + shownDay(a, f.Desired) + ", which leaves days without the limit"
			if h, held := d.unlessCovered(h, c.Address, func() []plan.Part {
				return []plan.Part{fieldPart(c.Address, c.ID, f, 0)}
			}); held {
				f.Hold(h)
			}
		}
	}
}

func shownDay(a *resource.Attribute, v resource.Value) string {
	if plan.Unset(v) {
		return "no end"
	}
	return a.Show(v)
}

// capWords returns what the limit was.
func (d *caps) capWords(at resource.Address) string {
	live, k := d.Live.Get(at), d.kinds[at.Kind]
	for _, a := range k.caps {
		if v := live.Value(a.Name); v.IsSet() {
			per := "a day"
			if a.Per != "day" {
				r := d.reignOf(k, at, nil, live)
				per = "from " + r.start + " " + untilWords(r.end)
			}
			return fmt.Sprintf(": it is bounded to %s %s now", a.Format(v), per)
		}
	}
	return ""
}

// ended reports whether the last day of a resource is over: nothing of it can change
// any more, and the service need not show it.
func (d *tree) ended(k *kind, r *resource.Resource) bool {
	if r == nil || k.schema.Ends == "" || d.Today == "" {
		return false
	}
	end := r.Value(k.schema.Ends)
	return end.IsSet() && end.Text() < d.Today
}

// reign is the days one limit holds.
type reign struct {
	address    resource.Address
	start, end string // last day; "" has no end
	desired    *resource.Resource
}

func (s reign) meets(other reign) bool {
	return (s.end == "" || s.end >= other.start) && (other.end == "" || other.end >= s.start)
}

// checkOverlaps finds limits of one kind that the files let share a day: the service
// refuses the later one (interface, part 4, spend limit rule 2). Those that stand in
// the way only at the service are guardOverlaps' matter.
func (d *overlaps) checkOverlaps() {
	for _, s := range d.Schemas {
		if _, lacking := d.Lacking[s.Kind]; lacking || !s.Caps || s.Ends == "" {
			continue
		}
		wanted := d.wantedDays(d.kinds[s.Kind])
		slices.SortStableFunc(wanted, func(a, b reign) int { return strings.Compare(a.start, b.start) })
		for i := range wanted {
			for j := i + 1; j < len(wanted) && wanted[i].meets(wanted[j]); j++ {
				d.overlap(wanted[i], wanted[j])
			}
		}
	}
}

func (d *overlaps) wantedDays(k *kind) []reign {
	var wanted []reign
	for i := range d.all {
		t := &d.all[i]
		gone := t.live == nil && t.last != nil
		if t.kind != k || t.desired == nil || d.waitsAt(i) != nil ||
			k.archived(t.desired) || gone || d.ended(k, t.live) {
			continue
		}
		wanted = append(wanted, d.reignOf(k, t.address, t.desired, t.live))
	}
	return wanted
}

// reignOf returns the days the files want, else those that are live.
func (d *tree) reignOf(k *kind, address resource.Address, desired, live *resource.Resource) reign {
	pick := func(name string) string {
		if desired != nil && !desired.Value(name).IsAbsent() {
			return desired.Value(name).Text()
		}
		if live != nil {
			return live.Value(name).Text()
		}
		return ""
	}
	r := reign{address: address, end: pick(k.schema.Ends), desired: desired}
	for _, a := range k.schema.Attributes {
		if a.Spend == resource.Cover && a.Type == resource.TypeDay {
			r.start = pick(a.Name)
		}
	}
	return r
}

// overlap reports two limits that share a day, at the row that is new or written
// later.
func (d *overlaps) overlap(a, b reign) {
	at, other := b, a
	if d.Live.Get(a.address) == nil && d.Live.Get(b.address) != nil {
		at, other = a, b
	}
	d.problems.Add(diag.Problem{Code: diag.Conflicting, Position: at.desired.Position, Address: at.address.String(),
		Message: fmt.Sprintf("its days overlap those of %s, from %s %s; want days of its own",
			other.address, other.start, untilWords(other.end))})
}

func (d *tree) calledLive(a resource.Address) string {
	if d.Desired.Get(a) != nil || d.Last.Get(a) != nil {
		return a.String()
	}
	return string(a.Kind) + " " + d.Live.Get(a).ID + " (at the service, not in the files)"
}

func untilWords(end string) string {
	if end == "" {
		return "without an end"
	}
	return "to " + end
}
