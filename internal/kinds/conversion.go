package kinds

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// pixel is a conversion source (interface, part 2, conversion resources). The
// service has no call that changes or removes one.
func pixel() *resource.Schema {
	return &resource.Schema{
		Kind: Pixel, Title: "Pixel", Sheet: "Pixels", Extra: true,
		NameFrom: []string{"name"}, Lasting: "pixel",
		Feature:    "conversion measurement",
		Collection: "conversions/pixels",
		Listing:    resource.Listing{NoRead: true, Optional: true},
		Calls:      resource.Calls{Keyless: true},
		Fixed:      []resource.Fixed{{Wire: "client_type", Value: "web"}},
		Attributes: []resource.Attribute{{
			Name: "name", Header: "Pixel",
			Help: "The pixel's name, 3 to 1,000 characters. Cannot change later.", Example: "Web shop",
			Type: resource.TypeText, Min: 3, Max: 1000, Required: true, OnCreate: true, Immutable: true,
			Wire: resource.Wire{Path: "name"},
		}},
	}
}

// standardEvents are those the service knows by name (service facts, section 11).
var standardEvents = []string{
	"app_installed", "app_opened", "appointment_scheduled", "checkout_started", "contents_viewed", "items_added",
	"lead_created", "order_created", "page_viewed", "registration_completed", "subscription_created", "trial_started",
}

const customEvent = "custom"

// eventSetting is a conversion event of a pixel that campaigns can be optimised
// for (interface, part 2, conversion resources).
func eventSetting() *resource.Schema {
	return &resource.Schema{
		Kind: EventSetting, Title: "Event setting", Sheet: "Event settings", Extra: true,
		NameFrom: []string{"name"}, Removal: Archived,
		Lasting:    "event-setting",
		Collection: "conversions/event_settings",
		Listing:    resource.Listing{NoRead: true},
		Calls:      resource.Calls{Keyless: true},
		Attributes: []resource.Attribute{
			{
				Name: "name", Header: "Event setting",
				Help: "Its display name. Cannot change later.", Example: "Orders",
				Type: resource.TypeText, Min: 1, Max: 1000, Required: true, OnCreate: true, Immutable: true,
				Wire: resource.Wire{Path: "name"},
			},
			{
				Name: "event_type", Header: "Event",
				Help: "The event that counts: " +
					"a standard event such as order_created, or custom. Cannot change later.",
				Example: "order_created",
				Type:    resource.TypeChoice, Required: true, OnCreate: true, Immutable: true, Choices: eventChoices(),
				Wire: resource.Wire{Path: "event_type"},
			},
			{
				Name: "custom_event_name", Header: "Custom event name",
				Help: "Name of a custom event: 1 to 64 lower-case letters, digits, _ and -.", Example: "brochure_read",
				Type: resource.TypeText, Min: 1, Max: 64, Immutable: true,
				Wire: resource.Wire{Path: "custom_event_name"},
			},
			{
				Name: "attribution_window_days", Header: "Attribution window",
				Help: "Days after a click in which an event counts: 30.", Example: "30",
				Type: resource.TypeChoice, Choices: []resource.Choice{{Value: "30", Synonyms: []string{"30 days"}}},
				OnCreate: true, Immutable: true, Default: "30",
				Wire: resource.Wire{Path: "attribution_window_days", Codec: resource.Digits},
			},
			{
				Name: "source", Header: "Source",
				Help: "The pixel the event comes " +
					"from: its id, or pixel/KEY for one of your files. Cannot change later.", Example: "pixel/web-shop",
				Type: resource.TypeID, Of: Pixel, Addressed: Pixel, Required: true, OnCreate: true, Immutable: true,
				Wire: resource.Wire{Path: "source_ids", Codec: resource.SingleItem},
			},
			archivedElsewhere(),
		},
		Rules: []resource.Rule{{Name: "interface, part 2, event setting: a custom event has a name",
			Check: customEventNamed}},
	}
}

// archivedElsewhere is a status that the service shows and no call sets.
func archivedElsewhere() resource.Attribute {
	a := removal("Campaigns that use it keep it. adsync cannot archive it: archive it in the ad manager first.",
		resource.Call{})
	a.Calls = nil
	a.Wire = resource.Wire{Path: "archived", Codec: resource.Flag}
	return a
}

func eventChoices() []resource.Choice {
	var choices []resource.Choice
	for _, event := range standardEvents {
		choices = append(choices, resource.Choice{Value: event})
	}
	return append(choices, resource.Choice{Value: customEvent})
}

func customEventNamed(value func(string) resource.Value) *resource.Finding {
	event, name := value("event_type"), value("custom_event_name")
	switch {
	case event.Text() == customEvent && !name.IsSet():
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "event_type",
			Message: "event_type is custom without a custom_event_name; want the event's name",
		}
	case event.IsSet() && event.Text() != customEvent && name.IsSet():
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "custom_event_name", Message: "custom_event_name " +
				"is set with event_type " + event.Text() + "; want no name, or the event_type custom",
		}
	case name.IsSet() && !isEventName(name.Text()):
		return &resource.Finding{
			Code: diag.BadValue, Attribute: "custom_event_name", Message: "custom_event_name is \"" +
				diag.Printable(name.Text()) + "\"; want lower-case letters, digits, _ and -, and no standard event",
		}
	}
	return nil
}

// isEventName holds a custom event's name to the service's rule (service facts,
// section 11).
func isEventName(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return false
		}
	}
	return !slices.Contains(standardEvents, name)
}
