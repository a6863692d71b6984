package compare

import (
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/plan"
)

// comparedFields compares the attributes of one resource.
type comparedFields struct {
	*draft
	*creation
	differing, agreeing []plan.Field // of the resource that is compared
}

// compareAttributes updates or adopts what is there on every side that counts.
func (d *comparedFields) compareAttributes(t entry) {
	fields, recorded := d.fields(t)
	adopts := t.last == nil && t.kind.schema.Only == ""
	if len(fields) == 0 && len(recorded) == 0 && !adopts {
		d.inSync(t.live)
		return
	}
	moves := slices.ContainsFunc(fields, func(f plan.Field) bool { return t.kind.attributes[f.Name].Immutable })
	if moves && unreplaceable(t) == "" && d.mayReplace(t, adopts) {
		c := d.create(t, plan.Replace)
		c.Hazards = append(c.Hazards, plan.Replaces, plan.Archives)
		return
	}
	c := d.change(t, plan.Update)
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
	c.Displaced = t.displaced(c.Fields)
	d.sortOutFields(t, c)
	c.Fields = d.sentAlong(t, c.Fields)
}

// knownByID reports whether the files name what is live by its id, say nothing else
// than what it is, and nothing above it waits: to manage it changes nothing, and is
// no question.
func (d *comparedFields) knownByID(t entry, fields, recorded []plan.Field) bool {
	return t.desired.ID != "" && t.desired.ID == t.live.ID &&
		len(fields) == 0 && len(recorded) > 0 && t.above.held == nil
}

// mayReplace reports whether somebody agreed to archiving the resource and making
// another, and to taking it over where adsync did not make it.
func (d *comparedFields) mayReplace(t entry, adopts bool) bool {
	replaces := plan.Hold{
		Hazard: plan.Replaces, Allow: plan.AllowAt(plan.Replaces, t.address), Message: "is archived and made again",
	}
	if _, held := d.unlessCovered(replaces, t.address, func() []plan.Part {
		return d.rowParts(&t, plan.Replace)
	}); held {
		return false
	}
	return !adopts || d.covered(plan.Adopts, t.address)
}

// displaced returns what goes at the service with the fields that are set, and is no
// field of its own.
func (t *entry) displaced(fields []plan.Field) (gone []plan.Displaced) {
	for i := range fields {
		f := &fields[i]
		if !f.Desired.IsSet() {
			continue
		}
		for _, half := range t.kind.halves[f.Name] {
			own := slices.ContainsFunc(fields, func(f plan.Field) bool { return f.Name == half })
			if v := t.live.Value(half); v.IsSet() && !own {
				gone = append(gone, plan.Displaced{Name: half, Live: v, By: f.Name})
			}
		}
	}
	return gone
}

func (d *comparedFields) holdAdopt(t entry, c *plan.Change) {
	c.Hazards = append(c.Hazards, plan.Adopts)
	allow := plan.AllowAt(plan.Adopts, t.address)
	if t.above.held != nil && t.above.held.Hazard == plan.Adopts {
		allow = t.above.held.Allow
	}
	h := plan.Hold{
		Hazard: plan.Adopts, Allow: allow, Message: "is at the service already, as " +
			c.ID + ", and adsync did not create it",
	}
	h, held := d.unlessCovered(h, t.address, func() []plan.Part { return partsOf(c, 0) })
	if !held {
		return
	}
	c.Hold(h)
	if d.all[t.index].effect != nil {
		return
	}
	d.becomes(t, &effect{
		held: &plan.Hold{Hazard: plan.Adopts, Allow: allow, Message: "held with " + t.address.String()},
	})
}

// fields compares every attribute the files give. It gives what differs at the
// service, and what agrees there and is not recorded so.
func (d *comparedFields) fields(t entry) (fields, recorded []plan.Field) {
	fields, recorded = d.differing[:0], d.agreeing[:0]
	p, named := peopleOf(t)
	if named {
		of, noted := p.fields()
		fields, recorded = append(fields, of...), append(recorded, noted...)
	}
	live, last := walk{t.live.Attributes}, walk{}
	if t.last != nil {
		last.rest = t.last.Attributes
	}
	for i := range t.desired.Attributes {
		n := &t.desired.Attributes[i]
		if now, applied := live.to(n.Name), last.to(n.Name); now != nil &&
			applied != nil && n.Value.Equal(*now) && n.Value.Equal(*applied) {
			continue
		}
		a := t.kind.attributes[n.Name]
		if a == nil || named && p.Has(n.Name) {
			continue
		}
		was, now := valueOf(t.last, n.Name), t.live.Value(n.Name)
		differs, notes := false, false
		switch {
		case a.Protects:
			notes = !plan.Same(n.Value, was)
		case t.live.AsSent && now.IsAbsent():
			notes = true
		case d.mergedOf(t, n, was):
			notes = true
		case !plan.Readable(a):
			now = resource.Value{}
			differs = t.last == nil && n.Value.IsSet() || t.last != nil && !plan.Same(n.Value, was)
		case !plan.Same(n.Value, now):
			differs = true
		default:
			notes = was.IsAbsent() || !plan.Same(n.Value, was)
		}
		switch f := (plan.Field{Name: n.Name, Desired: n.Value, Cause: plan.Edit}); {
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
	sortFields(own)
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
func (d *comparedFields) sortOutFields(t entry, c *plan.Change) {
	for i := range c.Fields {
		f := &c.Fields[i]
		f.Phase = phaseOf(t.kind.attributes[f.Name], f.Desired, f.Live())
	}
	d.phaseSpan(&t, c.Fields)
	for i := range c.Fields {
		f := &c.Fields[i]
		a := t.kind.attributes[f.Name]
		if t.last != nil && plan.Readable(a) && !f.Last().IsAbsent() && plan.Same(f.Desired, f.Last()) {
			f.Cause = plan.Drift
		}
		c.Hazards = withHazards(c.Hazards, a, f)
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
func (d *comparedFields) unlessReleased(h plan.Hold, t entry, c *plan.Change, f *plan.Field) (plan.Hold, bool) {
	if h.Allow == "" {
		return h, true
	}
	return d.unlessCovered(h, t.address, func() []plan.Part {
		if h.Hazard == plan.Replaces {
			return d.rowParts(&t, plan.Replace)
		}
		return []plan.Part{fieldPart(c.Address, c.ID, f, 0)}
	})
}

// tableHolds are the holds of the table's rows on one field that differs.
func (d *comparedFields) tableHolds(t entry, a *resource.Attribute, f *plan.Field) []plan.Hold {
	if a.Immutable {
		return immutableHold(t, a, f)
	}
	hold := func(h plan.Hazard, message string) []plan.Hold {
		return []plan.Hold{{Hazard: h, Message: message, Allow: plan.AllowAt(h, t.address)}}
	}
	foreign := t.last == nil || f.Last().IsAbsent() && !plan.Unset(f.Live())
	switch {
	case a.Spend == resource.Delivery:
		return d.statusHolds(t, a, f, foreign)
	case !plan.Readable(a) || t.last == nil:
		return nil
	case f.Cause == plan.Drift && d.Policy.DriftFor(a.Name) == plan.Revert &&
		d.reverts(t.address, a.Name) >= mostReverts:
		return hold(plan.Drifts, flaps)
	case f.Cause == plan.Drift && d.Policy.DriftFor(a.Name) == plan.Revert:
		return nil
	case f.Cause == plan.Drift:
		return hold(plan.Drifts, "changed outside adsync from "+
			a.Show(f.Last())+" to "+a.Show(f.Live())+"; write that in the file, or allow undoing it")
	case foreign && t.kind.schema.Only == "": // what an account has from the start is nobody's edit
		return hold(plan.Adopts, a.Name+" is "+a.Show(f.Live())+" at the service and adsync did not write that")
	case t.otherHalf(f) != "":
		return hold(plan.Conflicts, "the files say "+a.Show(f.Desired)+
			", and someone changed "+t.otherHalf(f)+" outside adsync, which it takes the place of")
	case !f.Last().IsAbsent() && !plan.Same(f.Live(), f.Last()):
		return hold(plan.Conflicts, "the files say "+a.Show(f.Desired)+
			", someone changed it to "+a.Show(f.Live())+" outside adsync; both started from "+a.Show(f.Last()))
	}
	return nil
}

// otherHalf names the half of an exclusive setting that a field takes the place of
// and that is not as adsync recorded it; "" where there is none.
func (t *entry) otherHalf(f *plan.Field) string {
	if !f.Desired.IsSet() || !plan.Unset(f.Live()) {
		return ""
	}
	for _, half := range t.kind.halves[f.Name] {
		applied, now := t.last.Value(half), t.live.Value(half)
		if applied.IsSet() && now.IsSet() && !plan.Same(applied, now) {
			return half
		}
	}
	return ""
}

// immutableHold holds an edit of what cannot change. Replacing is offered where
// it can be done.
func immutableHold(t entry, a *resource.Attribute, f *plan.Field) []plan.Hold {
	there := a.Show(f.Live()) + " is live"
	if !plan.Readable(a) {
		there = "it was made with " + a.Show(f.Last())
	}
	message := a.Name + " cannot change after creation: " + there + "; restore it, or "
	if obstacle := unreplaceable(t); obstacle != "" {
		return []plan.Hold{{Hazard: plan.Replaces, Message: message +
			"create another under a new key; replacing this one would need more: " + obstacle}}
	}
	return []plan.Hold{{Hazard: plan.Replaces, Message: message + "allow archiving this one and creating another",
		Allow: plan.AllowAt(plan.Replaces, t.address)}}
}

// unreplaceable returns what stands in the way of archiving the resource and
// creating it again, "" where nothing does.
func unreplaceable(t entry) string {
	lacks := namesOfLacks(t.lacks())
	switch {
	case t.kind.schema.Lasting != "":
		return t.kind.schema.Lasting
	case t.kind.schema.Caps:
		return "without the limit the account could spend more in between"
	case len(lacks) > 0:
		return "the files do not give " + strings.Join(lacks, ", ")
	case startsForeignPause(t):
		return "it " + pausedMessage
	case t.above.held != nil:
		return "what is above it is held"
	}
	return ""
}

const pausedMessage = "was paused outside adsync, " +
	"which adsync never undoes; to start it, let the file say paused once and then active again"

// statusHolds keeps adsync from starting what someone else stopped, and over what it
// cannot tell. Pausing what the files want paused passes.
func (d *comparedFields) statusHolds(t entry, a *resource.Attribute, f *plan.Field, foreign bool) (holds []plan.Hold) {
	starts := f.Desired.Text() == plan.Active
	switch {
	case f.Cause == plan.Drift && starts && f.Live().Text() != plan.Paused:
		return []plan.Hold{{Hazard: plan.Drifts, Message: "is " +
			a.Show(f.Live()) + " at the service, and adsync did not write that; it starts nothing over it"}}
	case f.Cause == plan.Drift && starts:
		return []plan.Hold{{Hazard: plan.Drifts, Message: pausedMessage}}
	case f.Cause == plan.Drift:
		return []plan.Hold{{Hazard: plan.Drifts, Message: "was set to " + a.Show(f.Live()) +
			" outside adsync; write that in the file, or allow undoing it",
			Allow: plan.AllowAt(plan.Drifts, t.address)}}
	case starts && !foreign && f.Last().IsSet() && !plan.Same(f.Live(), f.Last()):
		holds = append(holds, plan.Hold{
			Hazard: plan.Conflicts, Message: "the files start it, and it is " + a.Show(f.Live()) +
				" at the service, where it was " + a.Show(f.Last()), Allow: plan.AllowAt(plan.Conflicts, t.address),
		})
	}
	switch {
	case starts && d.Policy.StartsHeld:
		holds = append(holds, plan.Hold{
			Hazard: plan.Activates, Message: "was paused by the run that is " +
				"taken back; a revert starts nothing unless it is allowed",
			Allow: plan.AllowAt(plan.Activates, t.address),
		})
	case starts && foreign:
		holds = append(holds, plan.Hold{
			Hazard: plan.Activates, Message: "is " + a.Show(f.Live()) + " and adsync did not write that",
			Allow: plan.AllowAt(plan.Activates, t.address),
		})
	}
	return holds
}

// sentAlong adds what a setting that is sent whole takes along: the attributes
// of it that do not change, with their live values.
func (d *comparedFields) sentAlong(t entry, fields []plan.Field) []plan.Field {
	settings := map[string]bool{}
	for i := range fields {
		if s := t.kind.whole[fields[i].Name]; s != "" {
			settings[s] = true
		}
	}
	if len(settings) == 0 {
		return fields
	}
	for s := range settings {
		for _, name := range t.kind.members[s] {
			v := t.live.Value(name)
			if plan.Unset(v) || !t.kind.attributes[name].Takes(v) ||
				slices.ContainsFunc(fields, func(f plan.Field) bool {
					return f.Name == name
				}) {
				continue
			}
			fields = append(fields, plan.Field{
				Name: name, Desired: v, Cause: plan.SentAlong,
				Phase: plan.Neutral, Known: d.previousOf(valueOf(t.last, name), v),
			})
		}
	}
	sortFields(fields)
	return fields
}
