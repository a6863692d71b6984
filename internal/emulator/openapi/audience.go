package openapi

var (
	countRange = oneOf("none", "under_25k", "25k_100k", "100k_200k", "200k_300k", "300k_400k", "400k_500k", "100k_500k",
		"500k_750k", "750k_1m", "500k_1m", "1m_2m", "2m_3m", "3m_4m", "4m_5m", "1m_5m", "5m_plus")
	identifierType = oneOf("email", "phone", "email_sha256", "phone_number_sha256", "gaid")
	membershipFile = []Field{may("file_id", id),
		may("identifier_type", identifierType), may("identifier_resolution", oneOf("auto"))}
	expectedRevision = integerOf(0, 1<<53)
)

func audienceRecords() map[string]*Schema {
	return map[string]*Schema{
		"CustomAudience": object(
			must("id", text()), must("created_at", integer()), must("updated_at", integer()),
			must("name", text()), must("description", orNull(text())),
			must("status", oneOf("upload_pending", "processing",
				"rockset_ingest_pending", "publishing", "ready", "too_small", "failed", "archived")),
			must("hash_spec_version", text()), must("uploaded_identifier_count_range", countRange),
			must("matched_identifier_count_range", countRange), must("matched_user_count_range", countRange),
			must("invalid_identifier_count_range", countRange), must("membership_revision", integer()),
		),
		"MembershipOperation": object(
			must("operation_id", textOf(1, 128)), must("custom_audience_id", text()),
			must("operation", oneOf("create", "add", "remove", "replace", "merge")),
			must("status", oneOf("processing", "succeeded", "failed")),
		),
		"CustomAudienceCreate": object(append([]Field{
			must("name", name), may("description", orNull(text())), may("filename", id),
			may("mimetype", oneOf("text/csv", "text/plain")), may("file_size", integerOf(1, 500_000_000)),
		}, membershipFile...)...).says("With file_id " +
			"all of the file's description; without it nothing of it, where small audiences are enabled."),
		"MembershipChange": object(append([]Field{
			may("identifiers", listOf(ref("Identifier"), 1, 0)), may("expected_revision", expectedRevision),
		}, membershipFile...)...).says("Exactly one of file_id and identifiers."),
		"MembershipReplacement": object(
			must("file_id", id), may("identifier_type", identifierType), may("identifier_resolution", oneOf("auto")),
			must("expected_revision", expectedRevision),
		),
		"Identifier": object(must("identifier_type", identifierType), must("identifier", text())),
		"CustomAudienceMerge": object(
			must("name", name), may("description", orNull(text())), must("custom_audience_ids", listOf(text(), 2, 64)),
		),
	}
}

const (
	oneAudience  = "/custom_audiences/{custom_audience_id}"
	oneOperation = oneAudience + "/operations/{operation_id}"
)

var granularity = query("matched_count_granularity", oneOf("granular"))

func audienceOperations() map[string]operation {
	return merged(
		map[string]operation{
			"GET /custom_audiences": {
				summary: "List custom audiences", also: []int{409, 422},
				query: append(ordered(500),
					query("intended_use", oneOf("inclusion", "exclusion", "bid_multiplier")),
					query("custom_audience_ids[]", listOf(text(), 0, 500)),
					query("policy_revision", textOf(64, 64)), granularity,
				),
				answer: envelope(ref("CustomAudience"), must("policy_revision", textOf(64, 64))),
			},
			"POST /custom_audiences": {summary: "Create a custom audience",
				body: json1(ref("CustomAudienceCreate")), answer: ref("CustomAudience")},
			"GET " + oneAudience: {summary: "Read a custom audience",
				query: []Parameter{granularity}, answer: ref("CustomAudience")},
			"POST " + oneAudience + "/add": {summary: "Add members",
				body: json1(ref("MembershipChange")), answer: ref("MembershipOperation")},
			"POST " + oneAudience + "/remove": {summary: "Remove members",
				body: json1(ref("MembershipChange")), answer: ref("MembershipOperation")},
			"POST " + oneAudience + "/replace": {summary: "Replace all members",
				body: json1(ref("MembershipReplacement")), answer: ref("MembershipOperation")},
			"POST /custom_audiences/merge": {summary: "Make an independent audience of others",
				body: json1(ref("CustomAudienceMerge")), answer: ref("MembershipOperation")},
			"GET " + oneOperation: {summary: "Read a membership operation",
				answer: ref("MembershipOperation")},
			"GET " + oneAudience + "/operations": {
				summary: "List membership operations",
				query:   []Parameter{query("limit", integerOf(1, 100)), query("cursor", textOf(1, 0))},
				answer: object(must("data", list(ref("MembershipOperation"))),
					must("has_more", boolean()), must("next_cursor", orNull(text()))),
			},
			"POST /uploads": {
				summary: "Upload an audience file: CSV, or one identifier a line", answer: ref("File"),
				body: form(nil, object(must("file", text()), must("purpose", oneOf("custom_audience")))),
			},
		},
		acts(oneAudience, "a custom audience", ref("CustomAudience"), "archive"),
		acts(oneOperation, "a membership operation", ref("MembershipOperation"), "cancel", "resume"),
	)
}
