package conversion

import (
	"cmp"
	"slices"
	"time"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// The bounds of the stream (part 8).
const (
	streamLimit  = 50
	streamWindow = 15 * time.Minute
)

// eventView is a recent event as the service shows it (part 2).
type eventView struct {
	ActionSource    string  `json:"action_source"`
	APIChannel      string  `json:"api_channel"`
	CustomEventName *string `json:"custom_event_name"`
	DataSourceID    string  `json:"data_source_id"`
	EventDataJSON   string  `json:"event_data_json"`
	TimestampMs     int64   `json:"event_timestamp_ms"`
	EventType       string  `json:"event_type"`
	ReceivedAtMs    int64   `json:"received_at_ms"`
}

func viewEvent(e world.ConversionEvent) eventView {
	return eventView{
		ActionSource: e.ActionSource, APIChannel: "pixel_sdk", CustomEventName: e.CustomName, DataSourceID: e.SourceID,
		EventDataJSON: string(e.Data), TimestampMs: e.At, EventType: e.Type, ReceivedAtMs: e.BrowserAt,
	}
}

// listEvents returns the most recent events from the browser pixel, newest first.
// limit (1 to 50) is published beside pid.
func listEvents(c *service.Call) (any, error) {
	if !c.Query.Has("pid") {
		c.Query.Fail("pid", "missing_required_parameter", "Missing required parameter: 'pid'.")
	}
	pid := c.Query.Text("pid", 1, 255)
	limit := c.Query.Int("limit", 1, streamLimit, streamLimit)
	if err := c.Query.Err(); err != nil {
		return nil, err
	}
	list := struct {
		Object string      `json:"object"`
		Data   []eventView `json:"data"`
	}{"list", []eventView{}}
	err := c.View(func() error {
		if _, ok := findPixel(c.Account, pid); !ok {
			return wire.NotFoundf("No pixel found with id '%s'.", pid)
		}
		for _, e := range recent(c.Account.ConversionsOfPixel.Of(pid), c.Now(), int(limit)) {
			list.Data = append(list.Data, viewEvent(e))
		}
		return nil
	})
	return list, err
}

func recent(events []world.ConversionEvent, now time.Time, limit int) []world.ConversionEvent {
	first := now.Add(-streamWindow).UnixMilli()
	events = slices.DeleteFunc(events, func(e world.ConversionEvent) bool {
		return e.BrowserAt == 0 || e.BrowserAt < first
	})
	slices.Reverse(events)
	slices.SortStableFunc(events, func(a, b world.ConversionEvent) int { return cmp.Compare(b.BrowserAt, a.BrowserAt) })
	return events[:min(limit, len(events))]
}

// findPixel is the account's pixel of that pixel_id.
func findPixel(a *world.Account, pixelID string) (world.Pixel, bool) {
	for _, p := range a.Pixels.All() {
		if p.PixelID == pixelID && pixelID != "" {
			return p, true
		}
	}
	return world.Pixel{}, false
}
