package compare

import (
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// creation is what is made, with what it gives.
type creation struct {
	*draft
	twins map[twinKey][]resource.Address
}

// create returns a resource that is not there, with every attribute the files
// give and the defaults of those a create must have. Beneath it everything is
// created too, and held when it is held.
func (d *creation) create(t entry, action plan.Action) *plan.Change {
	c := d.change(t, action)
	missing := d.createFields(t, c)
	if t.above.held != nil {
		c.Hold(*t.above.held)
	}
	if !d.hasParent(t) {
		missing = append(missing, "its "+string(t.kind.schema.Parent))
		d.refuse(&t, "", diag.Problem{Code: diag.UnknownParent, Position: c.Position, Address: t.address.String(),
			Message: t.address.String() + " has no " +
				string(t.kind.schema.Parent) + "; want one in the files or at the service"})
	}
	if len(missing) > 0 {
		c.Hold(plan.Hold{Hazard: plan.Incomplete, Message: "cannot be created without " + strings.Join(missing, ", ")})
	}
	if startsForeignPause(t) {
		c.Hazards = append(c.Hazards, plan.Drifts)
		c.Hold(plan.Hold{Hazard: plan.Drifts, Message: pausedMessage})
	}
	if action == plan.Create && !t.above.born {
		d.holdTwin(t, c)
	}
	d.becomes(t, &effect{born: true, moved: action == plan.Replace, held: heldWith(t, c)})
	return c
}

// startsForeignPause reports whether creating again would start what someone paused.
func startsForeignPause(t entry) bool {
	if t.live == nil || t.last == nil || t.live.Value(t.kind.delivery).Text() != plan.Paused {
		return false
	}
	return t.kind.delivers(t.desired) && t.kind.delivers(t.last)
}

func (d *creation) hasParent(t entry) bool {
	if t.kind.schema.Parent == "" {
		return true
	}
	return !t.orphan && (d.all[t.up].desired != nil || d.all[t.up].live != nil)
}

// heldWith is the hold of what lies beneath a held create: what releases the
// top of the tree releases the tree.
func heldWith(t entry, c *plan.Change) *plan.Hold {
	if t.above.held != nil || c.Held == nil {
		return t.above.held
	}
	return &plan.Hold{Hazard: c.Held.Hazard, Allow: c.Held.Allow, Message: "held with " + t.address.String()}
}

// createFields fills the fields of a create and gives what is missing.
func (d *creation) createFields(t entry, c *plan.Change) []string {
	c.Fields = make([]plan.Field, 0, len(t.desired.Attributes)+t.unsaidDefaults())
	phase := plan.Creates
	if t.kind.schema.Caps {
		phase = plan.Lower
	}
	for _, n := range t.desired.Attributes {
		a := t.kind.attributes[n.Name]
		if a == nil {
			continue
		}
		switch {
		case t.kind.notes(a) && n.Value.IsSet():
			c.Fields = append(c.Fields, plan.Field{
				Name: n.Name, Desired: n.Value, Cause: plan.Edit, Phase: plan.Creates,
			})
		case t.kind.notes(a):
		case n.Value.IsNull() || a.Protects: // nothing to clear yet, and nothing to send
			c.Recorded = append(c.Recorded, d.created(&t, n.Name, n.Value, plan.Creates))
		default:
			c.Fields = append(c.Fields, d.created(&t, n.Name, n.Value, phase))
		}
	}
	for _, a := range t.kind.defaulted {
		if !t.desired.Value(a.Name).IsSet() {
			f := d.created(&t, a.Name, resource.Text(a.Default), phase)
			f.Cause = plan.Default
			c.Fields = append(c.Fields, f)
		}
	}
	sortFields(c.Fields)
	sortFields(c.Recorded)
	d.startAtTop(t, c)
	lacks := t.lacks()
	for _, l := range lacks {
		d.refuse(&t, "", diag.Problem{
			Code: l.code, Position: t.desired.Position,
			Address: t.address.String(), Message: t.address.String() + " is new and " + l.message,
		})
	}
	return namesOfLacks(lacks)
}

// unsaidDefaults counts the attributes that a create gives beside the files.
func (t *entry) unsaidDefaults() int {
	n := 0
	for _, a := range t.kind.defaulted {
		if !t.desired.Value(a.Name).IsSet() {
			n++
		}
	}
	return n
}

// created is one attribute of a create.
func (d *creation) created(t *entry, name string, desired resource.Value, phase plan.Phase) plan.Field {
	return plan.Field{
		Name: name, Desired: desired, Cause: plan.Edit,
		Phase: phase, Known: d.previousOf(valueOf(t.last, name), resource.Value{}),
	}
}

// lack is something a create must give and the files do not.
type lack struct {
	name    string
	code    diag.Code
	message string
}

func namesOfLacks(lacks []lack) []string {
	var names []string
	for _, l := range lacks {
		names = append(names, l.name)
	}
	return names
}

// lacks returns what the files must say before the resource can be created:
// every attribute a create needs, and exactly one attribute of each exclusive
// setting (service facts, 2.3: exactly one of daily and lifetime).
func (t *entry) lacks() (lacks []lack) {
	for _, a := range t.kind.required {
		if !t.desired.Value(a.Name).IsSet() {
			lacks = append(lacks, lack{a.Name, diag.Required, "has no " + a.Name + "; want one"})
		}
	}
	for _, halves := range t.kind.exclusive {
		if t.givesOne(halves) {
			continue
		}
		var names, given []string
		for _, a := range halves {
			names = append(names, a.Name)
			if t.desired.Value(a.Name).IsSet() {
				given = append(given, a.Name)
			}
		}
		one := "exactly one of " + strings.Join(names, " and ")
		switch {
		case len(given) == 0:
			lacks = append(lacks, lack{one, diag.Required,
				"has neither " + strings.Join(names, " nor ") + "; want one of them"})
		case len(given) > 1:
			lacks = append(lacks, lack{one, diag.Conflicting,
				"has " + strings.Join(given, " and ") + "; want one of them"})
		}
	}
	return lacks
}

// givesOne reports whether the files give exactly one of the attributes.
func (t *entry) givesOne(of []*resource.Attribute) bool {
	given := 0
	for _, a := range of {
		if t.desired.Value(a.Name).IsSet() {
			given++
		}
	}
	return given == 1
}

// startAtTop puts off the start of the highest new resource of a tree: it is
// created paused and activated last (design.md section 5). Beneath it things
// may be active from the start.
func (d *creation) startAtTop(t entry, c *plan.Change) {
	if t.above.born {
		return
	}
	for i := range c.Fields {
		if c.Fields[i].Name != t.kind.delivery || c.Fields[i].Desired.Text() != plan.Active {
			continue
		}
		c.Fields[i].Phase = plan.Activate
		c.Hazards = append(c.Hazards, plan.Activates)
		if len(t.kind.caps) > 0 {
			c.Hazards = append(c.Hazards, plan.RaisesSpend)
		}
	}
}

// twinKey is what makes people take two resources for one: the same parent and
// a name that differs in case, spaces or hyphens at most.
type twinKey struct {
	parent resource.Address
	kind   resource.Kind
	name   string
}

// holdTwin holds a create beside a live resource of the same name that the
// files do not name: it may be a renamed key, or someone else's.
func (d *creation) holdTwin(t entry, c *plan.Change) {
	if d.twins == nil {
		d.findTwins()
	}
	twins := d.twins[twinKey{t.address.Up(t.kind.schema.Parent), t.address.Kind, resource.Fold(c.Name)}]
	if c.Name == "" || len(twins) == 0 {
		return
	}
	c.Hazards = append(c.Hazards, plan.Twins)
	h := plan.Hold{
		Hazard: plan.Twins, Message: d.twinMessage(t.address, twins), Allow: plan.AllowAt(plan.Twins, t.address),
	}
	if h, held := d.unlessCovered(h, t.address, func() []plan.Part { return partsOf(c, 0) }); held {
		c.Hold(h)
	}
}

func (d *creation) findTwins() {
	d.twins = map[twinKey][]resource.Address{}
	for i := range d.all {
		t := &d.all[i]
		a, k, live := t.address, t.kind, t.live
		if live == nil || t.desired != nil || k.archived(live) {
			continue
		}
		seen := ""
		for _, from := range k.schema.NameFrom {
			name := resource.Fold(live.Value(from).Text())
			if name == "" || name == seen {
				continue
			}
			key := twinKey{a.Up(k.schema.Parent), a.Kind, name}
			d.twins[key], seen = append(d.twins[key], a), name
		}
	}
}

func (d *draft) twinMessage(address resource.Address, twins []resource.Address) string {
	var ids []string
	for _, a := range twins {
		if d.Last.Get(a) != nil {
			return "has the name of " + a.String() +
				", which the files no longer name: rename or new? to keep what is there, write moved: [{from: " +
				a.String() + ", to: " + address.String() + "}] in adsync.yaml, or allow creating another"
		}
		ids = append(ids, d.Live.Get(a).ID)
	}
	return "has the name of what is at the service already, as " +
		strings.Join(ids, ", ") + "; give its id to manage it, or allow creating another"
}
