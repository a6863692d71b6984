package guard

import (
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// protection is what a resource is protected from, and who says so.
type protection struct {
	from map[string]resource.Address // a word of protect to the resource that carries it
}

// The words of protect.
const (
	protectArchive = "archive"
	protectPause   = "pause"
	protectBudget  = "budget"
	protectAll     = "all"
)

// amountOf names an amount of a resource.
type amountOf struct {
	address   resource.Address
	attribute string
}

// protections is the rule of what the files protect.
type protections struct {
	*drafting.Draft
	guarded map[resource.Address]protection
}

// guard holds what the files protect a resource from. What adsync
// recorded protects too, so that lifting a protection and doing what it forbids
// takes two applies. What would stop a resource protects it from its parents'
// pause and archive as well.
func (d *protections) guard() {
	if d.guarded == nil {
		d.findProtected()
	}
	if len(d.guarded) == 0 {
		return
	}
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		if c.Action == plan.Record || c.Action == plan.Forget || c.Action == plan.Create {
			continue
		}
		d.protectWhole(c)
		d.protectFields(c)
	}
}

func (d *protections) protectWhole(c *plan.Change) {
	if c.Action != plan.Archive && c.Action != plan.Replace {
		return
	}
	if by, ok := d.protectedFrom(c.Address, protectArchive); ok {
		h := protectedBy(c.Address, by, protectArchive)
		c.Hold(h)
	}
}

func (d *protections) protectFields(c *plan.Change) {
	k := d.All[c.Index].Kind
	for i := range c.Fields {
		f := &c.Fields[i]
		a := k.Attributes[f.Name]
		if c.Action == plan.Archive || f.Cause == plan.SentAlong || d.Creates(c) {
			continue
		}
		word := protectAll
		switch {
		case a.Spend == resource.Delivery && f.Lowers():
			word = protectPause
		case drafting.OfSpend(a):
			word = protectBudget
		}
		by, ok := d.protectedFrom(c.Address, word)
		if ok && (by == c.Address || word == protectPause) {
			f.Hold(protectedBy(c.Address, by, word))
		}
	}
}

func protectedBy(at, by resource.Address, word string) plan.Hold {
	message := catalogue.Fill("guard.protected", "word", word)
	if by != at {
		message = catalogue.Fill("guard.protected-beneath", "address", by.String(), "word", word)
	}
	return plan.Hold{Hazard: plan.Protected, Message: message}
}

// protectedFrom returns the resource whose protection forbids the word at the
// address: itself, or for what reaches downwards one beneath it.
func (d *protections) protectedFrom(at resource.Address, word string) (resource.Address, bool) {
	from := d.guarded[at].from
	if by, ok := from[word]; ok {
		return by, true
	}
	by, ok := from[protectAll]
	return by, ok
}

// SaysProtect reports whether a resource carries words of protect.
func SaysProtect(k *drafting.Kind, r *resource.Resource) bool {
	return r != nil && r.Attributes.At(k.Protect) != nil
}

func (d *protections) findProtected() {
	d.guarded = map[resource.Address]protection{}
	for _, i := range d.Protecting {
		t := &d.All[i]
		for _, r := range [...]*resource.Resource{t.Desired, t.Last} {
			if r != nil {
				for _, word := range r.Value(t.Kind.Protect).Items() {
					d.protect(t.Address, word)
				}
			}
		}
	}
}

// protect notes a protection at the resource and, where it is from being
// stopped, at everything above it.
func (d *protections) protect(a resource.Address, word string) {
	d.shield(a, word, a)
	for up := d.Schemas.Parent(a); !up.IsZero(); up = d.Schemas.Parent(up) {
		for _, stop := range []string{protectArchive, protectPause} {
			if word == stop || word == protectAll {
				d.shield(up, stop, a)
			}
		}
	}
}

func (d *protections) shield(at resource.Address, word string, by resource.Address) {
	p := d.guarded[at]
	if p.from == nil {
		p.from = map[string]resource.Address{}
		d.guarded[at] = p
	}
	if held, ok := p.from[word]; !ok || by == at && held != at {
		p.from[word] = by
	}
}
