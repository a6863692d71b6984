package guard

import (
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// lateness is the rule of days that have passed.
type lateness struct{ *drafting.Draft }

// guard holds the changes whose day has passed: a first or last day that was
// right when it was written and that the service takes no longer (interface, part
// 4, spend limit rules 4 and 6; service facts, 9.3), a new campaign that is over
// before it begins, an edit of what has ended. Time alone makes them so, overnight
// and while they wait, and so they are no problem that stops all the others.
func (d *lateness) guard() {
	if d.Today == "" {
		return
	}
	for i := range d.Plan.Changes {
		if !d.Plan.Changes[i].HeldFor(plan.Late) {
			d.holdLate(i)
		}
	}
}

func (d *lateness) holdLate(change int) {
	c := &d.Plan.Changes[change]
	t := &d.All[c.Index]
	creates := d.Creates(c)
	live := t.Live
	switch {
	case creates:
		live = nil
	case c.Action == plan.Archive:
		return
	case d.Ended(t.Kind, live):
		d.holdEnded(t, c)
		return
	}
	switch late := d.lateDays(t.Kind, c, live); {
	case len(late) == 0:
	case creates:
		d.HoldTree(change, late[0])
	default:
		d.holdDays(t.Kind, c, late[0])
	}
}

// lateDays returns a hold for each day of a change that has passed. Live is nil for
// what is created.
func (d *lateness) lateDays(k *drafting.Kind, c *plan.Change, live *resource.Resource) (late []plan.Hold) {
	for i := range c.Fields {
		f := &c.Fields[i]
		if words := d.lateWords(k.Attributes[f.Name], f, live); words != "" {
			late = append(late, d.Late(c, f.Desired.Position, words))
		}
	}
	return late
}

// lateWords returns why a day can no longer be set, "" where it can.
func (d *lateness) lateWords(a *resource.Attribute, f *plan.Field, live *resource.Resource) string {
	if a == nil || a.Earliest == "" || f.Cause == plan.SentAlong ||
		!f.Desired.IsSet() || live != nil && (a.Immutable || a.EditsBack) {
		return ""
	}
	earliest := d.Today
	if a.Earliest == resource.Tomorrow && live == nil {
		earliest = resource.DayPlus(d.Today, 1)
	}
	began := live != nil && a.Type == resource.TypeDay && !plan.Unset(f.Live()) && f.Live().Text() <= d.Today
	switch {
	case began:
		return catalogue.Fill("guard.late-began", "attribute", a.Name, "day", f.Desired.Text(),
			"began", f.Live().Text())
	case f.Desired.Text() < d.Today:
		return catalogue.Fill("guard.late-passed", "attribute", a.Name, "day", f.Desired.Text(),
			"earliest", earliest, "today", d.Today)
	case f.Desired.Text() < earliest:
		return catalogue.Fill("guard.late-begun", "attribute", a.Name, "day", f.Desired.Text(), "earliest", earliest)
	}
	return ""
}

// holdDays holds an update with a day that has passed, all but the amounts it
// lowers.
func (d *lateness) holdDays(k *drafting.Kind, c *plan.Change, h plan.Hold) {
	for i := range c.Fields {
		f := &c.Fields[i]
		if a := k.Attributes[f.Name]; f.Cause != plan.SentAlong &&
			!(drafting.OfSpend(a) && f.Lowers()) {
			f.Hold(h)
		}
	}
}

// holdEnded holds what would change something that is over.
func (d *lateness) holdEnded(t *drafting.Entry, c *plan.Change) {
	if len(c.Fields) == 0 {
		return
	}
	c.Hold(d.Late(c, c.Fields[0].Desired.Position,
		catalogue.Fill("guard.ended", "day", t.Live.Value(t.Kind.Schema.Ends).Text())))
}
