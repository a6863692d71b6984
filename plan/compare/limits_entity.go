package compare

import (
	"cmp"
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// checkRoom refuses more of a kind than the account may have that are not removed (interface,
// part 8): what is live, whoever manages it, with what the plan creates and without what it
// archives first. Held changes do not count. It notes what comes near a limit.
func (d *finishing) checkRoom() {
	for _, s := range d.Schemas {
		most := s.Most
		if n, said := d.Most[s.Kind]; said {
			most = n
		}
		if most > 0 && (s.Ahead == "" || d.Today != "") {
			d.judgeRoom(s, most)
		}
	}
	d.noteLongLists()
}

// room is how many of a kind there are, and what a plan makes of it.
type room struct {
	live, created, gone, waiting int // waiting are creates that come with a later plan
}

// after is how many there are at the end, without what waits.
func (r room) after() int { return r.live + r.created - r.gone }

func (d *finishing) countRoom(s *resource.Schema) room {
	k := d.Kinds[s.Kind]
	r := room{live: k.Alive}
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		if c.Address.Kind != s.Kind {
			continue
		}
		switch desired, live := d.Desired.Get(c.Address), d.Live.Get(c.Address); {
		case c.Action == plan.Create && !d.TakesRoom(k, desired):
		case c.Action == plan.Create && c.Held == nil:
			r.created++
		case c.Action == plan.Create && c.Waits():
			r.waiting++
		case c.Held != nil:
		case c.Action == plan.Archive && !s.Caps && d.TakesRoom(k, live): // what caps spend goes last
			r.gone++
		}
	}
	return r
}

// judgeRoom reports the first create there is no room for, or that little room is left. An
// account that has more already has another limit, which nobody knows.
func (d *finishing) judgeRoom(s *resource.Schema, most int) {
	r := d.countRoom(s)
	if r.created == 0 {
		return
	}
	said := fmt.Sprintf("%d are at the service and %s, %d would be new", r.live, countedAs(s), r.created)
	if r.gone > 0 {
		said += fmt.Sprintf(" and %d archived", r.gone)
	}
	said += fmt.Sprintf(", which makes %d", r.after())
	switch free := most - r.live + r.gone - r.waiting; {
	case r.live > most:
		d.reportRoom(s, 0, diag.Note, diag.NearLimit, fmt.Sprintf("%s; the interface names %d as the most of an "+
			"account, so that this one has another limit, which adsync does not know", said, most))
	case r.created > free:
		if r.waiting > 0 {
			said += fmt.Sprintf(", beside %d that wait", r.waiting)
		}
		d.reportRoom(s, max(free, 0), diag.Error, diag.TooMany,
			fmt.Sprintf("is one %s too many: %s; the account may have %d", s.Kind, said, most))
	case near(r.after(), most):
		d.reportRoom(s, 0, diag.Note, diag.NearLimit, fmt.Sprintf("%s of the %d the account may have", said, most))
	}
}

// countedAs says which of a kind count.
func countedAs(s *resource.Schema) string {
	if s.Ahead != "" {
		return "begin after today"
	}
	return "not archived"
}

// near reports whether a number is above nine tenths of a limit.
func near(n, most int) bool { return int64(n)*10 > int64(most)*9 }

// reportRoom reports at the create that comes after so many others.
func (d *finishing) reportRoom(s *resource.Schema, others int, how diag.Severity, code diag.Code, message string) {
	at := d.createAt(s, others)
	p := diag.Problem{
		Severity: how, Code: code, Position: at.Position, Address: at.Address.String(),
		Message: at.Address.String() + " " + message,
	}
	if how == diag.Note {
		p.Message = fmt.Sprintf("%s: %s", s.Title, message)
	}
	if s.Ahead == "" {
		p.Hint = fmt.Sprintf("archive some, or say account.limits.%s in adsync.yaml if the account may have more",
			s.Kind)
	}
	d.Problems.Add(p)
}

// createAt returns the create of a kind that comes after so many others that count and are
// not held.
func (d *finishing) createAt(s *resource.Schema, others int) *plan.Change {
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		if c.Address.Kind != s.Kind || c.Held != nil || c.Action != plan.Create ||
			!d.TakesRoom(d.Kinds[s.Kind], d.Desired.Get(c.Address)) {
			continue
		}
		if others == 0 {
			return c
		}
		others--
	}
	return nil
}

// longList is the longest list of an attribute that comes near its limit, of so many.
type longList struct {
	at    *plan.Change
	value resource.Value
	lists int
}

// noteLongLists notes of each attribute the longest list that comes near its limit.
func (d *finishing) noteLongLists() {
	var found map[*resource.Attribute]*longList // made where there is one
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		for j := range c.Fields {
			f := &c.Fields[j]
			a := d.Kinds[c.Address.Kind].Attributes[f.Name]
			if c.Held != nil || f.Held != nil || f.Cause == plan.SentAlong ||
				a == nil || !a.Type.IsList() || a.Max == 0 || !near(len(f.Desired.Items()), int(a.Max)) {
				continue
			}
			l := found[a]
			if l == nil {
				if found == nil {
					found = map[*resource.Attribute]*longList{}
				}
				l = &longList{}
				found[a] = l
			}
			l.lists++
			if len(f.Desired.Items()) > len(l.value.Items()) {
				l.at, l.value = c, f.Desired
			}
		}
	}
	for a, l := range found { // Problems are sorted
		message := fmt.Sprintf("%s of %s has %d of the %d entries the service takes",
			a.Name, l.at.Address, len(l.value.Items()), a.Max)
		if l.lists > 1 {
			message += fmt.Sprintf(", the longest of %d lists that come near", l.lists)
		}
		d.Problems.Add(diag.Problem{
			Severity: diag.Note, Code: diag.NearLimit, Address: l.at.Address.String(),
			Position: cmp.Or(l.value.Position, l.at.Position), Message: message,
		})
	}
}
