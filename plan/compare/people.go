package compare

import (
	"fmt"
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
)

// people is a membership as the three snapshots show it.
type people struct {
	*resource.Membership
	entry
	operation resource.MembershipOperation
}

// peopleOf returns the membership the files ask for, if they name a file.
func peopleOf(t entry) (people, bool) {
	m := t.kind.schema.Membership
	if m == nil || t.desired == nil || !t.desired.Value(m.File).IsSet() {
		return people{}, false
	}
	return people{m, t, m.Operation(t.desired.Value(m.Do))}, true
}

// sent reports whether the operation the files ask for is the last one that was
// accepted. That is all that can be known: who is in it cannot be read back.
func (p people) sent() bool {
	return p.last != nil && p.last.Value(p.File).Equal(p.desired.Value(p.File)) &&
		p.Operation(p.last.Value(p.Do)).Name == p.operation.Name
}

// moved reports whether the service has counted an operation adsync did not send. Where
// it never tried to send one it knows of nobody.
func (p people) moved() bool {
	if p.last == nil || p.last.Value(p.File).IsAbsent() {
		return false
	}
	last, known := p.last.Value(p.Revision).Number()
	live, shown := p.live.Value(p.Revision).Number()
	return known && shown && last != live
}

// unsure reports whether a list was sent and that what it gave is not known: whether
// somebody has changed it since does not show.
func (p people) unsure() bool {
	return p.last != nil && p.last.Value(p.File).IsSet() && p.last.Value(p.Revision).IsAbsent()
}

// fields returns what is sent of the membership. It goes whole or not at all: what
// says the same operation in other words is recorded.
func (p people) fields() (fields, recorded []plan.Field) {
	sends, cause := !p.sent() || p.moved(), plan.Edit
	if sends && p.sent() {
		cause = plan.Drift
	}
	for _, n := range p.desired.Attributes {
		if !p.Has(n.Name) {
			continue
		}
		was := valueOf(p.last, n.Name)
		f := plan.Field{Name: n.Name, Desired: n.Value, Cause: cause, Known: plan.KnownOf(was, resource.Value{})}
		switch {
		case sends:
			switch {
			case n.Name == p.People:
				f.Known = p.counted(n.Value)
			// what is done with a list is agreed to with it, also where it was done before
			case n.Name == p.As && plan.Same(n.Value, was):
				f.Cause = plan.SentAlong
			}
			fields = append(fields, f)
		case !plan.Same(f.Desired, was):
			recorded = append(recorded, f)
		}
	}
	return fields, recorded
}

// counted is what stands beside the number of people in a file: how many adsync knows of
// now, and, where the file is not all of them, how many there are afterwards.
func (p people) counted(inFile resource.Value) *plan.Known {
	b := &plan.Known{Last: valueOf(p.last, p.Known)}
	if p.operation.Whole {
		return b
	}
	b.Counted = &plan.Counted{Does: p.operation.Name}
	if most, known := b.Last.Number(); known {
		if in, _ := inFile.Number(); p.operation.Adds {
			most += in
		}
		b.Counted.Most = &most
	}
	return b
}

// goesAlong reports whether a field of a membership goes: that the file of it does.
func (k *kind) goesAlong(fields []plan.Field, name string, passes func(*plan.Field) bool) bool {
	m := k.schema.Membership
	if m == nil || !m.Has(name) {
		return true
	}
	i := slices.IndexFunc(fields, func(f plan.Field) bool { return f.Name == m.File })
	return i < 0 || passes(&fields[i])
}

// membership is the rule of people who would be taken out, or reached.
type membership struct{ *draft }

// guard holds an operation that would take most people out, or of which
// nobody can say what it takes the place of.
func (d *membership) guard() {
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		t := &d.all[c.Index]
		if t.kind.schema.Membership == nil || c.Action == plan.Archive {
			continue
		}
		p, ok := peopleOf(*t)
		file := slices.IndexFunc(c.Fields, func(f plan.Field) bool { return ok && f.Name == p.File })
		if file < 0 {
			continue
		}
		d.guardMembership(c, &c.Fields[file], p)
	}
}

func (d *membership) guardMembership(c *plan.Change, f *plan.Field, p people) {
	if c.Action == plan.Create || c.Action == plan.Replace && c.Fields[0].Phase == plan.Creates {
		if !p.operation.Adds {
			c.Hold(plan.Hold{
				Hazard: plan.Incomplete, Message: "is new and nobody is in it: its people cannot be taken out; want " +
					p.Operations[0].Name,
			})
		}
		return
	}
	if d.widensUsers(c, p.operation) {
		c.Hazards = append(c.Hazards, plan.WidensTargeting)
	}
	var holds []plan.Hold
	if takes, known := d.Capabilities[resource.PeopleFiles]; known && !takes && !p.sayableInline() {
		f.Hold(plan.Hold{Hazard: plan.Incomplete, Message: NoInlineReplace})
	}
	switch {
	case p.moved():
		holds = append(holds, p.movedHold(f))
	case p.unsure():
		holds = append(holds, plan.Hold{
			Hazard: plan.Conflicts, Message: "what came of the list sent before was not seen, so that somebody " +
				"may have changed who is in it since, and the files name other people; allow sending them all the same",
			Allow: plan.AllowAt(plan.Conflicts, p.address),
		})
	}
	if message := d.shrinks(p); message != "" {
		holds = append(holds, plan.Hold{
			Hazard: plan.ShrinksAudience, Message: message, Allow: plan.AllowAt(plan.ShrinksAudience, c.Address),
		})
	}
	for _, h := range holds {
		c.Hazards = append(c.Hazards, h.Hazard)
		if h, held := d.unlessCovered(h, c.Address, func() []plan.Part {
			return []plan.Part{fieldPart(c.Address, c.ID, f, 0)}
		}); held {
			f.Hold(h)
		}
	}
}

// NoInlineReplace says why a list cannot take the place of another where the account takes
// no files of people (interface, part 4: a replace "has an uploaded file").
const NoInlineReplace = "replace takes an uploaded file, and " +
	"this account takes no files of people; want do: add with who is to join, or do: remove with who is to leave"

// sayableInline reports whether an operation can go without a file: as people who join
// or leave. A list that is to be all there is can where nobody is in yet, and where an
// earlier apply has begun to send this very list to nobody.
func (p people) sayableInline() bool {
	if !p.operation.Whole || p.untouched() {
		return true
	}
	return p.last != nil && !p.moved() &&
		p.SentOf(p.last.Value(p.Sent), p.desired.Value(p.File).Text(), p.Adding().Name) > 0
}

func (p people) movedHold(f *plan.Field) plan.Hold {
	last, _ := p.last.Value(p.Revision).Number()
	live, _ := p.live.Value(p.Revision).Number()
	said := fmt.Sprintf("who is in it was changed outside adsync: its revision was %d and is %d", last, live)
	if f.Cause == plan.Drift {
		return plan.Hold{
			Hazard: plan.Drifts, Message: said + "; allow sending the members file again",
			Allow: plan.AllowAt(plan.Drifts, p.address),
		}
	}
	return plan.Hold{
		Hazard: plan.Conflicts, Message: said + ", and the files name other people; allow sending them all the same",
		Allow: plan.AllowAt(plan.Conflicts, p.address),
	}
}

// shrinks returns why an operation may take most people out, "" where it does not.
func (d *membership) shrinks(p people) string {
	if !p.operation.Removes {
		return ""
	}
	in, _ := p.desired.Value(p.People).Number()
	known, ok := int64(0), false
	if p.last != nil {
		known, ok = p.last.Value(p.Known).Number()
	}
	most := known * d.Policy.PeoplePercent / 100
	switch {
	case !ok && p.operation.Whole && p.untouched():
	case !ok && p.operation.Whole:
		return fmt.Sprintf("replaces people adsync did not send by %d; how many there are cannot be read", in)
	case !ok:
		return fmt.Sprintf("takes out %s, and how many there are cannot be read", peopleCounted(in))
	case known < d.Policy.PeopleFrom:
	case p.operation.Whole && known-in > most:
		return fmt.Sprintf("leaves %s of at most %d; taking out up to %d %% passes",
			peopleCounted(in), known, d.Policy.PeoplePercent)
	case !p.operation.Whole && in > most:
		return fmt.Sprintf("takes out %s of at most %d; taking out up to %d %% passes",
			peopleCounted(in), known, d.Policy.PeoplePercent)
	}
	return ""
}

func peopleCounted(n int64) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}

// untouched reports whether the service has counted no operation yet.
func (p people) untouched() bool {
	n, shown := p.live.Value(p.Revision).Number()
	return shown && n == 0
}
