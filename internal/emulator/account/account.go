// Package account is the room of the ad account itself: its record, the accounts
// a credential reaches, its brand, activate and pause. Its invariant: pausing
// the account rewrites no campaign, ad group or ad.
package account

import (
	"net/http"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Room serves the ad account.
type Room struct{ review world.Review }

// NewRoom is the room with its reviewer.
func NewRoom(review world.Review) *Room { return &Room{review: review} }

// Routes of the room.
func (r *Room) Routes() []service.Route {
	return []service.Route{
		{Method: http.MethodGet, Pattern: "/ad_account", Auth: service.Read, Handle: r.read},
		{Method: http.MethodGet, Pattern: "/ad_accounts", Auth: service.Read, NoAccount: true, Handle: r.list},
		{Method: http.MethodPost, Pattern: "/ad_account/brand",
			Auth: service.Write, Body: service.JSONBody, Handle: r.setBrand},
		{Method: http.MethodPost, Pattern: "/ad_account/activate",
			Auth: service.Write, Handle: r.setStatus("activate", world.Active)},
		{Method: http.MethodPost, Pattern: "/ad_account/pause",
			Auth: service.Write, Handle: r.setStatus("pause", world.Paused)},
	}
}

func (r *Room) read(c *service.Call) (view any, err error) {
	err = c.View(func() error {
		view = r.show(c.Account.Profile(), c.Now())
		return nil
	})
	return view, err
}

// list is the accounts that the credential reaches: one for an API key, those of
// the user for OAuth. The interface gives this list no order; ours is that of ids.
func (r *Room) list(c *service.Call) (any, error) {
	page, err := readPage(c.Query)
	if err != nil {
		return nil, err
	}
	reached := []*world.Account{c.Account}
	if c.Principal.OAuth {
		reached = c.World.Reached(c.Principal.UserID)
	}
	id := func(a *world.Account) string { return a.ID }
	cut, more, err := wire.Cut(reached, id, page)
	if err != nil {
		return nil, err
	}
	var failed error
	list := wire.NewList(cut, more, id, func(a *world.Account) (v view) {
		if err := a.View(func() error { v = r.show(a.Profile(), c.Now()); return nil }); err != nil {
			failed = err
		}
		return v
	})
	return list, failed
}

func readPage(q *wire.Query) (wire.Page, error) {
	page := wire.Page{
		Limit: int(q.Int("limit", 1, 500, 20)),
		After: q.Text("after", 1, 1000), Before: q.Text("before", 1, 1000), Ascending: true,
	}
	if page.After != "" && page.Before != "" {
		q.Fail("before", "invalid_value", "Only one of 'after' and 'before' can be given.")
	}
	return page, q.Err()
}

func (r *Room) setStatus(action string, to world.Status) func(*service.Call) (any, error) {
	return func(c *service.Call) (view any, err error) {
		err = c.Update(func(tx *world.Tx) error {
			before := c.Account.Profile()
			after := before
			after.Status = to
			view = r.show(after, tx.Now)
			if before.Status != to {
				r.save(tx, action, before, after)
				return nil
			}
			if c.Points.Is(openpoint.AccountStatusRepeat, "refused") {
				return wire.Conflictf("status_unchanged", "The ad account %s is already %s.", after.ID, to)
			}
			return nil
		})
		return view, err
	}
}

// save keeps a changed account and logs it as it is shown.
func (r *Room) save(tx *world.Tx, action string, before, after world.Profile) {
	tx.Account.Profiles.Put(tx, after)
	tx.Record(world.Mutation{Action: action, Resource: "ad_account", ResourceID: after.ID},
		r.show(before, tx.Now), r.show(after, tx.Now))
}
