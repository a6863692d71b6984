package wire

import (
	"slices"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
)

// Part is what one wave does of a change: a create, or an update of the fields
// that belong to the wave's phase.
type Part struct {
	Change *plan.Change
	Fields []plan.Field
	Create bool
	later  []string // fields a create leaves to a follow-up

	Revision any // of the configuration the write starts from, where its call names one
}

// IsNew reports whether a change makes a resource: for the first time, or once more in
// place of one that cannot become what the files say.
func IsNew(c *plan.Change) bool { return c.Action == plan.Create || c.Action == plan.Replace }

// GroupRoot names the setting a field is sent with: its own name where it is
// sent alone.
func GroupRoot(schema *resource.Schema, name string) string {
	a, ok := schema.Attribute(name)
	if !ok {
		return name
	}
	if group, whole := schema.Group(a); whole {
		return group.Wire + "."
	}
	return name
}

func Lowers(c *plan.Change) bool { return len(c.Fields) > 0 && c.Fields[0].Phase == plan.Lower }

// Delivers reports whether a field would let its resource deliver.
func Delivers(schemas resource.Schemas, address resource.Address, f plan.Field) bool {
	a, ok := schemas.Of(address.Kind).Attribute(f.Name)
	return ok && a.Spend == resource.Delivery && f.Desired.Text() == kinds.Active
}

// Set is what becomes last-applied when the part succeeds: the fields as sent,
// without those the files do not manage.
func (p Part) Set() resource.Attributes {
	set := make(resource.Attributes, 0, len(p.Fields)+len(p.later))
	for _, f := range p.Fields {
		if f.Cause != plan.Default && f.Cause != plan.SentAlong {
			set.Set(f.Name, f.Desired)
		}
	}
	for _, name := range p.later {
		set.Set(name, resource.Null())
	}
	return set
}

// Postpone leaves fields to a follow-up. Until then the record says null: what
// the service put there is nobody's edit.
func (p Part) Postpone(names []string) Part {
	p.later = names
	return p.Without(names)
}

// Without drops fields by name.
func (p Part) Without(names []string) Part {
	if len(names) == 0 {
		return p
	}
	p.Fields = slices.DeleteFunc(slices.Clone(p.Fields), func(f plan.Field) bool {
		return slices.Contains(names, f.Name)
	})
	return p
}

// Only keeps fields by name.
func (p Part) Only(names []string) Part {
	p.Fields = slices.DeleteFunc(slices.Clone(p.Fields), func(f plan.Field) bool {
		return !slices.Contains(names, f.Name)
	})
	return p
}

// BeyondSingle names the fields only bulk jobs can say. What is cleared needs no word
// on a create.
func BeyondSingle(schemas resource.Schemas, p Part) []string {
	var names []string
	for _, f := range p.Fields {
		a, _ := schemas.Of(p.Change.Address.Kind).Attribute(f.Name)
		if a.Wire.Path == "" && a.Bulk.Update != "" && (f.Desired.IsSet() || !p.Create) {
			names = append(names, f.Name)
		}
	}
	return names
}

// CallOf is the request a part is: a create, the call of its own that sets its
// one field, or an update of its fields.
func CallOf(schemas resource.Schemas, p Part) resource.Call {
	schema := schemas.Of(p.Change.Address.Kind)
	if p.Create {
		return schema.CreateCall()
	}
	if len(p.Fields) == 1 {
		if own := schema.CallOf(p.Fields[0].Name, p.Fields[0].Desired); own != nil {
			return *own
		}
	}
	return schema.UpdateCall()
}

// CarriesPeople reports whether an attribute reaches the service with the people it is
// about.
func CarriesPeople(schema *resource.Schema, attribute string) bool {
	return schema.Membership != nil && schema.Membership.Has(attribute)
}

func (p Part) Update() Part {
	p.Create = false
	return p
}
