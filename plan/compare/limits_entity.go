package compare

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// checkRoom refuses more of a kind than the account may have that are not
// removed (interface, part 8): what is live, whoever manages it, with what the
// plan creates and without what it archives. Held changes do not count. An
// account that has more already has another limit, which nobody knows.
func (d *finishing) checkRoom() {
	for _, s := range d.Schemas {
		most := s.Most
		if n, said := d.Most[s.Kind]; said {
			most = n
		}
		if most == 0 {
			continue
		}
		live := d.Kinds[s.Kind].Alive
		if live <= most {
			d.refuseBeyond(s, live, most)
		}
	}
}

// refuseBeyond reports the first create there is no room for.
func (d *finishing) refuseBeyond(s *resource.Schema, live, most int) {
	room, creates := most-live, 0
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		switch {
		case c.Address.Kind != s.Kind:
		case c.Waits() && c.Action == plan.Create:
			room--
		case c.Held != nil:
		case c.Action == plan.Archive:
			room++
		case c.Action == plan.Create:
			creates++
		}
	}
	if creates <= room || creates == 0 {
		return
	}
	first := d.createAt(s.Kind, max(room, 0))
	d.Problems.Add(diag.Problem{
		Severity: diag.Error, Code: diag.TooMany, Position: first.Position, Address: first.Address.String(),
		Message: fmt.Sprintf("%s is one %s too many: %d are at the service and not "+
			"archived, %d would be new, and the account may have %d", first.Address, s.Kind, live, creates, most),
		Hint: fmt.Sprintf("archive some, or say account.limits.%s in adsync.yaml if the account may have more",
			s.Kind),
	})
}

// createAt returns the create of a kind that comes after so many others that are
// not held.
func (d *finishing) createAt(kind resource.Kind, others int) *plan.Change {
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		if c.Address.Kind != kind || c.Held != nil || c.Action != plan.Create {
			continue
		}
		if others == 0 {
			return c
		}
		others--
	}
	return nil
}
