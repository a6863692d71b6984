package conformance

// rowsOfOperations are the six types of bulk operations.
var rowsOfOperations = concat(
	operations(
		one{"4.bulk.campaign.create 4.bulk.5 4.bulk.1 8.bulk.budget",
			"a campaign with 1,000,000 micros", []object{views("c")}, "created"},
		one{"4.bulk.5 8.bulk.budget", "a campaign with 999,999 micros",
			[]object{input(views("c"), "max_budget_micros", 999_999)}, "failed"},
		one{"4.bulk.campaign.create", "a campaign without a name",
			[]object{input(views("c"), "name", absent)}, "failed"},
		one{"4.bulk.campaign.create", "a campaign without a budget",
			[]object{input(views("c"), "max_budget_micros", absent)}, "failed"},
		one{"4.bulk.campaign.create 4.bulk.5", "every input of a campaign",
			[]object{create("campaign.create", "c", object{"name": "Whole",
				"max_budget_micros": 2_000_000, "billing_event_type": "impression", "budget_type": "lifetime",
				"status": "active", "target_countries": []string{"US"}, "location_ids": []string{"2000043"}})},
			"created"},
		one{"4.bulk.5", "an unknown billing_event_type",
			[]object{input(views("c"), "billing_event_type", "conversion")}, "failed"},
		one{"4.bulk.1", "a campaign with the budget of single requests",
			[]object{input(views("c"), "budget", object{"daily_spend_limit_micros": 5_000_000})}, "failed"},
		one{"4.bulk.1", "a campaign with the targeting of single requests",
			[]object{input(views("c"), "targeting", object{})}, "failed"},
		one{"8.bulk.names", "a campaign with a name of 2", []object{input(views("c"), "name", chars(2))}, "failed"},
		one{"8.bulk.names", "a campaign with a name of 3", []object{input(views("c"), "name", chars(3))}, "created"},
		one{"8.bulk.names", "a campaign with a name of 1,000",
			[]object{input(views("c"), "name", chars(1000))}, "created"},
		one{"8.bulk.names", "a campaign with a name of 1,001",
			[]object{input(views("c"), "name", chars(1001))}, "failed"},
		one{"8.bulk.locations 4.bulk.7", "2,500 locations",
			[]object{input(views("c"), "location_ids", ids(2500))}, "created"},
		one{"8.bulk.locations 4.bulk.7", "2,501 locations",
			[]object{input(views("c"), "location_ids", ids(2501))}, "failed"},
		one{"4.bulk.4", "a campaign that is active", []object{input(views("c"), "status", "active")}, "created"},
		one{"4.bulk.4", "a campaign that is archived at birth",
			[]object{input(views("c"), "status", "archived")}, "failed"},

		one{"4.bulk.ad_group.create 4.bulk.2", "an ad group in a campaign of the job",
			[]object{newCampaign("c"), newAdGroup("g", "c")}, "created"},
		one{"4.bulk.ad_group.create", "every input of an ad group", []object{newCampaign("c"), create("ad_group.create",
			"g", object{"campaign_idempotency_key": runID + "c", "name": "Whole", "context_hints": []string{"mud"},
				"exclusion_hints": []string{"snow"}, "max_bid_micros": 5, "status": "active"})}, "created"},
		one{"4.bulk.ad_group.create", "an ad group without a name",
			[]object{newCampaign("c"), input(newAdGroup("g", "c"), "name", absent)}, "failed"},
		one{"4.bulk.ad_group.create", "an ad group without its campaign's key",
			[]object{newCampaign("c"), input(newAdGroup("g", "c"), "campaign_idempotency_key", absent)}, "failed"},
		one{"4.bulk.2", "an ad group in no campaign of the job", []object{newAdGroup("g", "none")}, "failed"},
		one{"4.bulk.4", "an ad group that is archived at birth",
			[]object{newCampaign("c"), input(newAdGroup("g", "c"), "status", "archived")}, "failed"},
		one{"4.bulk.6", "a click bid in a campaign billed by impression",
			[]object{views("c"), newAdGroup("g", "c")}, "failed"},
		one{"4.bulk.6", "a CPM bid in a campaign billed by click", []object{newCampaign("c"), cpm("g", "c")}, "failed"},
		one{"4.bulk.6", "a CPM bid in a campaign billed by impression", []object{views("c"), cpm("g", "c")}, "created"},
		one{"4.bulk.6", "both bids",
			[]object{newCampaign("c"), input(newAdGroup("g", "c"), "max_cpm_bid_micros", 60_000_000)}, "failed"},
		one{"8.bulk.names", "an ad group with a name of 2",
			[]object{newCampaign("c"), input(newAdGroup("g", "c"), "name", chars(2))}, "failed"},
		one{"8.bulk.names", "an ad group with a name of 1,000",
			[]object{newCampaign("c"), input(newAdGroup("g", "c"), "name", chars(1000))}, "created"},
		one{"8.bulk.names", "an ad group with a name of 1,001",
			[]object{newCampaign("c"), input(newAdGroup("g", "c"), "name", chars(1001))}, "failed"},
		one{"8.bulk.hints 4.bulk.7", "2,000 hints in bulk",
			[]object{newCampaign("c"), input(newAdGroup("g", "c"), "context_hints", texts(2000, "hint"))}, "created"},
		one{"8.bulk.hints 4.bulk.7", "2,001 hints in bulk",
			[]object{newCampaign("c"), input(newAdGroup("g", "c"), "context_hints", texts(2001, "hint"))}, "failed"},

		one{"4.bulk.ad.create 4.bulk.2", "an ad in a tree of the job",
			[]object{newCampaign("c"), newAdGroup("g", "c"), newAd("a", "c", "g")}, "created"},
		one{"4.bulk.ad.create", "an ad that is active", []object{newCampaign("c"),
			newAdGroup("g", "c"), input(newAd("a", "c", "g"), "status", "active")}, "created"},
		one{"4.bulk.2", "an ad with another campaign than its ad group",
			[]object{newCampaign("c"), newCampaign("d"), newAdGroup("g", "c"), newAd("a", "d", "g")}, "failed"},
		one{"4.bulk.2", "an ad without its ad group in the job",
			[]object{newCampaign("c"), newAd("a", "c", "none")}, "failed"},
		one{"4.bulk.4", "an ad that is archived at birth", []object{newCampaign("c"),
			newAdGroup("g", "c"), input(newAd("a", "c", "g"), "status", "archived")}, "failed"},
		one{"4.bulk.7 8.ad.title", "an ad with a title of 51 in bulk", []object{newCampaign("c"),
			newAdGroup("g", "c"), input(newAd("a", "c", "g"), "title", chars(51))}, "failed"},
		one{"4.bulk.7 8.ad.title", "an ad with a title of 50 in bulk", []object{newCampaign("c"),
			newAdGroup("g", "c"), input(newAd("a", "c", "g"), "title", chars(50))}, "created"},
		one{"4.bulk.7 8.ad.title", "an ad with a title of 2 in bulk",
			[]object{newCampaign("c"), newAdGroup("g", "c"), input(newAd("a", "c", "g"), "title", chars(2))}, "failed"},
		one{"4.bulk.7 8.ad.title", "an ad with a title of 3 in bulk", []object{newCampaign("c"),
			newAdGroup("g", "c"), input(newAd("a", "c", "g"), "title", chars(3))}, "created"},
		one{"4.bulk.7 8.ad.body", "an ad with a body of 100 in bulk", []object{newCampaign("c"),
			newAdGroup("g", "c"), input(newAd("a", "c", "g"), "body", chars(100))}, "created"},
		one{"4.bulk.7 8.ad.body", "an ad with a body of 101 in bulk", []object{newCampaign("c"),
			newAdGroup("g", "c"), input(newAd("a", "c", "g"), "body", chars(101))}, "failed"},
		one{"4.bulk.7 8.ad.target_url", "an ad with a URL of 2,048 in bulk", []object{newCampaign("c"),
			newAdGroup("g", "c"), input(newAd("a", "c", "g"), "target_url", address(2048))}, "created"},
		one{"4.bulk.7 8.ad.target_url", "an ad with a URL of 2,049 in bulk", []object{newCampaign("c"),
			newAdGroup("g", "c"), input(newAd("a", "c", "g"), "target_url", address(2049))}, "failed"},
	),
	requiredOfAds(),
	updates(
		one{"4.bulk.campaign.update 3.result.updated", "every input of a campaign update",
			[]object{update("campaign.update", "{campaign}", object{"name": "Summer",
				"description": "Warm", "status": "active", "max_budget_micros": 9_000_000, "budget_type": "daily",
				"start_time": 1_900_000_000, "end_time": 1_900_000_001, "location_ids": []string{"2000043"}})},
			"updated"},
		one{"4.bulk.operation 4.bulk.campaign.update",
			"no field of a campaign", []object{update("campaign.update", "{campaign}", object{})}, "failed"},
		one{"4.bulk.4", "a campaign that is archived by an update",
			[]object{update("campaign.update", "{campaign}", object{"status": "archived"})}, "updated"},
		one{"8.bulk.budget", "an update to 999,999 micros",
			[]object{update("campaign.update", "{campaign}", object{"max_budget_micros": 999_999})}, "failed"},
		one{"8.bulk.names", "an update to a name of 2",
			[]object{update("campaign.update", "{campaign}", object{"name": "ab"})}, "failed"},
		one{"4.bulk.3", "an update of no campaign",
			[]object{update("campaign.update", "cmpn_none", object{"name": "Summer"})}, "failed"},
		one{"4.bulk.3", "an ad updated as a campaign",
			[]object{update("campaign.update", "{ad}", object{"name": "Summer"})}, "failed"},
		one{"4.bulk.3", "an update of what the job creates",
			[]object{newCampaign("c"), update("campaign.update", "op-c", object{"name": "Summer"})}, "failed"},
		one{"4.bulk.ad_group.update", "every input of an ad group update", []object{update("ad_group.update",
			"{group}", object{"name": "Walkers", "description": "Slow", "status": "active",
				"context_hints": []string{"mud"}, "exclusion_hints": []string{"snow"}, "max_bid_micros": 5})},
			"updated"},
		one{"4.bulk.ad_group.update 4.bulk.operation",
			"no field of an ad group", []object{update("ad_group.update", "{group}", object{})}, "failed"},
		one{"4.bulk.6", "a CPM bid of an ad group billed by click",
			[]object{update("ad_group.update", "{group}", object{"max_cpm_bid_micros": 60_000_000})}, "failed"},
		one{"4.bulk.6", "both bids in an update", []object{update("ad_group.update",
			"{group}", object{"max_bid_micros": 5, "max_cpm_bid_micros": 60_000_000})}, "failed"},
		one{"4.bulk.4", "an ad group that is archived by an update",
			[]object{update("ad_group.update", "{group}", object{"status": "archived"})}, "updated"},
		one{"4.bulk.ad.update", "name and status of an ad",
			[]object{update("ad.update", "{ad}", object{"name": "Villain", "status": "active"})}, "updated"},
		one{"4.bulk.ad.update 4.bulk.operation", "no field of an ad",
			[]object{update("ad.update", "{ad}", object{})}, "failed"},
		one{"4.bulk.4", "an ad that is archived by an update",
			[]object{update("ad.update", "{ad}", object{"status": "archived"})}, "updated"},
		one{"4.bulk.8 4.bulk.ad.update", "a whole creative",
			[]object{update("ad.update", "{ad}", object{"creative": bulkCreative()})}, "updated"},
		one{"4.bulk.8", "a creative without a title",
			[]object{update("ad.update", "{ad}", object{"creative": set(bulkCreative(), "title", absent)})}, "failed"},
		one{"4.bulk.8", "a creative without a body",
			[]object{update("ad.update", "{ad}", object{"creative": set(bulkCreative(), "body", absent)})}, "failed"},
		one{"4.bulk.8", "a creative without a target_url", []object{update("ad.update",
			"{ad}", object{"creative": set(bulkCreative(), "target_url", absent)})}, "failed"},
		one{"4.bulk.8", "a creative without a file_id", []object{update("ad.update",
			"{ad}", object{"creative": set(bulkCreative(), "file_id", absent)})}, "failed"},
		one{"facts.archived", "an update of what is archived",
			[]object{update("ad.update", "{old}", object{"name": "Villain"})}, "failed"},
	),
	jobRows("bulk", given(aCampaign), []one{{"8.bulk.budget", "an update to 1,000,000 micros",
		[]object{update("campaign.update", "{campaign}", object{"max_budget_micros": 1_000_000})}, "updated"}}),
	[]Row{
		{
			Rules: "4.bulk.5 1.money", Name: "the defaults of campaign.create",
			Given: given(done(views("c")), results.save("made", "data[0].resource_id")),
			Do:    get("/campaigns/{made}"), Want: gives(is("status", "paused"),
				is("bidding_type", "impressions"), is("budget", object{"lifetime_spend_limit_micros": 1_000_000})),
		},
		{
			Rules: "4.bulk.1 4.bulk.campaign.create", Name: "target_countries are the countries of targeting",
			Given: given(done(input(views("c"), "target_countries", []string{"US", "FR"})),
				results.save("made", "data[0].resource_id")),
			Do: get("/campaigns/{made}"), Want: gives(is("targeting.locations.countries", []string{"US", "FR"})),
		},
		{
			Rules: "4.bulk.8 2.ad.update 2.result.version", Name: "a creative in bulk is reviewed again",
			Given: given(anAd, advance(600), done(update("ad.update", "{ad}", object{"creative": bulkCreative()})),
				results.gives(text("data[0].submitted_version_id"))),
			Do: get("/ads/{ad}"), Want: gives(is("creative.title", "Shoes for ice"), is("review_status", "in_review")),
		},
		{
			Rules: "4.bulk.3", Name: "an update of what is there at the submission", Given: given(
				aCampaign, point("bulk_duration", "60s"),
				submit(job(update("campaign.update", "{campaign}", object{"name": "Summer"}))), advance(60), end()),
			Do: get("/campaigns/{campaign}"), Want: gives(is("name", "Summer")),
		},
		{Rules: "4.bulk.6", Name: "a CPM bid without access", Given: given(without("bulk_cpm"),
			done(views("c"), cpm("g", "c"))), Do: results, Want: gives(is("data[1].status", "failed"))},
		{Rules: "2.ad_group.bidding_config 4.bulk.6", Name: "a click bid of bulk is a fixed bid",
			Given: given(done(newCampaign("c"), newAdGroup("g", "c")), results.save("made", "data[1].resource_id")),
			Do:    get("/ad_groups/{made}"), Want: gives(is("bidding_config.max_bid_micros", 700_000),
				is("bidding_config.billing_event_type", "click"))},
	},
)

// one is a job, and what becomes of its last operation.
type one struct {
	rules, name string
	operations  []object
	status      string
}

func operations(cases ...one) []Row { return jobRows("bulk", nil, cases) }

// updates are jobs in an account with {campaign}, {group}, {ad}, and {old},
// which is archived.
func updates(cases ...one) []Row {
	return jobRows("bulk", given(anAd, post("/ads", ad("Old")).save("old", "id"), act("/ads/{old}/archive")), cases)
}

func jobRows(what string, setup []Step, cases []one) []Row {
	rows := make([]Row, len(cases))
	for i, c := range cases {
		rows[i] = Row{
			Rules: c.rules, Name: what + ": " + c.name, Given: given(setup, done(c.operations...)),
			Do: results, Want: gives(is("data[last].status", c.status)),
		}
	}
	return rows
}

// requiredOfAds are the required inputs of ad.create, each left out.
func requiredOfAds() []Row {
	var cases []one
	for _, name := range []string{"campaign_idempotency_key",
		"ad_group_idempotency_key", "title", "body", "target_url", "source_image_url"} {
		cases = append(cases, one{"4.bulk.ad.create", "an ad without " + name,
			[]object{newCampaign("c"), newAdGroup("g", "c"), input(newAd("a", "c", "g"), name, absent)}, "failed"})
	}
	return operations(cases...)
}

func cpm(key, campaign string) object {
	return input(input(newAdGroup(key, campaign), "max_bid_micros", absent), "max_cpm_bid_micros", 60_000_000)
}

func bulkCreative() object { return set(creative("Shoes for ice"), "type", absent) }
