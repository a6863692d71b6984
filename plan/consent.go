package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"adsync/internal/resource"
)

// Consent is somebody's yes to what a plan showed as held: to one hazard, of the
// parts that were shown and of no other. It holds while they are as they were,
// whatever else changes. A set that was shown may go in part; what is new in it
// needs another yes. When it was given is no matter of a plan: one that has
// expired is left out of the input, and so are the parts that were used.
type Consent struct {
	ID     string // of the approval it is of
	By     string // who gave it
	Link   string // to where they did; "" where that is nowhere else
	Hazard Hazard
	Parts  []Part
	// Begun has the addresses at which a part of it was used. What is left there is
	// the rest of the same change, though it starts from what was made of it since.
	Begun map[string]bool
}

// Part is what is agreed to of one change: a field, or the change as a whole.
type Part struct {
	Address string `json:"address"`
	Field   string `json:"field,omitempty"`  // "" is the change as a whole: what it does, and to what
	After   string `json:"after"`            // digest of what it becomes
	Before  string `json:"before"`           // digest of what is live
	Amount  int64  `json:"amount,omitempty"` // micros by which it raises what the hazard is about

	Own bool `json:"-"` // what is live is what adsync applied last
}

// Ask is what a plan asks people for: a yes to a hazard of all these parts, which
// one allowance releases.
type Ask struct {
	Item   string `json:"item"`            // digest of the rest: who agrees to it names it by that
	Hazard Hazard `json:"hazard"`          // what may happen
	Allow  string `json:"allow"`           // as --allow takes it
	Total  int64  `json:"total,omitempty"` // micros by which all parts together raise what the hazard is about
	Parts  []Part `json:"parts"`           // sorted
}

// Agreed is what a consent releases in a plan.
type Agreed struct {
	Consent string `json:"consent"`
	By      string `json:"by"`
	Link    string `json:"link,omitempty"`
	Hazard  Hazard `json:"hazard"`
	Allow   string `json:"allow"`
	Address string `json:"address"`
	Message string `json:"message"` // of the hold it would be without
	Parts   []Part `json:"-"`       // as they were agreed to
}

// Key names the use of a part for a hazard: it is the same for everybody who
// agrees to the same.
func (p *Part) Key(h Hazard) string {
	return DigestOfTexts(string(h), p.Address, p.Field, p.After, p.Before)
}

// Carries reports whether an operation that sets these values carries the part.
func (p *Part) Carries(set resource.Attributes) bool {
	return p.Field == "" || DigestOf(set.Value(p.Field)) == p.After
}

// DigestOf is the digest of a value; that of an absent one is no other's.
func DigestOf(v resource.Value) string {
	if v.IsAbsent() {
		return DigestOfTexts()
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a value that is not absent has a JSON form
	}
	return DigestOfTexts(string(text))
}

// DigestOfTexts joins texts so that no two lists of them are the same.
func DigestOfTexts(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		quoted, _ := json.Marshal(text)
		sum.Write(append(quoted, '\n'))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// FindAsks returns what people may agree to of a plan whose input wanted that, by
// allowance: what something else holds besides that nobody can release is left out.
// What releases a whole suspicious edit stands for each of its rows.
func (p *Plan) FindAsks() []Ask {
	whole := map[string]bool{}
	for i := range p.SuspiciousEdits {
		if a := &p.SuspiciousEdits[i]; a.Held > 0 && a.Allow != "" {
			whole[a.Allow] = true
		}
	}
	asks := map[string]*Ask{}
	for i := range p.Changes {
		for _, h := range p.Changes[i].Releasable() {
			allow := h.Allow
			if whole[string(h.Hazard)] {
				allow = string(h.Hazard)
			}
			if asks[allow] == nil {
				asks[allow] = &Ask{Hazard: h.Hazard, Allow: allow}
			}
			asks[allow].Parts = append(asks[allow].Parts, h.Parts...)
		}
	}
	var all []Ask
	for _, a := range asks {
		if len(a.Parts) > 0 {
			a.finish()
			all = append(all, *a)
		}
	}
	slices.SortFunc(all, func(a, b Ask) int { return strings.Compare(a.Allow, b.Allow) })
	return all
}

// finish puts the parts in order, each once, and names the ask by what it is.
func (a *Ask) finish() {
	slices.SortFunc(a.Parts, func(p, q Part) int {
		return cmp.Or(strings.Compare(p.Address, q.Address), strings.Compare(p.Field, q.Field),
			strings.Compare(p.After, q.After), strings.Compare(p.Before, q.Before), cmp.Compare(p.Amount, q.Amount))
	})
	a.Parts = slices.Compact(a.Parts)
	most := map[string]int64{}
	for _, p := range a.Parts {
		most[p.Address] = max(most[p.Address], p.Amount)
	}
	for _, amount := range most {
		a.Total = Plus(a.Total, amount)
	}
	a.Item = a.Digest()
}

// Digest is what names the ask: it is another one as soon as anything of it is.
func (a *Ask) Digest() string {
	rest := *a
	rest.Item = ""
	text, err := json.Marshal(rest)
	if err != nil {
		panic(err) // texts and numbers alone
	}
	return DigestOfTexts(string(text))
}

// releasable are the holds of a change that go once each is agreed to.
func (c *Change) Releasable() []Hold {
	final := func(h *Hold) bool { return h.Allow == "" }
	if c.Held.Contains(final) {
		return nil
	}
	holds := c.Held.Flatten(nil)
	for i := range c.Fields {
		if h := c.Fields[i].Held; !h.Contains(final) {
			holds = h.Flatten(holds)
		}
	}
	return holds
}
