package reconcile

import (
	"slices"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
)

// part is what one wave does of a change: a create, or an update of the fields
// that belong to the wave's phase.
type part struct {
	change *plan.Change
	fields []plan.Field
	create bool
	later  []string // fields a create leaves to a follow-up

	revision any // of the configuration the write starts from, where its call names one
}

// isNew reports whether a change makes a resource: for the first time, or once more in
// place of one that cannot become what the files say.
func isNew(c *plan.Change) bool { return c.Action == plan.Create || c.Action == plan.Replace }

// groupRoot names the setting a field is sent with: its own name where it is
// sent alone.
func groupRoot(schema *resource.Schema, name string) string {
	a, ok := schema.Attribute(name)
	if !ok {
		return name
	}
	if group, whole := schema.Group(a); whole {
		return group.Wire + "."
	}
	return name
}

func lowers(c *plan.Change) bool { return len(c.Fields) > 0 && c.Fields[0].Phase == plan.Lower }

// delivers reports whether a field would let its resource deliver.
func delivers(schemas resource.Schemas, address resource.Address, f plan.Field) bool {
	a, ok := schemas.Of(address.Kind).Attribute(f.Name)
	return ok && a.Spend == resource.Delivery && f.Desired.Text() == kinds.Active
}

// set is what becomes last-applied when the part succeeds: the fields as sent,
// without those the files do not manage.
func (p part) set() resource.Attributes {
	set := make(resource.Attributes, 0, len(p.fields)+len(p.later))
	for _, f := range p.fields {
		if f.Cause != plan.Default && f.Cause != plan.SentAlong {
			set.Set(f.Name, f.Desired)
		}
	}
	for _, name := range p.later {
		set.Set(name, resource.Null())
	}
	return set
}

// postpone leaves fields to a follow-up. Until then the record says null: what
// the service put there is nobody's edit.
func (p part) postpone(names []string) part {
	p.later = names
	return p.without(names)
}

// without drops fields by name.
func (p part) without(names []string) part {
	if len(names) == 0 {
		return p
	}
	p.fields = slices.DeleteFunc(slices.Clone(p.fields), func(f plan.Field) bool {
		return slices.Contains(names, f.Name)
	})
	return p
}

// only keeps fields by name.
func (p part) only(names []string) part {
	p.fields = slices.DeleteFunc(slices.Clone(p.fields), func(f plan.Field) bool {
		return !slices.Contains(names, f.Name)
	})
	return p
}

// beyondSingle names the fields only bulk jobs can say. What is cleared needs no word
// on a create.
func beyondSingle(schemas resource.Schemas, p part) []string {
	var names []string
	for _, f := range p.fields {
		a, _ := schemas.Of(p.change.Address.Kind).Attribute(f.Name)
		if a.Wire.Path == "" && a.Bulk.Update != "" && (f.Desired.IsSet() || !p.create) {
			names = append(names, f.Name)
		}
	}
	return names
}

// callOf is the request a part is: a create, the call of its own that sets its
// one field, or an update of its fields.
func callOf(schemas resource.Schemas, p part) resource.Call {
	schema := schemas.Of(p.change.Address.Kind)
	if p.create {
		return schema.CreateCall()
	}
	if len(p.fields) == 1 {
		if own := schema.CallOf(p.fields[0].Name, p.fields[0].Desired); own != nil {
			return *own
		}
	}
	return schema.UpdateCall()
}

// carriesPeople reports whether an attribute reaches the service with the people it is
// about.
func carriesPeople(schema *resource.Schema, attribute string) bool {
	return schema.Membership != nil && schema.Membership.Has(attribute)
}

func (p part) update() part {
	p.create = false
	return p
}
