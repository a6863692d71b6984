package compare

import (
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// comparedFields compares the attributes of one resource.
type comparedFields struct {
	*drafting.Draft
	*creation
	differing, agreeing []plan.Field // of the resource that is compared
}

// compareAttributes updates or adopts what is there on every side that counts.
func (d *comparedFields) compareAttributes(t drafting.Entry) {
	fields, recorded := d.Fields(t)
	adopts := t.Last == nil && t.Kind.Schema.Only == ""
	if len(fields) == 0 && len(recorded) == 0 && !adopts {
		d.inSync(t.Live)
		return
	}
	moves := slices.ContainsFunc(fields, func(f plan.Field) bool { return t.Kind.Attributes[f.Name].Immutable })
	if moves && unreplaceable(t) == "" && d.mayReplace(t, adopts) {
		c := d.create(t, plan.Replace)
		c.Hazards = append(c.Hazards, plan.Replaces, plan.Archives)
		return
	}
	c := d.Change(t, plan.Update)
	c.Fields, c.Recorded = fields, recorded
	switch {
	case adopts && d.knownByID(t, fields, recorded):
		c.Action = plan.Record
	case adopts:
		c.Action = plan.Adopt
		d.holdAdopt(t, c)
	case moves:
		c.Action = plan.Replace
	case len(fields) == 0:
		c.Action = plan.Record
	}
	c.Displaced = displacedBy(&t, c.Fields)
	d.sortOutFields(t, c)
	c.Fields = d.sentAlong(t, c.Fields)
}

// knownByID reports whether the files name what is live by its id, say nothing else
// than what it is, and nothing above it waits: to manage it changes nothing, and is
// no question.
func (d *comparedFields) knownByID(t drafting.Entry, fields, recorded []plan.Field) bool {
	return t.Desired.ID != "" && t.Desired.ID == t.Live.ID &&
		len(fields) == 0 && len(recorded) > 0 && t.Above.Held == nil
}

// mayReplace reports whether somebody agreed to archiving the resource and making
// another, and to taking it over where adsync did not make it.
func (d *comparedFields) mayReplace(t drafting.Entry, adopts bool) bool {
	replaces := plan.Hold{
		Hazard: plan.Replaces, Allow: plan.AllowAt(plan.Replaces, t.Address), Message: catalogue.Fill("guard.replaced"),
	}
	if _, held := d.UnlessCovered(replaces, t.Address, func() []plan.Part {
		return d.rowParts(&t, plan.Replace)
	}); held {
		return false
	}
	return !adopts || d.Covered(plan.Adopts, t.Address)
}

// displaced returns what goes at the service with the fields that are set, and is no
// field of its own.
func displacedBy(t *drafting.Entry, fields []plan.Field) (gone []plan.Displaced) {
	for i := range fields {
		f := &fields[i]
		if !f.Desired.IsSet() {
			continue
		}
		for _, half := range t.Kind.Halves[f.Name] {
			own := slices.ContainsFunc(fields, func(f plan.Field) bool { return f.Name == half })
			if v := t.Live.Value(half); v.IsSet() && !own {
				gone = append(gone, plan.Displaced{Name: half, Live: v, By: f.Name})
			}
		}
	}
	return gone
}

func (d *comparedFields) holdAdopt(t drafting.Entry, c *plan.Change) {
	c.Hazards = append(c.Hazards, plan.Adopts)
	allow := plan.AllowAt(plan.Adopts, t.Address)
	if t.Above.Held != nil && t.Above.Held.Hazard == plan.Adopts {
		allow = t.Above.Held.Allow
	}
	h := plan.Hold{
		Hazard: plan.Adopts, Allow: allow, Message: catalogue.Fill("guard.adopts", "id", c.ID),
	}
	h, held := d.UnlessCovered(h, t.Address, func() []plan.Part { return drafting.PartsOf(c, 0) })
	if !held {
		return
	}
	c.Hold(h)
	if d.All[t.Index].Effect != nil {
		return
	}
	d.Becomes(t, &drafting.Effect{
		Held: &plan.Hold{Hazard: plan.Adopts, Allow: allow,
			Message: catalogue.Fill("guard.with", "what", t.Address.String())},
	})
}

// Fields compares every attribute the files give. It gives what differs at the
// service, and what agrees there and is not recorded so.
func (d *comparedFields) Fields(t drafting.Entry) (fields, recorded []plan.Field) {
	fields, recorded = d.differing[:0], d.agreeing[:0]
	p, named := drafting.PeopleOf(t)
	if named {
		of, noted := p.Fields()
		fields, recorded = append(fields, of...), append(recorded, noted...)
	}
	live, last := walk{t.Live.Attributes}, walk{}
	if t.Last != nil {
		last.rest = t.Last.Attributes
	}
	for i := range t.Desired.Attributes {
		n := &t.Desired.Attributes[i]
		if now, applied := live.to(n.Name), last.to(n.Name); now != nil &&
			applied != nil && n.Value.Equal(*now) && n.Value.Equal(*applied) {
			continue
		}
		a := t.Kind.Attributes[n.Name]
		if a == nil || named && p.Has(n.Name) {
			continue
		}
		was, now := drafting.ValueOf(t.Last, n.Name), t.Live.Value(n.Name)
		said, sent, shown := n.Value, was, now
		if a.Type == resource.TypeFactors {
			said, sent, shown = d.withoutArchived(t, a)
		}
		differs, notes := false, false
		switch {
		case a.Protects:
			notes = !plan.Same(said, sent)
		case t.Live.AsSent && now.IsAbsent():
			notes = true
		case d.mergedOf(t, n, was):
			notes = true
		case !plan.Readable(a):
			now = resource.Value{}
			differs = t.Last == nil && said.IsSet() || t.Last != nil && !plan.Same(said, sent)
		case !plan.Same(said, shown):
			differs = true
		default:
			notes = sent.IsAbsent() || !plan.Same(said, sent)
		}
		switch f := (plan.Field{Name: n.Name, Desired: said, Cause: plan.Edit}); {
		case differs:
			f.Known = d.previousOf(was, now)
			fields = append(fields, f)
		case notes && !d.TakesBack:
			f.Known = d.previousOf(was, now)
			recorded = append(recorded, f)
		}
	}
	d.differing, d.agreeing = fields, recorded
	return ownFields(fields), ownFields(recorded)
}

// ownFields returns a change fields of its own, of those gathered in a list that
// is used again; nil where there are none.
func ownFields(gathered []plan.Field) []plan.Field {
	if len(gathered) == 0 {
		return nil
	}
	own := slices.Clone(gathered)
	drafting.SortFields(own)
	return own
}

// walk gives values of attributes whose names come in order.
type walk struct{ rest resource.Attributes }

// to returns the value of a name, nil where it is absent.
func (w *walk) to(name string) *resource.Value {
	for len(w.rest) > 0 && w.rest[0].Name < name {
		w.rest = w.rest[1:]
	}
	if len(w.rest) == 0 || w.rest[0].Name != name {
		return nil
	}
	return &w.rest[0].Value
}

// sortOutFields gives each field its cause, its phase and what the table holds
// it with.
func (d *comparedFields) sortOutFields(t drafting.Entry, c *plan.Change) {
	for i := range c.Fields {
		f := &c.Fields[i]
		f.Phase = drafting.PhaseOf(t.Kind.Attributes[f.Name], f.Desired, f.Live())
	}
	d.phaseSpan(&t, c.Fields)
	for i := range c.Fields {
		f := &c.Fields[i]
		a := t.Kind.Attributes[f.Name]
		if t.Last != nil && plan.Readable(a) && !f.Last().IsAbsent() && plan.Same(f.Desired, f.Last()) {
			f.Cause = plan.Drift
		}
		c.Hazards = drafting.WithHazards(c.Hazards, a, f)
		if f.Cause == plan.Drift {
			c.Hazards = append(c.Hazards, plan.Drifts)
		}
		for _, h := range d.tableHolds(t, a, f) {
			c.Hazards = append(c.Hazards, h.Hazard)
			if h, held := d.unlessReleased(h, t, c, f); held {
				f.Hold(h)
			}
		}
	}
}

// unlessReleased returns the table's hold unless somebody agreed to it. What no flag
// releases, nobody does.
func (d *comparedFields) unlessReleased(h plan.Hold,
	t drafting.Entry, c *plan.Change, f *plan.Field) (plan.Hold, bool) {
	if h.Allow == "" {
		return h, true
	}
	return d.UnlessCovered(h, t.Address, func() []plan.Part {
		if h.Hazard == plan.Replaces {
			return d.rowParts(&t, plan.Replace)
		}
		return []plan.Part{drafting.FieldPart(c.Address, c.ID, f, 0)}
	})
}

// tableHolds are the holds of the table's rows on one field that differs.
func (d *comparedFields) tableHolds(t drafting.Entry, a *resource.Attribute, f *plan.Field) []plan.Hold {
	if a.Immutable {
		return immutableHold(t, a, f)
	}
	hold := func(h plan.Hazard, message string) []plan.Hold {
		return []plan.Hold{{Hazard: h, Message: message, Allow: plan.AllowAt(h, t.Address)}}
	}
	foreign := t.Last == nil || f.Last().IsAbsent() && !plan.Unset(f.Live())
	switch {
	case a.Spend == resource.Delivery:
		return d.statusHolds(t, a, f, foreign)
	case !plan.Readable(a) || t.Last == nil:
		return nil
	case f.Cause == plan.Drift && d.Policy.DriftFor(a.Name) == plan.Revert &&
		d.reverts(t.Address, a.Name) >= mostReverts:
		return hold(plan.Drifts, catalogue.Fill("guard.flaps"))
	case f.Cause == plan.Drift && d.Policy.DriftFor(a.Name) == plan.Revert:
		return nil
	case f.Cause == plan.Drift:
		return hold(plan.Drifts, catalogue.Fill("guard.drift", "from", a.Show(f.Last()), "to", a.Show(f.Live())))
	case foreign && t.Kind.Schema.Only == "": // what an account has from the start is nobody's edit
		return hold(plan.Adopts, catalogue.Fill("guard.adopts-value", "attribute", a.Name, "value", a.Show(f.Live())))
	case otherHalf(&t, f) != "":
		return hold(plan.Conflicts, catalogue.Fill("guard.conflict-half", "value", a.Show(f.Desired),
			"other", otherHalf(&t, f)))
	case !f.Last().IsAbsent() && !plan.Same(f.Live(), f.Last()):
		return hold(plan.Conflicts, catalogue.Fill("guard.conflict", "value", a.Show(f.Desired),
			"live", a.Show(f.Live()), "last", a.Show(f.Last())))
	}
	return nil
}

// otherHalf names the half of an exclusive setting that a field takes the place of
// and that is not as adsync recorded it; "" where there is none.
func otherHalf(t *drafting.Entry, f *plan.Field) string {
	if !f.Desired.IsSet() || !plan.Unset(f.Live()) {
		return ""
	}
	for _, half := range t.Kind.Halves[f.Name] {
		applied, now := t.Last.Value(half), t.Live.Value(half)
		if applied.IsSet() && now.IsSet() && !plan.Same(applied, now) {
			return half
		}
	}
	return ""
}

// immutableHold holds an edit of what cannot change. Replacing is offered where
// it can be done.
func immutableHold(t drafting.Entry, a *resource.Attribute, f *plan.Field) []plan.Hold {
	there := catalogue.Fill("guard.stays-live", "value", a.Show(f.Live()))
	if !plan.Readable(a) {
		there = catalogue.Fill("guard.stays-made", "value", a.Show(f.Last()))
	}
	if obstacle := unreplaceable(t); obstacle != "" {
		return []plan.Hold{{Hazard: plan.Replaces, Message: catalogue.Fill("guard.stays", "attribute", a.Name,
			"there", there, "obstacle", obstacle)}}
	}
	return []plan.Hold{{Hazard: plan.Replaces, Allow: plan.AllowAt(plan.Replaces, t.Address),
		Message: catalogue.Fill("guard.stays-unless", "attribute", a.Name, "there", there)}}
}

// unreplaceable returns what stands in the way of archiving the resource and
// creating it again, "" where nothing does.
func unreplaceable(t drafting.Entry) string {
	lacks := namesOfLacks(lacksOf(&t))
	switch {
	case t.Kind.Schema.Lasting != "":
		return t.Kind.Schema.WhyLasting()
	case t.Kind.Schema.Caps:
		return catalogue.Fill("guard.obstacle.limit")
	case len(lacks) > 0:
		return catalogue.Fill("guard.obstacle.lacks", "attributes", catalogue.Commas(lacks))
	case startsForeignPause(t):
		return catalogue.Fill("guard.obstacle.paused")
	case endsForeignStatus(t):
		return catalogue.Fill("guard.obstacle.status", "status", t.Live.Value(t.Kind.Delivery).Text())
	case t.Above.Held != nil:
		return catalogue.Fill("guard.obstacle.held")
	}
	return ""
}

// endsForeignStatus reports whether somebody else set the status of the resource, to
// another than the files say: archiving it would overwrite that.
func endsForeignStatus(t drafting.Entry) bool {
	name := t.Kind.Delivery
	live := t.Live.Value(name)
	f := plan.Field{Known: plan.KnownOf(drafting.ValueOf(t.Last, name), live)}
	return f.IsForeign() && !plan.Same(live, t.Desired.Value(name))
}

// statusHolds keeps adsync from starting what someone else stopped, and over what it
// cannot tell. Pausing what the files want paused passes.
func (d *comparedFields) statusHolds(t drafting.Entry,
	a *resource.Attribute, f *plan.Field, foreign bool) (holds []plan.Hold) {
	starts := f.Desired.Text() == plan.Active
	switch {
	case f.Cause == plan.Drift && starts && f.Live().Text() != plan.Paused:
		return []plan.Hold{{Hazard: plan.Drifts,
			Message: catalogue.Fill("guard.starts-over", "status", a.Show(f.Live()))}}
	case f.Cause == plan.Drift && starts:
		return []plan.Hold{{Hazard: plan.Drifts, Message: catalogue.Fill("guard.paused")}}
	case f.Cause == plan.Drift:
		return []plan.Hold{{Hazard: plan.Drifts, Allow: plan.AllowAt(plan.Drifts, t.Address),
			Message: catalogue.Fill("guard.drift-status", "status", a.Show(f.Live()))}}
	case starts && !foreign && f.Last().IsSet() && !plan.Same(f.Live(), f.Last()):
		holds = append(holds, plan.Hold{
			Hazard: plan.Conflicts, Message: catalogue.Fill("guard.conflict-start", "live", a.Show(f.Live()),
				"last", a.Show(f.Last())), Allow: plan.AllowAt(plan.Conflicts, t.Address),
		})
	}
	switch {
	case starts && d.Policy.StartsHeld:
		holds = append(holds, plan.Hold{
			Hazard: plan.Activates, Message: catalogue.Fill("guard.revert-starts"),
			Allow: plan.AllowAt(plan.Activates, t.Address),
		})
	case starts && foreign:
		holds = append(holds, plan.Hold{
			Hazard: plan.Activates, Message: catalogue.Fill("guard.foreign-start", "status", a.Show(f.Live())),
			Allow: plan.AllowAt(plan.Activates, t.Address),
		})
	}
	return holds
}

// sentAlong adds what a setting that is sent whole takes along: the attributes
// of it that do not change, with their live values.
func (d *comparedFields) sentAlong(t drafting.Entry, fields []plan.Field) []plan.Field {
	settings := map[string]bool{}
	for i := range fields {
		if s := t.Kind.Whole[fields[i].Name]; s != "" {
			settings[s] = true
		}
	}
	if len(settings) == 0 {
		return fields
	}
	for s := range settings {
		for _, name := range t.Kind.Members[s] {
			live := t.Live.Value(name)
			v := live
			if a := t.Kind.Attributes[name]; a.Type == resource.TypeFactors {
				_, _, v = d.withoutArchived(t, a)
			}
			if plan.Unset(live) || !t.Kind.Attributes[name].Takes(v) || // of factors, none may be left
				slices.ContainsFunc(fields, func(f plan.Field) bool {
					return f.Name == name
				}) {
				continue
			}
			fields = append(fields, plan.Field{
				Name: name, Desired: v, Cause: plan.SentAlong,
				Phase: plan.Neutral, Known: d.previousOf(drafting.ValueOf(t.Last, name), live),
			})
		}
	}
	drafting.SortFields(fields)
	return fields
}

// mergedOf reports whether a merge in other words is the one that was sent: its keys
// have changed since, and they are of the same resources.
func (d *comparedFields) mergedOf(t drafting.Entry, n *resource.Named, was resource.Value) bool {
	m := t.Kind.Schema.Membership
	if m == nil || n.Name != m.Merge || t.Last == nil || !n.Value.IsSet() || plan.Same(n.Value, was) {
		return false
	}
	var ids []string
	for _, said := range n.Value.Items() {
		s := d.SourceOf(t.Address.Kind, said)
		if s.Live == nil {
			return false
		}
		ids = append(ids, s.Live.ID)
	}
	slices.Sort(ids)
	return slices.Equal(slices.Compact(ids), slices.Sorted(slices.Values(t.Last.Value(m.Merged).Items())))
}

// rowParts are those of a row and of all beneath it that the files make anew: it is
// agreed to with every value it has.
func (d *comparedFields) rowParts(t *drafting.Entry, action plan.Action) (parts []plan.Part) {
	for i := t.Index; i < len(d.All); i++ {
		one := &d.All[i]
		if i > t.Index && !strings.HasPrefix(one.Address.Key, t.Address.Key+"/") {
			break
		}
		if one.Desired == nil {
			continue
		}
		var values []string
		for _, n := range one.Desired.Attributes {
			values = append(values, n.Name, plan.DigestOf(n.Value))
		}
		parts = append(parts, plan.Part{
			Address: one.Address.String(), After: plan.DigestOfTexts(string(action), plan.DigestOfTexts(values...)),
			Before: plan.DigestOfTexts(one.LiveID()),
		})
	}
	return parts
}
