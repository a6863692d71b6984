package compare

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/drafting"
)

// sizes warns of what is too small for what names it, where that is known: the service
// says so, or the list that the files have for it does (service facts, 8.2). What was
// named so before is no doing of a plan.
type sizes struct {
	*drafting.Draft
	lists map[resource.Address]sentList // nil where none is sent
}

// sentList is a list of people that a plan sends, held or not.
type sentList struct {
	file   *plan.Field
	people int64
	all    bool // nobody else is in it afterwards
	adds   bool
}

func checkSizes(d *drafting.Draft) {
	s := sizes{Draft: d}
	for i := range d.Plan.Changes {
		s.noteList(&d.Plan.Changes[i])
	}
	for i := range d.Plan.Changes {
		s.checkNamed(&d.Plan.Changes[i])
		s.checkList(&d.Plan.Changes[i])
	}
}

func (d *sizes) noteList(c *plan.Change) {
	p, ok := drafting.PeopleOf(d.All[c.Index])
	if !ok {
		return
	}
	file := slices.IndexFunc(c.Fields, func(f plan.Field) bool { return f.Name == p.File })
	people, counted := p.Desired.Value(p.People).Number()
	if file >= 0 && counted {
		if d.lists == nil {
			d.lists = map[resource.Address]sentList{}
		}
		all := p.Does.Whole || c.Action == plan.Create
		d.lists[c.Address] = sentList{&c.Fields[file], people, all, p.Does.Adds}
	}
}

// checkNamed warns of what a change names and did not name before.
func (d *sizes) checkNamed(c *plan.Change) {
	for _, a := range d.All[c.Index].Kind.Naming {
		i := slices.IndexFunc(c.Fields, func(f plan.Field) bool { return f.Name == a.Name })
		if a.Use == nil || a.Use.Least == 0 || i < 0 || c.Fields[i].Cause == plan.SentAlong {
			continue
		}
		f := &c.Fields[i]
		before := a.Names(f.Live())
		for _, said := range a.Names(f.Desired) {
			address, id := d.meant(a.Of, said)
			if slices.Contains(before, said) || id != "" && slices.Contains(before, id) {
				continue
			}
			if why := d.tooSmall(address, id, a.Use); why != "" {
				if d.Files.Get(address) != nil {
					said = address.String()
				}
				d.warn(c, f, a.Use, fmt.Sprintf("%s has %s, %s", f.Name, said, why))
			}
		}
	}
}

// meant returns the address and the id of what is named, each where it is known.
func (d *sizes) meant(kind resource.Kind, said string) (resource.Address, string) {
	if address, byKey := resource.ParseAddress(said); byKey {
		return address, d.IdOf(said)
	}
	if live := d.LiveByID(kind)[said]; live != nil {
		return live.Address, said
	}
	return resource.Address{}, said
}

// tooSmall returns why something is too small for a use, "" where it is not or nobody knows:
// how many people there are once others are added shows afterwards.
func (d *sizes) tooSmall(address resource.Address, id string, use *resource.Use) string {
	list, sent := d.lists[address]
	size, small := d.Small[plan.For{ID: id, Use: use.Name}]
	switch {
	case sent && list.all && list.people < use.Least:
		return "whose list has " + people(list.people)
	case small && !(sent && list.adds):
		return "whose size at the service is " + size
	}
	return ""
}

// checkList warns of a list that leaves too few people for what names its audience at
// the service.
func (d *sizes) checkList(c *plan.Change) {
	list, sent := d.lists[c.Address]
	if !sent || !list.all || c.ID == "" {
		return
	}
	for _, u := range d.UsesOf(c.Address.Kind, c.ID) {
		use := d.Kinds[u.At.Kind].Attributes[u.By].Use
		if use != nil && list.people < use.Least {
			d.warn(c, list.file, use, fmt.Sprintf("%s leaves at most %s in it, and %s of %s has it",
				list.file.Name, people(list.people), u.By, u.At))
		}
	}
}

func (d *sizes) warn(c *plan.Change, f *plan.Field, use *resource.Use, what string) {
	at := f.Desired.Position
	if at.IsZero() {
		at = c.Position
	}
	d.Problems.Add(diag.Problem{
		Severity: diag.Warning, Code: diag.TooFewPeople, Position: at, Address: c.Address.String(),
		Message: fmt.Sprintf("%s; want %d or more matched people for %s", what, use.Least, use.Name),
		Hint:    "add people to it, or take it out; adsync audience list shows what the service takes it for",
	})
}

func people(n int64) string { return diag.Counted(n, "person", "people") }
