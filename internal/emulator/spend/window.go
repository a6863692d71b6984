package spend

import (
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// windowFields are the fields of a window's body, each absent, null or a value.
type windowFields struct {
	start, end wire.Opt[world.Date]
	amount     wire.Opt[int64]
	name, ioID wire.Opt[string]
}

func readWindow(o *wire.Object) windowFields {
	o.AllowNull("name", "io_id")
	return windowFields{
		start: readDate(o, "start_date"), end: readDate(o, "end_date"), amount: readAmount(o),
		name: o.Text("name", 1, maxText), ioID: o.Text("io_id", 1, maxText),
	}
}

// over is l with the fields that are given.
func (f windowFields) over(l world.SpendLimit) world.SpendLimit {
	l.Start, l.Amount = f.start.Or(l.Start), f.amount.Or(l.Amount)
	if f.end.Given() {
		l.End = f.end.Ptr()
	}
	if f.name.Set {
		l.Name = f.name.Ptr()
	}
	if f.ioID.Set {
		l.IOID = f.ioID.Ptr()
	}
	return l
}

func createWindow(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	o.Require("start_date", "end_date", "amount_micros")
	fields := readWindow(o)
	if err := o.Err(); err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		b := open(c.Account, tx.Now)
		l := fields.over(world.SpendLimit{})
		if err := b.checkWindow(nil, l); err != nil {
			return err
		}
		l.ID = tx.NewID("slw_")
		b.put(tx, nil, l)
		view = b.window(l)
		return nil
	})
	return view, err
}

// editWindow takes any of the fields, at least one; windows need no revision.
func editWindow(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	if o.Len() == 0 {
		o.Fail("", "missing_required_parameter", "The body has no field to change.")
	}
	fields := readWindow(o)
	if err := o.Err(); err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		b := open(c.Account, tx.Now)
		before, err := b.find(c.Path("window_id"), false)
		if err != nil {
			return err
		}
		l := fields.over(before)
		if err := b.checkWindow(&before, l); err != nil {
			return err
		}
		b.put(tx, &before, l)
		view = b.window(l)
		return nil
	})
	return view, err
}

// deletion is the answer to the deletion of a window.
type deletion struct {
	ID      string `json:"window_id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

// deleteWindow takes away a window that is active or to come.
func deleteWindow(c *service.Call) (any, error) {
	id := c.Path("window_id")
	err := c.Update(func(tx *world.Tx) error {
		b := open(c.Account, tx.Now)
		l, err := b.find(id, false)
		if err != nil {
			return err
		}
		if b.status(l) == completed {
			return isCompleted(l)
		}
		b.remove(tx, l)
		return nil
	})
	return deletion{ID: id, Object: "ad_account_spend_limit_window.deleted", Deleted: true}, err
}

// find is the window, or the daily rule, of that id.
func (b book) find(id string, daily bool) (world.SpendLimit, error) {
	l, ok := b.account.SpendLimits.Get(id)
	if !ok || l.Daily != daily {
		return l, wire.NotFoundf("No spend limit found with id '%s'.", id)
	}
	return l, nil
}

// checkWindow judges a window about to be saved. before is nil for a create.
func (b book) checkWindow(before *world.SpendLimit, l world.SpendLimit) error {
	if err := wholeUnits(b.profile.Currency, l.Amount); err != nil {
		return err
	}
	if err := b.checkDates(before, l); err != nil {
		return err
	}
	if other, found := overlap(b.windows, l); found {
		return overlaps(other)
	}
	if before == nil && b.status(l) == upcoming && b.countUpcoming() >= maxFutureWindows {
		return semantic("budget_window_limit_reached",
			"", "The account has %d future spend limit windows, which is the limit.", maxFutureWindows)
	}
	return b.coversSpend(before, l)
}

// checkDates holds what is past in place: a window starts today or later, and
// one that has begun keeps its start and ends in the future.
func (b book) checkDates(before *world.SpendLimit, l world.SpendLimit) error {
	moved := before == nil || before.Start != l.Start
	switch {
	case before != nil && b.status(*before) == completed:
		return isCompleted(*before)
	case moved && before != nil && b.status(*before) == active:
		return semantic("budget_window_start_fixed",
			"start_date", "The window %s is active; its start date cannot change.", l.ID)
	case moved && l.Start < b.today:
		return semantic("budget_window_start_in_past",
			"start_date", "The window would start on %s; the account's day is %s already.", l.Start, b.today)
	case l.Ended(l.Start):
		return semantic("budget_window_invalid_range",
			"end_date", "The end date %s is exclusive and must be after the start date %s.", *l.End, l.Start)
	case l.Ended(b.today):
		return semantic("budget_window_end_not_in_future",
			"end_date", "The window is active; its end date %s must be after today, %s.", *l.End, b.today)
	}
	return nil
}

// coversSpend refuses an amount below what is already spent (rule 5). A limit
// that is below it without having been lowered may still be raised or renamed.
func (b book) coversSpend(before *world.SpendLimit, l world.SpendLimit) error {
	lowered := before == nil || l.Amount < before.Amount || l.Start != before.Start
	if !lowered || b.status(l) != active {
		return nil
	}
	if spent := b.spent(l); l.Amount < spent {
		return semantic("budget_window_amount_below_spend",
			"amount_micros", "The amount %d is below the recorded spend of %d micros.", l.Amount, spent)
	}
	return nil
}

func (b book) countUpcoming() int {
	n := 0
	for _, l := range b.windows {
		if b.status(l) == upcoming {
			n++
		}
	}
	return n
}

func isCompleted(l world.SpendLimit) error {
	return semantic("budget_window_completed", "", "The spend limit %s is completed and cannot be changed.", l.ID)
}

func overlaps(other world.SpendLimit) error {
	end := "without an end"
	if other.End != nil {
		end = "to before " + string(*other.End)
	}
	return semantic("budget_window_overlap", "start_date",
		"The dates overlap the spend limit %s, from %s %s.", other.ID, other.Start, end)
}
