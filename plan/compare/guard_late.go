package compare

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// lateness is the rule of days that have passed.
type lateness struct{ *draft }

// guard holds the changes whose day has passed: a first or last day that was
// right when it was written and that the service takes no longer (interface, part
// 4, spend limit rules 4 and 6; service facts, 9.3), a new campaign that is over
// before it begins, an edit of what has ended. Time alone makes them so, overnight
// and while they wait, and so they are no problem that stops all the others.
func (d *lateness) guard() {
	if d.Today == "" {
		return
	}
	for i := range d.plan.Changes {
		if !d.plan.Changes[i].HeldFor(plan.Late) {
			d.holdLate(i)
		}
	}
}

func (d *lateness) holdLate(change int) {
	c := &d.plan.Changes[change]
	t := &d.all[c.Index]
	creates := d.creates(c)
	live := t.live
	switch {
	case creates:
		live = nil
	case c.Action == plan.Archive:
		return
	case d.ended(t.kind, live):
		d.holdEnded(t, c)
		return
	}
	switch late := d.lateDays(t.kind, c, live); {
	case len(late) == 0:
	case creates:
		d.holdTree(change, late[0])
	default:
		d.holdDays(t.kind, c, late[0])
	}
}

// lateDays returns a hold for each day of a change that has passed. Live is nil for
// what is created.
func (d *lateness) lateDays(k *kind, c *plan.Change, live *resource.Resource) (late []plan.Hold) {
	for i := range c.Fields {
		f := &c.Fields[i]
		if words := d.lateWords(k.attributes[f.Name], f, live); words != "" {
			late = append(late, d.late(c, f.Desired.Position,
				words+"; nothing releases it but another day in the files, or leaving the row out"))
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
		return fmt.Sprintf("%s is %s, and it began on %s: the first day of what has begun stays",
			a.Name, f.Desired.Text(), f.Live().Text())
	case f.Desired.Text() < d.Today:
		return fmt.Sprintf("%s is %s, which has passed; want %s or later: it is %s in the account's time zone",
			a.Name, f.Desired.Text(), earliest, d.Today)
	case f.Desired.Text() < earliest:
		return fmt.Sprintf("%s is %s, and that day has begun; want %s or later", a.Name, f.Desired.Text(), earliest)
	}
	return ""
}

// holdDays holds an update with a day that has passed, all but the amounts it
// lowers.
func (d *lateness) holdDays(k *kind, c *plan.Change, h plan.Hold) {
	for i := range c.Fields {
		f := &c.Fields[i]
		if a := k.attributes[f.Name]; f.Cause != plan.SentAlong &&
			!(a.Spend == resource.Amount && f.Lowers()) {
			f.Hold(h)
		}
	}
}

// holdEnded holds what would change something that is over.
func (d *lateness) holdEnded(t *entry, c *plan.Change) {
	if len(c.Fields) == 0 {
		return
	}
	c.Hold(d.late(c, c.Fields[0].Desired.Position, fmt.Sprintf("it ended on %s and cannot change; "+
		"nothing releases it but the row as it was, or leaving it out", t.live.Value(t.kind.schema.Ends).Text())))
}

// over handles what has ended by itself and does not show any more. It is as the
// files want it, unless they want it to go on.
func (d *comparison) over(t entry) {
	end := t.kind.schema.Ends
	wanted, was := t.desired.Value(end), t.last.Value(end)
	if wanted.IsAbsent() || wanted.Equal(was) {
		d.plan.InSync++
		return
	}
	c := d.change(t, plan.Update)
	c.Fields = []plan.Field{{Name: end, Desired: wanted,
		Cause: plan.Edit, Phase: plan.Neutral, Known: d.previousOf(was, resource.Value{})}}
	c.Hold(d.late(c, wanted.Position, fmt.Sprintf("%s is %s, and it ended on %s; "+
		"what is over does not start again: nothing releases it but the row under another key, or leaving it out",
		end, shownDay(t.kind.attributes[end], wanted), was.Text())))
}

// late is the hold of what came too late, which the plan notes at its cell.
func (d *draft) late(c *plan.Change, at diag.Position, message string) plan.Hold {
	if at.IsZero() {
		at = c.Position
	}
	c.Hazards = append(c.Hazards, plan.Late)
	d.plan.Late = append(d.plan.Late, diag.Problem{
		Severity: diag.Warning, Code: diag.BadDate, Position: at, Address: c.Address.String(), Message: message,
	})
	return plan.Hold{Hazard: plan.Late, Message: message}
}
