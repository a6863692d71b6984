package conversion

import (
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// named is a reference to another object.
type named struct {
	ID   string  `json:"id"`
	Name *string `json:"name"`
}

// settingView is an event setting as the service shows it (part 2).
type settingView struct {
	ID              string   `json:"id"`
	Name            string   `json:"name"`
	EventType       string   `json:"event_type"`
	CustomEventName *string  `json:"custom_event_name"`
	WindowDays      int64    `json:"attribution_window_days"`
	SourceIDs       []string `json:"source_ids"`
	Sources         []named  `json:"sources"`
	Campaigns       []named  `json:"campaigns"`
	AdAccountID     string   `json:"ad_account_id"`
	Archived        bool     `json:"archived"`
	Version         int64    `json:"version"`
}

// viewer shows settings; it is made inside View or Update.
type viewer struct {
	c     *service.Call
	users map[string][]named // campaigns by setting
}

func newViewer(c *service.Call) viewer {
	v := viewer{c: c, users: map[string][]named{}}
	for _, campaign := range c.Account.Campaigns.All() {
		for _, id := range campaign.EventSettingIDs {
			v.users[id] = append(v.users[id], named{campaign.ID, &campaign.Name})
		}
	}
	return v
}

func (v viewer) show(s world.EventSetting) settingView {
	source := named{ID: s.SourceID}
	if p, ok := v.c.Account.Pixels.Get(s.SourceID); ok && v.c.Points.Is(openpoint.EventSourceName, "set") {
		source.Name = &p.Name
	}
	return settingView{
		ID: s.ID, Name: s.Name, EventType: s.EventType, CustomEventName: s.CustomEventName, WindowDays: s.WindowDays,
		SourceIDs: []string{s.SourceID}, Sources: []named{source}, Campaigns: append([]named{}, v.users[s.ID]...),
		AdAccountID: v.c.Account.ID, Archived: s.Archived, Version: s.Version,
	}
}

func createSetting(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	made := readSetting(o, c.Points)
	if err := o.Err(); err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		a := tx.Account
		if _, ok := a.Pixels.Get(made.SourceID); !ok {
			status := int(c.Points.Int(openpoint.SourceMissingStatus))
			return wire.Refusef(status, "source_not_found", "source_ids", "Client data source not found")
		}
		made.ID, made.CreatedAt, made.Version = tx.NewID("ces_"), tx.Now.Unix(), 1
		a.EventSettings.Put(tx, made)
		tx.Record(world.Mutation{Action: "create",
			Resource: "conversion_event_setting", ResourceID: made.ID}, nil, made)
		view = newViewer(c).show(made)
		return nil
	})
	return view, err
}

// readSetting reads the body of a create (part 4). A name of its own goes with
// event_type custom, and with nothing else.
func readSetting(o *wire.Object, points *openpoint.Settings) world.EventSetting {
	o.Require("name", "event_type", "attribution_window_days", "source_ids")
	o.AllowNull("custom_event_name")
	s := world.EventSetting{
		Name:            o.Text("name", 1, 0).V,
		EventType:       o.Choice("event_type", append(standardEvents(), custom)...).V,
		CustomEventName: readCustomName(o, "event_type"),
		WindowDays:      o.Int("attribution_window_days", 1, 30).V,
	}
	if s.WindowDays != 30 && (points.Is(openpoint.EventWindow, "30") || s.WindowDays != 7 && s.WindowDays != 14) {
		o.Fail("attribution_window_days", "invalid_value",
			"Invalid 'attribution_window_days': %d; want 30.", s.WindowDays)
	}
	if ids := o.Texts("source_ids", 1, 1, nil).V; len(ids) == 1 {
		s.SourceID = ids[0]
	}
	return s
}

func listSettings(c *service.Call) (list any, err error) {
	err = c.View(func() error {
		t := c.Account.EventSettings
		rows := service.Rows[world.EventSetting]{All: t.All(),
			Version: t.Version(), Entry: func(s world.EventSetting) service.Entry {
				return service.Entry{ID: s.ID, Name: s.Name, Created: s.CreatedAt, Archived: s.Archived}
			}}
		list, err = service.List(c, rows, newViewer(c).show)
		return err
	})
	return list, err
}
