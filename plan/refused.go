package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Refused is what the service refused of a resource for good.
type Refused struct {
	Basis   string // of the resource when it was refused
	Code    string // the service's, or adsync's own
	Message string // the service's words
	Since   string // for people
	Asked   string // the run that was told so last
}

// refusalDigits is how many digits name a refusal.
const refusalDigits = 12

// AskAgain is the allowance to ask the service once more after a refusal. It is
// bound to what was refused and to the run that was told so: after another refusal
// it releases nothing.
func (r Refused) AskAgain(at resource.Address) Allowance {
	sum := sha256.Sum256([]byte(at.String() + "\n" + r.Basis + "\n" + r.Asked))
	return Allowance{Hazard: WasRefused, Address: at, Refusal: hex.EncodeToString(sum[:])[:refusalDigits]}
}

// Basis names what a refusal rests on: what the files say of a resource, what the
// service holds of it, wherever it is written, and its parent, as Above says it. Nil
// is a resource that is not there.
func Basis(desired, live *resource.Resource, above string) string {
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
	_, _ = io.WriteString(sum, above)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Above says of a parent what a refusal beneath it may rest on: its row, what is
// otherwise at the service, and whether it is refused itself. A parent that is made
// as its row says is the same before and after.
func Above(schema *resource.Schema, desired, live *resource.Resource, refused bool) string {
	if schema == nil {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "^ %t %t\n", refused, live != nil)
	if desired == nil {
		desired = live
	}
	if desired == nil {
		return text.String()
	}
	for _, n := range desired.Attributes {
		fmt.Fprintf(&text, "%s %s", n.Name, n.Value)
		if a, known := schema.Attribute(n.Name); known &&
			readable(a) && live != nil && !same(n.Value, live.Value(n.Name)) {
			fmt.Fprintf(&text, " is %s", live.Value(n.Name))
		}
		text.WriteString("\n")
	}
	return text.String()
}

// basis is what a refusal at an address would rest on now.
func (d *refused) basis(at resource.Address) string {
	parent := d.Schemas.Parent(at)
	_, refused := d.Refused[parent]
	return Basis(d.files.Get(at),
		d.Live.Get(at), Above(d.Schemas.Of(parent.Kind), d.files.Get(parent), d.Live.Get(parent), refused))
}

// refused is the rule of what the service refused for good.
type refused struct{ *draft }

// guard holds, while nobody looks, what the service refused for good and
// is as it was then: it would be refused again, every time. Pauses go all the
// same. Somebody who looks is told, and asks again.
func (d *refused) guard() {
	if len(d.Refused) == 0 {
		return
	}
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		r, refused := d.Refused[c.Address]
		asks := c.sends() || c.Action == Archive
		if !refused || !asks || r.Basis != d.basis(c.Address) {
			continue
		}
		said := "the service refused it on " + r.Since + ": " + r.words()
		if !d.Policy.Unattended {
			d.problems.Add(diag.Problem{
				Severity: diag.Warning, Code: diag.RefusedBefore,
				Position: c.Position, Address: c.Address.String(), Message: said + "; this asks again",
				Hint: "unattended runs leave it out until its row or the resource at the service is another",
			})
			continue
		}
		again := r.AskAgain(c.Address)
		if k := slices.Index(d.Allow, again); k >= 0 {
			d.used[k] = true
			continue
		}
		h := Hold{
			Hazard: WasRefused, Allow: again.String(),
			Message: said + "; edit the row, allow it, or apply with somebody looking, to ask again",
		}
		h, held := d.unlessAgreed(h, c.Address, func() []Part {
			return []Part{{Address: c.Address.String(), After: digestOf(again.Refusal)}}
		})
		if !held {
			continue
		}
		d.holdRefused(i, h)
		d.holdStartsAbove(c, Hold{
			Hazard: WasRefused, Allow: h.Allow, Message: c.Address.String() + " beneath it is not whole: " +
				said + "; edit that row, allow it, or apply with somebody looking, to ask again",
		})
	}
}

// holdStartsAbove keeps what is there above a change from starting, where the change
// makes something or brings what its create could not say: a tree starts whole
// (design.md section 5).
func (d *refused) holdStartsAbove(c *Change, h Hold) {
	if !d.creates(c) && !c.Unfinished() {
		return
	}
	for i := range d.plan.Changes {
		above := &d.plan.Changes[i]
		if above.Address != c.Address && !d.creates(above) &&
			d.Schemas.Ancestor(c.Address, above.Address.Kind) == above.Address {
			d.holdStart(i, Activate, h)
		}
	}
}

// Unfinished says that a change brings what the create of an earlier apply could not
// say: until then it is recorded as null.
func (c *Change) Unfinished() bool {
	return slices.ContainsFunc(c.Fields, func(f Field) bool { return f.Last().IsNull() && f.Desired.IsSet() })
}

func (d *refused) holdRefused(change int, h Hold) {
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
func (d *refused) pauses(c *Change, f *Field) bool {
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
