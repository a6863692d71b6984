package conversion

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// MaxBody bounds a batch of events, bytes. assumption: the bound is not published.
const MaxBody = 16 << 20

// Receiver takes events. It stands for the separate address that they are sent
// to (https://bzr.openai.com/v1/events), which is no part of the service's base
// address and takes another credential.
type Receiver struct {
	world  *world.World
	points *openpoint.Settings
}

// NewReceiver takes events for the accounts of a world.
func NewReceiver(w *world.World, points *openpoint.Settings) *Receiver { return &Receiver{w, points} }

// Receipt answers a batch that was taken. assumption: its shape is not published.
type Receipt struct {
	Object       string `json:"object,omitempty"`
	Received     int    `json:"events_received,omitempty"`
	ValidateOnly bool   `json:"validate_only,omitempty"`
}

func (r *Receiver) receipt(events int, validateOnly bool) Receipt {
	if r.points.Is(openpoint.EventReceipt, "empty") {
		return Receipt{}
	}
	return Receipt{"conversion_events", events, validateOnly}
}

// FromServer takes a batch from a server: the conversion API key is the bearer
// credential and ?pid= names a pixel of the same account.
func (r *Receiver) FromServer(req *http.Request) (Receipt, error) {
	a, key, err := r.byKey(req)
	if err != nil {
		return Receipt{}, err
	}
	return r.receive(req, a, "ckey_"+key.Hash[:12], false)
}

// FromBrowser takes a batch from the browser pixel, which has no credential: the
// pixel says whose it is. assumption: the pixel's own address and payload are not
// published; it is served with the payload of the server-side interface.
func (r *Receiver) FromBrowser(req *http.Request) (Receipt, error) {
	pid := req.URL.Query().Get("pid")
	for _, a := range r.world.Accounts() {
		found := false
		if err := a.View(func() error { _, found = findPixel(a, pid); return nil }); err != nil {
			return Receipt{}, err
		}
		if found {
			return r.receive(req, a, "pixel", true)
		}
	}
	return Receipt{}, noPixel(pid)
}

func noPixel(pid string) error {
	if pid == "" {
		return wire.Invalidf("pid", "missing_required_parameter", "Missing required parameter: 'pid'.")
	}
	return wire.NotFoundf("No pixel found with id '%s'.", pid)
}

func (r *Receiver) byKey(req *http.Request) (*world.Account, world.ConversionKey, error) {
	scheme, secret, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	hash := world.HashKey(strings.TrimSpace(secret))
	for _, a := range r.world.Accounts() {
		var key world.ConversionKey
		var ok bool
		if err := a.View(func() error { key, ok = a.ConversionKeys.Get(hash); return nil }); err != nil {
			return nil, key, err
		}
		if ok && strings.EqualFold(scheme, "Bearer") {
			return a, key, nil
		}
	}
	err := wire.Refusef(http.StatusUnauthorized, "invalid_api_key",
		"", "Want a conversion API key as a bearer credential.")
	err.Type = "authentication_error"
	return nil, world.ConversionKey{}, err
}

// receive takes all events of a batch, or none (service facts 11).
func (r *Receiver) receive(req *http.Request, a *world.Account, actor string, browser bool) (Receipt, error) {
	body, err := readBody(req)
	if err != nil {
		return Receipt{}, err
	}
	o, problem := wire.ParseObject(body)
	if problem != nil {
		return Receipt{}, problem
	}
	o.Require("events")
	validateOnly := o.Bool("validate_only").V
	events := r.readEvents(o, browser)
	if err := o.Err(); err != nil {
		return Receipt{}, err
	}
	pid := req.URL.Query().Get("pid")
	err = a.Update(world.Cause{Actor: actor, Endpoint: "POST /events"}, func(tx *world.Tx) error {
		pixel, ok := findPixel(a, pid)
		if !ok || !a.Profile().Features.Conversions {
			return noPixel(pid)
		}
		if validateOnly {
			return nil
		}
		for _, e := range events {
			e.PixelID, e.SourceID = pixel.PixelID, pixel.ID
			r.keep(tx, e, browser)
		}
		return nil
	})
	return r.receipt(len(events), validateOnly), err
}

func readBody(req *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, req.Body, MaxBody))
	if tooBig := (*http.MaxBytesError)(nil); errors.As(err, &tooBig) {
		return nil, wire.Refusef(http.StatusRequestEntityTooLarge,
			"request_too_large", "", "The body is larger than %d bytes.", MaxBody)
	}
	if err != nil {
		return nil, wire.Invalidf("", "invalid_body", "The body could not be read: %v.", err)
	}
	return body, nil
}

func (r *Receiver) readEvents(o *wire.Object, browser bool) []world.ConversionEvent {
	now := r.world.Clock.Now()
	var events []world.ConversionEvent
	for _, each := range o.Objects("events", 1, maxEvents).V {
		events = append(events, readEvent(each, now, browser))
	}
	return events
}

// keep records an arrival. The same event id counts once per pixel, whichever
// channel it came by first; a later arrival only adds what the first had not.
// What a server sends again may be another event (openpoint.EventRepeated).
//
// Events are no mutations of the account: they are not in the mutation log.
func (r *Receiver) keep(tx *world.Tx, e world.ConversionEvent, browser bool) {
	t := tx.Account.Conversions
	first, known := t.Get(world.ConversionID(e.PixelID, e.EventID, 0))
	if known && !browser && first.ServerAt != 0 && r.points.Is(openpoint.EventRepeated, "again") {
		for known {
			e.Again++
			_, known = t.Get(world.ConversionID(e.PixelID, e.EventID, e.Again))
		}
	}
	if known {
		e = onceMore(first, e)
	} else {
		e.ReceivedAt = tx.Now.UnixMilli()
	}
	at := &e.ServerAt
	if browser {
		at = &e.BrowserAt
	}
	if *at == 0 {
		*at = tx.Now.UnixMilli()
	}
	e.Credit = creditOf(tx.Account, e)
	t.Put(tx, e)
}

func onceMore(first, again world.ConversionEvent) world.ConversionEvent {
	if first.Ref == "" {
		first.Ref = again.Ref
	}
	first.OptOut = first.OptOut || again.OptOut
	return first
}

// creditOf finds the touch an event names. A touch after the event, an event of
// someone who opted out, or the start of a pixel gives no credit.
func creditOf(a *world.Account, e world.ConversionEvent) world.Credit {
	click, ok := a.Clicks.Get(e.Ref)
	if !ok || e.OptOut || e.Type == sdkInit || click.At > e.At {
		return world.Credit{}
	}
	return world.Credit{
		Touch: click.Touch, AdID: click.AdID, AdGroupID: click.AdGroupID, CampaignID: click.CampaignID, At: click.At,
	}
}
