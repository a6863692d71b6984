package plan

import "adsync/internal/resource"

// lacking handles a kind the account may not use: nothing of it is compared, and
// what the files newly ask for is held with the reason.
func (d *comparison) lacking(t entry, why string) {
	switch {
	case t.desired == nil && t.last == nil:
		return
	case t.desired == nil:
		d.keep(t)
		return
	case t.last == nil && t.kind.archived(t.desired):
		d.plan.InSync++
		return
	}
	fields := editedSince(t)
	if t.last != nil && len(fields) == 0 {
		d.plan.AsSent++
		return
	}
	action := Update
	if t.last == nil {
		action = Create
	}
	c := d.change(t, action)
	c.Fields = fields
	c.hold(Hold{Hazard: Unavailable, Message: why})
}

// editedSince gives what the files say otherwise than the record.
func editedSince(t entry) []Field {
	var fields []Field
	for _, n := range t.desired.Attributes {
		was := valueOf(t.last, n.Name)
		if t.last == nil && n.Value.IsSet() || t.last != nil && !same(n.Value, was) {
			fields = append(fields, Field{
				Name: n.Name, Desired: n.Value, Cause: Edit, Phase: Neutral, previous: previousOf(was, resource.Value{}),
			})
		}
	}
	return fields
}

// inSync counts a resource with nothing to change: what the service does not
// show again is only known to be as it was last sent.
func (d *draft) inSync(live *resource.Resource) {
	if live != nil && live.AsSent {
		d.plan.AsSent++
		return
	}
	d.plan.InSync++
}
