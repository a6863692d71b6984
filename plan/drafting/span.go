package drafting

import "adsync/plan"

// A schedule moves money as an amount does: with more days more can be spent.

// Disjoint reports whether two spans share no day.
func (s Span) Disjoint(t Span) bool {
	return s.Last != "" && t.First > s.Last || t.Last != "" && s.First > t.Last
}

// Beyond reports whether a span has days which another one has not.
func (s Span) Beyond(t Span) bool {
	return s.First < t.First || t.Last != "" && (s.Last == "" || s.Last > t.Last)
}

// DaysLeft counts the days of a span in the rest of the month.
func (d *Tree) DaysLeft(s Span) int {
	from, to := d.Calendar.Clip(s)
	return max(to-from+1, 0)
}

// MovesSpan returns the span of a live resource and the one a change would leave,
// and whether they differ.
func (d *Tree) MovesSpan(t *Entry, fields []plan.Field) (now, then Span, moves bool) {
	if !t.Kind.Counts() || t.Live == nil {
		return Span{}, Span{}, false
	}
	for i := range fields {
		moves = moves || t.Kind.IsSpan(fields[i].Name)
	}
	if !moves {
		return Span{}, Span{}, false
	}
	after := t.Kind.Overlay(t.Live, fields, func(f *plan.Field) bool { return t.Kind.IsSpan(f.Name) })
	return t.Kind.SpanOf(t.Live), t.Kind.SpanOf(after), true
}

// IsSpan reports whether an attribute is a day on which the resource begins or ends to spend.
func (k *Kind) IsSpan(attribute string) bool { return attribute == k.First || attribute == k.Last }
