package compare

import (
	"adsync/plan"
	"adsync/plan/drafting"
)

// spanPhases returns the phases in which the first and the last day of a resource
// that spends are sent. Where no day stays the same the two go together.
func (d *comparedFields) spanPhases(now, then drafting.Span) (first, last plan.Phase) {
	first, last = plan.Neutral, plan.Neutral
	switch {
	case then.First > now.First:
		first = plan.Lower
	case then.First < now.First:
		first = plan.Raise
	}
	switch {
	case then.Last == now.Last:
	case now.Last == "" || then.Last != "" && then.Last < now.Last:
		last = plan.Lower
	default:
		last = plan.Raise
	}
	if !now.Disjoint(then) {
		return first, last
	}
	phase := plan.Raise // one half of the move alone is all days between, or none; other days may have another limit
	if today := d.Calendar.Today; today != "" && d.DaysLeft(then) <= d.DaysLeft(now) &&
		(then.Ended(today) || !d.Capped && !now.Ended(today)) {
		phase = plan.Lower
	}
	return phase, phase
}

// phaseSpan gives first and last day the phase of what they do to spend.
func (d *comparedFields) phaseSpan(t *drafting.Entry, fields []plan.Field) {
	now, then, moves := d.MovesSpan(t, fields)
	if !moves {
		return
	}
	first, last := d.spanPhases(now, then)
	for i := range fields {
		switch fields[i].Name {
		case t.Kind.First:
			fields[i].Phase = first
		case t.Kind.Last:
			fields[i].Phase = last
		}
	}
}
