package compare

import (
	"adsync/internal/resource"
	"adsync/plan"
)

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
	action := plan.Update
	if t.last == nil {
		action = plan.Create
	}
	c := d.change(t, action)
	c.Fields = fields
	c.Hold(plan.Hold{Hazard: plan.Unavailable, Message: why})
}

// editedSince returns what the files say otherwise than the record.
func editedSince(t entry) []plan.Field {
	var fields []plan.Field
	for _, n := range t.desired.Attributes {
		was := valueOf(t.last, n.Name)
		if t.last == nil && n.Value.IsSet() || t.last != nil && !plan.Same(n.Value, was) {
			fields = append(fields, plan.Field{
				Name: n.Name, Desired: n.Value, Cause: plan.Edit,
				Phase: plan.Neutral, Known: plan.KnownOf(was, resource.Value{}),
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
