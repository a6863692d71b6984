package world

import "fmt"

// ConversionTables are the records of conversion measurement beside pixels and
// event settings.
type ConversionTables struct {
	ConversionKeys *Table[ConversionKey]
	Clicks         *Table[Click]
	Conversions    *Table[ConversionEvent] // in order of first arrival

	ConversionsOfAd    *Index[ConversionEvent] // by Credit.AdID; "" is nobody's
	ConversionsOfPixel *Index[ConversionEvent] // by Pixel.PixelID
	SettingsOfSource   *Index[EventSetting]    // by Pixel.ID
}

func newConversionTables(a *Account) ConversionTables {
	t := ConversionTables{
		ConversionKeys: newTable(a, "conversion_keys", func(k ConversionKey) string { return k.Hash }),
		Clicks:         newTable(a, "clicks", func(k Click) string { return k.Ref }),
		Conversions: newTable(a, "conversions", func(e ConversionEvent) string {
			return ConversionID(e.PixelID, e.EventID, e.Again)
		}),
	}
	t.ConversionsOfAd = t.Conversions.index(func(e ConversionEvent) string { return e.Credit.AdID })
	t.ConversionsOfPixel = t.Conversions.index(func(e ConversionEvent) string { return e.PixelID })
	t.SettingsOfSource = a.EventSettings.index(func(s EventSetting) string { return s.SourceID })
	return t
}

// ConversionKey is a conversion API key; the secret itself is not kept.
type ConversionKey struct {
	Hash      string `json:"hash"`
	Name      string `json:"name"`
	CreatedAt int64  `json:"created_at"` // Unix seconds
}

// Click is a touch of an ad that a later conversion can name: the oppref or
// obref that came with the click, or one of a view.
type Click struct {
	Ref        string `json:"ref"`
	Touch      string `json:"touch"` // click, view
	AdID       string `json:"ad_id"`
	AdGroupID  string `json:"ad_group_id"`
	CampaignID string `json:"campaign_id"`
	At         int64  `json:"at_ms"` // Unix milliseconds
}

// ConversionEvent is one event, however often and by whichever channel it
// arrived. Who did it (the user part of what was sent) is never kept.
type ConversionEvent struct {
	EventID      string  `json:"event_id"` // given by the sender; one event per pixel and id
	PixelID      string  `json:"pixel_id"`
	SourceID     string  `json:"source_id"` // Pixel.ID
	Type         string  `json:"type"`      // a standard event, or custom
	CustomName   *string `json:"custom_event_name"`
	ActionSource string  `json:"action_source"`
	At           int64   `json:"timestamp_ms"`   // when it happened, as sent
	ReceivedAt   int64   `json:"received_at_ms"` // first arrival by any channel
	BrowserAt    int64   `json:"browser_at_ms"`  // arrival from the browser pixel; 0: none
	ServerAt     int64   `json:"server_at_ms"`   // arrival by the server-side interface; 0: none
	Data         Raw     `json:"data"`           // as sent
	Amount       *int64  `json:"amount"`         // minor units of Currency; nil: none
	Currency     string  `json:"currency"`
	Ref          string  `json:"ref"` // oppref, or else obref; "" is none
	OptOut       bool    `json:"opt_out"`
	Credit       Credit  `json:"credit"`
	// Again counts the earlier records of the id, where one that is sent again is another event.
	Again int `json:"again,omitempty"`
}

// Credit is the touch that a conversion is owed to; the zero value is none.
// Which attribution windows it falls into is for the reader to say.
type Credit struct {
	Touch      string `json:"touch"` // click, view
	AdID       string `json:"ad_id"`
	AdGroupID  string `json:"ad_group_id"`
	CampaignID string `json:"campaign_id"`
	At         int64  `json:"at_ms"` // of the touch, Unix milliseconds
}

// ConversionID is the id of an event's record; again is 0 for the first of its id.
func ConversionID(pixelID, eventID string, again int) string {
	if again == 0 {
		return pixelID + "/" + eventID
	}
	return fmt.Sprintf("%s/%d/%s", pixelID, again, eventID)
}
