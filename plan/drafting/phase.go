package drafting

import (
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/plan"
)

// PhaseOf returns when an update of one attribute is sent. An amount that is newly
// set or cleared is a raise: the two halves of a budget cannot be compared, and
// what is no longer capped can spend more.
func PhaseOf(a *resource.Attribute, desired, live resource.Value) plan.Phase {
	switch a.Spend {
	case resource.Delivery:
		if desired.Text() == plan.Active {
			return plan.Activate
		}
		return plan.Lower
	case resource.Mode:
		return plan.Raise
	case resource.Scale:
		if resource.FactorsRise(live, desired) {
			return plan.Raise
		}
		return plan.Lower
	case resource.Cover:
		return coverPhase(a, desired, live)
	case resource.Amount:
		to, toSet := desired.Number()
		from, fromSet := live.Number()
		if toSet && fromSet && to < from {
			return plan.Lower
		}
		return plan.Raise
	}
	return plan.Neutral
}

// WithHazards adds what an update of one attribute may do, from its values.
func WithHazards(hazards []plan.Hazard, a *resource.Attribute, f *plan.Field) []plan.Hazard {
	switch {
	case f.Phase == plan.Activate:
		hazards = append(hazards, plan.Activates)
	case f.Phase == plan.Raise:
		hazards = append(hazards, plan.RaisesSpend)
	case a.Spend == resource.Reach && widens(a, f):
		hazards = append(hazards, plan.WidensTargeting)
	}
	if a.Review {
		hazards = append(hazards, plan.RestartsReview)
	}
	return hazards
}

// widens reports whether more people may be reached. No entries means everybody for
// what includes, and nobody for what excludes. What cannot be judged widens.
func widens(a *resource.Attribute, f *plan.Field) bool {
	from := f.Live()
	if !plan.Readable(a) {
		from = f.Last()
	}
	switch {
	case !a.Type.IsList():
		return true
	case a.Excludes:
		return !containsAll(f.Desired.Items(), from.Items())
	case plan.Unset(f.Desired):
		return true
	case plan.Unset(from):
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

// SortFields puts fields in the order of their names, in which they mostly come.
func SortFields(fields []plan.Field) {
	for i := 1; i < len(fields); i++ {
		if fields[i].Name < fields[i-1].Name {
			slices.SortFunc(fields, func(f, g plan.Field) int { return strings.Compare(f.Name, g.Name) })
			return
		}
	}
}

// coverPhase is when an edit of a first or last day is sent: more days that are
// bounded, or no end, lower possible spend.
func coverPhase(a *resource.Attribute, desired, live resource.Value) plan.Phase {
	isLast := a.Type == resource.TypeLast
	switch {
	case plan.Unset(desired):
		return plan.Lower // no end
	case plan.Unset(live):
		return plan.Raise
	case isLast == (desired.Text() > live.Text()):
		return plan.Lower
	}
	return plan.Raise
}
