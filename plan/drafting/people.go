package drafting

import (
	"slices"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// People is a membership as the three snapshots show it.
type People struct {
	*resource.Membership
	Entry
	Does resource.MembershipOperation
}

// PeopleOf returns the membership the files ask for, if they name a file.
func PeopleOf(t Entry) (People, bool) {
	m := t.Kind.Schema.Membership
	if m == nil || t.Desired == nil || !t.Desired.Value(m.File).IsSet() {
		return People{}, false
	}
	return People{m, t, m.Operation(t.Desired.Value(m.Do))}, true
}

// sent reports whether the operation the files ask for is the last one that was
// accepted. That is all that can be known: who is in it cannot be read back.
func (p People) wasSent() bool {
	return p.Last != nil && p.Last.Value(p.File).Equal(p.Desired.Value(p.File)) &&
		p.Operation(p.Last.Value(p.Do)).Name == p.Does.Name
}

// Moved reports whether the service has counted an operation adsync did not send. Where
// it never tried to send one it knows of nobody.
func (p People) Moved() bool {
	if p.Last == nil || p.Last.Value(p.File).IsAbsent() {
		return false
	}
	last, known := p.Last.Value(p.Revision).Number()
	live, shown := p.Live.Value(p.Revision).Number()
	return known && shown && last != live
}

// Unsure reports whether a list was sent and that what it gave is not known: whether
// somebody has changed it since does not show.
func (p People) Unsure() bool {
	return p.Last != nil && p.Last.Value(p.File).IsSet() && p.Last.Value(p.Revision).IsAbsent()
}

// Fields returns what is sent of the membership. It goes whole or not at all: what
// says the same operation in other words is recorded.
func (p People) Fields() (fields, recorded []plan.Field) {
	sends, cause := !p.wasSent() || p.Moved(), plan.Edit
	if sends && p.wasSent() {
		cause = plan.Drift
	}
	for _, n := range p.Desired.Attributes {
		if !p.Has(n.Name) {
			continue
		}
		was := ValueOf(p.Last, n.Name)
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
func (p People) counted(inFile resource.Value) *plan.Known {
	b := &plan.Known{Last: ValueOf(p.Last, p.Known)}
	if p.Does.Whole {
		return b
	}
	b.Counted = &plan.Counted{Does: p.Does.Name}
	if most, known := b.Last.Number(); known {
		if in, _ := inFile.Number(); p.Does.Adds {
			most += in
		}
		b.Counted.Most = &most
	}
	return b
}

// goesAlong reports whether a field of a membership goes: that the file of it does.
func (k *Kind) goesAlong(fields []plan.Field, name string, passes func(*plan.Field) bool) bool {
	m := k.Schema.Membership
	if m == nil || !m.Has(name) {
		return true
	}
	i := slices.IndexFunc(fields, func(f plan.Field) bool { return f.Name == m.File })
	return i < 0 || passes(&fields[i])
}

// SayableInline reports whether an operation can go without a file: as people who join
// or leave. A list that is to be all there is can where nobody is in yet, and where an
// earlier apply has begun to send this very list to nobody.
func (p People) SayableInline() bool {
	if !p.Does.Whole || p.Untouched() {
		return true
	}
	return p.Last != nil && !p.Moved() &&
		p.SentOf(p.Last.Value(p.Sent), p.Desired.Value(p.File).Text(), p.Adding().Name) > 0
}

// MovedHold returns the hold of people whom somebody else changed.
func (p People) MovedHold(f *plan.Field) plan.Hold {
	last, _ := p.Last.Value(p.Revision).Number()
	live, _ := p.Live.Value(p.Revision).Number()
	if f.Cause == plan.Drift {
		return plan.Hold{
			Hazard: plan.Drifts, Message: catalogue.Say("guard.people-drift", "before", last, "now", live),
			Allow: plan.AllowAt(plan.Drifts, p.Address),
		}
	}
	return plan.Hold{
		Hazard: plan.Conflicts, Message: catalogue.Say("guard.people-conflict", "before", last, "now", live),
		Allow: plan.AllowAt(plan.Conflicts, p.Address),
	}
}

// Untouched reports whether the service has counted no operation yet.
func (p People) Untouched() bool {
	n, shown := p.Live.Value(p.Revision).Number()
	return shown && n == 0
}
