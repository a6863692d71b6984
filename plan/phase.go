package plan

import (
	"slices"
	"strings"

	"adsync/internal/resource"
)

// phaseOf says when an update of one attribute is sent. An amount that is newly
// set or cleared is a raise: the two halves of a budget cannot be compared, and
// what is no longer capped can spend more.
func phaseOf(a *resource.Attribute, desired, live resource.Value) Phase {
	switch a.Spend {
	case resource.Delivery:
		if desired.Text() == active {
			return Activate
		}
		return Lower
	case resource.Mode:
		return Raise
	case resource.Cover:
		return coverPhase(a, desired, live)
	case resource.Amount:
		to, toSet := desired.Number()
		from, fromSet := live.Number()
		if toSet && fromSet && to < from {
			return Lower
		}
		return Raise
	}
	return Neutral
}

// lowers reports whether a field only pauses, ends or lowers something. Such a field
// passes the guards: each rule of newGuards (guard.go) leaves it out.
func (f *Field) lowers() bool { return f.Phase == Lower }

// withHazards adds what an update of one attribute may do, from its values.
func withHazards(hazards []Hazard, a *resource.Attribute, f *Field) []Hazard {
	switch {
	case f.Phase == Activate:
		hazards = append(hazards, Activates)
	case f.Phase == Raise:
		hazards = append(hazards, RaisesSpend)
	case a.Spend == resource.Reach && widens(a, f):
		hazards = append(hazards, WidensTargeting)
	}
	if a.Review {
		hazards = append(hazards, RestartsReview)
	}
	return hazards
}

// widens says that more people may be reached. No entries means everybody for
// what includes, and nobody for what excludes. What cannot be judged widens.
func widens(a *resource.Attribute, f *Field) bool {
	from := f.Live()
	if !readable(a) {
		from = f.Last()
	}
	switch {
	case !a.Type.IsList():
		return true
	case a.Excludes:
		return !containsAll(f.Desired.Items(), from.Items())
	case unset(f.Desired):
		return true
	case unset(from):
		return false
	}
	return !containsAll(from.Items(), f.Desired.Items())
}

func containsAll(all, some []string) bool {
	held := make(map[string]bool, len(all))
	for _, item := range all {
		held[item] = true
	}
	return !slices.ContainsFunc(some, func(item string) bool { return !held[item] })
}

// sortFields puts fields in the order of their names, in which they mostly come.
func sortFields(fields []Field) {
	for i := 1; i < len(fields); i++ {
		if fields[i].Name < fields[i-1].Name {
			slices.SortFunc(fields, func(f, g Field) int { return strings.Compare(f.Name, g.Name) })
			return
		}
	}
}
