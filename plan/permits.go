package plan

import (
	"adsync/internal/resource"
	"slices"
	"strings"
)

// exactlyAllowed says that somebody allowed a rise to this very amount: who
// wrote it in units means it.
func (d *permits) exactlyAllowed(r *row) bool {
	amount, _ := r.desired.Number()
	return slices.ContainsFunc(d.Allow, func(w Allowance) bool {
		return w.Hazard == RaisesSpend && w.HasAmount && !w.PerDay && w.Address == *r.address && w.Amount == amount
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
	plan     *Plan
	used     []bool // of each of Allow: it released something
	consents []consent
}

// unlessAgreed gives the hold with the parts it is of, unless a consent covers
// them.
func (d *permits) unlessAgreed(h Hold, at resource.Address, parts func() []Part) (Hold, bool) {
	if !d.Asks && len(d.Consents) == 0 {
		return h, true
	}
	h.Parts = parts()
	for i := range d.consents {
		k := &d.consents[i]
		if agreed := k.covers(h.Hazard, h.Parts); agreed != nil {
			d.noteConsent(k.Consent, h, at, agreed)
			return Hold{}, false
		}
	}
	return h, true
}

// unlessCovered gives the hold, unless an allowance without an amount or a consent
// covers it.
func (d *permits) unlessCovered(h Hold, at resource.Address, parts func() []Part) (Hold, bool) {
	if d.covered(h.Hazard, at) {
		return Hold{}, false
	}
	return d.unlessAgreed(h, at, parts)
}

// consent is one with its parts by where they are.
type consent struct {
	*Consent
	at map[[2]string][]*Part // by address and field
}

func (d *permits) indexConsents() {
	for i := range d.Consents {
		k := consent{&d.Consents[i], map[[2]string][]*Part{}}
		for j := range k.Parts {
			p := &k.Parts[j]
			k.at[[2]string{p.Address, p.Field}] = append(k.at[[2]string{p.Address, p.Field}], p)
		}
		d.consents = append(d.consents, k)
	}
}

// covers gives the parts of the consent that name all of these, nil where it
// leaves one out: several consents never add up.
func (k *consent) covers(h Hazard, parts []Part) (agreed []Part) {
	if k.Hazard != h || len(parts) == 0 {
		return nil
	}
	for i := range parts {
		p := &parts[i]
		there := k.at[[2]string{p.Address, p.Field}]
		at := slices.IndexFunc(there, func(q *Part) bool {
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
func (d *permits) noteConsent(k *Consent, h Hold, at resource.Address, parts []Part) {
	is := func(a Agreed) bool {
		return a.Hazard == h.Hazard && a.Address == at.String() && slices.Equal(a.Parts, parts)
	}
	if !slices.ContainsFunc(d.plan.Consented, is) {
		d.plan.Consented = append(d.plan.Consented, Agreed{
			Consent: k.ID, By: k.By, Hazard: h.Hazard,
			Allow: h.Allow, Address: at.String(), Message: h.Message, Parts: parts,
		})
	}
}

// fieldPart is the part of one field.
func fieldPart(at resource.Address, id string, f *Field, amount int64) Part {
	return Part{
		Address: at.String(), Field: f.Name, After: DigestOf(f.Desired),
		Before: digestOfTexts(id, DigestOf(f.Live())), Amount: amount,
		Own: same(f.Live(), f.Last()),
	}
}

// partsOf are those of a change as a whole: what it does, and each of its fields.
func partsOf(c *Change, amount int64) []Part {
	parts := []Part{{Address: c.Address.String(), After: digestOfTexts(string(c.Action)),
		Before: digestOfTexts(c.ID), Amount: amount}}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Cause != SentAlong {
			parts = append(parts, fieldPart(c.Address, c.ID, f, amount))
		}
	}
	return parts
}

// fieldParts are those of some fields of a change.
func fieldParts(c *Change, amount int64, concerned func(*Field) bool) (parts []Part) {
	for i := range c.Fields {
		if f := &c.Fields[i]; concerned(f) {
			parts = append(parts, fieldPart(c.Address, c.ID, f, amount))
		}
	}
	return parts
}

// rowParts are those of a row and of all beneath it that the files make anew: it is
// agreed to with every value it has.
func (d *tree) rowParts(t *entry, action Action) (parts []Part) {
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
			values = append(values, n.Name, DigestOf(n.Value))
		}
		parts = append(parts, Part{
			Address: one.address.String(), After: digestOfTexts(string(action), digestOfTexts(values...)),
			Before: digestOfTexts(one.liveID()),
		})
	}
	return parts
}

// archiveParts are those of an archive: it ends all that is live beneath it.
func (d *tree) archiveParts(c *Change) []Part {
	parts := partsOf(c, 0)
	top := &d.all[c.index]
	for i := c.index + 1; i < len(d.all) && strings.HasPrefix(d.all[i].address.Key, top.address.Key+"/"); i++ {
		if one := &d.all[i]; one.live != nil && !one.kind.archived(one.live) {
			parts = append(parts, Part{
				Address: one.address.String(), After: digestOfTexts("ends"), Before: digestOfTexts(one.liveID()),
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

// covered says whether the hazard is allowed at the address, without regard to
// an amount.
func (d *permits) covered(h Hazard, at resource.Address) bool {
	covered := false
	for i := range d.Allow {
		if d.Allow[i].covers(h, at) {
			d.used[i], covered = true, true
		}
	}
	return covered
}

// unlessAllowed gives the hold of a rise that a consent by name, by address, by
// amount or by a sum a day releases.
func (d *permits) unlessAllowed(at resource.Address,
	a *resource.Attribute, to, rises int64, message string) (Hold, bool) {
	for i := range d.Allow {
		w := &d.Allow[i]
		switch {
		case w.Hazard != RaisesSpend:
		case w.covers(RaisesSpend, at), w.PerDay && a.Per == "day" &&
			rises <= w.Amount, w.HasAmount && !w.PerDay && w.Address == at && to > 0 && to <= w.Amount:
			d.used[i] = true
			return Hold{}, false
		}
	}
	return Hold{Hazard: RaisesSpend, Message: message, Allow: allowAt(RaisesSpend, at)}, true
}

// unlessExact gives the hold of a rise that only the very amount releases.
func (d *permits) unlessExact(at resource.Address, to int64, message string) (Hold, bool) {
	for i := range d.Allow {
		w := &d.Allow[i]
		if w.Hazard == RaisesSpend && w.HasAmount && !w.PerDay && w.Address == at && w.Amount == to {
			d.used[i] = true
			return Hold{}, false
		}
	}
	return Hold{
		Hazard: RaisesSpend, Message: message,
		Allow: Allowance{Hazard: RaisesSpend, Address: at, Amount: to, HasAmount: true}.String(),
	}, true
}

// countAllowed says that so many were allowed.
func (d *permits) countAllowed(h Hazard, n int64) bool {
	allowed := false
	for i := range d.Allow {
		if a := &d.Allow[i]; a.Hazard == h && a.HasAmount && n <= a.Amount {
			d.used[i], allowed = true, true
		}
	}
	return allowed
}
