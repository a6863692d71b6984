package apply

import (
	"slices"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
)

// parts divides the changes of a run into what each wave does.
type parts struct {
	*env.Env
	*run
}

// trees groups packed creates by their highest new resource.
func (r *parts) trees(creates []wire.Packed) []wire.Batch {
	index := map[resource.Address]int{}
	of := make([]int, len(creates)) // which unit each is in
	var sizes []int
	for i, p := range creates {
		root := r.rootOf(p.Part.Change.Address)
		unit, ok := index[root]
		if !ok {
			unit = len(sizes)
			index[root] = unit
			sizes = append(sizes, 0)
		}
		of[i] = unit
		sizes[unit]++
	}
	units := make([]wire.Batch, len(sizes))
	all := make(wire.Batch, len(creates)) // units lie one after the other
	for i, size := range sizes {
		units[i], all = all[:0:size], all[size:]
	}
	for i, p := range creates {
		units[of[i]] = append(units[of[i]], p)
	}
	return units
}

// rootOf is the highest resource above an address that this run creates.
func (r *parts) rootOf(address resource.Address) resource.Address {
	for {
		c := r.byAddr[address]
		if c == nil || r.isRoot(c) {
			return address
		}
		address = r.Schemas.Parent(address)
	}
}

// jobRoom is the service's, or less where the agent is told to take less.
func (a *run) jobRoom() wire.Room {
	if a.Bulk.Most > 0 {
		return wire.Room{Operations: min(a.Bulk.Most, wire.MaxOperations), Bytes: wire.MaxBodyBytes}
	}
	return wire.Room{Operations: wire.MaxOperations, Bytes: wire.MaxBodyBytes}
}

// updates returns the update parts of a phase, in plan order. Fields of one
// nested setting go together, with the latest of their phases, as the service
// replaces the setting whole.
func (r *parts) updates(phase plan.Phase) []wire.Part {
	var parts []wire.Part
	for _, c := range r.changes {
		if c.Action == plan.Replace && phase == plan.Lower && r.isRoot(c) {
			parts = append(parts, r.retirement(c))
		}
		if wire.IsNew(c) || r.ids[c.Address] == "" {
			continue
		}
		if fields := r.fieldsOf(c, phase); len(fields) > 0 {
			parts = append(parts, wire.Part{Change: c, Fields: fields})
		}
	}
	return parts
}

// retirement archives the resource that a replace puts another in place of; what
// is beneath it goes with it.
func (r *parts) retirement(c *plan.Change) wire.Part {
	removal := plan.Field{
		Name: "status", Desired: resource.Text(r.Schemas.Of(c.Address.Kind).Removal).At(c.Position),
		Cause: plan.Edit, Phase: plan.Lower,
	}
	return wire.Part{Change: c, Fields: []plan.Field{removal}}
}

func (r *parts) fieldsOf(c *plan.Change, phase plan.Phase) []plan.Field {
	schema := r.Schemas.Of(c.Address.Kind)
	latest := map[string]plan.Phase{}
	for _, f := range c.Fields {
		if f.Cause == plan.SentAlong { // it goes with what changes: a lower bid is not kept for its strategy
			continue
		}
		root := wire.GroupRoot(schema, f.Name)
		latest[root] = max(latest[root], f.Phase)
	}
	var fields []plan.Field
	for _, f := range c.Fields {
		if latest[wire.GroupRoot(schema, f.Name)] == phase && !wire.CarriesPeople(schema, f.Name) {
			fields = append(fields, f)
		}
	}
	return fields
}

// creates returns the create parts, parents first, but for those that only lower
// possible spend, and for merges.
func (r *parts) creates() []wire.Part {
	return r.createsThat(func(c *plan.Change) bool { return !wire.Lowers(c) && !r.isMerge(c) })
}

// capping returns the creates that only lower possible spend: they are sent with the
// decreases.
func (r *parts) capping() []wire.Part { return r.createsThat(wire.Lowers) }

func (r *parts) createsThat(wanted func(*plan.Change) bool) []wire.Part {
	parts := make([]wire.Part, 0, len(r.changes))
	for _, c := range r.changes {
		if wire.IsNew(c) && wanted(c) {
			parts = append(parts, wire.Part{Change: c, Fields: r.createFields(c), Create: true})
		}
	}
	slices.SortStableFunc(parts, func(a, b wire.Part) int { return a.Change.Address.Compare(b.Change.Address) })
	return parts
}

// isRoot reports whether a created resource is the highest new one of its tree.
func (r *parts) isRoot(c *plan.Change) bool {
	parent := r.byAddr[r.Schemas.Parent(c.Address)]
	return parent == nil || !wire.IsNew(parent)
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
		if wire.Delivers(r.Schemas, c.Address, fields[i]) {
			fields[i].Desired = resource.Text(kinds.Paused).At(fields[i].Desired.Position)
		}
	}
	return fields
}

// activations returns the last parts of creates: roots whose files say active.
func (r *parts) activations() []wire.Part {
	var parts []wire.Part
	for _, c := range r.changes {
		if !wire.IsNew(c) || !r.isRoot(c) {
			continue
		}
		for _, f := range c.Fields {
			if wire.Delivers(r.Schemas, c.Address, f) {
				parts = append(parts, wire.Part{Change: c, Fields: []plan.Field{f}})
			}
		}
	}
	return parts
}

// isMerge reports whether a change makes a resource of the people of others.
func (r *parts) isMerge(c *plan.Change) bool { return len(r.sourcesOf(c)) > 0 }

// sourcesOf returns what a change merges, as the files say it.
func (r *parts) sourcesOf(c *plan.Change) []string {
	m := r.Schemas.Of(c.Address.Kind).Membership
	if m == nil || !wire.IsNew(c) {
		return nil
	}
	for i := range c.Fields {
		if c.Fields[i].Name == m.Merge {
			return c.Fields[i].Desired.Items()
		}
	}
	return nil
}

// mergers returns the creates that are merges.
func (r *parts) mergers() []wire.Part { return r.createsThat(r.isMerge) }

func (r *parts) whole(c *plan.Change) wire.Part {
	return wire.Part{Change: c, Fields: r.createFields(c), Create: true}
}

// bulkPart reports whether a create can go into a job: bulk can say it, and its
// parent is created in the same job (interface, part 4, bulk rule 2).
func (r *parts) bulkPart(e wire.Encoder, p wire.Part, inBulk map[resource.Address]bool) (followUp []string, ok bool) {
	parent := r.Schemas.Parent(p.Change.Address)
	if !parent.IsZero() && !inBulk[parent] {
		return nil, false
	}
	c := *p.Change
	c.Fields = p.Fields
	return e.BulkCreatable(&c, r.caps)
}

// published returns the parts that wait for what was created to be ready.
func (r *parts) published() []wire.Part {
	var parts []wire.Part
	for _, c := range r.changes {
		if wire.IsNew(c) && !r.isMerge(c) && r.Schemas.Of(c.Address.Kind).Membership != nil {
			parts = append(parts, wire.Part{Change: c})
		}
	}
	return parts
}

// saidInJobs returns the creates that jobs can say, without what is left for later of
// each. Nothing is encoded: what is larger than a job, and what is beneath it, is not
// told apart.
func (r *parts) saidInJobs() []wire.Part {
	inBulk := map[resource.Address]bool{}
	var said []wire.Part
	e := r.encoder()
	for _, p := range r.creates() {
		if !r.fine(p.Change.Address) {
			continue
		}
		if followUp, ok := r.bulkPart(e, p, inBulk); ok {
			inBulk[p.Change.Address] = true
			said = append(said, p.Postpone(followUp))
		}
	}
	return said
}

// goesInline reports whether the people of a change go in requests: the account takes no
// files of people, and this run has not uploaded theirs.
func (r *parts) goesInline(file *plan.Field) bool {
	takes, known := r.caps[resource.PeopleFiles]
	_, uploaded := r.people[file.Desired.Text()]
	return known && !takes && !uploaded
}

// newInline returns the parts that bring people to what this run creates without them.
func (r *parts) newInline() []wire.Part {
	var parts []wire.Part
	for _, c := range r.changes {
		if m, file := r.membershipOf(c); file != nil && wire.IsNew(c) && !r.isMerge(c) && r.goesInline(file) {
			parts = append(parts, membershipPart(m, c))
		}
	}
	return parts
}

// memberships returns the parts that change who is in what is there already.
func (r *parts) memberships() []wire.Part {
	var parts []wire.Part
	for _, c := range r.changes {
		m, file := r.membershipOf(c)
		if file == nil || wire.IsNew(c) || r.ids[c.Address] == "" {
			continue
		}
		parts = append(parts, membershipPart(m, c))
	}
	return append(parts, r.newInline()...)
}

// mayRepeat reports whether the creates of parents may be repeated to bring more
// children beneath them: nobody forbids it, and the account is not known to make
// a second parent of it.
func (r *parts) mayRepeat() bool {
	reused, known := r.caps[resource.RepeatParent]
	return !r.Bulk.NeverRepeat && (reused || !known)
}

// withoutInline leaves out of a create the people who follow it in requests.
func (r *parts) withoutInline(p wire.Part) []string {
	m, file := r.membershipOf(p.Change)
	if file == nil || !r.goesInline(file) {
		return nil
	}
	var names []string
	for _, f := range p.Fields {
		if m.Has(f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// lowersForNow reports whether a part lowers possible spend and ends nothing.
func (r *parts) lowersForNow(p wire.Part) bool {
	schema := r.Schemas.Of(p.Change.Address.Kind)
	removal := schema.RemovalAttribute()
	ends := func(f plan.Field) bool {
		return f.Phase != plan.Lower || removal != nil && f.Name == removal.Name && f.Desired.Text() == schema.Removal
	}
	return len(p.Fields) > 0 && !slices.ContainsFunc(p.Fields, ends)
}

// supersededWhy returns why a part is not sent any more: newer files, of which the agent
// heard while it applies these, say otherwise of its resource, or of a new one above
// it. What only lowers possible spend goes all the same, unless it cannot be taken
// back: the newer files may ask for less still, and the next run is not there yet.
func (r *parts) supersededWhy(p wire.Part) string {
	if r.Superseded == nil || r.lowersForNow(p) {
		return ""
	}
	if why := r.Superseded(p.Change.Address); why != "" {
		return why
	}
	for above := r.Schemas.Parent(p.Change.Address); !above.IsZero(); above = r.Schemas.Parent(above) {
		if c := r.byAddr[above]; c != nil && wire.IsNew(c) && r.Superseded(above) != "" {
			return r.Superseded(above)
		}
	}
	return ""
}

// withoutSuperseded drops parts that newer files take back.
func (r *parts) withoutSuperseded(parts []wire.Part) []wire.Part {
	if r.Superseded == nil {
		return parts
	}
	var left []wire.Part
	for _, p := range parts {
		if why := r.supersededWhy(p); why != "" {
			r.skip(p.Change.Address, why)
			continue
		}
		left = append(left, p)
	}
	return left
}
