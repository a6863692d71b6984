package drafting

import (
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/plan"
)

// FindUnused notes the consents that released nothing.
func (d *Permits) FindUnused() {
	for i, used := range d.Used {
		if !used {
			d.Plan.Unused = append(d.Plan.Unused, d.Allow[i])
		}
	}
}

// Permits are the allowances and the consents that a plan is given.
type Permits struct {
	*Tree
	Plan     *plan.Plan
	Used     []bool                   // of each of Allow: it released something
	consents map[[2]string][]*consent // by each of their parts
}

// UnlessAgreed returns the hold with the parts it is of, unless a consent covers
// them.
func (d *Permits) UnlessAgreed(h plan.Hold, at resource.Address, parts func() []plan.Part) (plan.Hold, bool) {
	if !d.Asks && len(d.Consents) == 0 {
		return h, true
	}
	h.Parts = parts()
	if len(h.Parts) == 0 {
		return h, true
	}
	for _, k := range d.consents[[2]string{h.Parts[0].Address, h.Parts[0].Field}] {
		if agreed := k.Covers(h.Hazard, h.Parts); agreed != nil {
			d.noteConsent(k.Consent, h, at, agreed)
			return plan.Hold{}, false
		}
	}
	return h, true
}

// UnlessCovered returns the hold, unless an allowance without an amount or a consent
// covers it.
func (d *Permits) UnlessCovered(h plan.Hold, at resource.Address, parts func() []plan.Part) (plan.Hold, bool) {
	if d.Covered(h.Hazard, at) {
		return plan.Hold{}, false
	}
	return d.UnlessAgreed(h, at, parts)
}

// consent is one with its parts by where they are.
type consent struct {
	*plan.Consent
	at map[[2]string][]*plan.Part // by address and field
}

// IndexConsents finds the parts of each consent by where they are, and the consents by their parts.
func (d *Permits) IndexConsents() {
	d.consents = map[[2]string][]*consent{}
	for i := range d.Consents {
		k := &consent{&d.Consents[i], map[[2]string][]*plan.Part{}}
		for j := range k.Parts {
			p := &k.Parts[j]
			k.at[[2]string{p.Address, p.Field}] = append(k.at[[2]string{p.Address, p.Field}], p)
		}
		for at := range k.at {
			d.consents[at] = append(d.consents[at], k)
		}
	}
}

// Covers gives the parts of the consent that name all of these, nil where it
// leaves one out: several consents never add up.
func (k *consent) Covers(h plan.Hazard, parts []plan.Part) (agreed []plan.Part) {
	if k.Hazard != h || len(parts) == 0 {
		return nil
	}
	for i := range parts {
		p := &parts[i]
		there := k.at[[2]string{p.Address, p.Field}]
		at := slices.IndexFunc(there, func(q *plan.Part) bool {
			return q.After == p.After && p.Amount <= q.Amount && (q.Before == p.Before || k.Begun[p.Address] && p.Own)
		})
		if at < 0 {
			return nil
		}
		agreed = append(agreed, *there[at])
	}
	return agreed
}

// noteConsent notes what a consent releases, once: guards look twice.
func (d *Permits) noteConsent(k *plan.Consent, h plan.Hold, at resource.Address, parts []plan.Part) {
	address := at.String()
	is := func(a plan.Agreed) bool {
		return a.Address == address && a.Hazard == h.Hazard && slices.Equal(a.Parts, parts)
	}
	if !slices.ContainsFunc(d.Plan.Consented, is) {
		d.Plan.Consented = append(d.Plan.Consented, plan.Agreed{
			Consent: k.ID, By: k.By, Link: k.Link, Hazard: h.Hazard,
			Allow: h.Allow, Address: address, Message: h.Message, Parts: parts,
		})
	}
}

// FieldPart is the part of one field.
func FieldPart(at resource.Address, id string, f *plan.Field, amount int64) plan.Part {
	return plan.Part{
		Address: at.String(), Field: f.Name, After: plan.DigestOf(f.Desired),
		Before: plan.DigestOfTexts(id, plan.DigestOf(f.Live())), Amount: amount,
		Own: plan.Same(f.Live(), f.Last()),
	}
}

// PartsOf are those of a change as a whole: what it does, and each of its fields.
func PartsOf(c *plan.Change, amount int64) []plan.Part {
	parts := []plan.Part{{Address: c.Address.String(), After: plan.DigestOfTexts(string(c.Action)),
		Before: plan.DigestOfTexts(c.ID), Amount: amount}}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Cause != plan.SentAlong {
			parts = append(parts, FieldPart(c.Address, c.ID, f, amount))
		}
	}
	return parts
}

// FieldParts are those of some fields of a change.
func FieldParts(c *plan.Change, amount int64, concerned func(*plan.Field) bool) (parts []plan.Part) {
	for i := range c.Fields {
		if f := &c.Fields[i]; concerned(f) {
			parts = append(parts, FieldPart(c.Address, c.ID, f, amount))
		}
	}
	return parts
}

// ArchiveParts are those of an archive: it ends all that is live beneath it.
func (d *Tree) ArchiveParts(c *plan.Change) []plan.Part {
	parts := PartsOf(c, 0)
	top := &d.All[c.Index]
	for i := c.Index + 1; i < len(d.All) && strings.HasPrefix(d.All[i].Address.Key, top.Address.Key+"/"); i++ {
		if one := &d.All[i]; one.Live != nil && !one.Kind.Archived(one.Live) {
			parts = append(parts, plan.Part{
				Address: one.Address.String(), After: plan.DigestOfTexts("ends"),
				Before: plan.DigestOfTexts(one.LiveID()),
			})
		}
	}
	return parts
}

// LiveID returns the id of what is live, "" for none.
func (t *Entry) LiveID() string {
	if t.Live == nil {
		return ""
	}
	return t.Live.ID
}

// Covered reports whether the hazard is allowed at the address, without regard to
// an amount.
func (d *Permits) Covered(h plan.Hazard, at resource.Address) bool {
	covered := false
	for i := range d.Allow {
		if d.Allow[i].Covers(h, at) {
			d.Used[i], covered = true, true
		}
	}
	return covered
}

// UnlessAllowed returns the hold of a rise that a consent by name, by address, by
// amount or by a sum a day releases.
func (d *Permits) UnlessAllowed(at resource.Address,
	a *resource.Attribute, to, rises int64, message string) (plan.Hold, bool) {
	for i := range d.Allow {
		w := &d.Allow[i]
		switch {
		case w.Hazard != plan.RaisesSpend:
		case w.Covers(plan.RaisesSpend, at), w.PerDay && a.Per == "day" &&
			rises <= w.Amount, w.HasAmount && !w.PerDay && w.Address == at && to > 0 && to <= w.Amount:
			d.Used[i] = true
			return plan.Hold{}, false
		}
	}
	return plan.Hold{Hazard: plan.RaisesSpend, Message: message, Allow: plan.AllowAt(plan.RaisesSpend, at)}, true
}

// UnlessExact returns the hold of a rise that only the very amount releases.
func (d *Permits) UnlessExact(at resource.Address, to int64, message string) (plan.Hold, bool) {
	for i := range d.Allow {
		w := &d.Allow[i]
		if w.Hazard == plan.RaisesSpend && w.HasAmount && !w.PerDay && w.Address == at && w.Amount == to {
			d.Used[i] = true
			return plan.Hold{}, false
		}
	}
	return plan.Hold{
		Hazard: plan.RaisesSpend, Message: message,
		Allow: plan.Allowance{Hazard: plan.RaisesSpend, Address: at, Amount: to, HasAmount: true}.String(),
	}, true
}

// CountAllowed reports whether so many were allowed.
func (d *Permits) CountAllowed(h plan.Hazard, n int64) bool {
	allowed := false
	for i := range d.Allow {
		if a := &d.Allow[i]; a.Hazard == h && a.HasAmount && n <= a.Amount {
			d.Used[i], allowed = true, true
		}
	}
	return allowed
}
