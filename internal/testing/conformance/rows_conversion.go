package conformance

// received sends an event to the address that stands for the one conversions are
// sent to; by is pixel or events.
func received(by string, events ...object) Step {
	return post("/_events/v1/"+by+"?pid={pixel}", object{"events": events}).as("secret")
}

func order(id string) object {
	return object{
		"id": id, "type": "order_created", "timestamp_ms": "#{now_ms}", "action_source": "web",
		"data": object{"type": "contents", "amount": 1999, "currency": "USD"},
	}
}

// aShop has a pixel and a conversion key, {secret}.
var aShop = given(aPixel, post("/conversions/api_keys", object{"name": "Server"}).save("secret", "api_key"))

var stream = get("/conversions/events?pid={pixel}")

// rowsOfConversions are part 2, conversion resources, part 4, conversion setup,
// part 6, and what parts 7 and 8 say of them.
var rowsOfConversions = concat(
	[]Row{
		{Rules: "2.pixel 4.pixels.create", Name: "a pixel",
			Do: aPixel, Want: gives(text("id"), is("client_type", "web"), is("name", "Shop"), text("pixel_id"))},
		{Rules: "2.conversion_api_key 4.conversion_keys.create",
			Name: "a conversion key", Do: post("/conversions/api_keys", object{"name": "Server"}),
			Want: gives(is("name", "Server"), text("api_key"))},
		{Rules: "facts.pixels", Name: "pixels are listed", Given: given(aPixel), Do: get("/conversions/pixels"),
			Want: gives(is("object", "list"), is("data[0].id", "{source}"), is("data[0].pixel_id", "{pixel}"))},
		{
			Rules: "2.event_setting.id 2.event_setting.event_type " +
				"2.event_setting.attribution_window_days 2.event_setting.sources 2.event_setting.campaigns " +
				"2.event_setting.version 2.event_setting.custom_event_name 4.event_settings.create",
			Name: "an event setting", Given: given(aPixel), Do: post("/conversions/event_settings", setting("Orders")),
			Want: gives(text("id"), is("name", "Orders"), is("event_type", "order_created"),
				is("custom_event_name", nil), is("attribution_window_days", 30), is("source_ids", []string{"{source}"}),
				is("sources[0].id", "{source}"), is("sources[0].name", "Shop"), is("campaigns", []string{}),
				is("ad_account_id", "{account}"), is("archived", false), integer("version", 0)),
		},
		{
			Rules: "4.event_settings.list 2.event_setting.campaigns",
			Name:  "event settings are listed with their campaigns",
			Given: given(aSetting, post("/campaigns", conversions("Goals")).save("campaign", "id")),
			Do:    get("/conversions/event_settings"), Want: gives(is("object", "list"), is("data[0].id", "{setting}"),
				is("data[0].campaigns[0].id", "{campaign}"), is("data[0].campaigns[0].name", "Goals")),
		},
		{
			Rules: "7.source 4.event_settings.create",
			Name:  "a source of another account", Given: given(post("/conversions/pixels",
				object{"name": "Theirs", "client_type": "web"}).as(other).save("source", "id")),
			Do:   post("/conversions/event_settings", setting("Orders")),
			Want: answers(400, 404, 422).and(says("Client data source not found")),
		},
		{Rules: "7.source", Name: "a source of nobody", Do: post("/conversions/event_settings", set(setting("Orders"),
			"source_ids", []string{"none"})), Want: answers(400, 404, 422).and(says("Client data source not found"))},
		{Rules: "2.event_setting.custom_event_name",
			Name: "a custom event setting", Given: given(aPixel), Do: post("/conversions/event_settings", gifts()),
			Want: gives(is("event_type", "custom"), is("custom_event_name", "gift"))},
		{Rules: "2.event_setting.custom_event_name 4.event_settings.create", Name: "custom without its name",
			Given: given(aPixel), Do: post("/conversions/event_settings", set(gifts(), "custom_event_name", absent)),
			Want: invalid("custom_event_name")},
		{Rules: "7.conversion_feature", Name: "pixels without the feature",
			Given: given(without("conversions")), Do: aPixel.pure(), Want: notFound().and(says("Not found"))},
		{Rules: "7.conversion_feature", Name: "conversion keys without the feature",
			Given: given(without("conversions")),
			Do:    post("/conversions/api_keys", object{"name": "Server"}), Want: notFound().and(says("Not found"))},
		{Rules: "7.conversion_feature", Name: "events without the feature",
			Given: given(aPixel, without("conversions")), Do: stream, Want: notFound().and(says("Not found"))},
		{
			Rules: "2.event 6.types 6.channel 4.events.list",
			Name:  "an event of a browser", Given: given(aShop, received("pixel", order("e1"))), Do: stream,
			Want: gives(is("object", "list"), count("data", 1),
				is("data[0].event_type", "order_created"), is("data[0].custom_event_name", nil),
				is("data[0].action_source", "web"), is("data[0].api_channel", "pixel_sdk"),
				is("data[0].data_source_id", "{source}"), text("data[0].event_data_json"),
				is("data[0].event_timestamp_ms", "#{now_ms}"), is("data[0].received_at_ms", "#{now_ms}")),
		},
		{Rules: "6.types", Name: "a custom event", Given: given(aShop, received("pixel", set(set(set(order("e1"),
			"type", "custom"), "custom_event_name", "gift"), "data", object{"type": "custom"}))),
			Do: stream, Want: gives(is("data[0].event_type", "custom"), is("data[0].custom_event_name", "gift"))},
		{Rules: "6.types", Name: "a lead and a registration",
			Given: given(aShop, received("pixel", set(order("e1"), "type", "lead_created")),
				received("pixel", set(order("e2"), "type", "registration_completed"))),
			Do: stream, Want: gives(some("data",
				"event_type", "lead_created"), some("data", "event_type", "registration_completed"))},
		{Rules: "4.events.list", Name: "an event of a server is not in the stream",
			Given: given(aShop, received("events", order("e1"))), Do: stream, Want: gives(count("data", 0))},
		{Rules: "8.events 4.events.list", Name: "an event 15 minutes ago", Given: given(aShop,
			received("pixel", order("e1")), advance(900)), Do: stream, Want: gives(count("data", 1))},
		{Rules: "8.events 4.events.list", Name: "an event more than 15 minutes ago", Given: given(aShop,
			received("pixel", order("e1")), advance(901)), Do: stream, Want: gives(count("data", 0))},
		{Rules: "8.events", Name: "50 events", Given: given(aShop, received("pixel", order("e{n}")).times(50)),
			Do: stream, Want: gives(count("data", 50))},
		{Rules: "8.events", Name: "51 events", Given: given(aShop, received("pixel", order("first")),
			advance(1), received("pixel", set(order("e{n}"), "type", "lead_created")).times(50)),
			Do: stream, Want: gives(count("data", 50), every("data", "event_type", "lead_created"))},
		{Rules: "4.events.list", Name: "events without pid", Do: get("/conversions/events"), Want: invalid("pid")},
		{Rules: "4.events.list 5.6", Name: "events of another account's pixel",
			Given: given(aPixel), Do: stream.as(other), Want: answers(400, 404, 422)},
		{
			Rules: "4.events.dedup", Name: "browser and server send one event", Given: given(
				aLiveTree, aSetting, post("/campaigns/{campaign}", object{
					"conversion_event_setting_ids": []string{"{setting}"},
				}),
				post("/conversions/api_keys", object{"name": "Server"}).save("secret", "api_key"),
				post("/_emulator/clicks", object{"ad_id": "{ad}"}).save("ref", "ref"), advance(60),
				received("pixel", set(order("shared"), "oppref", "{ref}")),
				received("events", set(order("shared"), "oppref", "{ref}"))),
			Do:   get("/ads/{ad}/insights?time_granularity=none&fields[]=conversions"),
			Want: gives(is("data[0].conversions", 1)),
		},
	},
	fields("pixel", nil, aPixel.pure(),
		field{"8.conversion_names 4.pixels.create", "name of 2", "name", chars(2), invalid("name")},
		field{"8.conversion_names 4.pixels.create", "name of 3", "name", chars(3), gives()},
		field{"8.conversion_names 4.pixels.create", "name of 1,000", "name", chars(1000), gives()},
		field{"8.conversion_names 4.pixels.create", "name of 1,001", "name", chars(1001), invalid("name")},
		field{"4.pixels.create", "without a name", "name", absent, invalid("name")},
		field{"4.pixels.create", "without client_type", "client_type", absent, invalid("client_type")},
		field{"2.pixel 4.pixels.create", "another client_type", "client_type", "ios", invalid("client_type")},
	),
	fields("conversion key", nil, post("/conversions/api_keys", object{"name": "Server"}),
		field{"8.conversion_names 4.conversion_keys.create", "name of 2", "name", chars(2), invalid("name")},
		field{"8.conversion_names 4.conversion_keys.create", "name of 3", "name", chars(3), gives()},
		field{"8.conversion_names 4.conversion_keys.create", "name of 1,000", "name", chars(1000), gives()},
		field{"8.conversion_names 4.conversion_keys.create", "name of 1,001", "name", chars(1001), invalid("name")},
		field{"4.conversion_keys.create", "without a name", "name", absent, invalid("name")},
	),
	fields("event setting", given(aPixel), post("/conversions/event_settings", setting("Orders")),
		field{"4.event_settings.create", "without a name", "name", absent, invalid("name")},
		field{"4.event_settings.create", "without event_type", "event_type", absent, invalid("event_type")},
		field{"2.event_setting.event_type", "lead_created",
			"event_type", "lead_created", gives(is("event_type", "lead_created"))},
		field{"2.event_setting.event_type", "registration_completed",
			"event_type", "registration_completed", gives(is("event_type", "registration_completed"))},
		field{"2.event_setting.event_type", "an unknown event", "event_type", "purchase", invalid("event_type")},
		field{"4.event_settings.create 2.event_setting.attribution_window_days",
			"without a window", "attribution_window_days", absent, invalid("attribution_window_days")},
		field{"2.event_setting.attribution_window_days",
			"a window that is text", "attribution_window_days", "30", invalid("attribution_window_days")},
		field{"4.event_settings.create", "without a source", "source_ids", absent, invalid("source_ids")},
		field{"2.event_setting.sources 4.event_settings.create",
			"no source", "source_ids", []string{}, invalid("source_ids")},
		field{"2.event_setting.sources 4.event_settings.create",
			"two sources", "source_ids", []string{"{source}", "{source}"}, invalid("source_ids")},
		field{"2.event_setting.custom_event_name",
			"a name of its own", "custom_event_name", "gift", invalid("custom_event_name")},
	),
	listOf("conversions/event_settings", "", aSetting, post("/conversions/event_settings", setting("Row {n}"))),
)

// pure is the step without what it saves.
func (s Step) pure() Step {
	s.Saves = nil
	return s
}

func gifts() object {
	return set(set(setting("Gifts"), "event_type", "custom"), "custom_event_name", "gift")
}
