package rules

// Parts 5, 6, 7 and 9.
var rulesOfAccess = []Rule{
	{ID: "5.1", Text: "Reads take an API key, or OAuth with the read scope."},
	{ID: "5.2", Text: "Writes take an API key, or OAuth with both scopes."},
	{ID: "5.3", Text: "POST /api_keys and GET /audit_logs take API keys only."},
	{ID: "5.4", Text: "POST /ad_account_creation_sessions takes OAuth with both scopes only."},
	{ID: "5.5", Text: "GET /me takes OAuth with the read scope only."},
	{ID: "5.6", Text: "A key works in its own account, and no account is selected with it."},
	{ID: "5.7", Text: "A conversion API key is a secret and is shown nowhere again."},
	{ID: "6.types", Text: "Events are order_created, " +
		"lead_created, registration_completed, or custom with custom_event_name."},
	{ID: "6.channel", Text: "Browser events have the api_channel pixel_sdk and the action_source web."},
	{ID: "7.conversion_bidding",
		Text: "A conversions campaign without conversion bidding: 403 that says it is not enabled."},
	{ID: "7.conversion_feature", Text: "Conversion endpoints without the feature: 404, Not found."},
	{ID: "7.bulk_access", Text: "Bulk endpoints without access: 404."},
	{ID: "7.source", Text: "An event setting with a foreign source: Client data source not found."},
	{ID: "7.bulk_key", Text: "A job's key with another body: a conflict."},
	{ID: "7.session_key", Text: "A session's key with another body: rejected."},
	{ID: "7.create_key", Text: "A create's key again: the object that is there, and no other."},
	{ID: "7.below_spend", Text: "A daily limit below recorded spend: rejected."},
	{ID: "7.ambiguous", Text: "A daily save or delete without window_id and with several rules: rejected."},
	{ID: "7.not_postpaid", Text: "Spend limits without postpaid billing: unavailable."},
	{ID: "7.bid", Text: "fixed_bid without a bid, or Maximize Results with one: invalid."},
	{ID: "7.operation", Text: "A failed operation says why, and whether and when to try again."},
	{ID: "7.dependency", Text: "An operation whose dependency failed is skipped."},
	{ID: "7.job", Text: "A failure of the whole job is the listing's error."},
	{ID: "7.success", Text: "Success is 200, or 202 for a bulk job."},
}

// Part 8, and part 9.
var rulesOfLimits = []Rule{
	{ID: "8.bulk.operations", Text: "1 to 1,000 operations in a job."},
	{ID: "8.bulk.body", Text: "16 MiB a bulk body."},
	{ID: "8.bulk.operation", Text: "512 KiB an operation."},
	{ID: "8.bulk.rate", Text: "10 bulk submissions in 10 seconds."},
	{ID: "8.bulk.page", Text: "1 to 100 results a page, 100 by default."},
	{ID: "8.bulk.ids", Text: "operation_id and idempotency_key of up to 255 characters, unique in the job."},
	{ID: "8.campaigns", Text: "5,000 campaigns that are not archived."},
	{ID: "8.ad_groups", Text: "5,000 ad groups that are not archived."},
	{ID: "8.ads", Text: "5,000 ads that are active or paused."},
	{ID: "8.bulk.budget", Text: "1,000,000 micros at least in bulk."},
	{ID: "8.bulk.locations", Text: "2,500 locations a bulk campaign."},
	{ID: "8.bulk.hints", Text: "2,000 context hints an ad group."},
	{ID: "8.bulk.names", Text: "Names of 3 to 1,000 characters in bulk."},
	{ID: "8.ad.title", Text: "Ad titles of 3 to 50 characters."},
	{ID: "8.ad.body", Text: "Ad bodies of up to 100 characters."},
	{ID: "8.ad.target_url", Text: "Target URLs of up to 2,048 characters."},
	{ID: "8.image", Text: "JPEG, PNG or WebP of at least 640 by 640."},
	{ID: "8.conversion_names", Text: "Pixel and conversion key names of 3 to 1,000 characters."},
	{ID: "8.events", Text: "50 events of the last 15 minutes."},
	{ID: "8.key", Text: "Idempotency-Key of 1 to 255 characters."},
	{ID: "8.limit.500", Text: "limit of 1 to 500 on campaigns, audiences, accounts and event settings."},
	{ID: "8.limit.100", Text: "limit of 1 to 100 on audit logs and audience operations."},
	{ID: "8.limit.2000", Text: "limit of 1 to 2,000 on insights."},
	{ID: "8.audience_ids", Text: "500 custom_audience_ids."},
	{ID: "8.operation_id", Text: "Audience operation ids of 1 to 128 characters."},
	{ID: "8.hotel", Text: "50 filters with 2,000 texts; 2,000 ids and items each."},
	{ID: "8.audit_times", Text: "Audit log times of 946684800 to 4102444800."},
	{ID: "9.1", Text: "The version is the segment /v1."},
	{ID: "9.2", Text: "The machine-readable description has the version 2.3.0."},
	{ID: "9.3", Text: "Bulk endpoints are a limited " +
		"preview, there for enabled accounts only. (That the service's description leaves them out " +
		"cannot be asked: it has no address. The emulator's own document has them, as it says what is served.)"},
	{ID: "9.4", Text: "Feed tracking has a new mode and Legacy ordering, which ends by 5 November 2026."},
	{ID: "9.5", Text: "Conversions campaigns are there for standard and product-feed campaigns."},
}

// Published facts that fill open points (service facts, decision 2).
var rulesOfAdditions = []Rule{
	{ID: "facts.ads", Text: "GET /ads lists ads by ad_group_id and name, with the paging of lists."},
	{ID: "facts.insights", Text: "Campaigns, ad groups and ads have insights of their own."},
	{ID: "facts.conversion_insights", Text: "POST /conversions/insights counts conversions of entities."},
	{ID: "facts.pixels", Text: "GET /conversions/pixels lists pixels."},
	{ID: "facts.uploads", Text: "POST /uploads takes audience files."},
	{ID: "facts.geo", Text: "GET /geo_lookup/search finds locations by q, with limit of 1 to 100."},
	{ID: "facts.ad_group_paging", Text: "GET /ad_groups takes limit, after, before and order."},
	{ID: "facts.revision", Text: "Daily limit changes take expected_revision."},
	{ID: "facts.list", Text: "Lists have object, " +
		"data, first_id, last_id and has_more; 20 entries by default, insights also count."},
	{ID: "facts.cursor", Text: "A bad cursor is refused with 400, Invalid pagination cursor."},
	{ID: "facts.errors", Text: "Errors have message, type, param and code; every answer has a request id."},
	{ID: "facts.rates", Text: "600 requests a minute to an endpoint, 1,200 overall; a 429 did nothing."},
	{ID: "facts.campaign", Text: "Campaign creates " +
		"need status and exactly one half of a budget of at least a million micros."},
	{ID: "facts.daily_to_lifetime", Text: "A lifetime budget may become daily, a daily one stays."},
	{ID: "facts.targeting", Text: "Targeting has " +
		"places, excluded places, audiences and platforms; platforms alone may be updated."},
	{ID: "facts.maximize", Text: "maximize_clicks " +
		"and maximize_conversions need a daily budget and an Idempotency-Key."},
	{ID: "facts.archived", Text: "What is archived stays archived."},
	{ID: "facts.title", Text: "A title of an update may have 1 character."},
	{ID: "facts.preview", Text: "A preview is an iframe in data[0].body."},
	{ID: "facts.audiences", Text: "25,000 matched users make an audience usable for inclusion."},
	{ID: "facts.brand", Text: "A brand also has url and favicon_file_id; 403 where it is not enabled."},
	{ID: "facts.windows", Text: "Amounts are whole coins up to 10^15; 60 future windows; no overlaps."},
	{ID: "facts.audit", Text: "Audit logs come newest first, 50 by default, with what changed."},
}
