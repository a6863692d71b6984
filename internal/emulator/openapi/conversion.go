package openapi

var standardEvent = oneOf(
	"app_installed", "app_opened", "appointment_scheduled",
	"checkout_started", "contents_viewed", "items_added", "lead_created",
	"order_created", "page_viewed", "registration_completed", "subscription_created", "trial_started", "custom",
)

func conversionRecords() map[string]*Schema {
	return map[string]*Schema{
		"Pixel": object(must("id", text()), must("client_type", oneOf("web")),
			must("name", text()), must("pixel_id", text())),
		"ConversionKey": object(must("name", text()),
			must("api_key", text().says("The secret; it is shown here and never again."))),
		"EventSetting": object(
			must("id", text()), must("name", text()), must("event_type", standardEvent),
			must("custom_event_name", orNull(text())),
			must("attribution_window_days", integer()),
			must("source_ids", listOf(text(), 1, 1)), must("sources", list(ref("Named"))),
			must("campaigns", list(ref("Named"))), must("ad_account_id", text()),
			must("archived", boolean()), must("version", integer()),
		),
		"Named": object(must("id", text()), must("name", orNull(text()))),
		"ConversionEvent": object(
			must("action_source", text()), must("api_channel", text()),
			must("custom_event_name", orNull(text())), must("data_source_id", text()),
			must("event_data_json", text().says("JSON.")),
			must("event_timestamp_ms", integer()), must("event_type", text()), must("received_at_ms", integer()),
		),
		"EventSettingCreate": object(
			must("name", textOf(1, 0)), must("event_type", standardEvent),
			may("custom_event_name", orNull(textOf(1, 64))),
			must("attribution_window_days", integerOf(1, 30)), must("source_ids", listOf(text(), 1, 1)),
		),
		"Location": object(
			must("id", text()), must("name", text()), must("canonical_name", text()),
			must("type", text()), must("country_code", text()),
			must("region_code", orNull(text())), must("parent_id", orNull(text())),
			must("parent_country", orNull(text())),
		),
	}
}

func conversionOperations() map[string]operation {
	return map[string]operation{
		"POST /conversions/pixels": {
			summary: "Create a conversion source", answer: ref("Pixel"),
			body: json1(object(must("name", name), must("client_type", oneOf("web")))),
		},
		"GET /conversions/pixels": {summary: "List conversion sources",
			query: named(500), answer: envelope(ref("Pixel"))},
		"POST /conversions/api_keys": {summary: "Create a conversion API key",
			body: json1(object(must("name", name))), answer: ref("ConversionKey")},
		"GET /conversions/events": {
			summary: "List recent events of a pixel",
			query:   []Parameter{needed(query("pid", id)), query("limit", integerOf(1, 50))},
			answer:  object(must("object", oneOf("list")), must("data", listOf(ref("ConversionEvent"), 0, 50))),
		},
		"POST /conversions/event_settings": {summary: "Create an event setting",
			body: json1(ref("EventSettingCreate")), answer: ref("EventSetting")},
		"GET /conversions/event_settings": {summary: "List event settings",
			query: ordered(500), answer: envelope(ref("EventSetting"))},
	}
}
