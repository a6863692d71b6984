package conformance

// rowsOfCampaigns are part 2, campaign and conversion rules, and part 4, campaigns.
var rowsOfCampaigns = concat(
	[]Row{
		{
			Rules: "2.campaign.id 1.ids 1.mutations 1.json 7.success facts.campaign", Name: "a create gives the campaign",
			Do: post("/campaigns", campaign("Spring")).save("campaign", "id"),
			Want: gives(text("id"), is("name", "Spring"), is("status", "paused"), is("bidding_type", "clicks"),
				is("budget", object{"daily_spend_limit_micros": 50_000_000}), integer("created_at", 946684800), integer("updated_at", 946684800),
				has("description", "start_time", "end_time")),
			Then: given(get("/campaigns/{campaign}").gives(is("id", "{campaign}"), is("name", "Spring"))),
		},
		{
			Rules: "2.campaign.targeting 4.campaigns.update", Name: "an update replaces the whole targeting",
			Given: given(post("/campaigns", set(campaign("Spring"), "targeting", object{"locations": object{"countries": []string{"US", "NO"}}})).save("campaign", "id")),
			Do:    post("/campaigns/{campaign}", object{"targeting": object{"locations": object{"countries": []string{"FR"}}}}),
			Want:  gives(is("targeting.locations.countries", []string{"FR"}), is("name", "Spring")),
		},
		{
			Rules: "facts.targeting", Name: "platforms alone leave the places",
			Given: given(post("/campaigns", set(campaign("Spring"), "targeting", object{"locations": object{"countries": []string{"US"}}})).save("campaign", "id")),
			Do:    post("/campaigns/{campaign}", object{"targeting": object{"platforms": object{"included": []string{"web"}}}}),
			Want:  gives(is("targeting.locations.countries", []string{"US"}), is("targeting.platforms.included", []string{"web"})),
		},
		{
			Rules: "facts.targeting", Name: "targeting null clears it",
			Given: given(post("/campaigns", set(campaign("Spring"), "targeting", object{"locations": object{"countries": []string{"US"}}})).save("campaign", "id")),
			Do:    post("/campaigns/{campaign}", object{"targeting": nil}),
			Want:  gives(is("targeting", object{})),
		},
		{
			Rules: "4.campaigns.update 1.mutations", Name: "an update leaves what it does not name",
			Given: given(aCampaign),
			Do:    post("/campaigns/{campaign}", object{"name": "Summer"}),
			Want:  gives(is("name", "Summer"), is("budget.daily_spend_limit_micros", 50_000_000), is("status", "paused")),
		},
		{Rules: "2.campaign.bidding_type", Name: "the bidding type stays", Given: given(aCampaign), Do: post("/campaigns/{campaign}", object{"bidding_type": "impressions"}), Want: invalid("bidding_type")},
		{Rules: "2.campaign.mode", Name: "the mode stays", Given: given(aCampaign), Do: post("/campaigns/{campaign}", object{"mode": "product_feed"}), Want: invalid("mode")},
		{Rules: "4.campaigns.update", Name: "update of no campaign", Do: post("/campaigns/none", object{"name": "Summer"}), Want: notFound()},
		{Rules: "4.campaigns.list", Name: "read of no campaign", Do: get("/campaigns/none"), Want: notFound()},
		{
			Rules: "facts.daily_to_lifetime", Name: "from lifetime to daily",
			Given: given(post("/campaigns", set(campaign("Spring"), "budget", object{"lifetime_spend_limit_micros": 90_000_000})).save("campaign", "id")),
			Do:    post("/campaigns/{campaign}", object{"budget": object{"daily_spend_limit_micros": 9_000_000}}),
			Want:  gives(is("budget", object{"daily_spend_limit_micros": 9_000_000})),
		},
		{Rules: "facts.daily_to_lifetime", Name: "from daily to lifetime", Given: given(aCampaign), Do: post("/campaigns/{campaign}", object{"budget": object{"lifetime_spend_limit_micros": 90_000_000}}), Want: answers(400, 409, 422)},
		{
			Rules: "1.idempotency 7.create_key", Name: "the key of a create again", Alone: true,
			Given: given(post("/campaigns", campaign("Spring")).keyed("k").save("campaign", "id"), post("/campaigns/{campaign}", object{"name": "Summer"})),
			Do:    post("/campaigns", campaign("Spring")).keyed("k"),
			Want:  gives(is("id", "{campaign}"), is("name", "Summer")),
			Then:  given(get("/campaigns?name=spring").gives(none("data", "name", "Spring"))),
		},
		{Rules: "1.idempotency", Name: "another key makes another campaign", Given: given(post("/campaigns", campaign("Spring")).keyed("k").save("campaign", "id")), Do: post("/campaigns", campaign("Spring")).keyed("l"), Want: gives(not("id", "{campaign}"))},
		{Rules: "8.key 1.idempotency", Name: "a key of 255", Do: post("/campaigns", campaign("Spring")).keyed(runID + ascii(250)), Want: gives()},
		{Rules: "8.key 1.idempotency", Name: "a key of 256", Do: post("/campaigns", campaign("Spring")).keyed(ascii(256)), Want: answers(400, 422)},
		{Rules: "8.key 1.idempotency", Name: "an empty key", Do: post("/campaigns", campaign("Spring")).keyed(""), Want: answers(400, 422)},
		{Rules: "8.key 1.idempotency", Name: "a key of blanks", Do: post("/campaigns", campaign("Spring")).keyed(" \t "), Want: answers(400, 422)},
		{Rules: "8.key 1.idempotency", Name: "a key of 1", Do: post("/campaigns", campaign("Spring")).with("Idempotency-Key", "k"), Want: gives()},
	},
	fields("create campaign", nil, post("/campaigns", campaign("Spring")),
		field{"2.campaign.name", "without a name", "name", absent, invalid("name")},
		field{"2.campaign.name", "name of 2", "name", chars(2), invalid("name")},
		field{"2.campaign.name", "name of 3", "name", chars(3), gives(is("name", chars(3)))},
		field{"2.campaign.name", "name of 1,000", "name", chars(1000), gives()},
		field{"2.campaign.name", "name of 1,001", "name", chars(1001), invalid("name")},
		field{"2.campaign.name", "name of blanks", "name", "    ", invalid("name")},
		field{"1.json 2.campaign.name", "name is a number", "name", 5, invalid("name")},
		field{"1.json", "unknown field", "nmae", "x", invalid("nmae")},
		field{"2.campaign.status 3.create", "active", "status", "active", gives(is("status", "active"))},
		field{"2.campaign.status 3.create", "archived at birth", "status", "archived", invalid("status")},
		field{"facts.campaign", "without status", "status", absent, invalid("status")},
		field{"2.campaign.bidding_type", "without bidding_type", "bidding_type", absent, invalid("bidding_type")},
		field{"2.campaign.bidding_type", "impressions", "bidding_type", "impressions", gives(is("bidding_type", "impressions"))},
		field{"2.campaign.bidding_type", "unknown", "bidding_type", "views", invalid("bidding_type")},
		field{"facts.campaign 2.campaign.budget", "without budget", "budget", absent, invalid("budget")},
		field{"facts.campaign 2.campaign.budget", "no half", "budget", object{}, invalid("budget")},
		field{"facts.campaign 2.campaign.budget", "both halves", "budget.lifetime_spend_limit_micros", 2_000_000, invalid("budget")},
		field{"2.campaign.budget", "lifetime", "budget", object{"lifetime_spend_limit_micros": 2_000_000}, gives(is("budget", object{"lifetime_spend_limit_micros": 2_000_000}))},
		field{"facts.campaign", "999,999 micros", "budget.daily_spend_limit_micros", 999_999, invalid("budget.daily_spend_limit_micros")},
		field{"facts.campaign", "1,000,000 micros", "budget.daily_spend_limit_micros", 1_000_000, gives()},
		field{"1.money", "a fraction of a micro", "budget.daily_spend_limit_micros", 1_000_000.5, invalid("budget.daily_spend_limit_micros")},
		field{"1.money", "an amount as text", "budget.daily_spend_limit_micros", "5000000", invalid("budget.daily_spend_limit_micros")},
		field{"2.campaign.targeting", "two countries", "targeting", object{"locations": object{"countries": []string{"US", "NO"}}}, gives(is("targeting.locations.countries", []string{"US", "NO"}))},
		field{"2.campaign.targeting", "no code of a country", "targeting", object{"locations": object{"countries": []string{"Norway"}}}, answers(400, 422)},
		field{"2.campaign.targeting", "countries as text", "targeting", object{"locations": object{"countries": "US"}}, answers(400, 422)},
		field{"facts.targeting", "2,500 locations", "targeting", object{"locations": object{"include": places(2500)}}, gives()},
		field{"facts.targeting", "2,501 locations", "targeting", object{"locations": object{"include": places(2501)}}, answers(400, 422)},
		field{"facts.targeting", "a platform", "targeting", object{"platforms": object{"included": []string{"web"}}}, gives()},
		field{"facts.targeting", "no platform", "targeting", object{"platforms": object{"included": []string{}}}, answers(400, 422)},
		field{"2.campaign.landing_page_configuration", "every placeholder", "landing_page_configuration", tracking("c={campaign_id}&a={ad_id}&o={oppref}"), gives(is("landing_page_configuration.query_string_template", "c={campaign_id}&a={ad_id}&o={oppref}"))},
		field{"2.campaign.landing_page_configuration", "another placeholder", "landing_page_configuration", tracking("c={campaign_name}"), answers(400, 422)},
		field{"2.campaign.mode", "a mode without a feed", "mode", "product_feed", invalid("product_feed_id")},
		field{"2.campaign.mode", "a feed without the mode", "product_feed_id", "fd_test", answers(400, 422)},
		field{"2.campaign.mode", "an unknown mode", "mode", "carousel", invalid("mode")},
		field{"2.campaign.conversion_event_setting_ids", "a setting of nobody", "conversion_event_setting_ids", []string{"ces_none"}, answers(400, 404, 422)},
	),
	[]Row{
		{Rules: "2.campaign.mode", Name: "a product-feed campaign", Given: given(feature("product_feeds", []string{"fd_test"})), Do: post("/campaigns", feed(campaign("Catalogue"))), Want: gives(is("mode", "product_feed"), is("product_feed_id", "fd_test"))},
		{Rules: "2.campaign.mode", Name: "a feed that is not linked", Given: given(feature("product_feeds", []string{})), Do: post("/campaigns", feed(campaign("Catalogue"))), Want: answers(400, 404, 422)},
	},
	rowsOfConversionRules,
	listOf("campaigns", "", given(aCampaign), post("/campaigns", campaign("Row {n}"))),
)

// feed is a body with the product feed fd_test.
func feed(body object) object {
	return set(set(body, "mode", "product_feed"), "product_feed_id", "fd_test")
}

func tracking(template string) object { return object{"query_string_template": template} }

func places(n int) []object {
	all := make([]object, n)
	for i, id := range ids(n) {
		all[i] = object{"id": id}
	}
	return all
}

// rowsOfConversionRules are part 2, conversion-optimised campaign rules.
var rowsOfConversionRules = []Row{
	{
		Rules: "2.campaign.conversion_event_setting_ids 2.conversions.1 9.5", Name: "a conversions campaign is billed per click",
		Given: aSetting, Do: post("/campaigns", conversions("Goals")).save("campaign", "id"),
		Want: gives(is("bidding_type", "conversions"), is("billing_event_type", "click"), is("conversion_event_setting_ids", []string{"{setting}"})),
		Then: given(get("/conversions/event_settings").gives(is("data[0].campaigns[0].id", "{campaign}"))),
	},
	{Rules: "2.campaign.conversion_event_setting_ids", Name: "no setting", Given: aSetting, Do: post("/campaigns", set(conversions("Goals"), "conversion_event_setting_ids", []string{})), Want: invalid("conversion_event_setting_ids")},
	{
		Rules: "2.campaign.conversion_event_setting_ids", Name: "two settings",
		Given: given(aSetting, post("/conversions/event_settings", setting("Again")).save("second", "id")),
		Do:    post("/campaigns", set(conversions("Goals"), "conversion_event_setting_ids", []string{"{setting}", "{second}"})), Want: invalid("conversion_event_setting_ids"),
	},
	{
		Rules: "2.campaign.conversion_event_setting_ids", Name: "a setting of another account",
		Given: given(
			post("/conversions/pixels", object{"name": "Theirs", "client_type": "web"}).as(other).save("source", "id"),
			post("/conversions/event_settings", setting("Theirs")).as(other).save("setting", "id")),
		Do: post("/campaigns", conversions("Goals")), Want: invalid("conversion_event_setting_ids"),
	},
	{Rules: "2.conversions.2", Name: "the event setting stays", Given: given(aSetting, post("/campaigns", conversions("Goals")).save("campaign", "id"), post("/conversions/event_settings", setting("Again")).save("second", "id")), Do: post("/campaigns/{campaign}", object{"conversion_event_setting_ids": []string{"{second}"}}), Want: answers(400, 409, 422)},
	{Rules: "2.conversions.2", Name: "the goal stays", Given: given(aSetting, post("/campaigns", conversions("Goals")).save("campaign", "id")), Do: post("/campaigns/{campaign}", object{"bidding_type": "clicks"}), Want: answers(400, 409, 422)},
	{Rules: "2.conversions.3", Name: "a clicks campaign stays one", Given: given(aSetting, aCampaign), Do: post("/campaigns/{campaign}", object{"bidding_type": "conversions", "conversion_event_setting_ids": []string{"{setting}"}}), Want: answers(400, 409, 422)},
	{Rules: "2.conversions.3", Name: "an impressions campaign stays one", Given: given(aSetting, post("/campaigns", impressions("Views")).save("campaign", "id")), Do: post("/campaigns/{campaign}", object{"bidding_type": "conversions", "conversion_event_setting_ids": []string{"{setting}"}}), Want: answers(400, 409, 422)},
	{
		Rules: "2.conversions.4", Name: "a custom setting is no goal",
		Given: given(aPixel, post("/conversions/event_settings", set(set(setting("Gifts"), "event_type", "custom"), "custom_event_name", "gift")).save("setting", "id")),
		Do:    post("/campaigns", conversions("Goals")), Want: invalid("conversion_event_setting_ids"),
	},
	{
		Rules: "2.conversions.5", Name: "an ad group bids per acquisition and is billed by click",
		Given: given(aSetting, post("/campaigns", conversions("Goals")).save("campaign", "id")),
		Do:    post("/ad_groups", adGroup("Buyers")), Want: gives(is("bidding_config.billing_event_type", "click"), is("bidding_config.max_bid_micros", 1_250_000)),
	},
	{
		Rules: "2.conversions.5", Name: "an ad group billed by impression",
		Given: given(aSetting, post("/campaigns", conversions("Goals")).save("campaign", "id")),
		Do:    post("/ad_groups", set(adGroup("Buyers"), "bidding_config.billing_event_type", "impression")), Want: answers(400, 422),
	},
	{
		Rules: "2.conversions.6 9.5", Name: "a conversions campaign of a feed", Given: given(feature("product_feeds", []string{"fd_test"}), aSetting),
		Do: post("/campaigns", feed(conversions("Goals"))), Want: gives(is("mode", "product_feed"), is("product_feed_id", "fd_test"), is("bidding_type", "conversions")),
	},
	{Rules: "7.conversion_bidding", Name: "without conversion bidding", Given: given(aSetting, without("conversions")), Do: post("/campaigns", conversions("Goals")), Want: forbidden().and(says("not enabled"))},
}
