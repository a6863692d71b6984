package compare

import (
	"adsync/internal/resource"
	"adsync/plan"
	"slices"
	"strings"
)

// exactlyAllowed reports whether somebody allowed a rise to this very amount: who
// wrote it in units means it.
func (d *permits) exactlyAllowed(r *row) bool {
	amount, _ := r.desired.Number()
	return slices.ContainsFunc(d.Allow, func(w plan.Allowance) bool {
		return w.Hazard == plan.RaisesSpend && w.HasAmount && !w.PerDay && w.Address == *r.address && w.Amount == amount
	})
}

// findUnused notes the consents that released nothing.
func (d *permits) findUnused() {
	for i, used := range d.used {
		if !used {
			d.plan.Unused = append(d.plan.Unused, d.Allow[i])
		}
	}
}

// permits are the allowances and the consents that a plan is given.
type permits struct {
	*tree
	plan     *plan.Plan
	used     []bool // of each of Allow: it released something
	consents []consent
}

// unlessAgreed returns the hold with the parts it is of, unless a consent covers
// them.
func (d *permits) unlessAgreed(h plan.Hold, at resource.Address, parts func() []plan.Part) (plan.Hold, bool) {
	if !d.Asks && len(d.Consents) == 0 {
		return h, true
	}
	h.Parts = parts()
	for i := range d.consents {
		k := &d.consents[i]
		if agreed := k.Covers(h.Hazard, h.Parts); agreed != nil {
			d.noteConsent(k.Consent, h, at, agreed)
			return plan.Hold{}, false
		}
	}
	return h, true
}

// unlessCovered returns the hold, unless an allowance without an amount or a consent
// covers it.
func (d *permits) unlessCovered(h plan.Hold, at resource.Address, parts func() []plan.Part) (plan.Hold, bool) {
	if d.covered(h.Hazard, at) {
		return plan.Hold{}, false
	}
	return d.unlessAgreed(h, at, parts)
}

// consent is one with its parts by where they are.
type consent struct {
	*plan.Consent
	at map[[2]string][]*plan.Part // by address and field
}

func (d *permits) indexConsents() {
	for i := range d.Consents {
		k := consent{&d.Consents[i], map[[2]string][]*plan.Part{}}
		for j := range k.Parts {
			p := &k.Parts[j]
			k.at[[2]string{p.Address, p.Field}] = append(k.at[[2]string{p.Address, p.Field}], p)
		}
		d.consents = append(d.consents, k)
	}
}

// covers gives the parts of the consent that name all of these, nil where it
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

// agreed notes what a consent releases, once: guards look twice.
func (d *permits) noteConsent(k *plan.Consent, h plan.Hold, at resource.Address, parts []plan.Part) {
	is := func(a plan.Agreed) bool {
		return a.Hazard == h.Hazard && a.Address == at.String() && slices.Equal(a.Parts, parts)
	}
	if !slices.ContainsFunc(d.plan.Consented, is) {
		d.plan.Consented = append(d.plan.Consented, plan.Agreed{
			Consent: k.ID, By: k.By, Hazard: h.Hazard,
			Allow: h.Allow, Address: at.String(), Message: h.Message, Parts: parts,
		})
	}
}

// fieldPart is the part of one field.
func fieldPart(at resource.Address, id string, f *plan.Field, amount int64) plan.Part {
	return plan.Part{
		Address: at.String(), Field: f.Name, After: plan.DigestOf(f.Desired),
		Before: plan.DigestOfTexts(id, plan.DigestOf(f.Live())), Amount: amount,
		Own: plan.Same(f.Live(), f.Last()),
	}
}

// partsOf are those of a change as a whole: what it does, and each of its fields.
func partsOf(c *plan.Change, amount int64) []plan.Part {
	parts := []plan.Part{{Address: c.Address.String(), After: plan.DigestOfTexts(string(c.Action)),
		Before: plan.DigestOfTexts(c.ID), Amount: amount}}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Cause != plan.SentAlong {
			parts = append(parts, fieldPart(c.Address, c.ID, f, amount))
		}
	}
	return parts
}

// fieldParts are those of some fields of a change.
func fieldParts(c *plan.Change, amount int64, concerned func(*plan.Field) bool) (parts []plan.Part) {
	for i := range c.Fields {
		if f := &c.Fields[i]; concerned(f) {
			parts = append(parts, fieldPart(c.Address, c.ID, f, amount))
		}
	}
	return parts
}

// rowParts are those of a row and of all beneath it that the files make anew: it is
// agreed to with every value it has.
func (d *tree) rowParts(t *entry, action plan.Action) (parts []plan.Part) {
	for i := t.index; i < len(d.all); i++ {
		one := &d.all[i]
		if i > t.index && !strings.HasPrefix(one.address.Key, t.address.Key+"/") {
			break
		}
		if one.desired == nil {
			continue
		}
		var values []string
		for _, n := range one.desired.Attributes {
			values = append(values, n.Name, plan.DigestOf(n.Value))
		}
		parts = append(parts, plan.Part{
			Address: one.address.String(), After: plan.DigestOfTexts(string(action), plan.DigestOfTexts(values...)),
			Before: plan.DigestOfTexts(one.liveID()),
		})
	}
	return parts
}

// archiveParts are those of an archive: it ends all that is live beneath it.
func (d *tree) archiveParts(c *plan.Change) []plan.Part {
	parts := partsOf(c, 0)
	top := &d.all[c.Index]
	for i := c.Index + 1; i < len(d.all) && strings.HasPrefix(d.all[i].address.Key, top.address.Key+"/"); i++ {
		if one := &d.all[i]; one.live != nil && !one.kind.archived(one.live) {
			parts = append(parts, plan.Part{
				Address: one.address.String(), After: plan.DigestOfTexts("ends"),
				Before: plan.DigestOfTexts(one.liveID()),
			})
		}
	}
	return parts
}

func (t *entry) liveID() string {
	if t.live == nil {
		return ""
	}
	return t.live.ID
}

// covered reports whether the hazard is allowed at the address, without regard to
// an amount.
func (d *permits) covered(h plan.Hazard, at resource.Address) bool {
	covered := false
	for i := range d.Allow {
		if d.Allow[i].Covers(h, at) {
			d.used[i], covered = true, true
		}
	}
	return covered
}

// unlessAllowed returns the hold of a rise that a consent by name, by address, by
// amount or by a sum a day releases.
func (d *permits) unlessAllowed(at resource.Address,
	a *resource.Attribute, to, rises int64, message string) (plan.Hold, bool) {
	for i := range d.Allow {
		w := &d.Allow[i]
		switch {
		case w.Hazard != plan.RaisesSpend:
		case w.Covers(plan.RaisesSpend, at), w.PerDay && a.Per == "day" &&
			rises <= w.Amount, w.HasAmount && !w.PerDay && w.Address == at && to > 0 && to <= w.Amount:
			d.used[i] = true
			return plan.Hold{}, false
		}
	}
	return plan.Hold{Hazard: plan.RaisesSpend, Message: message, Allow: plan.AllowAt(plan.RaisesSpend, at)}, true
}

// unlessExact returns the hold of a rise that only the very amount releases.
func (d *permits) unlessExact(at resource.Address, to int64, message string) (plan.Hold, bool) {
	for i := range d.Allow {
		w := &d.Allow[i]
		if w.Hazard == plan.RaisesSpend && w.HasAmount && !w.PerDay && w.Address == at && w.Amount == to {
			d.used[i] = true
			return plan.Hold{}, false
		}
	}
	return plan.Hold{
		Hazard: plan.RaisesSpend, Message: message,
		Allow: plan.Allowance{Hazard: plan.RaisesSpend, Address: at, Amount: to, HasAmount: true}.String(),
	}, true
}

// countAllowed reports whether so many were allowed.
func (d *permits) countAllowed(h plan.Hazard, n int64) bool {
	allowed := false
	for i := range d.Allow {
		if a := &d.Allow[i]; a.Hazard == h && a.HasAmount && n <= a.Amount {
			d.used[i], allowed = true, true
		}
	}
	return allowed
}
