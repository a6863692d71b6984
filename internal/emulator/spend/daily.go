package spend

import (
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// dailyFields are the fields of a daily limit's body. An absent window_id or
// end_date, a null and a value are three different things (rules 2 and 3).
type dailyFields struct {
	windowID   wire.Opt[string]
	revision   wire.Opt[int64]
	start, end wire.Opt[world.Date]
	amount     wire.Opt[int64]
}

func readDaily(c *service.Call) (f dailyFields, err error) {
	o, err := c.Object()
	if err != nil {
		return f, err
	}
	o.Require("amount_micros")
	o.AllowNull("window_id", "end_date")
	f = dailyFields{
		windowID: o.Text("window_id", 1, 0), revision: readRevision(c, o),
		start: readDate(o, "start_date"), end: readDate(o, "end_date"), amount: readAmount(o),
	}
	return f, o.Err()
}

func readRevision(c *service.Call, o *wire.Object) wire.Opt[int64] {
	if c.Points.Is(openpoint.DailyLimitRevision, "required") {
		o.Require("expected_revision")
	}
	return o.Int("expected_revision", 0, 1<<53)
}

// change is the answer to a change of the daily rules.
type change struct {
	SpendLimits listing `json:"spend_limits"`
}

// saveDaily makes or edits a daily rule, whichever window_id says (rule 2).
func saveDaily(c *service.Call) (view any, err error) {
	fields, err := readDaily(c)
	if err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		b := open(c.Account, tx.Now)
		if err := b.checkRevision(fields.revision); err != nil {
			return err
		}
		before, err := b.meant(c.Points, fields.windowID)
		if err != nil {
			return err
		}
		l, err := b.saved(before, fields)
		if err != nil {
			return err
		}
		if before == nil {
			l.ID = tx.NewID("slw_")
		}
		b.put(tx, before, l)
		view = change{open(c.Account, tx.Now).view()}
		return nil
	})
	return view, err
}

// deleteDaily takes away the rule that window_id names, or the only one there is
// (rule 9). With neither there is nothing to do.
func deleteDaily(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	id, revision := o.Text("window_id", 1, 0), readRevision(c, o)
	if err := o.Err(); err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		b := open(c.Account, tx.Now)
		if err := b.checkRevision(revision); err != nil {
			return err
		}
		l, err := b.meant(c.Points, id)
		if err != nil {
			return err
		}
		if l != nil {
			b.remove(tx, *l)
		}
		view = change{open(c.Account, tx.Now).view()}
		return nil
	})
	return view, err
}

// checkRevision refuses a call that was made from an older configuration (rule 8).
func (b book) checkRevision(expected wire.Opt[int64]) error {
	if !expected.Given() || expected.V == b.config.Revision {
		return nil
	}
	return wire.Conflictf("stale_revision",
		"expected_revision is %d; the configuration has revision %d. Read it again.", expected.V, b.config.Revision)
}

// meant is the rule that a call is about; nil is none, so that a save makes one.
func (b book) meant(points *openpoint.Settings, id wire.Opt[string]) (*world.SpendLimit, error) {
	rules := b.rules()
	switch {
	case id.Null:
		return nil, nil
	case id.Set:
		l, err := b.find(id.V, true)
		if err == nil && b.status(l) == completed {
			err = isCompleted(l)
		}
		return &l, err
	case len(rules) > 1:
		status := int(points.Int(openpoint.DailyLimitAmbiguous))
		return nil, wire.Refusef(status, "daily_limit_ambiguous",
			"window_id", "The account has %d active or upcoming daily limits; name one in 'window_id'.", len(rules))
	case len(rules) == 1:
		return &rules[0], nil
	}
	return nil, nil
}

// saved is the rule as it will be. before is nil for a new one.
func (b book) saved(before *world.SpendLimit, f dailyFields) (world.SpendLimit, error) {
	l := world.SpendLimit{Daily: true, Amount: f.amount.V}
	if before != nil {
		l = *before
		l.Amount = f.amount.V
	}
	if f.end.Set {
		l.End = f.end.Ptr()
	}
	if err := wholeUnits(b.profile.Currency, l.Amount); err != nil {
		return l, err
	}
	var err error
	if l.Start, err = b.startOf(before, f.start); err != nil {
		return l, err
	}
	if err := b.checkRule(before, l); err != nil {
		return l, err
	}
	return l, b.coversSpend(before, l)
}

// startOf is when a rule starts: a new one no earlier than tomorrow (rule 4), by
// default on the earliest day it can; one that is there does not move.
func (b book) startOf(before *world.SpendLimit, start wire.Opt[world.Date]) (world.Date, error) {
	if before != nil {
		if start.Given() && start.V != before.Start {
			return "", semantic("budget_window_start_fixed",
				"start_date", "The daily limit %s starts on %s; its start date cannot change.", before.ID, before.Start)
		}
		return before.Start, nil
	}
	if !start.Given() {
		if b.config.DailyRemoved && len(b.rules()) == 0 {
			return "", wire.Invalidf("start_date", "missing_required_parameter",
				"Missing required parameter: 'start_date'. It is needed after a daily limit was removed.")
		}
		day, _ := b.earliestDaily()
		return day, nil
	}
	if start.V <= b.today {
		return "", semantic("budget_window_start_in_past",
			"start_date", "The daily limit would start on %s; the earliest day is %s.", start.V, b.today.Add(1))
	}
	return start.V, nil
}

// checkRule judges the dates of a daily rule about to be saved.
func (b book) checkRule(before *world.SpendLimit, l world.SpendLimit) error {
	if l.Ended(l.Start) {
		return semantic("budget_window_invalid_range",
			"end_date", "The end date %s is exclusive and must be after the start date %s.", *l.End, l.Start)
	}
	if before != nil && l.Ended(b.today) {
		return semantic("budget_window_end_not_in_future",
			"end_date", "The daily limit is active; its end date %s must be after today, %s.", *l.End, b.today)
	}
	if other, found := overlap(b.daily, l); found {
		return overlaps(other)
	}
	return nil
}
