package conformance

// rowsOfAccounts are part 4, ad account and audit logs.
var rowsOfAccounts = concat(
	[]Row{
		{Rules: "3.account.activate facts.errors", Name: "the account", Do: get("/ad_account"), Want: gives(is("id", "{account}"), oneOf("status", "active", "paused"), text("timezone"), text("currency_code"), has("name", "legal_name", "account_name", "brand_name", "url", "review.status"))},
		{Rules: "4.account.list 5.6", Name: "a key's accounts are its own", Do: get("/ad_accounts"), Want: gives(is("object", "list"), count("data", 1), is("data[0].id", "{account}"), is("has_more", false))},
		{Rules: "4.account.list", Name: "a user's accounts, page by page", Given: given(signIn(readScope), get("/ad_accounts?limit=1").as("token").gives(count("data", 1), is("has_more", true)).save("cursor", "last_id")), Do: get("/ad_accounts?limit=1&after={cursor}").as("token"), Want: gives(count("data", 1), not("data[0].id", "{cursor}"), is("has_more", false))},
		{Rules: "4.account.brand", Name: "name sets all three names", Do: post("/ad_account/brand", object{"name": "Acme"}), Want: gives(is("id", "{account}"), is("legal_name", "Acme"), is("account_name", "Acme"), is("brand_name", "Acme"))},
		{Rules: "4.account.brand", Name: "brand_name alone", Given: given(post("/ad_account/brand", object{"name": "Acme"})), Do: post("/ad_account/brand", object{"brand_name": "Roadrunner"}), Want: gives(is("legal_name", "Acme"), is("account_name", "Acme"), is("brand_name", "Roadrunner"))},
		{Rules: "4.account.brand", Name: "legal_name and account_name", Given: given(post("/ad_account/brand", object{"name": "Acme"})), Do: post("/ad_account/brand", object{"legal_name": "Acme Inc.", "account_name": "Main"}), Want: gives(is("legal_name", "Acme Inc."), is("account_name", "Main"), is("brand_name", "Acme"))},
		{Rules: "4.account.brand", Name: "name with brand_name", Do: post("/ad_account/brand", object{"name": "Acme", "brand_name": "Acme"}), Want: answers(400, 422)},
		{Rules: "4.account.brand", Name: "name with legal_name", Do: post("/ad_account/brand", object{"name": "Acme", "legal_name": "Acme"}), Want: answers(400, 422)},
		{Rules: "4.account.brand", Name: "name with account_name", Do: post("/ad_account/brand", object{"name": "Acme", "account_name": "Acme"}), Want: answers(400, 422)},
		{Rules: "4.account.brand", Name: "no name at all", Do: post("/ad_account/brand", object{}), Want: answers(400, 422)},
		{Rules: "facts.brand", Name: "the brand's address", Do: post("/ad_account/brand", object{"url": "https://acme.example.com"}), Want: gives(is("url", "https://acme.example.com"))},
		{Rules: "facts.brand", Name: "the brand's icon", Given: given(post("/upload", form{"purpose", "account_favicon", "file", pngOf(256, 256)}).save("icon", "file_id")), Do: post("/ad_account/brand", object{"favicon_file_id": "{icon}"}), Want: gives(text("preview_url"))},
		{Rules: "facts.brand", Name: "a brand where it is not enabled", Given: given(without("brand")), Do: post("/ad_account/brand", object{"name": "Acme"}), Want: forbidden()},
	},
	limits("ad_accounts", nil, "/ad_accounts", 500),
	limits("audit_logs", nil, "/audit_logs", 100),
	queries("audit logs", aHistory, "/audit_logs",
		query{"4.audit.campaign_id", "of a campaign, its ad groups and ads", "?campaign_id={campaign}&limit=100", gives(some("data", "obj_id", "{campaign}"), some("data", "obj_id", "{group}"), some("data", "obj_id", "{ad}"), none("data", "obj_id", "{second}"))},
		query{"4.audit.ad_group_id", "of an ad group and its ads", "?ad_group_id={group}", gives(some("data", "obj_id", "{group}"), some("data", "obj_id", "{ad}"), none("data", "obj_id", "{campaign}"))},
		query{"4.audit.ad_id", "of an ad", "?ad_id={ad}", gives(every("data", "obj_id", "{ad}"))},
		query{"4.audit.actor_id", "of an actor", "?actor_id={actor}", gives(every("data", "actor_id", "{actor}"))},
		query{"4.audit.actor_id", "of nobody", "?actor_id=nobody", gives(count("data", 0))},
		query{"4.audit.time", "from a second on, inclusive", "?start_time={now}", gives(every("data", "obj_id", "{second}"))},
		query{"4.audit.time", "to a second, inclusive", "?end_time={now}&limit=100", gives(some("data", "obj_id", "{second}"))},
		query{"4.audit.time", "to the second before", "?end_time={now-1}&limit=100", gives(none("data", "obj_id", "{second}"), some("data", "obj_id", "{ad}"))},
		query{"4.audit.limit", "a page", "?limit=1", gives(count("data", 1), is("has_more", true))},
		query{"4.audit.limit", "oldest first", "?order=asc&limit=1&campaign_id={campaign}", gives(is("data[0].obj_id", "{campaign}"))},
		query{"4.audit.limit", "an unknown order", "?order=up", invalid("order")},
		query{"4.audit.limit", "both cursors", "?after=a&before=b", answers(400)},
		query{"facts.cursor 4.audit.limit", "a cursor of nothing", "?after=none", answers(400).and(says("Invalid pagination cursor"))},
		query{"facts.audit", "newest first", "?limit=1", gives(is("data[0].obj_id", "{second}"))},
		query{"facts.audit", "what changed", "?ad_id={ad}&limit=1", gives(is("data[0].obj_type", "Ad"), is("data[0].changes.name.before", "Hero"), is("data[0].changes.name.after", "Villain"), has("data[0].audit_log_type", "data[0].item_name", "data[0].actor_type", "data[0].hierarchy_info"), integer("data[0].ts", 946684800))},
	),
	queries("audit logs", nil, "/audit_logs",
		query{"8.audit_times 4.audit.time", "start_time of 946684800", "?start_time=946684800", gives()},
		query{"8.audit_times 4.audit.time", "start_time of 946684799", "?start_time=946684799", invalid("start_time")},
		query{"8.audit_times 4.audit.time", "end_time of 4102444800", "?end_time=4102444800", gives()},
		query{"8.audit_times 4.audit.time", "end_time of 4102444801", "?end_time=4102444801", invalid("end_time")},
	),
	[]Row{
		{Rules: "facts.audit", Name: "50 audit logs when nothing is said", Given: given(post("/campaigns", campaign("Row {n}")).times(51)), Do: get("/audit_logs"), Want: gives(count("data", 50), is("has_more", true))},
		{
			Rules: "4.audit.limit 1.paging", Name: "pages of audit logs", Given: given(aHistory, get("/audit_logs?limit=2").save("cursor", "last_id")),
			Do: get("/audit_logs?limit=1&after={cursor}").save("next", "first_id"), Want: gives(count("data", 1), not("data[0].id", "{cursor}")),
			Then: given(get("/audit_logs?limit=1&before={next}").gives(is("data[0].id", "{cursor}"))),
		},
		{Rules: "5.6", Name: "audit logs of another account", Given: given(aCampaign), Do: get("/audit_logs").as(other), Want: gives(none("data", "obj_id", "{campaign}"))},
	},
)

// aHistory is a tree whose ad was renamed and, a minute later, another campaign
// {second}; {actor} is who did it.
var aHistory = given(
	anAd, post("/ads/{ad}", object{"name": "Villain"}), advance(60), post("/campaigns", campaign("Summer")).save("second", "id"),
	get("/audit_logs?limit=1").save("actor", "data[0].actor_id"),
)
