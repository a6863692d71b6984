// Package conflicts shows what somebody changed at the service since adsync applied it, where a plan holds it: what the
// files say, what is live and whose that is, and what was applied last.
//
// It refuses to decide: whose value wins a person says, by an approval or by an edit of the files.
package conflicts

import (
	_ "embed" // the part of the page
	"slices"
	"time"

	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Template defines "conflicts", the part of the page of an account that has a View as Conflicts.
//
//go:embed page.html
var Template string

// View is what waits to be decided.
type View struct {
	All  []Conflict
	More int // that are not shown
}

// Conflict is what somebody gave a resource.
type Conflict struct {
	Name, Address string
	Fields        []Field
	Mine          string // the item of the plan that has the files win; "" where nobody can agree to it here
}

// Field is one value of it.
type Field struct {
	Label, Mine, At, Theirs, Last string
	By                            string // "" where the audit log does not say
	When                          shown.Moment
}

// most is how many are shown.
const most = 50

// Of finds them in a plan.
func Of(schemas resource.Schemas, p *planview.Document, names *words.Names, zone *time.Location) (v View) {
	for i := range p.Changes {
		c := &p.Changes[i]
		waits := func(f plan.FieldDocument) bool { return isForeign(&f) && (f.Held != nil || c.Held != nil) }
		switch {
		case !slices.ContainsFunc(c.Fields, waits):
		case len(v.All) == most:
			v.More++
		default:
			one := Conflict{Name: shown.Reason(words.Upper(names.Of(c.Address))), Mine: mine(p, c), Address: c.Address}
			for _, f := range c.Fields {
				if waits(f) {
					one.Fields = append(one.Fields, fieldOf(schemas, p, c, &f, names, zone))
				}
			}
			v.All = append(v.All, one)
		}
	}
	return v
}

// isForeign reports whether somebody else gave a field what is live.
func isForeign(f *plan.FieldDocument) bool {
	return f.Last != nil && f.Live != nil && !plan.Same(*f.Last, *f.Live)
}

// mine is the item by which the files win.
func mine(p *planview.Document, c *plan.ChangeDocument) string {
	at, known := resource.ParseAddress(c.Address)
	if !known {
		return ""
	}
	for _, h := range []plan.Hazard{plan.Conflicts, plan.Drifts} {
		allow := plan.AllowAt(h, at)
		i := slices.IndexFunc(p.Asks, func(a planview.Ask) bool { return a.Allow == allow })
		if i >= 0 {
			return p.Asks[i].Item
		}
	}
	return ""
}

func fieldOf(schemas resource.Schemas, p *planview.Document, c *plan.ChangeDocument,
	f *plan.FieldDocument, names *words.Names, zone *time.Location) Field {
	value := func(v *resource.Value) string {
		if v == nil || plan.Unset(*v) {
			return catalogue.Say("value.none")
		}
		schema := schemas.Of(c.Kind)
		if schema == nil {
			return shown.Reason(v.Text())
		}
		a, known := schema.Attribute(f.Name)
		if !known {
			return shown.Reason(v.Text())
		}
		text := a.Show(*v)
		if a.Type == resource.TypeMoney {
			text += " " + p.Account.Currency
		}
		return shown.Reason(text)
	}
	one := Field{Label: shown.Name(names.Label(c.Kind, f.Name)), Mine: value(f.Desired), Theirs: value(f.Live),
		Last: value(f.Last), At: shown.Text(f.Position.String(), 200)}
	by := f.Foreign
	if by == nil {
		by = c.Foreign
	}
	if by != nil {
		one.By, one.When = shown.Name(by.Actor), shown.MomentOf(time.Unix(by.At, 0), zone)
	}
	return one
}
