package openapi

var accountName = textOf(1, 1000)

func accountRecords() map[string]*Schema {
	return map[string]*Schema{
		"AdAccount": object(
			must("id", text()), must("name", text()), must("legal_name", text()),
			must("account_name", text()), must("brand_name", text()),
			must("url", text()), must("preview_url", orNull(text())), must("status", status), must("timezone", text()),
			must("currency_code", textOf(3, 3)), may("origin_country_code", country),
			must("review", ref("BrandReview")),
			must("account_integrity_review", object(must("review", ref("BrandReview")))),
		),
		"BrandReview": object(must("status", oneOf("in_review", "approved", "rejected")), may("reason", text())),
		"BrandUpdate": changes(
			may("name", accountName.says("All three names; it cannot be combined with them.")),
			may("legal_name", accountName), may("account_name", accountName), may("brand_name", accountName),
			may("url", target), may("favicon_file_id", id),
		),
		"AuditLog": object(
			must("id", text()), must("audit_log_type", text()), must("obj_type", text()), must("obj_id", text()),
			must("item_name", orNull(text())), must("actor_type", oneOf("api_key", "user", "system")),
			must("actor_id", orNull(text())),
			must("campaign_id", orNull(text())), must("ad_group_id", orNull(text())),
			must("changes", object(must("obj_type", text())).with(ref("FieldChange"))),
			must("hierarchy_info", object(
				must("ad_account_id", text()), must("campaign_id", orNull(text())), must("ad_group_id", orNull(text())),
			)),
			must("ts", orNull(integer())),
		),
		"FieldChange": object(must("before", anything()), must("after", anything())),
		"CreatedKey": object(
			must("api_key", text().says("The secret; it is shown here and never again.")),
			must("api_organization_id", text()),
			must("service_account_id", text()), must("key_name", orNull(text())), must("created_at", integer()),
		),
		"CreationSession": object(
			must("id", text()), must("object", oneOf("ad_account_creation_session")),
			must("status", oneOf("open", "completed", "expired")),
			must("url", address()), must("created_at", integer()), must("expires_at", integer()),
			must("completed_at", orNull(integer())), must("ad_account_id", orNull(text())),
		),
		"User": object(must("id", text())),
	}
}

func accountOperations() map[string]operation {
	return merged(
		map[string]operation{
			"GET /ad_account": {summary: "Read the ad account", answer: ref("AdAccount")},
			"GET /ad_accounts": {summary: "List the ad accounts that can be reached",
				query: page(500), answer: envelope(ref("AdAccount"))},
			"POST /ad_account/brand": {summary: "Change names and brand",
				body: json1(ref("BrandUpdate")), answer: ref("AdAccount")},
			"GET /audit_logs": {
				summary: "List audit logs", answer: envelope(ref("AuditLog")),
				query: append(ordered(100),
					query("campaign_id", id), query("ad_group_id", id), query("ad_id", id), query("actor_id", id),
					query("start_time", unixTime), query("end_time", unixTime),
				),
			},
		},
		acts("/ad_account", "the ad account", ref("AdAccount"), "activate", "pause"),
	)
}

func identityOperations() map[string]operation {
	return map[string]operation{
		"POST /api_keys": {
			summary: "Create an API key of the ad account", answer: ref("CreatedKey"),
			body: json1(object(may("key_name", accountName),
				may("name", accountName)).says("key_name, or name where the open point says so.")),
		},
		"POST /ad_account_creation_sessions": {
			summary: "Start hosted ad account creation", answer: ref("CreationSession"),
			body: json1(object(
				must("account_name", accountName), may("currency_code", textOf(3, 3)),
				may("timezone", textOf(1, 100)), may("return_url", target),
			)),
		},
		"GET /me": {summary: "Read the user's identifier", answer: ref("User")},
	}
}
