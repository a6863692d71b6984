package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Refused is what the service refused of a resource for good.
type Refused struct {
	Basis   string // of the resource when it was refused
	Code    string // the service's, or adsync's own
	Message string // the service's words
	Since   string // for people
}

// Basis names what a refusal rests on: what the files say of a resource and what
// the service holds of it, wherever it is written. Nil is a resource that is not
// there.
func Basis(desired, live *resource.Resource) string {
	sum := sha256.New()
	for _, side := range []*resource.Resource{desired, live} {
		if side == nil {
			_, _ = io.WriteString(sum, "-\n")
			continue
		}
		_, _ = io.WriteString(sum, "+"+side.ID+"\n")
		for _, a := range side.Attributes {
			_, _ = io.WriteString(sum, a.Name+" "+a.Value.String()+"\n")
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// guardRefused holds, while nobody looks, what the service refused for good and
// is as it was then: it would be refused again, every time. Pauses go all the
// same. Somebody who looks is told, and asks again.
func (d *differ) guardRefused() {
	if len(d.Refused) == 0 {
		return
	}
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		r, refused := d.Refused[c.Address]
		asks := c.sends() || c.Action == Archive
		if !refused || !asks || r.Basis != Basis(d.files.Get(c.Address), d.Live.Get(c.Address)) {
			continue
		}
		said := "the service refused it on " + r.Since + ": " + r.words()
		if !d.Policy.Unattended {
			d.problems.Add(diag.Problem{
				Severity: diag.Warning, Code: diag.RefusedBefore, Position: c.Position, Address: c.Address.String(), Message: said + "; this asks again",
				Hint: "unattended runs leave it out until its row or the resource at the service is another",
			})
			continue
		}
		d.holdRefused(i, Hold{Hazard: WasRefused, Message: said + "; edit the row, or apply with somebody looking, to ask again"})
	}
}

func (d *differ) holdRefused(change int, h Hold) {
	c := &d.plan.Changes[change]
	if d.creates(c) || c.Action == Archive {
		d.holdTree(change, h)
		return
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; !d.pauses(c, f) {
			f.hold(h)
		}
	}
}

// pauses says that a field stops its resource from delivering.
func (d *differ) pauses(c *Change, f *Field) bool {
	a := d.kinds[c.Address.Kind].attributes[f.Name]
	return a != nil && a.Spend == resource.Delivery && f.Phase == Lower
}

func (r Refused) words() string {
	said := quote(r.Message)
	if r.Code != "" {
		said += " (" + r.Code + ")"
	}
	return said
}
