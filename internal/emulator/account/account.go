// Package account is the room of the ad account itself: its record, the accounts
// a credential reaches, activate and pause. Its invariant: pausing the account
// rewrites no campaign, ad group or ad.
package account

import (
	"net/http"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Routes of the room.
func Routes() []service.Route {
	return []service.Route{
		{Method: http.MethodGet, Pattern: "/ad_account", Auth: service.Read, Handle: read},
		{Method: http.MethodGet, Pattern: "/ad_accounts", Auth: service.Read, Handle: list},
		{Method: http.MethodPost, Pattern: "/ad_account/activate", Auth: service.Write, Handle: setStatus("activate", world.Active)},
		{Method: http.MethodPost, Pattern: "/ad_account/pause", Auth: service.Write, Handle: setStatus("pause", world.Paused)},
	}
}

// View is an ad account as the service shows it (service facts 9.1).
type View struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"` // equals legal_name
	LegalName   string       `json:"legal_name"`
	AccountName string       `json:"account_name"`
	BrandName   string       `json:"brand_name"`
	URL         string       `json:"url"`
	PreviewURL  *string      `json:"preview_url"`
	Status      world.Status `json:"status"`
	TimeZone    string       `json:"timezone"`
	Currency    string       `json:"currency_code"`
	Country     string       `json:"origin_country_code,omitempty"`
	Review      Review       `json:"review"`
}

// Review is the review of the account's brand.
type Review struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// Show is the account's record on the wire.
func Show(p world.Profile) View {
	return View{
		ID: p.ID, Name: p.LegalName, LegalName: p.LegalName, AccountName: p.AccountName, BrandName: p.BrandName,
		URL: p.URL, Status: p.Status, TimeZone: p.TimeZone, Currency: p.Currency, Country: p.Country,
		Review: Review{Status: "approved"},
	}
}

func read(c *service.Call) (view any, err error) {
	err = c.View(func() error {
		view = Show(c.Account.Profile())
		return nil
	})
	return view, err
}

// list is the one account an API key belongs to.
func list(c *service.Call) (out any, err error) {
	page := c.Query.Page(20, 500, "desc")
	if err := c.Query.Err(); err != nil {
		return nil, err
	}
	err = c.View(func() error {
		id := func(p world.Profile) string { return p.ID }
		cut, more, err := wire.Cut([]world.Profile{c.Account.Profile()}, id, page)
		out = wire.NewList(cut, more, id, Show)
		return err
	})
	return out, err
}

func setStatus(action string, to world.Status) func(*service.Call) (any, error) {
	return func(c *service.Call) (view any, err error) {
		err = c.Update(func(tx *world.Tx) error {
			before := c.Account.Profile()
			after := before
			after.Status = to
			view = Show(after)
			if before.Status == to {
				return nil
			}
			c.Account.Profiles.Put(tx, after)
			tx.Record(world.Mutation{Action: action, Resource: "ad_account", ResourceID: after.ID}, Show(before), view)
			return nil
		})
		return view, err
	}
}
