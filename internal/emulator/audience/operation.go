package audience

import (
	"slices"
	"unicode/utf8"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// findOperation is the operation of the path; the first publication is none.
func findOperation(c *service.Call) (world.AudienceOperation, error) {
	id := c.Path("operation_id")
	if n := utf8.RuneCountInString(id); n > 128 {
		return world.AudienceOperation{}, wire.Invalidf("operation_id",
			"invalid_value", "Invalid 'operation_id': want 1 to 128 characters, but got %d.", n)
	}
	d, err := find(c.Account, c.Path("custom_audience_id"))
	if err != nil {
		return world.AudienceOperation{}, err
	}
	op, ok := c.Account.AudienceOperations.Get(id)
	if !ok || op.AudienceID != d.ID || op.Kind == kindCreate {
		return op, wire.NotFoundf("No operation found with id '%s'.", id)
	}
	return op, nil
}

func readOperation(c *service.Call) (view any, err error) {
	err = c.View(func() error {
		op, err := findOperation(c)
		view = showOperation(op)
		return err
	})
	return view, err
}

// operationPage is the envelope of operations (service facts 8.2).
type operationPage struct {
	Data       []operationView `json:"data"`
	HasMore    bool            `json:"has_more"`
	NextCursor *string         `json:"next_cursor"`
}

// listOperations returns accepted operations, newest first, 20 when the request
// does not say (assumption: neither is published).
func listOperations(c *service.Call) (out any, err error) {
	page := wire.Page{Limit: int(c.Query.Int("limit", 1, 100, 20)), After: c.Query.Text("cursor", 1, 0)}
	if err := c.Query.Err(); err != nil {
		return nil, err
	}
	if c.Points.Is(openpoint.ShortPages, "yes") {
		page.Limit = (page.Limit + 1) / 2
	}
	err = c.View(func() error {
		d, err := find(c.Account, c.Path("custom_audience_id"))
		if err != nil {
			return err
		}
		all := slices.DeleteFunc(c.Account.OperationsOf.Of(d.ID), func(op world.AudienceOperation) bool {
			return op.Kind == kindCreate
		})
		cut, more, err := wire.Cut(all, func(op world.AudienceOperation) string { return op.ID }, page)
		if err != nil {
			return wire.Invalidf("cursor", "invalid_cursor", "Invalid pagination cursor.")
		}
		out = newPage(cut, more)
		return nil
	})
	return out, err
}

func newPage(cut []world.AudienceOperation, more bool) operationPage {
	p := operationPage{Data: []operationView{}, HasMore: more}
	for _, op := range cut {
		p.Data = append(p.Data, showOperation(op))
	}
	if more {
		p.NextCursor = &cut[len(cut)-1].ID
	}
	return p
}

// cancel ends an add or remove as failed, as long as its changes have not begun
// (part 3). One that has failed stays as it is.
func cancel(c *service.Call) (view any, err error) {
	err = c.Update(func(tx *world.Tx) error {
		op, err := findOperation(c)
		if err != nil {
			return err
		}
		view = showOperation(op)
		if op.Status == failed {
			return nil
		}
		if op.Status != processing || !resumable(op) || tx.Now.UnixMilli() >= op.BeginsAt {
			return conflict(op.AudienceID)
		}
		after := op
		after.Status, after.Reason = failed, "canceled"
		tx.Account.AudienceInputs.Delete(tx, op.ID)
		putOperation(tx, "cancel", op, after)
		view = showOperation(after)
		return nil
	})
	return view, err
}

// resume makes an add or remove go on from its checkpoint; one that is at work
// or has ended stays as it is.
func resume(c *service.Call) (view any, err error) {
	err = c.Update(func(tx *world.Tx) error {
		op, err := findOperation(c)
		if err != nil {
			return err
		}
		if !resumable(op) {
			return wire.Invalidf("operation_id", "invalid_value",
				"An operation of kind '%s' cannot be resumed; want add or remove.", op.Kind)
		}
		view = showOperation(goOn(tx, op))
		return nil
	})
	return view, err
}

// resumable kinds are also the ones that can be canceled.
func resumable(op world.AudienceOperation) bool { return op.Kind == kindAdd || op.Kind == kindRemove }

// goOn starts a stalled operation again: the other half of its time is left.
func goOn(tx *world.Tx, op world.AudienceOperation) world.AudienceOperation {
	if !op.Stalled {
		return op
	}
	after := op
	after.Stalled = false
	after.EndsAt = tx.Now.Add(tx.Account.Points().Duration(openpoint.AudienceDuration) / 2).UnixMilli()
	putOperation(tx, "resume", op, after)
	return after
}
