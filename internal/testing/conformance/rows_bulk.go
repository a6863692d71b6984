package conformance

import (
	"fmt"
	"strings"
)

const jobs = "/bulk_mutation_jobs"

// rowsOfJobs are bulk jobs as a whole: submission, states, results, keys.
var rowsOfJobs = concat(
	[]Row{
		{
			Rules: "4.bulk.submit 2.job 3.job.pending 7.success 1.mutations", Name: "a submission gives a pending job",
			Given: given(point("bulk_duration", "60s")), Do: submit(job(newCampaign("c"))),
			Want: accepted(text("id"), is("status", "pending"),
				is("operation_count", 1), integer("created_at", 946684800), is("completed_at", nil)),
			Then: given(get(jobs+"/{job}").gives(is("id", "{job}"), is("operation_count", 1))),
		},
		{
			Rules: "3.job.completed 3.result.created 2.job 4.bulk.2", Name: "a whole tree is created",
			Given: given(submit(job(newCampaign("c"), newAdGroup("g", "c"), newAd("a", "c", "g")))),
			Do:    end(), Want: gives(is("status", "completed"), integer("completed_at", 946684800)),
			Then: given(results.gives(every("data", "status", "created"),
				is("data[0].type", "campaign.create"), is("data[2].type", "ad.create"))),
		},
		{Rules: "3.job.in_progress", Name: "operations are being processed",
			Given: given(point("bulk_duration", "60s"), submit(job(newCampaign("c"))), advance(30)),
			Do:    begun(), Want: gives(is("status", "in_progress"), is("completed_at", nil))},
		{
			Rules: "7.job 2.listing", Name: "a job that fails as a whole says so in its listing",
			Given: given(post("/_emulator/faults", object{"faults": []object{{"action": object{
				"job": object{"do": "job_error", "message": "The job was lost."}}}}}), submit(job(newCampaign("c")))),
			Do: end(), Want: gives(is("status", "failed")),
			Then: given(results.gives(is("error", "The job was lost."))),
		},
		{Rules: "3.job.partially_failed", Name: "one of two operations fails", Given: given(submit(job(newCampaign("c"),
			bad(newCampaign("d"))))), Do: end(), Want: gives(is("status", "partially_failed"))},
		{Rules: "3.job.partially_failed", Name: "one succeeds and one is skipped with its parent",
			Given: given(submit(job(newCampaign("c"), bad(newCampaign("d")), newAdGroup("g", "d")))),
			Do:    end(), Want: gives(is("status", "partially_failed"))},
		{Rules: "3.job.failed", Name: "nothing succeeds", Given: given(submit(job(bad(newCampaign("c")),
			newAdGroup("g", "c")))), Do: end(), Want: gives(is("status", "failed"))},
		{
			Rules: "2.listing 2.result 2.result.version 4.bulk.results", Name: "the results of a tree",
			Given: done(newCampaign("c"), newAdGroup("g", "c"), newAd("a", "c", "g")),
			Do:    results,
			Want: gives(is("object", "list"), count("data", 3),
				is("has_more", false), is("complete", true), is("error", nil), is("data[0].operation_id", "op-c"),
				text("data[0].resource_id"), is("data[0].submitted_version_id", nil),
				is("data[1].submitted_version_id", nil), text("data[2].submitted_version_id"),
				is("data[0].error_code", nil), is("data[0].error", nil),
				is("data[0].retryable", nil), is("data[0].retry_after_seconds", nil)),
		},
		{
			Rules: "7.operation 3.result.failed 2.result",
			Name:  "a failed operation says why", Given: done(bad(newCampaign("c"))), Do: results,
			Want: gives(is("data[0].status", "failed"), is("data[0].resource_id", nil), text("data[0].error_code"),
				text("data[0].error"), is("data[0].retryable", false), has("data[0].retry_after_seconds")),
		},
		{Rules: "7.operation", Name: "an image host that is down may be tried again", Given: done(newCampaign("c"),
			newAdGroup("g", "c"), input(newAd("a", "c", "g"), "source_image_url", "http://127.0.0.1:1/a.png")),
			Do: results, Want: gives(is("data[2].status", "failed"), is("data[2].retryable", true))},
		{Rules: "7.dependency 3.result.skipped", Name: "what depends on a failure is skipped",
			Given: done(bad(newCampaign("c")), newAdGroup("g", "c"), newAd("a", "c", "g")),
			Do:    results, Want: gives(is("data[0].status", "failed"),
				is("data[1].status", "skipped"), is("data[2].status", "skipped"))},
		{
			Rules: "4.bulk.validate_only 3.result.validated", Name: "validate_only changes nothing",
			Alone: true, Given: given(submit(dry(newCampaign("c"), newAdGroup("g", "c"))), end()),
			Do: results, Want: gives(every("data", "status", "validated"), every("data", "resource_id", nil)),
			Then: given(get("/campaigns").gives(count("data", 0))),
		},
		{Rules: "4.bulk.validate_only", Name: "validate_only finds a wrong field",
			Given: given(submit(dry(bad(newCampaign("c")))), end()),
			Do:    results, Want: gives(is("data[0].status", "failed"))},
		{Rules: "4.bulk.validate_only", Name: "validate_only finds a missing parent",
			Given: given(submit(dry(newAdGroup("g", "none"))), end()),
			Do:    results, Want: gives(is("data[0].status", "failed"))},
		{Rules: "4.bulk.9", Name: "validate_only does not look for the target",
			Given: given(submit(dry(update("campaign.update", "cmpn_none", object{"name": "Summer"}))), end()),
			Do:    results, Want: gives(is("data[0].status", "validated"))},
		{Rules: "4.bulk.9", Name: "validate_only does not fetch images",
			Given: given(submit(dry(newCampaign("c"), newAdGroup("g", "c"),
				input(newAd("a", "c", "g"), "source_image_url", "https://images.example.com/missing/a.png"))), end()),
			Do: results, Want: gives(is("data[2].status", "validated"))},
		{Rules: "4.bulk.9", Name: "validate_only does not count entities",
			Given: given(feature("max_campaigns", 1), aCampaign, submit(dry(newCampaign("c"))), end()),
			Do:    results, Want: gives(is("data[0].status", "validated"))},
		{
			Rules: "4.bulk.partial_failure", Name: "by default operations go on after a failure",
			Given: done(newCampaign("a"), bad(newCampaign("b")), newCampaign("c")),
			Do:    results, Want: gives(is("data[0].status", "created"),
				is("data[1].status", "failed"), is("data[2].status", "created")),
		},
		{
			Rules: "4.bulk.partial_failure 3.result.skipped",
			Name:  "without partial_failure the rest is skipped and nothing is rolled back",
			Given: given(submit(set(job(newCampaign("a"), bad(newCampaign("b")), newCampaign("c")),
				"partial_failure", false)), end()),
			Do: results.save("made", "data[0].resource_id"), Want: gives(is("data[0].status", "created"),
				is("data[1].status", "failed"), is("data[2].status", "skipped")),
			Then: given(get("/campaigns/{made}").gives(is("name", "Bulk a"))),
		},
		{Rules: "4.bulk.10", Name: "the same key and body give the job again",
			Given: given(submit(job(newCampaign("c"))).keyed("j"), end()),
			Do:    post(jobs, job(newCampaign("c"))).keyed("j"), Want: accepted(is("id", "{job}"))},
		{Rules: "4.bulk.10 7.bulk_key", Name: "the same key with another body",
			Given: given(submit(job(newCampaign("c"))).keyed("j"), end()),
			Do:    post(jobs, job(newCampaign("d"))).keyed("j"), Want: conflict()},
		{
			Rules: "4.bulk.10", Name: "a new job key reuses what succeeded",
			Alone: true, Given: given(submit(job(newCampaign("c"), newAdGroup("g", "c"),
				input(newAd("a", "c", "g"), "source_image_url", "http://127.0.0.1:1/a.png"))).keyed("j"),
				end(), results.save("first", "data[0].resource_id").save("group", "data[1].resource_id"),
				submit(job(newCampaign("c"), newAdGroup("g", "c"),
					input(newAd("a", "c", "g"), "source_image_url", "http://127.0.0.1:1/a.png"))).keyed("k"), end()),
			Do: results, Want: gives(is("data[0].status", "created"),
				is("data[0].resource_id", "{first}"), is("data[1].resource_id", "{group}")),
			Then: given(get("/campaigns").gives(count("data", 1))),
		},
		{Rules: "8.key", Name: "a job key of 255",
			Do: post(jobs, job(newCampaign("c"))).keyed(runID + ascii(250)), Want: accepted()},
		{Rules: "8.key", Name: "a job key of 256",
			Do: post(jobs, job(newCampaign("c"))).keyed(ascii(256)), Want: answers(400, 422)},
		{Rules: "4.bulk.11", Name: "no cursor before the end",
			Given: given(point("bulk_duration", "60s"), submit(job(newCampaign("c"), newCampaign("d")))),
			Do:    get(jobs + "/{job}/operations?after=op-c"), Want: answers(400, 409, 422)},
		{Rules: "4.bulk.11", Name: "a listing before the end is no complete one",
			Given: given(point("bulk_duration", "60s"), submit(job(newCampaign("c"), newCampaign("d")))),
			Do:    results, Want: gives(is("object", "list"), is("complete", false))},
		{
			Rules: "4.bulk.11 8.bulk.page", Name: "pages of results go on from the last operation_id",
			Given: done(newCampaign("a"), newCampaign("b"), newCampaign("c")),
			Do:    get(jobs + "/{job}/operations?limit=2"),
			Want:  gives(count("data", 2), is("has_more", true), is("data[1].operation_id", "op-b")),
			Then: given(get(jobs+"/{job}/operations?limit=2&after=op-b").gives(count("data", 1),
				is("has_more", false), is("data[0].operation_id", "op-c"))),
		},
		{Rules: "4.bulk.11", Name: "a cursor that is no operation",
			Given: done(newCampaign("a")), Do: get(jobs + "/{job}/operations?after=none"), Want: answers(400)},
		{Rules: "8.bulk.page 4.bulk.results", Name: "100 results when nothing is said", Alone: true,
			Given: done(campaigns(101)...), Do: results, Want: gives(count("data", 100), is("has_more", true))},
		{Rules: "7.bulk_access 9.3", Name: "a submission without access",
			Given: given(without("bulk")), Do: post(jobs, job(newCampaign("c"))), Want: notFound()},
		{Rules: "7.bulk_access", Name: "a job without access",
			Given: given(submit(job(newCampaign("c"))), without("bulk")), Do: get(jobs + "/{job}"), Want: notFound()},
		{Rules: "7.bulk_access", Name: "results without access",
			Given: given(submit(job(newCampaign("c"))), without("bulk")), Do: results, Want: notFound()},
		{Rules: "4.bulk.submit", Name: "a job of nobody",
			Do: get(jobs + "/blkmtnjob_00000000"), Want: answers(404, 422)},
		{Rules: "5.6", Name: "a job of another account",
			Given: given(submit(job(newCampaign("c")))), Do: get(jobs + "/{job}").as(other), Want: notFound()},
	},
	queries("results: limit", done(newCampaign("a")), jobs+"/{job}/operations",
		query{"8.bulk.page", "of 0", "?limit=0", invalid("limit")},
		query{"8.bulk.page", "of 1", "?limit=1", gives()},
		query{"8.bulk.page", "of 100", "?limit=100", gives()},
		query{"8.bulk.page", "of 101", "?limit=101", invalid("limit")},
	),
	fields("submit", nil, post(jobs, job(newCampaign("c"))),
		field{"4.bulk.operations 8.bulk.operations", "no operation", "operations", []object{}, invalid("operations")},
		field{"4.bulk.operations", "without operations", "operations", absent, invalid("operations")},
		field{"8.bulk.operations", "1,001 operations", "operations", campaigns(1001), invalid("operations")},
		field{"4.bulk.operations", "an unknown field", "dry_run", true, invalid("dry_run")},
		field{"4.bulk.operations", "an unknown type",
			"operations", []object{create("campaign.delete", "c", object{})}, answers(400, 422)},
		field{"4.bulk.operation", "without operation_id",
			"operations", []object{set(newCampaign("c"), "operation_id", absent)}, answers(400, 422)},
		field{"4.bulk.operation", "without input",
			"operations", []object{set(newCampaign("c"), "input", absent)}, answers(400, 422)},
		field{"4.bulk.operation", "a create without a key",
			"operations", []object{set(newCampaign("c"), "idempotency_key", absent)}, answers(400, 422)},
		field{"4.bulk.operation", "an update without a target", "operations", []object{
			set(update("ad.update", "none", object{"name": "New"}), "target_resource_id", absent)}, answers(400, 422)},
		field{"8.bulk.ids 4.bulk.operation", "an id twice",
			"operations", []object{newCampaign("c"), set(newCampaign("d"), "operation_id", "op-c")}, answers(400, 422)},
		field{"8.bulk.ids 4.bulk.operation", "a key twice", "operations",
			[]object{newCampaign("c"), set(newCampaign("d"), "idempotency_key", runID+"c")}, answers(400, 422)},
		field{"8.bulk.ids", "an id and a key of 255", "operations", []object{
			set(set(newCampaign("c"), "operation_id", chars(255)), "idempotency_key", chars(255))}, accepted()},
		field{"8.bulk.ids", "an id of 256", "operations",
			[]object{set(newCampaign("c"), "operation_id", chars(256))}, answers(400, 422)},
		field{"8.bulk.ids", "a key of 256", "operations",
			[]object{set(newCampaign("c"), "idempotency_key", chars(256))}, answers(400, 422)},
		field{"4.bulk.3", "a resource updated twice",
			"operations", []object{update("ad.update", "ad_x", object{"name": "New"}),
				set(update("ad.update", "ad_x", object{"status": "paused"}), "operation_id", "again")},
			answers(400, 422)},
		field{"8.bulk.operation", "an operation of 512 KiB", "operations", []object{sized(512 << 10)}, accepted()},
		field{"8.bulk.operation", "an operation of 512 KiB and a byte",
			"operations", []object{sized(512<<10 + 1)}, answers(400, 413, 422)},
	),
	[]Row{
		{Rules: "8.bulk.operations", Name: "submit: 1,000 operations",
			Alone: true, Do: post(jobs, job(campaigns(1000)...)), Want: accepted(is("operation_count", 1000))},
		{Rules: "8.bulk.body", Name: "a body of 16 MiB is read",
			Do: post(jobs, padded(16<<20)), Want: invalid("operations")},
		{Rules: "8.bulk.body", Name: "a body of 16 MiB and a byte", Do: post(jobs, padded(16<<20+1)), Want: tooLarge()},
	},
)

func dry(operations ...object) object { return set(job(operations...), "validate_only", true) }

// input is an operation with one input changed.
func input(operation object, name string, value any) object {
	return set(operation, "input."+name, value)
}

// bad is a create whose name is too short.
func bad(operation object) object { return input(operation, "name", "x") }

func campaigns(n int) []object {
	all := make([]object, n)
	for i := range all {
		all[i] = newCampaign(fmt.Sprint("k", i))
	}
	return all
}

// sized is an operation of n bytes.
func sized(n int) object {
	empty, _ := write(input(newCampaign("c"), "name", ""))
	return input(newCampaign("c"), "name", ascii(n-len(empty)))
}

// padded is a job without operations in n bytes.
func padded(n int) []byte {
	return []byte(`{"operations":[` + strings.Repeat(" ", n-len(`{"operations":[]}`)) + `]}`)
}
