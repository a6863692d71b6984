package guard

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// What bounds the spend of the whole account is turned round: to make one lowers
// possible spend, to remove one or to leave days out of it raises it (interface,
// part 4, spend limit rules 1 to 9).

// caps is the rule of the limits of the account.
type caps struct{ *drafting.Draft }

// guardCaps holds what lets the account spend more because less bounds it.
func (d *caps) guardCaps(c *plan.Change) {
	k := d.All[c.Index].Kind
	if !k.Schema.Caps {
		return
	}
	h := plan.Hold{Hazard: plan.RaisesSpend, Allow: plan.AllowAt(plan.RaisesSpend, c.Address)}
	if c.Action == plan.Archive {
		h.Message = d.capWords(c.Address)
		if h, held := d.UnlessCovered(h, c.Address, func() []plan.Part { return d.ArchiveParts(c) }); held {
			c.Hold(h)
		}
		return
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		if a := k.Attributes[f.Name]; a != nil && a.Spend == resource.Cover && f.Phase == plan.Raise && f.Held == nil {
			h.Message = catalogue.Fill("guard.days-move", "attribute", f.Name, "before", ShownDay(a, f.Live()),
				"after", ShownDay(a, f.Desired))
			if h, held := d.UnlessCovered(h, c.Address, func() []plan.Part {
				return []plan.Part{drafting.FieldPart(c.Address, c.ID, f, 0)}
			}); held {
				f.Hold(h)
			}
		}
	}
}

// ShownDay shows the last day of a limit.
func ShownDay(a *resource.Attribute, v resource.Value) string {
	if plan.Unset(v) {
		return catalogue.Fill("guard.no-end")
	}
	return a.Show(v)
}

// capWords returns that a limit goes, and what it was.
func (d *caps) capWords(at resource.Address) string {
	live, k := d.Live.Get(at), d.Kinds[at.Kind]
	for _, a := range k.Caps {
		if v := live.Value(a.Name); v.IsSet() {
			if a.Per == "day" {
				return catalogue.Fill("guard.uncapped-day", "amount", a.Format(v))
			}
			return catalogue.Fill("guard.uncapped-days", "amount", a.Format(v),
				"days", reignOf(k, at, nil, live).days())
		}
	}
	return catalogue.Fill("guard.uncapped")
}

// reign is the days one limit holds.
type reign struct {
	address    resource.Address
	start, end string // last day; "" has no end
	desired    *resource.Resource
}

// days are the first and the last of them, for people.
func (s reign) days() string {
	if s.end == "" {
		return catalogue.Fill("guard.days-on", "first", s.start)
	}
	return catalogue.Fill("guard.days", "first", s.start, "last", s.end)
}

func (s reign) meets(other reign) bool {
	return (s.end == "" || s.end >= other.start) && (other.end == "" || other.end >= s.start)
}

// CheckOverlaps finds limits of one kind that the files let share a day: the service
// refuses the later one (interface, part 4, spend limit rule 2). Those that stand in
// the way only at the service are guardOverlaps' matter.
func CheckOverlaps(draft *drafting.Draft) {
	d := &overlaps{draft}
	for _, s := range d.Schemas {
		if _, lacking := d.Lacking[s.Kind]; lacking || !s.Caps || s.Ends == "" {
			continue
		}
		wanted := d.wantedDays(d.Kinds[s.Kind])
		slices.SortStableFunc(wanted, func(a, b reign) int { return strings.Compare(a.start, b.start) })
		for i := range wanted {
			for j := i + 1; j < len(wanted) && wanted[i].meets(wanted[j]); j++ {
				d.overlap(wanted[i], wanted[j])
			}
		}
	}
}

func (d *overlaps) wantedDays(k *drafting.Kind) []reign {
	var wanted []reign
	for i := range d.All {
		t := &d.All[i]
		gone := t.Live == nil && t.Last != nil
		if t.Kind != k || t.Desired == nil || d.WaitsAt(i) != nil ||
			k.Archived(t.Desired) || gone || d.Ended(k, t.Live) {
			continue
		}
		wanted = append(wanted, reignOf(k, t.Address, t.Desired, t.Live))
	}
	return wanted
}

// reignOf returns the days the files want, else those that are live.
func reignOf(k *drafting.Kind, address resource.Address, desired, live *resource.Resource) reign {
	pick := func(name string) string {
		if desired != nil && !desired.Value(name).IsAbsent() {
			return desired.Value(name).Text()
		}
		if live != nil {
			return live.Value(name).Text()
		}
		return ""
	}
	r := reign{address: address, end: pick(k.Schema.Ends), desired: desired}
	for _, a := range k.Schema.Attributes {
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
	d.Problems.Add(diag.Problem{Code: diag.Conflicting, Position: at.desired.Position, Address: at.address.String(),
		Message: fmt.Sprintf("its days overlap those of %s, from %s %s; want days of its own",
			other.address, other.start, untilWords(other.end))})
}

func (d *overlaps) calledLive(a resource.Address) string {
	if d.Desired.Get(a) != nil || d.Last.Get(a) != nil {
		return a.String()
	}
	return catalogue.Fill("guard.only-there", "kind", string(a.Kind), "id", d.Live.Get(a).ID)
}

func untilWords(end string) string {
	if end == "" {
		return "without an end"
	}
	return "to " + end
}
