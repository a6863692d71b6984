package conversions

import (
	"encoding/json"
	"errors"
	"slices"
)

// Recent is an event of a pixel, as the service lists it (interface, part 2).
type Recent struct {
	Type         string `json:"event_type"`
	CustomName   string `json:"custom_event_name"` // "" where the event is not custom
	ActionSource string `json:"action_source"`
	Channel      string `json:"api_channel"`
	SourceID     string `json:"data_source_id"`
	At           int64  `json:"event_timestamp_ms"`
	ReceivedAt   int64  `json:"received_at_ms"`
	Data         string `json:"event_data_json"`
}

// Name is what people call the event.
func (r Recent) Name() string {
	if r.CustomName != "" {
		return r.CustomName
	}
	return r.Type
}

// DecodeRecent reads the list of recent events, and puts the oldest first.
func DecodeRecent(answer []byte) ([]Recent, error) {
	var list struct {
		Data *[]Recent `json:"data"`
	}
	if err := json.Unmarshal(answer, &list); err != nil || list.Data == nil {
		return nil, errors.New("the answer is no list of events")
	}
	slices.Reverse(*list.Data)
	return *list.Data, nil
}

// RecentDocument is the JSON form of conversions recent.
type RecentDocument struct {
	FormatVersion int      `json:"format_version"`
	Pixel         string   `json:"pixel"`
	Events        []Recent `json:"events"` // the oldest first
}

// KeyDocument is the JSON form of conversions key. It has no key in it.
type KeyDocument struct {
	FormatVersion int    `json:"format_version"`
	Name          string `json:"name"`
	File          string `json:"file"`
}
