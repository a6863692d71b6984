// Package eyes says whose yes counts where a policy wants that nobody approves what they wrote themselves.
//
// It refuses to guess: who may be somebody else by another name is not another person, and what nobody is known to
// have written wants two. Its invariant: of one person, under whichever names that are joined, there is one yes.
//
// eyes.go is who people are, count.go whose yes counts, wrote.go who is known to have written what.
package eyes

import (
	"slices"
	"strings"

	"adsync/plan"
)

// Who is a person, as far as it is proven: by the name that the daemon has of them, by their login at the forge, or by
// both, where the configuration joins them.
type Who struct {
	Name  string `json:"name,omitempty"`
	Login string `json:"login,omitempty"`
}

// String returns what people call them.
func (w Who) String() string {
	if w.Name != "" {
		return w.Name
	}
	return w.Login + " (at the forge)"
}

// Is reports whether both are one person for certain.
func (w Who) Is(o Who) bool {
	return w.Name != "" && same(w.Name, o.Name) || w.Login != "" && same(w.Login, o.Login)
}

// other reports whether both are two people for certain: a name and a login that nothing joins may be one.
func (w Who) other(o Who) bool {
	return !w.Is(o) && (w.Name != "" && o.Name != "" || w.Login != "" && o.Login != "")
}

// same compares names as forges and providers do: letters of ASCII in either case, and no others alike.
func same(a, b string) bool { return lower(a) == lower(b) }

func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// Groups are the hazards that a policy speaks of together.
func Groups() []string { return []string{"raises", "archives", "outside", "edits"} }

var groups = map[string][]plan.Hazard{
	"raises":   {plan.RaisesSpend, plan.Exposure, plan.ExceedsFiles, plan.Activates},
	"archives": {plan.Archives, plan.Replaces, plan.ShrinksAudience},
	"outside":  {plan.Conflicts, plan.Drifts, plan.RemovedByHand, plan.Adopts, plan.Twins},
	"edits":    {plan.Shifted, plan.Series, plan.Scale, plan.MassEdit, plan.Updates},
}

// Of returns the hazards of a group.
func Of(group string) []plan.Hazard { return slices.Clone(groups[group]) }
