package plan

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// What bounds the spend of the whole account is turned round: to make one lowers
// possible spend, to remove one or to leave days out of it raises it (interface,
// part 4, spend limit rules 1 to 9).

// coverPhase is when an edit of a first or last day is sent: more days that are
// bounded, or no end, lower possible spend.
func coverPhase(a *resource.Attribute, desired, live resource.Value) Phase {
	isLast := a.Type == resource.TypeLast
	switch {
	case unset(desired):
		return Lower // no end
	case unset(live):
		return Raise
	case isLast == (desired.Text() > live.Text()):
		return Lower
	}
	return Raise
}

// guardCaps holds what lets the account spend more because less bounds it.
func (d *differ) guardCaps(c *Change) {
	k := d.all[c.place].kind
	if !k.schema.Caps || d.covered(RaisesSpend, c.Address) {
		return
	}
	allow := allowAt(RaisesSpend, c.Address)
	if c.Action == Archive {
		c.hold(Hold{Hazard: RaisesSpend, Message: "without it the account can spend more" + d.capWords(c.Address), Allow: allow})
		return
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		if a := k.attributes[f.Name]; a != nil && a.Spend == resource.Cover && f.Phase == Raise && f.Held == nil {
			f.hold(Hold{Hazard: RaisesSpend, Allow: allow, Message: f.Name + " moves from " + shownDay(a, f.Live()) + " to " + shownDay(a, f.Desired) + ", which leaves days without the limit"})
		}
	}
}

func shownDay(a *resource.Attribute, v resource.Value) string {
	if unset(v) {
		return "no end"
	}
	return a.Show(v)
}

// capWords says what the limit was.
func (d *differ) capWords(at resource.Address) string {
	live, k := d.Live.Get(at), d.kinds[at.Kind]
	for _, a := range k.caps {
		if v := live.Value(a.Name); v.IsSet() {
			return fmt.Sprintf(": it is bounded to %s per %s now", a.Format(v), a.Per)
		}
	}
	return ""
}

// ended says that the last day of a resource is over: nothing of it can change
// any more, and the service need not show it.
func (d *differ) ended(k *kind, r *resource.Resource) bool {
	if r == nil || k.schema.Ends == "" || d.Today == "" {
		return false
	}
	end := r.Value(k.schema.Ends)
	return end.IsSet() && end.Text() < d.Today
}

// reign is the days one limit holds, as the plan leaves it.
type reign struct {
	address    resource.Address
	start, end string // last day; "" has no end
	desired    *resource.Resource
	removed    bool // in this plan
}

func (s reign) meets(other reign) bool {
	return (s.end == "" || s.end >= other.start) && (other.end == "" || other.end >= s.start)
}

// checkOverlaps finds limits of one kind that share a day: the service refuses
// the later one. One that goes in the same plan still stands when the other comes.
func (d *differ) checkOverlaps() {
	for _, s := range d.Schemas {
		if _, lacking := d.Lacking[s.Kind]; lacking || !s.Caps || s.Ends == "" {
			continue
		}
		spans := d.spans(d.kinds[s.Kind])
		slices.SortStableFunc(spans, func(a, b reign) int { return strings.Compare(a.start, b.start) })
		for i := range spans {
			for j := i + 1; j < len(spans) && spans[i].meets(spans[j]); j++ {
				d.overlap(spans[i], spans[j])
			}
		}
	}
}

func (d *differ) spans(k *kind) []reign {
	var spans []reign
	for i := range d.all {
		t := &d.all[i]
		if t.kind != k {
			continue
		}
		desired, live := t.desired, t.live
		if live == nil && (desired == nil || t.last != nil) || d.ended(k, live) {
			continue
		}
		s := reign{address: t.address, desired: desired}
		first, end := d.spanOf(k, desired, live)
		s.start, s.end = first.Text(), end.Text()
		if desired != nil && k.archived(desired) {
			if live == nil {
				continue
			}
			s.removed = true
			first, end = d.spanOf(k, nil, live)
			s.start, s.end = first.Text(), end.Text()
		}
		spans = append(spans, s)
	}
	return spans
}

// spanOf gives the days the files want, else those that are live.
func (d *differ) spanOf(k *kind, desired, live *resource.Resource) (start, end resource.Value) {
	pick := func(name string) resource.Value {
		if desired != nil && !desired.Value(name).IsAbsent() {
			return desired.Value(name)
		}
		if live != nil {
			return live.Value(name)
		}
		return resource.Value{}
	}
	for _, a := range k.schema.Attributes {
		if a.Spend == resource.Cover && a.Type == resource.TypeDay {
			start = pick(a.Name)
		}
	}
	return start, pick(k.schema.Ends)
}

// overlap reports two limits that share a day, at the row that is new or written
// later.
func (d *differ) overlap(a, b reign) {
	at, other := b, a
	if b.desired == nil || b.removed || a.desired != nil && !a.removed && d.Live.Get(a.address) == nil && d.Live.Get(b.address) != nil {
		at, other = a, b
	}
	if at.desired == nil || at.removed || a.removed && b.removed {
		return
	}
	words := fmt.Sprintf("its days overlap those of %s, from %s %s; want days of its own", d.calledLive(other.address), other.start, untilWords(other.end))
	if other.removed {
		words = fmt.Sprintf("its days overlap those of %s, which goes in the same plan and still stands when this one comes; edit that row instead, or apply its removal first", other.address)
	}
	d.problems.Add(diag.Problem{Code: diag.Conflicting, Position: at.desired.Position, Address: at.address.String(), Message: words})
}

func (d *differ) calledLive(a resource.Address) string {
	if d.Desired.Get(a) != nil || d.Last.Get(a) != nil {
		return a.String()
	}
	return string(a.Kind) + " " + d.Live.Get(a).ID + ", which is at the service and not in the files"
}

func untilWords(end string) string {
	if end == "" {
		return "without an end"
	}
	return "to " + end
}
