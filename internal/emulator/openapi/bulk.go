package openapi

var operationTypes = oneOf("campaign.create", "campaign.update",
	"ad_group.create", "ad_group.update", "ad.create", "ad.update")

func bulkRecords() map[string]*Schema {
	return map[string]*Schema{
		"BulkJob": object(
			must("id", text()),
			must("status", oneOf("pending", "in_progress", "completed", "partially_failed", "failed")),
			must("operation_count", integerOf(1, 1000)),
			must("created_at", integer()), must("completed_at", orNull(integer())),
		),
		"BulkResult": object(
			must("operation_id", text()), must("type", operationTypes),
			must("status", oneOf("created", "updated", "validated", "failed", "skipped")),
			must("resource_id", orNull(text())), must("submitted_version_id", orNull(text())),
			must("error_code", orNull(text())), must("error", orNull(text())),
			must("retryable", orNull(boolean())), must("retry_after_seconds", orNull(integer())),
		),
		"BulkResults": object(
			must("object", oneOf("list")), must("data", list(ref("BulkResult"))),
			must("has_more", boolean()), must("complete", boolean()), must("error", orNull(text())),
		),
		"BulkSubmission": object(
			must("operations", listOf(ref("BulkOperation"), 1, 1000)),
			may("validate_only", boolean().says("Default false.")),
			may("partial_failure", boolean().says("Default true.")),
		),
		"BulkOperation": {
			Description: "A wrong input fails its operation, not the job.",
			AnyOf: []*Schema{
				bulkCreate("campaign.create", "BulkCampaignCreate"),
				bulkUpdate("campaign.update", "BulkCampaignUpdate"),
				bulkCreate("ad_group.create", "BulkAdGroupCreate"), bulkUpdate("ad_group.update", "BulkAdGroupUpdate"),
				bulkCreate("ad.create", "BulkAdCreate"), bulkUpdate("ad.update", "BulkAdUpdate"),
			},
		},
		"BulkCampaignCreate": object(
			must("name", name), must("max_budget_micros", budget),
			may("billing_event_type", oneOf("impression", "click")),
			may("budget_type", budgetType), may("status", firstStatus),
			may("target_countries", list(country)), may("location_ids", locationIDs),
		),
		"BulkCampaignUpdate": changes(
			may("name", name), may("description", orNull(text())), may("status", status),
			may("max_budget_micros", budget),
			may("budget_type", budgetType), may("start_time", orNull(unixTime)),
			may("end_time", orNull(unixTime)), may("location_ids", locationIDs),
		),
		"BulkAdCreate": object(
			must("campaign_idempotency_key", id), must("ad_group_idempotency_key", id),
			must("title", adTitle), must("body", adBody),
			must("target_url", target), must("source_image_url", target), may("status", firstStatus),
		),
		"BulkAdUpdate": changes(
			may("name", name), may("status", status),
			may("creative", object(must("title", adTitle),
				must("body", adBody), must("target_url", target), must("file_id", id))),
		),
	}
}

var (
	budgetType  = oneOf("lifetime", "daily")
	locationIDs = listOf(textOf(1, 18), 0, 2500)
	bulkBid     = integerOf(1, 30_400_000_000_000)
)

func bulkCreate(kind, input string) *Schema {
	return object(must("operation_id", id), must("type", oneOf(kind)),
		must("idempotency_key", id), must("input", ref(input)))
}

func bulkUpdate(kind, input string) *Schema {
	return object(must("operation_id", id), must("type", oneOf(kind)),
		must("target_resource_id", id), must("input", ref(input)))
}

var bulkBids = []Field{may("max_bid_micros", bulkBid), may("max_cpm_bid_micros", bulkBid)}

func bulkOperations() map[string]operation {
	return map[string]operation{
		"POST /bulk_mutation_jobs": {
			summary: "Submit a job of 1 to 1,000 creates and updates", status: 202, judgedLater: true,
			body: json1(ref("BulkSubmission")), answer: ref("BulkJob"),
		},
		"GET /bulk_mutation_jobs/{job_id}": {summary: "Read a job", answer: ref("BulkJob"), also: []int{422}},
		"GET /bulk_mutation_jobs/{job_id}/operations": {
			summary: "List the results of a job", answer: ref("BulkResults"), also: []int{422},
			query: []Parameter{query("limit", integerOf(1, 100)),
				query("after", id.says("The operation_id of the last result of the page before."))},
		},
	}
}
