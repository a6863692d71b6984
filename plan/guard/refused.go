package guard

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// basis is what a refusal at an address would rest on now.
func (d *refused) basis(at resource.Address) string {
	parent := d.Schemas.Parent(at)
	_, refused := d.Refused[parent]
	return plan.Basis(d.Files.Get(at),
		d.Live.Get(at), plan.Above(d.Schemas.Of(parent.Kind), d.Files.Get(parent), d.Live.Get(parent), refused))
}

// refused is the rule of what the service refused for good.
type refused struct{ *drafting.Draft }

// guard holds, while nobody looks, what the service refused for good and
// is as it was then: it would be refused again, every time. Pauses go all the
// same. Somebody who looks is told, and asks again.
func (d *refused) guard() {
	if len(d.Refused) == 0 {
		return
	}
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		r, refused := d.Refused[c.Address]
		asks := c.Sends() || c.Action == plan.Archive
		if !refused || !asks || r.Basis != d.basis(c.Address) {
			continue
		}
		if !d.Policy.Unattended {
			said := "the service refused it on " + r.Since + ": " + r.Words()
			d.Problems.Add(diag.Problem{
				Severity: diag.Warning, Code: diag.RefusedBefore,
				Position: c.Position, Address: c.Address.String(), Message: said + "; this asks again",
				Hint: "unattended runs leave it out until its row or the resource at the service is another",
			})
			continue
		}
		again := r.AskAgain(c.Address)
		if k := slices.Index(d.Allow, again); k >= 0 {
			d.Used[k] = true
			continue
		}
		h := plan.Hold{
			Hazard: plan.WasRefused, Allow: again.String(),
			Message: catalogue.Fill("guard.refused", "day", r.Since, "why", r.Words()),
		}
		h, held := d.UnlessAgreed(h, c.Address, func() []plan.Part {
			return []plan.Part{{Address: c.Address.String(), After: plan.DigestOfTexts(again.Refusal)}}
		})
		if !held {
			continue
		}
		d.holdRefused(i, h)
		d.holdStartsAbove(c, plan.Hold{
			Hazard: plan.WasRefused, Allow: h.Allow, Message: catalogue.Fill("guard.refused-beneath",
				"address", c.Address.String(), "day", r.Since, "why", r.Words()),
		})
	}
}

// holdStartsAbove keeps what is there above a change from starting, where the change
// makes something or brings what its create could not say: a tree starts whole
// (design.md section 5).
func (d *refused) holdStartsAbove(c *plan.Change, h plan.Hold) {
	if !d.Creates(c) && !c.Unfinished() {
		return
	}
	for i := range d.Plan.Changes {
		above := &d.Plan.Changes[i]
		if above.Address != c.Address && !d.Creates(above) &&
			d.Schemas.Ancestor(c.Address, above.Address.Kind) == above.Address {
			holdStart(d.Draft, i, plan.Activate, h)
		}
	}
}

func (d *refused) holdRefused(change int, h plan.Hold) {
	c := &d.Plan.Changes[change]
	if d.Creates(c) || c.Action == plan.Archive {
		d.HoldTree(change, h)
		return
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; !d.pauses(c, f) {
			f.Hold(h)
		}
	}
}

// pauses reports whether a field stops its resource from delivering.
func (d *refused) pauses(c *plan.Change, f *plan.Field) bool {
	a := d.Kinds[c.Address.Kind].Attributes[f.Name]
	return a != nil && a.Spend == resource.Delivery && f.Lowers()
}
