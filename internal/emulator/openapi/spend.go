package openapi

var amount = integerOf(0, 1_000_000_000_000_000).says("Micros of the account currency.")

func spendRecords() map[string]*Schema {
	return map[string]*Schema{
		"SpendLimits": object(
			must("object", oneOf("list")), must("data", list(ref("SpendLimitWindow"))),
			must("daily_limits", list(ref("DailyLimit"))), must("daily_limit", orNull(ref("DailyLimit"))),
			must("revision", integer()), must("earliest_daily_start_date", date()),
			must("earliest_dated_start_date", orNull(date())),
			must("can_create_daily_limit", boolean()), must("evaluated_at", moment()),
		),
		"SpendLimitWindow": object(
			must("window_id", text()), must("start_date", date()),
			must("end_date", date().says("Exclusive.")), must("amount_micros", integer()),
			must("name", orNull(text())), must("io_id", orNull(text())), must("status", limitStatus),
			must("can_edit", boolean()), must("can_edit_start_date", boolean()), must("can_delete", boolean()),
			may("spent_micros", integer()),
		),
		"DailyLimit": object(
			must("window_id", text()), must("amount_micros", integer()),
			must("start_date", date()), must("end_date", orNull(date())),
			must("timezone", text()), must("status", limitStatus),
			must("spent_micros", orNull(integer())), must("remaining_micros", orNull(integer())),
			must("spend_as_of", orNull(moment())), must("next_reset", orNull(moment())),
		),
		"DeletedWindow": object(
			must("window_id", text()), must("object", oneOf("ad_account_spend_limit_window.deleted")),
			must("deleted", boolean()),
		),
		"DailyLimitChange": object(must("spend_limits", ref("SpendLimits"))),
		"WindowCreate": object(
			must("start_date", date()), must("end_date", date()), must("amount_micros", amount),
			may("name", orNull(limitText)), may("io_id", orNull(limitText)),
		),
		"WindowUpdate": changes(
			may("start_date", date()), may("end_date", date()), may("amount_micros", amount),
			may("name", orNull(limitText)), may("io_id", orNull(limitText)),
		),
		"DailyLimitSave": object(
			must("amount_micros", amount),
			may("window_id", orNull(text()).says("An id edits that rule, null makes one, nothing means the only one.")),
			may("expected_revision", expectedRevision), may("start_date", date()), may("end_date", orNull(date())),
		),
		"DailyLimitDelete": object(may("window_id", textOf(1, 0)), may("expected_revision", expectedRevision)),
	}
}

var limitText = textOf(1, 256)

var limitStatus = oneOf("upcoming", "active", "completed")

func spendOperations() map[string]operation {
	return map[string]operation{
		"GET /ad_account/spend_limit_windows": {summary: "Read the spend limits",
			answer: ref("SpendLimits"), also: []int{422}},
		"POST /ad_account/spend_limit_windows": {summary: "Create a dated window",
			body: json1(ref("WindowCreate")), answer: ref("SpendLimitWindow")},
		"POST /ad_account/spend_limit_windows/{window_id}": {summary: "Change a dated window",
			body: json1(ref("WindowUpdate")), answer: ref("SpendLimitWindow")},
		"POST /ad_account/spend_limit_windows/{window_id}/delete": {summary: "Delete an active or scheduled window",
			answer: ref("DeletedWindow")},
		"POST /ad_account/daily_spend_limit": {summary: "Save a daily rule",
			body: json1(ref("DailyLimitSave")), answer: ref("DailyLimitChange")},
		"POST /ad_account/daily_spend_limit/delete": {summary: "Delete a daily rule",
			body: json1(ref("DailyLimitDelete")), answer: ref("DailyLimitChange")},
	}
}
