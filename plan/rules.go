package plan

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// checkRules finds what the service would refuse although each file is right by
// itself: what the files say and what is live there break a rule together. It is
// a problem where the files say it. Where only a hold makes it so, what needs
// the held part is held with it. Of a part of a plan, the whole of which was
// checked before, what needs the rest is held.
func (d *differ) checkRules(narrowed bool) {
	if !slices.ContainsFunc(d.plan.Changes, Change.sends) {
		return
	}
	r := &ruleCheck{differ: d, narrowed: narrowed, changes: make(map[resource.Address]*Change, len(d.plan.Changes)), whole: map[resource.Address]*resource.Resource{}, part: map[resource.Address]*resource.Resource{}}
	for i := range d.plan.Changes {
		if c := &d.plan.Changes[i]; c.sends() {
			r.changes[c.Address] = c
		}
	}
	concerned := map[resource.Address]concern{} // changed, or beneath what is
	for _, a := range d.addresses {
		k := d.kinds[a.Kind]
		if k == nil || len(k.schema.Across)+len(k.schema.Rules) == 0 && k.schema.Children == "" {
			continue
		}
		c := r.changes[a]
		above, beneath := concerned[a.Up(k.schema.Parent)]
		if c == nil && !beneath {
			continue
		}
		if c != nil {
			r.holdBeneath(k, c)
		}
		here := above.with(c)
		if !r.removedThere(a) {
			r.check(k, a, here)
		}
		concerned[a] = here.with(c)
	}
}

// concern says what of a resource, or of what is above it, is held and what goes.
type concern struct{ held, goes bool }

// with adds what is held and what goes of a change; nil is none.
func (h concern) with(c *Change) concern {
	if c == nil {
		return h
	}
	h.held = h.held || c.isHeld()
	h.goes = h.goes || c.Held == nil && (c.Action != Update || anyField(c.Fields, func(f *Field) bool { return f.Held == nil }))
	return h
}

// sends says that the change, held or not, is about more than an archive or a note.
func (c Change) sends() bool {
	return c.Action == Create || c.Action == Replace || (c.Action == Update || c.Action == Adopt) && len(c.Fields) > 0
}

// ruleCheck holds resources as they will be: with the whole plan carried out,
// and with the part of it that is not held.
type ruleCheck struct {
	*differ
	narrowed    bool // the plan is a part of what the files ask for
	changes     map[resource.Address]*Change
	whole, part map[resource.Address]*resource.Resource
}

// check asks the rules of one resource. Where nothing of it or above it is held,
// the part that goes is the whole; where nothing goes, it is what is live.
func (r *ruleCheck) check(k *kind, a resource.Address, here concern) {
	whole := r.unlessLive(k, a, r.findings(k, a, r.wholeAt))
	for _, f := range whole {
		switch at := (brokenRule{a, f.rule}); {
		case !r.narrowed:
			r.broken[at] = true
			r.report(a, f.Finding)
		case !r.broken[at]:
			r.holdLeft(a, f.Finding)
		}
	}
	if len(whole) > 0 || !here.held || !here.goes {
		return
	}
	for _, f := range r.unlessLive(k, a, r.findings(k, a, r.partAt)) {
		r.holdWith(a, f.Finding)
	}
}

// unlessLive leaves out what is broken at the service already: what happens
// there is no doing of this plan.
func (r *ruleCheck) unlessLive(k *kind, a resource.Address, found []ruled) []ruled {
	if len(found) == 0 {
		return nil
	}
	live := r.findings(k, a, r.liveAt)
	return slices.DeleteFunc(found, func(f ruled) bool {
		return slices.ContainsFunc(live, func(l ruled) bool { return l.rule == f.rule })
	})
}

// holdBeneath holds a create beneath one that a rule has held.
func (r *ruleCheck) holdBeneath(k *kind, c *Change) {
	parent := r.changes[c.Address.Up(k.schema.Parent)]
	if parent == nil || c.Held != nil || parent.Held == nil || c.Action != Create || parent.Action != Create {
		return
	}
	c.hold(Hold{Hazard: parent.Held.Hazard, Allow: parent.Held.Allow, Message: "held with " + parent.Address.String()})
}

// removedThere says that nothing of the resource is sent: it, or what is above
// it, is archived or will be.
func (r *ruleCheck) removedThere(a resource.Address) bool {
	for up := a; !up.IsZero(); up = r.Schemas.Parent(up) {
		for _, at := range []*resource.Resource{r.Desired.Get(up), r.Live.Get(up)} {
			if at != nil && r.kinds[up.Kind].archived(at) && r.changes[up] == nil {
				return true
			}
		}
	}
	return false
}

// brokenRule is a rule that the whole plan breaks.
type brokenRule struct {
	address resource.Address
	rule    string
}

// ruled is what a rule found.
type ruled struct {
	rule string
	resource.Finding
}

func (r *ruleCheck) findings(k *kind, a resource.Address, at func(resource.Address) *resource.Resource) []ruled {
	self := at(a)
	if self == nil {
		return nil
	}
	var found []ruled
	value := self.Value
	for _, rule := range k.schema.Rules {
		if f := rule.Check(value); f != nil {
			found = append(found, ruled{rule.Name, *f})
		}
	}
	if len(k.schema.Across) == 0 {
		return found
	}
	see := r.view(a, value, at)
	for _, rule := range k.schema.Across {
		for _, f := range rule.Check(&see) {
			if f.Severity != diag.Warning { // those are the files' own
				found = append(found, ruled{rule.Name, f})
			}
		}
	}
	return found
}

func (r *ruleCheck) view(a resource.Address, value func(string) resource.Value, at func(resource.Address) *resource.Resource) resource.View {
	c := r.changes[a]
	return resource.View{
		Value: value,
		Above: func(kind resource.Kind, name string) resource.Value {
			return valueOf(at(r.Schemas.Ancestor(a, kind)), name)
		},
		Live: func(name string) resource.Value { return valueOf(r.Live.Get(a), name) },
		AboveLive: func(kind resource.Kind, name string) resource.Value {
			return valueOf(r.Live.Get(r.Schemas.Ancestor(a, kind)), name)
		},
		New:   c != nil && (c.Action == Create || c.Action == Replace),
		Today: r.Today,
	}
}

func valueOf(r *resource.Resource, name string) resource.Value {
	if r == nil {
		return resource.Value{}
	}
	return r.Value(name)
}

func (r *ruleCheck) liveAt(a resource.Address) *resource.Resource { return r.Live.Get(a) }

// wholeAt is a resource with the whole plan carried out.
func (r *ruleCheck) wholeAt(a resource.Address) *resource.Resource {
	return r.after(r.whole, a, func(*Field) bool { return true }, false)
}

// partAt is a resource with what is not held carried out; nil for one whose
// create is held.
func (r *ruleCheck) partAt(a resource.Address) *resource.Resource {
	return r.after(r.part, a, func(f *Field) bool { return f.Held == nil }, true)
}

func (r *ruleCheck) after(known map[resource.Address]*resource.Resource, a resource.Address, passes func(*Field) bool, heldStays bool) *resource.Resource {
	c, live := r.changes[a], r.Live.Get(a)
	switch {
	case c == nil:
		return live
	case heldStays && c.Held != nil:
		return live
	case c.Action == Create || c.Action == Replace && !(heldStays && c.isHeld()):
		return r.Desired.Get(a)
	}
	if after, made := known[a]; made {
		return after
	}
	after := r.kinds[a.Kind].overlay(live, c.Fields, passes)
	known[a] = after
	return after
}

// report puts a finding where the files say it: the attribute, else the
// resource, else what is above it.
func (r *ruleCheck) report(a resource.Address, f resource.Finding) {
	position := diag.Position{}
	if at := r.wholeAt(a); at != nil {
		position = at.Value(f.Attribute).Position
	}
	for up := a; position.IsZero() && !up.IsZero(); up = r.Schemas.Parent(up) {
		if desired := r.Desired.Get(up); desired != nil {
			position = desired.Position
		}
	}
	r.problems.Add(diag.Problem{Severity: f.Severity, Code: f.Code, Position: position, Address: a.String(), Message: a.String() + ": " + f.Message, Hint: f.Hint})
}

// holdWith holds a change with the first hold above it or of its own that makes
// it break a rule.
func (r *ruleCheck) holdWith(a resource.Address, f resource.Finding) {
	c := r.changes[a]
	if c == nil || c.Held != nil {
		return
	}
	for up := a; !up.IsZero(); up = r.Schemas.Parent(up) {
		above := r.changes[up]
		if above == nil {
			continue
		}
		if holds := above.Holds(); len(holds) > 0 {
			r.holdNeeding(c, f.Attribute, Hold{Hazard: holds[0].Hazard, Allow: holds[0].Allow, Message: "held with " + up.String() + ", whose held change it needs: " + f.Message})
			return
		}
	}
}

// holdLeft holds what would break a rule because what it needs is left out of
// the plan.
func (r *ruleCheck) holdLeft(a resource.Address, f resource.Finding) {
	hazard := Unselected
	if r.Agreed != nil {
		hazard = Outdated
	}
	for up := a; !up.IsZero(); up = r.Schemas.Parent(up) {
		if c := r.changes[up]; c != nil && c.Held == nil {
			r.holdNeeding(c, f.Attribute, Hold{Hazard: hazard, Message: "needs what is left out of this plan: " + f.Message})
			return
		}
	}
}

// holdNeeding holds what of a change breaks a rule: of an update the setting the
// finding names, so that no other hold in its place would let more go. What
// lowers goes all the same, as a pause passes every guard.
func (r *ruleCheck) holdNeeding(c *Change, attribute string, h Hold) {
	delete(r.part, c.Address)
	if c.Action == Create || c.Action == Replace {
		c.hold(h)
		return
	}
	k := r.kinds[c.Address.Kind]
	raising := func(f *Field) bool { return f.Phase != Lower && f.Cause != SentAlong }
	named := func(f *Field) bool {
		return raising(f) && (f.Name == attribute || k.whole[attribute] != "" && k.whole[attribute] == k.whole[f.Name])
	}
	if !anyField(c.Fields, named) {
		named = raising
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; named(f) {
			f.hold(h)
		}
	}
}
