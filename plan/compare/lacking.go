package compare

import (
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/drafting"
)

// lacking handles a kind the account may not use: nothing of it is compared, and
// what the files newly ask for is held with the reason.
func (d *comparison) lacking(t drafting.Entry, why string) {
	switch {
	case t.Desired == nil && t.Last == nil:
		return
	case t.Desired == nil:
		d.keep(t)
		return
	case t.Last == nil && t.Kind.Archived(t.Desired):
		d.Plan.InSync++
		return
	}
	fields := editedSince(t)
	if t.Last != nil && len(fields) == 0 {
		d.Plan.AsSent++
		return
	}
	action := plan.Update
	if t.Last == nil {
		action = plan.Create
	}
	c := d.Change(t, action)
	c.Fields = fields
	c.Hold(plan.Hold{Hazard: plan.Unavailable, Message: why})
}

// editedSince returns what the files say otherwise than the record.
func editedSince(t drafting.Entry) []plan.Field {
	var fields []plan.Field
	for _, n := range t.Desired.Attributes {
		was := drafting.ValueOf(t.Last, n.Name)
		if t.Last == nil && n.Value.IsSet() || t.Last != nil && !plan.Same(n.Value, was) {
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
func (d *comparedFields) inSync(live *resource.Resource) {
	if live != nil && live.AsSent {
		d.Plan.AsSent++
		return
	}
	d.Plan.InSync++
}
