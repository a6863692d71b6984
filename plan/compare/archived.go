package compare

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan/drafting"
)

// withoutArchived returns what the files say, what was applied last and what is live of factors, without
// those of what is archived at the service: nobody is multiplied by them, and the service refuses the whole
// setting with one. It warns of them where the files have them. What the files name anew is left in, and held.
func (d *comparedFields) withoutArchived(t drafting.Entry, a *resource.Attribute) (said, sent, shown resource.Value) {
	said, sent, shown = drafting.ValueOf(t.Desired, a.Name), drafting.ValueOf(t.Last, a.Name), t.Live.Value(a.Name)
	var gone []string
	for _, name := range slices.Concat(a.Names(shown), a.Names(sent)) {
		if d.ArchivedID(a.Of, name) && !slices.Contains(gone, name) {
			gone = append(gone, name)
		}
	}
	if len(gone) == 0 {
		return said, sent, shown
	}
	for _, name := range gone {
		if d.Plan.Archived == nil {
			d.Plan.Archived = map[string]bool{}
		}
		d.Plan.Archived[name] = true
		if slices.Contains(a.Names(said), name) {
			d.warnOfArchived(t, a, name)
		}
	}
	is := func(name string) bool { return slices.Contains(gone, name) }
	return said.WithoutFactors(is), sent.WithoutFactors(is), shown.WithoutFactors(is)
}

func (d *comparedFields) warnOfArchived(t drafting.Entry, a *resource.Attribute, id string) {
	at := t.Desired.Value(a.Name).Position
	if at.IsZero() {
		at = t.Desired.Position
	}
	d.Problems.Add(diag.Problem{
		Severity: diag.Warning, Code: diag.UnknownName, Position: at, Address: t.Address.String(),
		Message: fmt.Sprintf("%s has %s, which is archived: its factor is not sent",
			a.Name, d.LiveByID(a.Of)[id].Address), Hint: "take it out",
	})
}
