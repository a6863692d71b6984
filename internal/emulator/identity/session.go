package identity

import (
	"net/http"
	"net/url"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// sessionLife is how long a user has to finish the hosted creation.
// assumption: neither it nor the bodies of a session are published.
const sessionLife = 24 * time.Hour

// Session is a creation session as the service shows it.
type Session struct {
	ID          string  `json:"id"`
	Object      string  `json:"object"`
	Status      string  `json:"status"` // open, completed, expired
	URL         string  `json:"url"`    // of the hosted page
	CreatedAt   int64   `json:"created_at"`
	ExpiresAt   int64   `json:"expires_at"`
	CompletedAt *int64  `json:"completed_at"`
	AccountID   *string `json:"ad_account_id"`
}

// SessionPath is the address of the hosted pages, without the session's id.
const SessionPath = "/_emulator/ad_account_creation_sessions/"

// ShowSession is the session as a request to host sees it.
func ShowSession(s world.CreationSession, host string, now time.Time) Session {
	v := Session{
		ID: s.ID, Object: "ad_account_creation_session", Status: "open", URL: "http://" + host + SessionPath + s.ID,
		CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt,
	}
	switch {
	case s.CompletedAt != 0:
		v.Status, v.CompletedAt, v.AccountID = "completed", &s.CompletedAt, &s.AccountID
	case now.Unix() >= s.ExpiresAt:
		v.Status = "expired"
	}
	return v
}

// createSession starts hosted account creation for a partner's user. The same
// key and body give the session again while the key is known; the same key with
// another body is rejected.
func createSession(c *service.Call) (view any, err error) {
	draft, err := readSession(c)
	if err != nil {
		return nil, err
	}
	d := c.World.Directory
	if u, _ := d.User(c.Principal.UserID); !u.Partner {
		err := wire.Refusef(http.StatusForbidden, "partner_required",
			"", "Only users of an authorized partner can start the creation of an ad account.")
		err.Type = "permission_error"
		return nil, err
	}
	err = d.Update(c.Cause(), func(tx *world.Tx) error {
		for _, s := range d.Sessions.All() {
			if s.Key != c.Key || s.UserID != c.Principal.UserID ||
				s.ClientID != c.Principal.ClientID || isForgotten(c, s, tx.Now) {
				continue
			}
			if s.BodySHA256 != c.BodyHash {
				return wire.Conflictf("idempotency_conflict",
					"The Idempotency-Key %q was used with a different body.", c.Key)
			}
			view = ShowSession(s, c.Request.Host, tx.Now)
			return nil
		}
		s := draft
		s.ID = tx.NewID("acctsess_")
		s.CreatedAt, s.ExpiresAt = tx.Now.Unix(), tx.Now.Add(sessionLife).Unix()
		d.Sessions.Put(tx, s)
		tx.Record(world.Mutation{Action: "create", Resource: "ad_account_creation_session", ResourceID: s.ID}, nil, s)
		view = ShowSession(s, c.Request.Host, tx.Now)
		return nil
	})
	return view, err
}

// isForgotten reports a session whose key is no longer known.
func isForgotten(c *service.Call, s world.CreationSession, now time.Time) bool {
	if c.Points.Is(openpoint.KeyTTL, "never") {
		return false
	}
	return now.Unix()-s.CreatedAt >= int64(c.Points.Duration(openpoint.KeyTTL)/time.Second)
}

func readSession(c *service.Call) (s world.CreationSession, err error) {
	o, err := c.Object()
	if err != nil {
		return s, err
	}
	o.Require("account_name")
	s = world.CreationSession{
		UserID: c.Principal.UserID, ClientID: c.Principal.ClientID, Key: c.Key, BodySHA256: c.BodyHash,
		Name: o.Name("account_name", 1, maxName).V, Currency: o.Text("currency_code", 3, 3).Or("USD"),
		TimeZone: o.Text("timezone", 1, 100).Or("UTC"), ReturnURL: o.Text("return_url", 1, 2048).V,
	}
	if _, err := time.LoadLocation(s.TimeZone); err != nil || s.TimeZone == "Local" {
		o.Fail("timezone", "invalid_value", "Invalid 'timezone': '%s' is no IANA time zone.", s.TimeZone)
	}
	for _, letter := range s.Currency {
		if letter < 'A' || letter > 'Z' {
			o.Fail("currency_code", "invalid_value", "Invalid 'currency_code': want three capital letters.")
		}
	}
	if u, err := url.Parse(s.ReturnURL); s.ReturnURL != "" &&
		(err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http")) {
		o.Fail("return_url", "invalid_value", "Invalid 'return_url': want an HTTP or HTTPS address.")
	}
	return s, o.Err()
}

// Complete ends a session: its account is made, and its user may act in it. A
// session that is completed is given as it is.
func Complete(w *world.World, id string, cause world.Cause) (s world.CreationSession, err error) {
	d := w.Directory
	err = d.View(func() error {
		var ok bool
		if s, ok = d.Sessions.Get(id); !ok {
			return wire.NotFoundf("No ad account creation session found with id '%s'.", id)
		}
		if s.CompletedAt == 0 && w.Clock.Now().Unix() >= s.ExpiresAt {
			return wire.Refusef(http.StatusGone, "session_expired", "", "The session has expired.")
		}
		return nil
	})
	if err != nil || s.CompletedAt != 0 {
		return s, err
	}
	p := world.Profile{
		ID: "adacct_" + digest("account", s.ID), LegalName: s.Name, AccountName: s.Name, BrandName: s.Name,
		URL: "https://www.example.com", Currency: s.Currency, TimeZone: s.TimeZone,
		Status: world.Active, BrandSince: w.Clock.Now().Unix(),
	}
	if _, err := w.AddAccount(p, ""); err != nil {
		return s, err
	}
	err = d.Update(cause, func(tx *world.Tx) error {
		before, _ := d.Sessions.Get(id)
		if s = before; before.CompletedAt != 0 {
			return nil
		}
		s.CompletedAt, s.AccountID = tx.Now.Unix(), p.ID
		d.Sessions.Put(tx, s)
		d.Join(tx, s.UserID, p.ID)
		tx.Record(world.Mutation{Action: "complete",
			Resource: "ad_account_creation_session", ResourceID: s.ID}, before, s)
		return nil
	})
	return s, err
}
