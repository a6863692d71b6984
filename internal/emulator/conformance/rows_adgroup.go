package conformance

// rowsOfAdGroups are part 2, ad group, and part 4, ad groups.
var rowsOfAdGroups = concat(
	[]Row{
		{
			Rules: "2.ad_group.id 2.ad_group.bidding_config 1.mutations", Name: "a create gives the ad group",
			Given: given(aCampaign), Do: post("/ad_groups", adGroup("Runners")).save("group", "id"),
			Want: gives(text("id"), is("name", "Runners"), is("status", "paused"), is("context_hints", []string{}),
				is("bidding_config.billing_event_type", "click"), is("bidding_config.max_bid_micros", 1_250_000)),
			Then: given(get("/ad_groups/{group}").gives(is("id", "{group}"), is("name", "Runners"))),
		},
		{Rules: "2.ad_group.campaign_id", Name: "under a campaign of another account", Given: given(post("/campaigns", campaign("Theirs")).as(other).save("campaign", "id")), Do: post("/ad_groups", adGroup("Runners")), Want: answers(400, 404, 422)},
		{Rules: "2.ad_group.campaign_id", Name: "moved to another campaign", Given: given(anAdGroup, post("/campaigns", campaign("Summer")).save("second", "id")), Do: post("/ad_groups/{group}", object{"campaign_id": "{second}"}), Want: invalid("campaign_id")},
		{
			Rules: "2.ad_group.context_hints", Name: "an update replaces all hints",
			Given: given(aCampaign, post("/ad_groups", set(adGroup("Runners"), "context_hints", []string{"mud", "rain"})).save("group", "id")),
			Do:    post("/ad_groups/{group}", object{"context_hints": []string{"hills"}}), Want: gives(is("context_hints", []string{"hills"})),
		},
		{Rules: "4.ad_groups.update 2.ad_group.bidding_config", Name: "without bidding_config it stays", Given: anAdGroup, Do: post("/ad_groups/{group}", object{"name": "Walkers"}), Want: gives(is("name", "Walkers"), is("bidding_config.max_bid_micros", 1_250_000))},
		{Rules: "2.ad_group.bidding_config", Name: "half a bidding_config", Given: anAdGroup, Do: post("/ad_groups/{group}", object{"bidding_config": object{"max_bid_micros": 5}}), Want: invalid("bidding_config.billing_event_type")},
		{Rules: "2.ad_group.bidding_config 7.bid", Name: "an update to fixed_bid without a bid", Given: anAdGroup, Do: post("/ad_groups/{group}", object{"bidding_config": object{"billing_event_type": "click", "strategy": "fixed_bid"}}), Want: invalid("bidding_config.max_bid_micros")},
		{Rules: "facts.maximize 2.ad_group.bidding_config", Name: "maximize_clicks has no bid", Given: given(aCampaign), Do: post("/ad_groups", maximize("maximize_clicks")).keyed("k"), Want: gives(is("bidding_config.strategy", "maximize_clicks"), lacks("bidding_config.max_bid_micros"))},
		{Rules: "facts.maximize", Name: "maximize_conversions in a conversions campaign", Given: given(aSetting, post("/campaigns", conversions("Goals")).save("campaign", "id")), Do: post("/ad_groups", maximize("maximize_conversions")).keyed("k"), Want: gives(is("bidding_config.strategy", "maximize_conversions"))},
		{Rules: "facts.maximize", Name: "maximize_conversions in a clicks campaign", Given: given(aCampaign), Do: post("/ad_groups", maximize("maximize_conversions")).keyed("k"), Want: answers(400, 422)},
		{Rules: "facts.maximize", Name: "maximize_clicks without a key", Given: given(aCampaign), Do: post("/ad_groups", maximize("maximize_clicks")), Want: answers(400, 422)},
		{
			Rules: "facts.maximize", Name: "maximize_clicks with a lifetime budget",
			Given: given(post("/campaigns", set(campaign("Whole"), "budget", object{"lifetime_spend_limit_micros": 9_000_000})).save("campaign", "id")),
			Do:    post("/ad_groups", maximize("maximize_clicks")).keyed("k"), Want: answers(400, 422),
		},
		{
			Rules: "1.idempotency 7.create_key", Name: "the key of an ad group again", Given: given(aCampaign, post("/ad_groups", adGroup("Runners")).keyed("k").save("group", "id")),
			Do: post("/ad_groups", adGroup("Runners")).keyed("k"), Want: gives(is("id", "{group}")),
			Then: given(get("/ad_groups?campaign_id={campaign}").gives(count("data", 1))),
		},
		{
			Rules: "2.ad_group.product_set", Name: "filters of the campaign's feed", Given: aFeedCampaign,
			Do: post("/ad_groups", set(adGroup("Shoes"), "product_set", products("fd_test"))), Want: gives(is("product_set.product_feed_id", "fd_test")),
		},
		{Rules: "2.ad_group.product_set", Name: "filters of another feed", Given: aFeedCampaign, Do: post("/ad_groups", set(adGroup("Shoes"), "product_set", products("fd_other"))), Want: answers(400, 422)},
		{Rules: "2.ad_group.product_set", Name: "filters outside a feed", Given: given(aCampaign), Do: post("/ad_groups", set(adGroup("Shoes"), "product_set", products("fd_test"))), Want: answers(400, 422)},
		{Rules: "4.ad_groups.update", Name: "update of no ad group", Do: post("/ad_groups/none", object{"name": "Walkers"}), Want: notFound()},
		{Rules: "4.ad_groups.list", Name: "read of no ad group", Do: get("/ad_groups/none"), Want: notFound()},
		{
			Rules: "4.ad_groups.list", Name: "ad groups of a campaign",
			Given: given(anAdGroup, post("/campaigns", campaign("Summer")).save("campaign", "id"), post("/ad_groups", adGroup("Walkers")).save("walkers", "id")),
			Do:    get("/ad_groups?campaign_id={campaign}"), Want: gives(count("data", 1), is("data[0].id", "{walkers}")),
		},
		{Rules: "4.ad_groups.list", Name: "ad groups of a name", Given: given(anAdGroup, post("/ad_groups", adGroup("Walkers"))), Do: get("/ad_groups?campaign_id={campaign}&name=RUNNERS"), Want: gives(count("data", 1), is("data[0].id", "{group}"))},
	},
	fields("create ad group", given(aCampaign), post("/ad_groups", adGroup("Runners")),
		field{"2.ad_group.campaign_id", "without a campaign", "campaign_id", absent, invalid("campaign_id")},
		field{"2.ad_group.campaign_id", "under no campaign", "campaign_id", "none", answers(400, 404, 422)},
		field{"2.ad_group.name", "without a name", "name", absent, invalid("name")},
		field{"2.ad_group.name", "name of 2", "name", chars(2), invalid("name")},
		field{"2.ad_group.name", "name of 3", "name", chars(3), gives()},
		field{"2.ad_group.name", "name of 1,000", "name", chars(1000), gives()},
		field{"2.ad_group.name", "name of 1,001", "name", chars(1001), invalid("name")},
		field{"2.ad_group.status 3.create", "active", "status", "active", gives(is("status", "active"))},
		field{"2.ad_group.status 3.create", "archived at birth", "status", "archived", invalid("status")},
		field{"2.ad_group.context_hints", "no hint", "context_hints", []string{}, gives(is("context_hints", []string{}))},
		field{"8.bulk.hints 2.ad_group.context_hints", "2,000 hints", "context_hints", texts(2000, "hint"), gives()},
		field{"8.bulk.hints 2.ad_group.context_hints", "2,001 hints", "context_hints", texts(2001, "hint"), invalid("context_hints")},
		field{"2.ad_group.bidding_config", "without bidding_config", "bidding_config", absent, invalid("bidding_config")},
		field{"2.ad_group.bidding_config", "billed by impression", "bidding_config.billing_event_type", "impression", answers(400, 422)},
		field{"7.bid 2.ad_group.bidding_config", "fixed_bid without a bid", "bidding_config.max_bid_micros", absent, invalid("bidding_config.max_bid_micros")},
		field{"7.bid 2.ad_group.bidding_config", "Maximize Results with a bid", "bidding_config.strategy", "maximize_clicks", invalid("bidding_config.max_bid_micros")},
		field{"2.ad_group.bidding_config", "an unknown strategy", "bidding_config.strategy", "lowest", invalid("bidding_config.strategy")},
		field{"1.money 2.ad_group.bidding_config", "a bid of 0", "bidding_config.max_bid_micros", 0, invalid("bidding_config.max_bid_micros")},
		field{"1.money 2.ad_group.bidding_config", "a bid of 1", "bidding_config.max_bid_micros", 1, gives()},
		field{"1.json", "an unknown field", "hints", []string{}, invalid("hints")},
	),
	listOf("ad_groups", "campaign_id={campaign}", anAdGroup, post("/ad_groups", adGroup("Row {n}"))),
)

// aFeedCampaign is a campaign of the product feed fd_test.
var aFeedCampaign = given(feature("product_feeds", []string{"fd_test"}), post("/campaigns", feed(campaign("Catalogue"))).save("campaign", "id"))

func maximize(strategy string) object {
	return set(adGroup("Most"), "bidding_config", object{"billing_event_type": "click", "strategy": strategy})
}

func products(feedID string) object {
	return object{"product_feed_id": feedID, "filters": []object{{"field": "brand", "operator": "in", "values": []string{"Northfell"}}}}
}
