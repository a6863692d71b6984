// Package conversion is the room of conversion measurement: pixels, conversion
// API keys, event settings, the stream of recent pixel events (interface, parts
// 2 and 4), and the receiver that stands for the separate address events are
// sent to. It refuses a batch of events as a whole when one of them is wrong. Its
// invariants: an event id counts once per pixel however it arrives, and who did
// something is never kept.
package conversion

import (
	"crypto/rand"
	"net/http"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// Room serves conversion setup.
type Room struct {
	secret func() string
}

// NewRoom is the room; secret makes API keys, nil draws them at random.
func NewRoom(secret func() string) *Room {
	if secret == nil {
		secret = rand.Text
	}
	return &Room{secret: secret}
}

// Routes of the room. Accounts without the feature get 404, Not found, on
// pixels, keys and events (part 7); event settings are open to everyone.
//
// assumption: OAuth is accepted by the general rules of part 5, although part 4
// says only that these endpoints use the API key; if that means keys alone, Auth
// becomes KeyOnly on each row.
func (r *Room) Routes() []service.Route {
	enabled := func(f world.Features) bool { return f.Conversions }
	return []service.Route{
		{Method: http.MethodPost, Pattern: "/conversions/pixels",
			Auth: service.Write, Body: service.JSONBody, Feature: enabled, Handle: createPixel},
		{Method: http.MethodGet, Pattern: "/conversions/pixels",
			Auth: service.Read, Feature: enabled, Point: openpoint.PixelList, Handle: listPixels},
		{Method: http.MethodPost, Pattern: "/conversions/api_keys",
			Auth: service.Write, Body: service.JSONBody, Feature: enabled, Handle: r.createKey},
		{Method: http.MethodGet, Pattern: "/conversions/events",
			Auth: service.Read, Feature: enabled, Handle: listEvents},
		{Method: http.MethodPost, Pattern: "/conversions/event_settings",
			Auth: service.Write, Body: service.JSONBody, Handle: createSetting},
		{Method: http.MethodGet, Pattern: "/conversions/event_settings", Auth: service.Read, Handle: listSettings},
	}
}
