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

// parts divides the changes of a run into what each wave does.
type parts struct {
	*Env
	*run
}

// updates returns the update parts of a phase, in plan order. Fields of one
// nested setting go together, with the latest of their phases, as the service
// replaces the setting whole.
func (r *parts) updates(phase plan.Phase) []part {
	var parts []part
	for _, c := range r.changes {
		if c.Action == plan.Replace && phase == plan.Lower && r.isRoot(c) {
			parts = append(parts, r.retirement(c))
		}
		if isNew(c) || r.ids[c.Address] == "" {
			continue
		}
		if fields := r.fieldsOf(c, phase); len(fields) > 0 {
			parts = append(parts, part{change: c, fields: fields})
		}
	}
	return parts
}

// isNew reports whether a change makes a resource: for the first time, or once more in
// place of one that cannot become what the files say.
func isNew(c *plan.Change) bool { return c.Action == plan.Create || c.Action == plan.Replace }

// retirement archives the resource that a replace puts another in place of; what
// is beneath it goes with it.
func (r *parts) retirement(c *plan.Change) part {
	removal := plan.Field{
		Name: "status", Desired: resource.Text(r.Schemas.Of(c.Address.Kind).Removal).At(c.Position),
		Cause: plan.Edit, Phase: plan.Lower,
	}
	return part{change: c, fields: []plan.Field{removal}}
}

func (r *parts) fieldsOf(c *plan.Change, phase plan.Phase) []plan.Field {
	schema := r.Schemas.Of(c.Address.Kind)
	latest := map[string]plan.Phase{}
	for _, f := range c.Fields {
		if f.Cause == plan.SentAlong { // it goes with what changes: a lower bid is not kept for its strategy
			continue
		}
		root := groupRoot(schema, f.Name)
		latest[root] = max(latest[root], f.Phase)
	}
	var fields []plan.Field
	for _, f := range c.Fields {
		if latest[groupRoot(schema, f.Name)] == phase && !carriesPeople(schema, f.Name) {
			fields = append(fields, f)
		}
	}
	return fields
}

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

// creates returns the create parts, parents first, but for those that only lower
// possible spend, and for merges.
func (r *parts) creates() []part {
	return r.createsThat(func(c *plan.Change) bool { return !lowers(c) && !r.isMerge(c) })
}

// capping returns the creates that only lower possible spend: they are sent with the
// decreases.
func (r *parts) capping() []part { return r.createsThat(lowers) }

func lowers(c *plan.Change) bool { return len(c.Fields) > 0 && c.Fields[0].Phase == plan.Lower }

func (r *parts) createsThat(wanted func(*plan.Change) bool) []part {
	parts := make([]part, 0, len(r.changes))
	for _, c := range r.changes {
		if isNew(c) && wanted(c) {
			parts = append(parts, part{change: c, fields: r.createFields(c), create: true})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return a.change.Address.Compare(b.change.Address) })
	return parts
}

// isRoot reports whether a created resource is the highest new one of its tree.
func (r *parts) isRoot(c *plan.Change) bool {
	parent := r.byAddr[r.Schemas.Parent(c.Address)]
	return parent == nil || !isNew(parent)
}

// createFields are the fields of a create. The highest new resource of a tree
// is created paused, so that nothing can spend before all of it is confirmed
// (design.md section 5).
func (r *parts) createFields(c *plan.Change) []plan.Field {
	if !r.isRoot(c) {
		return c.Fields
	}
	fields := slices.Clone(c.Fields)
	for i := range fields {
		if delivers(r.Schemas, c.Address, fields[i]) {
			fields[i].Desired = resource.Text(kinds.Paused).At(fields[i].Desired.Position)
		}
	}
	return fields
}

// delivers reports whether a field would let its resource deliver.
func delivers(schemas resource.Schemas, address resource.Address, f plan.Field) bool {
	a, ok := schemas.Of(address.Kind).Attribute(f.Name)
	return ok && a.Spend == resource.Delivery && f.Desired.Text() == kinds.Active
}

// activations returns the last parts of creates: roots whose files say active.
func (r *parts) activations() []part {
	var parts []part
	for _, c := range r.changes {
		if !isNew(c) || !r.isRoot(c) {
			continue
		}
		for _, f := range c.Fields {
			if delivers(r.Schemas, c.Address, f) {
				parts = append(parts, part{change: c, fields: []plan.Field{f}})
			}
		}
	}
	return parts
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
