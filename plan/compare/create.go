package compare

import (
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// creation is what is made, with what it gives.
type creation struct {
	*drafting.Draft
	twins    map[twinKey][]resource.Address
	previous []plan.Known // room for what stands beside the values of the files
}

// create returns a resource that is not there, with every attribute the files
// give and the defaults of those a create must have. Beneath it everything is
// created too, and held when it is held.
func (d *creation) create(t drafting.Entry, action plan.Action) *plan.Change {
	c := d.Change(t, action)
	missing := d.createFields(t, c)
	if t.Above.Held != nil {
		c.Hold(*t.Above.Held)
	}
	if !d.hasParent(t) {
		missing = append(missing, catalogue.Fill("guard.its-parent", "kind", string(t.Kind.Schema.Parent)))
		d.Refuse(&t, "", diag.Problem{Code: diag.UnknownParent, Position: c.Position, Address: t.Address.String(),
			Message: t.Address.String() + " has no " +
				string(t.Kind.Schema.Parent) + "; want one in the files or at the service"})
	}
	if len(missing) > 0 {
		c.Hold(plan.Hold{Hazard: plan.Incomplete,
			Message: catalogue.Fill("guard.incomplete", "attributes", catalogue.Commas(missing))})
	}
	if startsForeignPause(t) {
		c.Hazards = append(c.Hazards, plan.Drifts)
		c.Hold(plan.Hold{Hazard: plan.Drifts, Message: catalogue.Fill("guard.paused")})
	}
	if action == plan.Create && !t.Above.Born {
		d.holdTwin(t, c)
	}
	d.Becomes(t, &drafting.Effect{Born: true, Moved: action == plan.Replace, Held: heldWith(t, c)})
	return c
}

// startsForeignPause reports whether creating again would start what someone paused.
func startsForeignPause(t drafting.Entry) bool {
	if t.Live == nil || t.Last == nil || t.Live.Value(t.Kind.Delivery).Text() != plan.Paused {
		return false
	}
	return t.Kind.Delivers(t.Desired) && t.Kind.Delivers(t.Last)
}

func (d *creation) hasParent(t drafting.Entry) bool {
	if t.Kind.Schema.Parent == "" {
		return true
	}
	return !t.Orphan && (d.All[t.Up].Desired != nil || d.All[t.Up].Live != nil)
}

// heldWith is the hold of what lies beneath a held create: what releases the
// top of the tree releases the tree.
func heldWith(t drafting.Entry, c *plan.Change) *plan.Hold {
	if t.Above.Held != nil || c.Held == nil {
		return t.Above.Held
	}
	return &plan.Hold{Hazard: c.Held.Hazard, Allow: c.Held.Allow,
		Message: catalogue.Fill("guard.with", "what", t.Address.String())}
}

// createFields fills the fields of a create and gives what is missing.
func (d *creation) createFields(t drafting.Entry, c *plan.Change) []string {
	c.Fields = make([]plan.Field, 0, len(t.Desired.Attributes)+unsaidDefaults(&t))
	phase := plan.Creates
	if t.Kind.Schema.Caps {
		phase = plan.Lower
	}
	for _, n := range t.Desired.Attributes {
		a := t.Kind.Attributes[n.Name]
		if a == nil {
			continue
		}
		switch {
		case t.Kind.Notes(a) && n.Value.IsSet():
			c.Fields = append(c.Fields, plan.Field{
				Name: n.Name, Desired: n.Value, Cause: plan.Edit, Phase: plan.Creates,
			})
		case t.Kind.Notes(a):
		case n.Value.IsNull() || a.Protects: // nothing to clear yet, and nothing to send
			c.Recorded = append(c.Recorded, d.created(&t, n.Name, n.Value, plan.Creates))
		default:
			c.Fields = append(c.Fields, d.created(&t, n.Name, n.Value, phase))
		}
	}
	for _, a := range t.Kind.Defaulted {
		if !t.Desired.Value(a.Name).IsSet() {
			f := d.created(&t, a.Name, resource.Text(a.Default), phase)
			f.Cause = plan.Default
			c.Fields = append(c.Fields, f)
		}
	}
	drafting.SortFields(c.Fields)
	drafting.SortFields(c.Recorded)
	d.startAtTop(t, c)
	lacks := lacksOf(&t)
	for _, l := range lacks {
		d.Refuse(&t, "", diag.Problem{
			Code: l.code, Position: t.Desired.Position,
			Address: t.Address.String(), Message: t.Address.String() + " is new and " + l.message,
		})
	}
	return namesOfLacks(lacks)
}

// unsaidDefaults counts the attributes that a create gives beside the files.
func unsaidDefaults(t *drafting.Entry) int {
	n := 0
	for _, a := range t.Kind.Defaulted {
		if !t.Desired.Value(a.Name).IsSet() {
			n++
		}
	}
	return n
}

// created is one attribute of a create.
func (d *creation) created(t *drafting.Entry, name string, desired resource.Value, phase plan.Phase) plan.Field {
	return plan.Field{
		Name: name, Desired: desired, Cause: plan.Edit,
		Phase: phase, Known: d.previousOf(drafting.ValueOf(t.Last, name), resource.Value{}),
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
func lacksOf(t *drafting.Entry) (lacks []lack) {
	for _, a := range t.Kind.Required {
		if !t.Desired.Value(a.Name).IsSet() {
			lacks = append(lacks, lack{a.Name, diag.Required, "has no " + a.Name + "; want one"})
		}
	}
	for _, halves := range t.Kind.Exclusive {
		if givesOne(t, halves) {
			continue
		}
		var names, given []string
		for _, a := range halves {
			names = append(names, a.Name)
			if t.Desired.Value(a.Name).IsSet() {
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
func givesOne(t *drafting.Entry, of []*resource.Attribute) bool {
	given := 0
	for _, a := range of {
		if t.Desired.Value(a.Name).IsSet() {
			given++
		}
	}
	return given == 1
}

// startAtTop puts off the start of the highest new resource of a tree: it is
// created paused and activated last (design.md section 5). Beneath it things
// may be active from the start.
func (d *creation) startAtTop(t drafting.Entry, c *plan.Change) {
	if t.Above.Born {
		return
	}
	for i := range c.Fields {
		if c.Fields[i].Name != t.Kind.Delivery || c.Fields[i].Desired.Text() != plan.Active {
			continue
		}
		c.Fields[i].Phase = plan.Activate
		c.Hazards = append(c.Hazards, plan.Activates)
		if len(t.Kind.Caps) > 0 {
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
func (d *creation) holdTwin(t drafting.Entry, c *plan.Change) {
	if d.twins == nil {
		d.findTwins()
	}
	twins := d.twins[twinKey{t.Address.Up(t.Kind.Schema.Parent), t.Address.Kind, resource.Fold(c.Name)}]
	if c.Name == "" || len(twins) == 0 {
		return
	}
	c.Hazards = append(c.Hazards, plan.Twins)
	h := plan.Hold{
		Hazard: plan.Twins, Message: d.TwinMessage("", t.Address, twins), Allow: plan.AllowAt(plan.Twins, t.Address),
	}
	if h, held := d.UnlessCovered(h, t.Address, func() []plan.Part { return drafting.PartsOf(c, 0) }); held {
		c.Hold(h)
	}
}

func (d *creation) findTwins() {
	d.twins = map[twinKey][]resource.Address{}
	for i := range d.All {
		t := &d.All[i]
		a, k, live := t.Address, t.Kind, t.Live
		if live == nil || t.Desired != nil || k.Archived(live) {
			continue
		}
		seen := ""
		for _, from := range k.Schema.NameFrom {
			name := resource.Fold(live.Value(from).Text())
			if name == "" || name == seen {
				continue
			}
			key := twinKey{a.Up(k.Schema.Parent), a.Kind, name}
			d.twins[key], seen = append(d.twins[key], a), name
		}
	}
}

// Room for what stands beside fields is made for so many at once.
const previousFrom, previousMost = 16, 1024

// previousOf returns what plan.KnownOf does, and takes its room from that of the whole plan.
func (d *creation) previousOf(last, live resource.Value) *plan.Known {
	if last.IsAbsent() && live.IsAbsent() {
		return nil
	}
	if len(d.previous) == cap(d.previous) {
		d.previous = make([]plan.Known, 0, min(max(2*cap(d.previous), previousFrom), previousMost))
	}
	d.previous = append(d.previous, plan.Known{Last: last, Live: live})
	return &d.previous[len(d.previous)-1]
}
