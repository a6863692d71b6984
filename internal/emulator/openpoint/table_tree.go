package openpoint

// The points of the campaign tree, bulk jobs, keys, lists and errors.
const (
	ErrorBody            Name = "error_body"
	ConflictStatus       Name = "conflict_status"
	RateLimitHeaders     Name = "rate_limit_headers"
	ExtraFields          Name = "extra_response_fields"
	UnknownEnums         Name = "unknown_enum_values"
	ParentEcho           Name = "parent_id_echoed"
	ListOrder            Name = "list_default_order"
	ListArchived         Name = "list_archived"
	ListLag              Name = "list_visibility_lag"
	ShortPages           Name = "short_pages"
	CursorLife           Name = "cursor_after_write"
	ArrayQuery           Name = "array_query"
	StatusRequired       Name = "create_status_required"
	BiddingTypeRequired  Name = "create_bidding_type_required"
	ArchivedChange       Name = "archived_change"
	ArchivedRepeat       Name = "archive_again"
	StatusRepeat         Name = "status_again"
	ArchivedParent       Name = "create_under_archived"
	TrimNames            Name = "normalise_names"
	SortArrays           Name = "normalise_arrays"
	LowerHost            Name = "normalise_url_host"
	EmptyLists           Name = "normalise_empty_lists"
	NoDescription        Name = "normalise_description"
	DefaultStrategy      Name = "normalise_strategy"
	UnknownLocation      Name = "unknown_location"
	BidCeiling           Name = "max_bid_ceiling_micros"
	KeyTTL               Name = "key_ttl"
	KeyLag               Name = "key_visibility_lag"
	KeyArchived          Name = "key_of_archived"
	KeyBody              Name = "key_with_other_body"
	KeyScopeRoutes       Name = "key_scope_endpoints"
	KeyScopeBulk         Name = "key_scope_bulk"
	KeyValidateOnly      Name = "key_used_by_validate_only"
	BulkDaily            Name = "bulk_budget_type_daily"
	BulkFieldErrors      Name = "bulk_field_errors"
	BulkParentRepeat     Name = "bulk_parent_repeat"
	BulkOrder            Name = "bulk_order"
	BulkDuration         Name = "bulk_duration"
	BulkCompleteLag      Name = "bulk_complete_lag"
	BulkCompletedAt      Name = "bulk_completed_at"
	BulkRetryable        Name = "bulk_retryable"
	BulkRetryAfter       Name = "bulk_retry_after"
	BulkCPMUnit          Name = "bulk_cpm_unit"
	BulkSameBody         Name = "bulk_same_body"
	BulkLocationsReplace Name = "bulk_locations_replace"
	UserExternalID       Name = "user_external_id"
	FormNames            Name = "form_names"
)

var treePoints = []Point{
	{ErrorBody, []string{"nested", "flat", "text", "html"},
		"nested", "shape of an error body: {error:{message,type,param,code}}, {message}, plain text, an HTML page",
		"part 7: the shape of an error response body is not shown"},
	{ConflictStatus, []string{"409", "400", "422"},
		"409", "status code of a conflict", "part 7: status codes of conflicts are not shown"},
	{FormNames, []string{"quoted", "either"}, "quoted",
		"which names of parts and files of a multipart body are read: quoted " +
			"ones alone (RFC 7578), or without quotes too", "part 1: multipart form data is not described further"},
	{RateLimitHeaders, []string{"absent", "present"}, "absent", "whether answers " +
		"carry x-ratelimit-* headers (Retry-After is always on a 429)", "part 8: rate limits are not shown"},
	{ExtraFields, []string{"no", "yes"}, "no", "whether records carry a field that no document names",
		"part 2: complete field lists are not shown"},
	{UnknownEnums, []string{"no", "yes"}, "no", "whether serving_issues " +
		"and review reasons contain values that no document names", "part 2: values of review are not shown"},
	{UserExternalID, []string{"absent", "present"}, "absent", "whether records carry the Idempotency-Key " +
		"of their create as user_external_id, as seen live", "part 2: complete field lists are not shown"},
	{ParentEcho, []string{"yes", "no"}, "yes", "whether ad groups and ads carry campaign_id and ad_group_id",
		"part 2: records as returned are not shown"},
	{ListOrder, []string{"desc", "asc"}, "desc", "order of lists when the request does not say",
		"part 4: values and default of order are not shown"},
	{ListArchived, []string{"yes", "no"}, "yes", "whether lists contain archived objects",
		"part 4: list contents are not shown"},
	{ListLag, []string{"0s", "2s", "60s"}, "0s", "how long a create stays out of lists",
		"part 1: when a create is visible is not shown"},
	{ShortPages, []string{"no", "yes"}, "no", "whether a page may be shorter than limit while has_more is true",
		"part 1: cursor pagination"},
	{CursorLife, []string{"valid", "refused"}, "valid",
		"what a cursor is worth after the list was written to", "part 1: cursor pagination"},
	{ArrayQuery, []string{"both", "brackets"}, "both",
		"whether array parameters may be written without brackets", "part 4: include against include[]"},
	{StatusRequired, []string{"yes", "no"}, "yes",
		"whether creates need status; without it they are paused", "part 2: required fields of creates are not marked"},
	{BiddingTypeRequired, []string{"yes", "no"}, "yes", "whether campaign creates " +
		"need bidding_type; without it: impressions", "part 2 says it must be set, a document says it defaults"},
	{ArchivedChange, []string{"refused", "bad_request", "allowed"},
		"refused", "change of an archived object: conflict, 400, or done", "part 3: source states are not shown"},
	{ArchivedRepeat, []string{"same", "refused"}, "same",
		"archive of an archived object: the object as it is, or a conflict", "part 3: source states are not shown"},
	{StatusRepeat, []string{"same", "refused"}, "same", "activate of an active " +
		"and pause of a paused object: the object as it is, or a conflict", "part 3: source states are not shown"},
	{ArchivedParent, []string{"refused", "allowed"}, "refused", "create under an archived parent", "part 3: not shown"},
	{TrimNames, []string{"kept", "trimmed"}, "kept",
		"blanks around names, titles and bodies", "part 2: normalisation is not shown"},
	{SortArrays, []string{"kept", "sorted"}, "kept",
		"order of country, location, platform and hint lists", "part 2: normalisation is not shown"},
	{LowerHost, []string{"kept", "lowered"}, "kept",
		"case of the host in target_url", "part 2: normalisation is not shown"},
	{EmptyLists, []string{"kept", "dropped"}, "kept", "whether records carry context_hints " +
		"and conversion_event_setting_ids when they are empty", "part 2: normalisation is not shown"},
	{NoDescription, []string{"null", "empty"}, "null",
		"a description that was never set", "part 2: defaulted fields are not shown"},
	{DefaultStrategy, []string{"shown", "left_out"}, "shown", "whether bidding_config " +
		"carries strategy when it is fixed_bid, the default", "part 2: defaulted fields are not shown"},
	{UnknownLocation, []string{"accepted", "refused"},
		"accepted", "location ids outside the emulator's sample catalogue", "part 2: location ids are not shown"},
	{BidCeiling, []string{"30400000000000", "100000000"}, "30400000000000",
		"largest max_bid_micros; two versions of the description differ", "part 2: bounds are not shown"},
	{KeyTTL, []string{"never", "24h", "1h", "30m"},
		"never", "how long a create's key is known", "part 1: when a prior create is visible is not shown"},
	{KeyLag, []string{"0s", "5s", "60s"}, "0s", "how long after a create its key is not yet known",
		"part 1: when a prior create is visible is not shown"},
	{KeyArchived, []string{"returned", "created", "refused"},
		"returned", "a key whose object is archived: that object, a new one, or a conflict", "part 1: not shown"},
	{KeyBody, []string{"returned", "refused"}, "returned",
		"a create's key with another body: the first object, or a conflict", "part 1: not shown"},
	{KeyScopeRoutes, []string{"endpoint", "account"},
		"endpoint", "whether one key on two kinds of creates is two keys, or a conflict", "part 1: not shown"},
	{KeyScopeBulk, []string{"separate", "shared"}, "separate", "whether Idempotency-Key " +
		"of a single create and idempotency_key of a bulk operation are one space", "part 4, bulk rule 10: not shown"},
	{KeyValidateOnly, []string{"yes", "no"}, "yes",
		"whether a validate_only job takes its Idempotency-Key", "part 4, bulk rule 10: not shown"},
	{BulkDaily, []string{"accepted", "refused"}, "accepted",
		"budget_type daily in bulk jobs", "part 4, bulk rule 5: only lifetime appears"},
	{BulkFieldErrors, []string{"operation", "submission"},
		"operation", "a wrong input field fails its operation, or the whole submission", "part 4: not shown"},
	{BulkParentRepeat, []string{"reuse", "stray"}, "reuse", "a repeated create key of a parent gives the " +
		"same object, or a new one", "part 4, bulk rule 10: successful creates are reused when keys are kept"},
	{BulkOrder, []string{"listed", "by_type", "reverse"},
		"listed", "order in which operations run; parents always first", "part 4: not shown"},
	{BulkDuration, []string{"0s", "3s", "60s"}, "0s",
		"how long a job takes from submission to its end", "part 4: not shown"},
	{BulkCompleteLag, []string{"0s", "2s", "30s"},
		"0s", "how long after the terminal status complete turns true", "part 4, bulk rule 11: not shown"},
	{BulkCompletedAt, []string{"set", "null"}, "set", "completed_at of a terminal job", "part 2: integer or null"},
	{BulkRetryable, []string{"set", "null"}, "set", "retryable of a failed operation", "part 2: boolean or null"},
	{BulkRetryAfter, []string{"null", "0", "30", "86400"},
		"null", "retry_after_seconds of a retryable failure", "part 2: integer or null"},
	{BulkCPMUnit, []string{"per_thousand", "per_impression"}, "per_thousand", "what max_cpm_bid_micros " +
		"counts; the record's max_bid_micros is per single impression", "part 4, bulk rule 6: unit is not shown"},
	{BulkSameBody, []string{"bytes", "json"}, "bytes",
		"when two bodies under one job key are the same", "part 4, bulk rule 10: not shown"},
	{BulkLocationsReplace, []string{"locations", "ids"},
		"ids", "location_ids of campaign.update replace the ids only, or the countries as well", "part 4: not shown"},
}
