package compare

import "adsync/plan"

// A schedule moves money as an amount does: with more days more can be spent.

// spanPhases returns the phases in which the first and the last day of a resource
// that spends are sent. Where no day stays the same the two go together.
func (d *tree) spanPhases(now, then span) (first, last plan.Phase) {
	first, last = plan.Neutral, plan.Neutral
	switch {
	case then.first > now.first:
		first = plan.Lower
	case then.first < now.first:
		first = plan.Raise
	}
	switch {
	case then.last == now.last:
	case now.last == "" || then.last != "" && then.last < now.last:
		last = plan.Lower
	default:
		last = plan.Raise
	}
	if !now.disjoint(then) {
		return first, last
	}
	phase := plan.Raise // one half of the move alone is all days between, or none; other days may have another limit
	if today := d.calendar.today; today != "" && d.daysLeft(then) <= d.daysLeft(now) &&
		(then.ended(today) || !d.capped && !now.ended(today)) {
		phase = plan.Lower
	}
	return phase, phase
}

// apart says that two spans share no day.
func (s span) disjoint(t span) bool {
	return s.last != "" && t.first > s.last || t.last != "" && s.first > t.last
}

// beyond reports whether a span has days which another one has not.
func (s span) beyond(t span) bool {
	return s.first < t.first || t.last != "" && (s.last == "" || s.last > t.last)
}

// daysLeft counts the days of a span in the rest of the month.
func (d *tree) daysLeft(s span) int {
	from, to := d.calendar.clip(s)
	return max(to-from+1, 0)
}

// movesSpan returns the span of a live resource and the one a change would leave,
// and whether they differ.
func (d *tree) movesSpan(t *entry, fields []plan.Field) (now, then span, moves bool) {
	if !t.kind.counts() || t.live == nil {
		return span{}, span{}, false
	}
	for i := range fields {
		moves = moves || t.kind.isSpan(fields[i].Name)
	}
	if !moves {
		return span{}, span{}, false
	}
	after := t.kind.overlay(t.live, fields, func(f *plan.Field) bool { return t.kind.isSpan(f.Name) })
	return t.kind.spanOf(t.live), t.kind.spanOf(after), true
}

func (k *kind) isSpan(attribute string) bool { return attribute == k.first || attribute == k.last }

// phaseSpan gives first and last day the phase of what they do to spend.
func (d *comparedFields) phaseSpan(t *entry, fields []plan.Field) {
	now, then, moves := d.movesSpan(t, fields)
	if !moves {
		return
	}
	first, last := d.spanPhases(now, then)
	for i := range fields {
		switch fields[i].Name {
		case t.kind.first:
			fields[i].Phase = first
		case t.kind.last:
			fields[i].Phase = last
		}
	}
}

// holdSpan holds the other half of a schedule that moves where all its days are
// others: half a move would spend on every day between.
func (d *rest) holdSpan(c *plan.Change) {
	t := &d.all[c.Index]
	k := t.kind
	now, then, moves := d.movesSpan(t, c.Fields)
	if !moves || !now.disjoint(then) {
		return
	}
	for i := range c.Fields {
		h := c.Fields[i].Held
		if h == nil || !k.isSpan(c.Fields[i].Name) {
			continue
		}
		for j := range c.Fields {
			if f := &c.Fields[j]; f.Held == nil && k.isSpan(f.Name) {
				f.Hold(plan.Hold{
					Hazard: h.Hazard, Message: "held with " +
						c.Fields[i].Name + ", without which it is another schedule", Allow: h.Allow,
				})
			}
		}
	}
}
