package compare

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// checkRules finds what the service would refuse although each file is right by
// itself: what the files say and what is live there break a rule together. It is
// a problem where the files say it. Where only a hold makes it so, what needs
// the held part is held with it. Of a part of a plan, the whole of which was
// checked before, what needs the rest is held.
func (d *finishing) checkRules(narrowed bool) {
	if !slices.ContainsFunc(d.Plan.Changes, plan.Change.Sends) {
		return
	}
	r := newRuleCheck(d, narrowed)
	for i := range d.All {
		t := &d.All[i]
		if len(t.Kind.Schema.Across)+len(t.Kind.Schema.Rules) == 0 && t.Kind.Schema.Children == "" {
			continue
		}
		c, above := r.changes[i], concern{}
		if t.Up >= 0 && !t.Orphan {
			above = r.concerned[t.Up]
		}
		if c == nil && !above.is {
			continue
		}
		if c != nil {
			r.holdBeneath(t, c)
		}
		here := above.With(c)
		if !r.removedThere(i) {
			r.check(i, here)
		}
		r.concerned[i] = here.With(c)
	}
}

// concern says of a resource that is changed, or beneath what is, what of both
// is held and what goes.
type concern struct{ is, held, goes bool }

// With adds what is held and what goes of a change; nil is none.
func (h concern) With(c *plan.Change) concern {
	h.is = true
	if c == nil {
		return h
	}
	h.held = h.held || c.IsHeld()
	h.goes = h.goes || c.Held == nil && (c.Action != plan.Update || plan.AnyField(c.Fields, func(f *plan.Field) bool {
		return f.Held == nil
	}))
	return h
}

// ruleCheck holds resources as they will be: with the whole plan carried out,
// and with the part of it that is not held. Its lists go by place.
type ruleCheck struct {
	*finishing
	narrowed  bool // the plan is a part of what the files ask for
	changes   []*plan.Change
	concerned []concern

	see    resource.View // what a rule sees: the resource at a place, at a moment
	place  int
	moment moment
}

// moment is when a rule looks at a resource.
type moment uint8

const (
	atWhole moment = iota // the whole plan carried out
	atPart                // what is not held carried out
	atLive
)

func newRuleCheck(d *finishing, narrowed bool) *ruleCheck {
	n := len(d.All)
	r := &ruleCheck{finishing: d, narrowed: narrowed, changes: make([]*plan.Change, n), concerned: make([]concern, n)}
	for i := range d.Plan.Changes {
		if c := &d.Plan.Changes[i]; c.Sends() {
			r.changes[c.Index] = c
		}
	}
	r.see = resource.View{
		Value: r.value, Above: r.valueAbove, Live: r.valueLive, AboveLive: r.valueAboveLive, Named: r.valueNamed,
	}
	return r
}

// check asks the rules of one resource. Where nothing of it or above it is held,
// the part that goes is the whole; where nothing goes, it is what is live.
func (r *ruleCheck) check(i int, here concern) {
	at := atWhole
	if r.WaitsAt(i).Holds() { // nothing of it goes
		at = atPart
	}
	whole := r.unlessLive(i, r.findings(i, at))
	for _, f := range whole {
		switch at := (brokenRule{i, f.rule}); {
		case !r.narrowed:
			r.broken[at] = true
			r.report(i, f.Finding)
		case !r.broken[at]:
			r.holdLeft(i, f.Finding)
		}
	}
	if len(whole) > 0 || !here.held || !here.goes {
		return
	}
	for _, f := range r.unlessLive(i, r.findings(i, atPart)) {
		r.holdWith(i, f.Finding)
	}
}

// unlessLive leaves out what is broken at the service already: what happens
// there is no doing of this plan.
func (r *ruleCheck) unlessLive(i int, found []ruled) []ruled {
	if len(found) == 0 {
		return nil
	}
	live := r.findings(i, atLive)
	return slices.DeleteFunc(found, func(f ruled) bool {
		return slices.ContainsFunc(live, func(l ruled) bool { return l.rule == f.rule })
	})
}

// holdBeneath holds a create beneath one that a rule has held.
func (r *ruleCheck) holdBeneath(t *drafting.Entry, c *plan.Change) {
	if t.Up < 0 || t.Orphan {
		return
	}
	parent := r.changes[t.Up]
	if parent == nil || c.Held != nil || parent.Held == nil || c.Action != plan.Create || parent.Action != plan.Create {
		return
	}
	c.Hold(plan.Hold{
		Hazard: parent.Held.Hazard, Allow: parent.Held.Allow,
		Message: catalogue.Fill("guard.with", "what", parent.Address.String()),
	})
}

// removedThere reports whether nothing of the resource is sent: it, or what is above
// it, is archived or will be.
func (r *ruleCheck) removedThere(i int) bool {
	for ; i >= 0; i = r.All[i].Up {
		t := &r.All[i]
		if r.changes[i] == nil &&
			(t.Desired != nil && t.Kind.Archived(t.Desired) || t.Live != nil && t.Kind.Archived(t.Live)) {
			return true
		}
	}
	return false
}

// brokenRule is a rule that the whole plan breaks.
type brokenRule struct {
	place int
	rule  string
}

// ruled is what a rule found.
type ruled struct {
	rule string
	resource.Finding
}

func (r *ruleCheck) findings(i int, at moment) []ruled {
	if !r.isThere(i, at) {
		return nil
	}
	s, c := r.All[i].Kind.Schema, r.changes[i]
	r.place, r.moment = i, at
	r.see.New = c != nil && (c.Action == plan.Create || c.Action == plan.Replace)
	var found []ruled
	for _, rule := range s.Rules {
		if rule.Written {
			continue
		}
		if f := rule.Check(r.see.Value); f != nil {
			found = append(found, ruled{rule.Name, *f})
		}
	}
	for _, rule := range s.Across {
		if rule.Advises {
			continue
		}
		for _, f := range rule.Check(&r.see) {
			if f.Severity != diag.Warning { // those are the files' own
				found = append(found, ruled{rule.Name, f})
			}
		}
	}
	return found
}

func (r *ruleCheck) value(name string) resource.Value { return r.at(r.place, r.moment, name) }

func (r *ruleCheck) valueLive(name string) resource.Value {
	return r.at(r.place, atLive, name)
}

func (r *ruleCheck) valueAbove(kind resource.Kind, name string) resource.Value {
	return r.at(r.ancestor(kind), r.moment, name)
}

func (r *ruleCheck) valueAboveLive(kind resource.Kind, name string) resource.Value {
	return r.at(r.ancestor(kind), atLive, name)
}

// valueNamed looks at what an attribute names first, as it will be. What is not
// listed as it is, is not known.
func (r *ruleCheck) valueNamed(by, name string) resource.Value {
	a, known := r.All[r.place].Kind.Attributes[by]
	said := r.value(by).Entries()
	if !known || len(said) == 0 {
		return resource.Value{}
	}
	if address, byKey := resource.ParseAddress(said[0]); byKey {
		return drafting.ValueOf(r.Desired.Get(address), name)
	}
	if live := r.LiveByID(a.Of)[said[0]]; live != nil && !live.AsSent {
		return live.Value(name)
	}
	return resource.Value{}
}

// ancestor returns the place of the ancestor of a kind, -1 where it is nowhere.
func (r *ruleCheck) ancestor(kind resource.Kind) int {
	i := r.place
	for i >= 0 && r.All[i].Address.Kind != kind {
		i = r.All[i].Up
	}
	return i
}

// at returns a value of a resource at a moment, absent where that is not there.
func (r *ruleCheck) at(i int, at moment, name string) resource.Value {
	stands, passes := r.stands(i, at)
	if passes == nil {
		return drafting.ValueOf(stands, name)
	}
	return r.All[i].Kind.Written(stands, r.changes[i].Fields, passes, name)
}

// isThere reports whether there is a resource at a moment.
func (r *ruleCheck) isThere(i int, at moment) bool {
	stands, passes := r.stands(i, at)
	return stands != nil || passes != nil
}

// stands gives what a resource is at a moment, and which fields of its change
// are written over that; nil are none. One whose create is held is not there,
// with what is not held carried out.
func (r *ruleCheck) stands(i int, at moment) (stands *resource.Resource, passes func(*plan.Field) bool) {
	if i < 0 {
		return nil, nil
	}
	t, c := &r.All[i], r.changes[i]
	switch {
	case c == nil || at == atLive || at == atPart && c.Held != nil:
		return t.Live, nil
	case c.Action == plan.Create || c.Action == plan.Replace && !(at == atPart && c.IsHeld()):
		return t.Desired, nil
	case at == atPart:
		return t.Live, drafting.FreeField
	}
	return t.Live, plan.EveryField
}

// report puts a finding where the files say it: the attribute, else the
// resource, else what is above it.
func (r *ruleCheck) report(i int, f resource.Finding) {
	a, position := r.All[i].Address, r.at(i, atWhole, f.Attribute).Position
	for up := i; position.IsZero() && up >= 0; up = r.All[up].Up {
		if desired := r.All[up].Desired; desired != nil {
			position = desired.Position
		}
	}
	p := diag.Problem{
		Severity: f.Severity, Code: f.Code, Position: position,
		Address: a.String(), Message: a.String() + ": " + f.Message, Hint: f.Hint,
	}
	blamed := r.blamed(i)
	if r.WaitsAt(i).Holds() {
		p.Address = blamed.Address.String()
	}
	r.Refuse(blamed, f.Attribute, p)
}

// blamed is the resource whose change breaks a rule: that at a place, or the nearest
// above it that changes and does not wait.
func (r *ruleCheck) blamed(i int) *drafting.Entry {
	for up := i; up >= 0; up = r.All[up].Up {
		if r.changes[up] != nil && !r.WaitsAt(up).Holds() {
			return &r.All[up]
		}
	}
	return &r.All[i]
}

// holdWith holds a change with the first hold above it or of its own that makes
// it break a rule.
func (r *ruleCheck) holdWith(i int, f resource.Finding) {
	c := r.changes[i]
	if c == nil || c.Held != nil {
		return
	}
	for up := i; up >= 0; up = r.All[up].Up {
		above := r.changes[up]
		if above == nil {
			continue
		}
		if holds := above.Holds(); len(holds) > 0 {
			r.holdNeeding(c, f.Attribute, plan.Hold{
				Hazard: holds[0].Hazard, Allow: holds[0].Allow,
				Message: catalogue.Fill("guard.with-change", "what", above.Address.String(), "why", f.Message),
			})
			return
		}
	}
}

// holdLeft holds what would break a rule because what it needs is left out of
// the plan.
func (r *ruleCheck) holdLeft(i int, f resource.Finding) {
	hazard := plan.Unselected
	if r.Saved != nil {
		hazard = plan.Outdated
	}
	for up := i; up >= 0; up = r.All[up].Up {
		if c := r.changes[up]; c != nil && c.Held == nil {
			r.holdNeeding(c, f.Attribute, plan.Hold{
				Hazard: hazard, Message: catalogue.Fill("guard.needs-left-out", "why", f.Message),
			})
			return
		}
	}
}

// holdNeeding holds what of a change breaks a rule: of an update the setting the
// finding names, so that no other hold in its place would let more go. What
// lowers goes all the same, as a pause passes every guard.
func (r *ruleCheck) holdNeeding(c *plan.Change, attribute string, h plan.Hold) {
	if c.Action == plan.Create || c.Action == plan.Replace {
		c.Hold(h)
		return
	}
	k := r.All[c.Index].Kind
	raising := func(f *plan.Field) bool { return !f.Lowers() && f.Cause != plan.SentAlong }
	named := func(f *plan.Field) bool {
		return raising(f) && (f.Name == attribute || k.Whole[attribute] != "" && k.Whole[attribute] == k.Whole[f.Name])
	}
	if !plan.AnyField(c.Fields, named) {
		named = raising
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; named(f) {
			f.Hold(h)
		}
	}
}
