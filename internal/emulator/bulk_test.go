package emulator_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

func job(ops ...object) object { return object{"operations": ops} }

func op(kind, key string, input object) object {
	return object{"operation_id": "op-" + key, "type": kind, "idempotency_key": key, "input": input}
}

func change(kind, target string, input object) object {
	return object{"operation_id": "op-" + target, "type": kind, "target_resource_id": target, "input": input}
}

func campaignOp(key string) object {
	return op("campaign.create", key, object{
		"name": "Bulk " + key, "max_budget_micros": 5_000_000, "billing_event_type": "click",
	})
}

func adGroupOp(key, campaign string) object {
	return op("ad_group.create", key, object{
		"campaign_idempotency_key": campaign, "name": "Bulk " + key, "max_bid_micros": 700_000,
	})
}

func adOp(key, campaign, group string) object {
	return op("ad.create", key, object{
		"campaign_idempotency_key": campaign, "ad_group_idempotency_key": group, "title": "Bulk " + key, "body": "",
		"target_url": "https://shop.example/" + key, "source_image_url": "https://images.example/" + key + ".png",
	})
}

// runJob submits operations, waits for the end, and gives the results by operation.
func (w *tree) runJob(t *testing.T, ops ...object) []map[string]any {
	t.Helper()
	return runBody(t, w.Service, job(ops...))
}

func runBody(t *testing.T, s *emulatortest.Service, body object, headers ...string) []map[string]any {
	t.Helper()
	got := s.Must(t, "POST", "/bulk_mutation_jobs", body, headers...)
	if got.Status != 202 {
		t.Fatalf("submit = %d, want 202", got.Status)
	}
	id := got.ID(t)
	s.JobEnd(t, id)
	return results(t, s, id)
}

func results(t *testing.T, s *emulatortest.Service, id string) (all []map[string]any) {
	t.Helper()
	after := ""
	for {
		m := s.Must(t, "GET", "/bulk_mutation_jobs/"+id+"/operations"+after, nil).Map(t)
		for _, r := range m["data"].([]any) {
			all = append(all, r.(map[string]any))
		}
		if m["has_more"] != true {
			return all
		}
		after = fmt.Sprintf("?after=%s", all[len(all)-1]["operation_id"])
	}
}

func outcome(r map[string]any) string {
	if r["error_code"] == nil {
		return fmt.Sprint(r["status"])
	}
	return fmt.Sprint(r["status"], " ", r["error_code"])
}

func TestAJobMakesATree(t *testing.T) {
	w := &tree{Service: emulatortest.Start(t)}
	all := w.runJob(t, campaignOp("c"), adGroupOp("g", "c"), adOp("a", "c", "g"))
	for i, kind := range []string{"campaign.create", "ad_group.create", "ad.create"} {
		if all[i]["type"] != kind || all[i]["status"] != "created" ||
			all[i]["resource_id"] == nil || all[i]["retryable"] != nil {
			t.Errorf("result %d = %v, want %s created", i, all[i], kind)
		}
		if version := all[i]["submitted_version_id"]; (version != nil) != (kind == "ad.create") {
			t.Errorf("%s has submitted_version_id %v", kind, version)
		}
	}
	campaign := w.Must(t, "GET", fmt.Sprint("/campaigns/", all[0]["resource_id"]), nil).Map(t)
	if campaign["bidding_type"] != "clicks" || campaign["status"] != "paused" ||
		fmt.Sprint(campaign["budget"]) != "map[lifetime_spend_limit_micros:5000000]" {
		t.Errorf("campaign = %v, want a paused clicks campaign with a lifetime budget", campaign)
	}
	ad := w.Must(t, "GET", fmt.Sprint("/ads/", all[2]["resource_id"]), nil).Map(t)
	if ad["name"] != "Bulk a" || ad["ad_group_id"] != all[1]["resource_id"] || ad["review_status"] != "in_review" {
		t.Errorf("ad = %v, want one named by its title, in review, in the ad group", ad)
	}
}

func TestBulkCampaignDefaults(t *testing.T) {
	w := &tree{Service: emulatortest.Start(t)}
	all := w.runJob(t, op("campaign.create", "c", object{"name": "Plain", "max_budget_micros": 1_000_000}))
	got := w.Must(t, "GET", fmt.Sprint("/campaigns/", all[0]["resource_id"]), nil).Map(t)
	if got["bidding_type"] != "impressions" || got["status"] != "paused" ||
		fmt.Sprint(got["budget"]) != "map[lifetime_spend_limit_micros:1000000]" {
		t.Errorf("campaign = %v, want impression-billed, lifetime budget, paused", got)
	}
}

func TestShapeOfAJob(t *testing.T) {
	s := emulatortest.Start(t)
	many := func(n int) []object {
		ops := make([]object, n)
		for i := range ops {
			ops[i] = campaignOp(fmt.Sprint("k", i))
		}
		return ops
	}
	sized := func(n int) object {
		one := campaignOp("big")
		one["input"].(object)["name"] = ""
		return with(one, "input.name", strings.Repeat("x", n-serialised(t, one)))
	}
	rows := []struct {
		name string
		body any
		want refusal
	}{
		{"no operations", object{"operations": []object{}}, bad("array_below_min_length", "operations")},
		{"without operations", object{}, bad("missing_required_parameter", "operations")},
		{"1,001 operations", job(many(1001)...), bad("array_above_max_length", "operations")},
		{"unknown field", with(job(campaignOp("a")), "dry_run", true), bad("unknown_parameter", "dry_run")},
		{"unknown type", job(op("campaign.delete", "a", object{})), bad("invalid_value", "operations[0].type")},
		{"without an operation id", job(with(campaignOp("a"), "operation_id", absent)),
			bad("missing_required_parameter", "operations[0].operation_id")},
		{"operation id of 256", job(with(campaignOp("a"), "operation_id", text(256))),
			bad("string_above_max_length", "operations[0].operation_id")},
		{"key of 256", job(with(campaignOp("a"), "idempotency_key", text(256))),
			bad("string_above_max_length", "operations[0].idempotency_key")},
		{"create without a key", job(with(campaignOp("a"), "idempotency_key", absent)),
			bad("missing_required_parameter", "operations[0].idempotency_key")},
		{"create with a target", job(with(campaignOp("a"), "target_resource_id", "x")),
			bad("unknown_parameter", "operations[0].target_resource_id")},
		{"update without a target", job(with(change("ad.update", "ad_1", object{"name": "New"}),
			"target_resource_id", absent)), bad("missing_required_parameter", "operations[0].target_resource_id")},
		{"operation id twice", job(campaignOp("a"), with(campaignOp("b"), "operation_id", "op-a")),
			bad("duplicate_value", "operations[1].operation_id")},
		{"key twice", job(campaignOp("a"), with(campaignOp("b"), "idempotency_key", "a")),
			bad("duplicate_value", "operations[1].idempotency_key")},
		{"resource updated twice", job(change("ad.update", "ad_1", object{"name": "New"}),
			with(change("ad.update", "ad_1", object{"name": "New"}), "operation_id", "other")),
			bad("duplicate_value", "operations[1].target_resource_id")},
		{"operation of 512 KiB and a byte", job(sized(512<<10 + 1)), bad("operation_too_large", "operations[0]")},
		{"operation of 512 KiB", job(sized(512 << 10)), refusal{status: 202}},
		{"1,000 operations", job(many(1000)...), refusal{status: 202}},
		{"id and key of 255", job(with(with(campaignOp("a"), "operation_id", text(255)), "idempotency_key", text(255))),
			refusal{status: 202}},
	}
	for _, row := range rows {
		expect(t, "job: "+row.name, s.Do(t, "POST", "/bulk_mutation_jobs", row.body), row.want)
	}
}

func TestBodyOfAJobIsAtMost16MiB(t *testing.T) {
	s := emulatortest.Start(t)
	body := `{"operations":[` + strings.Repeat(" ", 16<<20-17) + `]}`
	expect(t, "16 MiB", s.Do(t, "POST", "/bulk_mutation_jobs", body), bad("array_below_min_length", "operations"))
	expect(t, "16 MiB and a byte", s.Do(t, "POST", "/bulk_mutation_jobs", body+" "),
		refusal{413, "request_too_large", ""})
}

func TestOperationsFailAlone(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	input := func(o object, name string, value any) object { return with(o, "input."+name, value) }
	impressions := op("campaign.create", "c", object{"name": "Views", "max_budget_micros": 1_000_000})
	rows := []struct {
		name string
		ops  []object
		want string // of the last operation
	}{
		{"budget of 999,999", []object{input(campaignOp("c"), "max_budget_micros", 999_999)},
			"failed integer_below_min_value"},
		{"budget of 1,000,000", []object{input(campaignOp("c1"), "max_budget_micros", 1_000_000)}, "created"},
		{"daily budget", []object{input(campaignOp("c2"), "budget_type", "daily")}, "created"},
		{"unknown input", []object{input(campaignOp("c"), "targeting", object{})}, "failed unknown_parameter"},
		{"2,501 locations", []object{input(campaignOp("c"), "location_ids", numbers(2501))},
			"failed array_above_max_length"},
		{"2,500 locations", []object{input(campaignOp("c3"), "location_ids", numbers(2500))}, "created"},
		{"archived at birth", []object{input(campaignOp("c"), "status", "archived")}, "failed invalid_value"},
		{"name of 2", []object{input(campaignOp("c"), "name", "ab")}, "failed string_below_min_length"},
		{"ad group without its campaign", []object{adGroupOp("g", "none")}, "failed dependency_not_found"},
		{"ad group under an ad group", []object{campaignOp("c4"), adGroupOp("g4", "c4"), adGroupOp("g5", "g4")},
			"failed dependency_not_found"},
		{"ad with another campaign than its ad group", []object{campaignOp("c5"),
			campaignOp("c6"), adGroupOp("g6", "c5"), adOp("a6", "c6", "g6")}, "failed dependency_mismatch"},
		{"both bids", []object{campaignOp("c7"), input(adGroupOp("g7", "c7"), "max_cpm_bid_micros", 5_000)},
			"failed invalid_value"},
		{"click bid on impressions", []object{with(impressions, "idempotency_key", "c8"), adGroupOp("g8", "c8")},
			"failed billing_event_mismatch"},
		{"CPM on clicks", []object{campaignOp("c9"), op("ad_group.create",
			"g9", object{"campaign_idempotency_key": "c9", "name": "Views", "max_cpm_bid_micros": 60_000_000})},
			"failed billing_event_mismatch"},
		{"CPM on impressions", []object{with(impressions, "idempotency_key", "c10"), op("ad_group.create", "g10",
			object{"campaign_idempotency_key": "c10", "name": "Views", "max_cpm_bid_micros": 60_000_000})}, "created"},
		{"no bid", []object{campaignOp("c11"),
			op("ad_group.create", "g11", object{"campaign_idempotency_key": "c11", "name": "Group"})}, "created"},
		{"2,001 hints", []object{campaignOp("c12"),
			input(adGroupOp("g12", "c12"), "context_hints", texts(2001, "hint"))}, "failed array_above_max_length"},
		{"title of 51", []object{campaignOp("c13"), adGroupOp("g13", "c13"),
			input(adOp("a13", "c13", "g13"), "title", text(51))}, "failed string_above_max_length"},
		{"image that is missing", []object{campaignOp("c14"), adGroupOp("g14", "c14"), input(adOp("a14", "c14", "g14"),
			"source_image_url", "https://images.example/missing/a.png")}, "failed image_not_found"},
		{"child of a failed parent", []object{input(campaignOp("c15"), "name", "x"), adGroupOp("g15", "c15")},
			"skipped dependency_failed"},
		{"update of nothing", []object{change("campaign.update", w.campaign, object{})},
			"failed missing_required_parameter"},
		{"update of no campaign", []object{change("campaign.update", "cmpn_none", object{"name": "New"})},
			"failed not_found"},
		{"update of an ad as a campaign", []object{change("campaign.update", w.ad, object{"name": "New"})},
			"failed not_found"},
		{"update to daily without an amount", []object{change("campaign.update",
			w.campaign, object{"budget_type": "lifetime"})}, "failed missing_required_parameter"},
		{"update to lifetime", []object{change("campaign.update",
			w.campaign, object{"budget_type": "lifetime", "max_budget_micros": 9_000_000})}, "failed invalid_value"},
		{"update of the amount",
			[]object{change("campaign.update", w.campaign, object{"max_budget_micros": 60_000_000})}, "updated"},
		{"creative without a file", []object{change("ad.update", w.ad, object{"creative": object{"title": "New title",
			"body": "", "target_url": "https://x.example"}})}, "failed missing_required_parameter"},
		{"whole creative", []object{change("ad.update", w.ad, object{"creative": object{"title": "New title",
			"body": "", "target_url": "https://x.example", "file_id": w.file}})}, "updated"},
		{"archive", []object{change("ad_group.update", w.adGroup, object{"status": "archived"})}, "updated"},
		{"change of the archived", []object{change("ad_group.update", w.adGroup, object{"name": "New"})},
			"failed resource_archived"},
	}
	for _, row := range rows {
		all := w.runJob(t, row.ops...)
		last := all[len(all)-1]
		if got := outcome(last); got != row.want {
			t.Errorf("%s: %s, want %s (%v)", row.name, got, row.want, last["error"])
		}
		if strings.HasPrefix(row.want, "failed") && last["retryable"] != false {
			t.Errorf("%s: retryable = %v, want false", row.name, last["retryable"])
		}
	}
}

func numbers(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(2_000_000 + i)
	}
	return all
}

func TestCPMNeedsAccess(t *testing.T) {
	w := &tree{Service: emulatortest.Start(t, func(o *emulator.Options) { o.Accounts[0].Features.BulkCPM = false })}
	all := w.runJob(t, op("campaign.create", "c", object{"name": "Views", "max_budget_micros": 1_000_000}),
		op("ad_group.create", "g", object{
			"campaign_idempotency_key": "c", "name": "Views", "max_cpm_bid_micros": 60_000_000,
		}))
	if got := outcome(all[1]); got != "failed cpm_not_enabled" {
		t.Errorf("CPM without access: %s", got)
	}
}

func TestCPMIsPerThousand(t *testing.T) {
	for points, want := range map[string]string{"": "60000", "bulk_cpm_unit=per_impression": "60000000"} {
		w := &tree{Service: emulatortest.Start(t, emulatortest.WithPoints(t, points))}
		all := w.runJob(t, op("campaign.create", "c", object{"name": "Views", "max_budget_micros": 1_000_000}),
			op("ad_group.create", "g", object{
				"campaign_idempotency_key": "c", "name": "Views", "max_cpm_bid_micros": 60_000_000,
			}))
		bidding := w.Must(t, "GET", fmt.Sprint("/ad_groups/", all[1]["resource_id"]),
			nil).Map(t)["bidding_config"].(map[string]any)
		if fmt.Sprint(bidding["max_bid_micros"]) != want || bidding["billing_event_type"] != "impression" {
			t.Errorf("%q: CPM of 60 units is %v, want %s an impression", points, bidding, want)
		}
	}
}

func TestStatusOfAJob(t *testing.T) {
	wrong := with(campaignOp("w"), "input.name", "x")
	rows := []struct {
		name string
		body object
		want string
		each []string
	}{
		{"all good", job(campaignOp("a"), campaignOp("b")), "completed", []string{"created", "created"}},
		{"one wrong", job(campaignOp("a"), wrong, campaignOp("b")),
			"partially_failed", []string{"created", "failed string_below_min_length", "created"}},
		{"all wrong", job(wrong, adGroupOp("g", "w")),
			"failed", []string{"failed string_below_min_length", "skipped dependency_failed"}},
		{"stopped by a failure",
			with(job(campaignOp("a"), wrong, campaignOp("b")), "partial_failure", false), "partially_failed",
			[]string{"created", "failed string_below_min_length", "skipped earlier_operation_failed"}},
		{"validated", with(job(campaignOp("a"), adGroupOp("g", "a"),
			change("ad.update", "ad_none", object{"name": "New"})), "validate_only", true),
			"completed", []string{"validated", "validated", "validated"}},
		{"validated, one wrong", with(job(campaignOp("a"), wrong), "validate_only", true),
			"partially_failed", []string{"validated", "failed string_below_min_length"}},
	}
	for _, row := range rows {
		s := emulatortest.Start(t)
		id := s.Must(t, "POST", "/bulk_mutation_jobs", row.body).ID(t)
		if got := s.JobEnd(t, id); got["status"] != row.want || got["completed_at"] == nil {
			t.Errorf("%s: job = %v, want %s with completed_at", row.name, got, row.want)
		}
		for i, r := range results(t, s, id) {
			if outcome(r) != row.each[i] {
				t.Errorf("%s: operation %d %s, want %s", row.name, i, outcome(r), row.each[i])
			}
		}
	}
}

func TestValidateOnlyChangesNothing(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	before := string(w.Must(t, "GET", "/_emulator/mutations", nil).Body)
	runBody(t, w.Service, with(job(campaignOp("a"), change("campaign.update", w.campaign, object{"name": "New name"})),
		"validate_only", true))
	if after := string(w.Must(t, "GET", "/_emulator/mutations", nil).Body); after != before {
		t.Errorf("a validate_only job left mutations:\n%s", after)
	}
	if all := w.runJob(t, campaignOp("a")); outcome(all[0]) != "created" {
		t.Errorf("the real job after it: %s", outcome(all[0]))
	}
}

func TestJobKey(t *testing.T) {
	s := emulatortest.Start(t)
	body := job(campaignOp("a"))
	first := s.Must(t, "POST", "/bulk_mutation_jobs", body, "Idempotency-Key", "j1").ID(t)
	s.JobEnd(t, first)
	again := s.Must(t, "POST", "/bulk_mutation_jobs", body, "Idempotency-Key", "j1")
	if again.ID(t) != first || again.Status != 202 {
		t.Errorf("same key, same body = %d %s, want 202 and job %s", again.Status, again.Body, first)
	}
	expect(t, "same key, other body", s.Do(t, "POST",
		"/bulk_mutation_jobs", job(campaignOp("b")), "Idempotency-Key", "j1"), refusal{409, "idempotency_conflict", ""})
}

func TestRerunReusesWhatSucceeded(t *testing.T) {
	var ready atomic.Bool
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !ready.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Write(pngOf(640, 640))
	}))
	defer host.Close()
	s := emulatortest.Start(t, emulatortest.WithPoints(t, "bulk_retry_after=30"))
	body := job(campaignOp("c"), adGroupOp("g", "c"),
		adOp("a1", "c", "g"), with(adOp("a2", "c", "g"), "input.source_image_url", host.URL+"/x.png"))
	first := runBody(t, s, body, "Idempotency-Key", "j1")
	if got := outcome(first[3]); got != "failed image_fetch_failed" ||
		first[3]["retryable"] != true || fmt.Sprint(first[3]["retry_after_seconds"]) != "30" {
		t.Fatalf("ad whose image host is down = %v, want retryable after 30 s", first[3])
	}
	ready.Store(true)
	second := runBody(t, s, body, "Idempotency-Key", "j2")
	for i, r := range second {
		if outcome(r) != "created" {
			t.Errorf("rerun: operation %d %s", i, outcome(r))
		}
		if i < 3 && r["resource_id"] != first[i]["resource_id"] {
			t.Errorf("rerun: operation %d made %v, want %v again", i, r["resource_id"], first[i]["resource_id"])
		}
	}
	if second[2]["submitted_version_id"] != first[2]["submitted_version_id"] {
		t.Errorf("rerun: the reused ad has another version")
	}
}

func TestParentRepeatedInAnotherJob(t *testing.T) {
	for points, same := range map[string]bool{"": true, "bulk_parent_repeat=stray": false} {
		w := &tree{Service: emulatortest.Start(t, emulatortest.WithPoints(t, points))}
		first := w.runJob(t, campaignOp("c"), adGroupOp("g1", "c"))
		second := w.runJob(t, campaignOp("c"), adGroupOp("g2", "c"))
		if got := first[0]["resource_id"] == second[0]["resource_id"]; got != same {
			t.Errorf("%q: the repeated parent is the same: %v, want %v", points, got, same)
		}
		rerun := runBody(t, w.Service, job(campaignOp("c"), adGroupOp("g2", "c")), "Idempotency-Key", "again")
		if rerun[0]["resource_id"] != second[0]["resource_id"] {
			t.Errorf("%q: a rerun of the same body made %v, want %v",
				points, rerun[0]["resource_id"], second[0]["resource_id"])
		}
	}
}

func TestResultPages(t *testing.T) {
	w := &tree{Service: emulatortest.Start(t)}
	var ops []object
	for i := range 101 {
		ops = append(ops, campaignOp(fmt.Sprint("k", i)))
	}
	id := w.Must(t, "POST", "/bulk_mutation_jobs", job(ops...)).ID(t)
	w.JobEnd(t, id)
	at := "/bulk_mutation_jobs/" + id + "/operations"
	page := w.Must(t, "GET", at, nil).Map(t)
	if n := len(page["data"].([]any)); n != 100 ||
		page["has_more"] != true || page["complete"] != true || page["object"] != "list" {
		t.Errorf("first page has %d results, has_more %v, complete %v", n, page["has_more"], page["complete"])
	}
	page = w.Must(t, "GET", at+"?after=op-k99", nil).Map(t)
	if n := len(page["data"].([]any)); n != 1 || page["has_more"] != false {
		t.Errorf("last page has %d results, has_more %v", n, page["has_more"])
	}
	for query, want := range map[string]refusal{
		"?limit=0":     bad("integer_below_min_value", "limit"),
		"?limit=101":   bad("integer_above_max_value", "limit"),
		"?after=op-no": bad("invalid_cursor", "after"),
	} {
		expect(t, query, w.Do(t, "GET", at+query, nil), want)
	}
	expect(t, "malformed job id", w.Do(t, "GET", "/bulk_mutation_jobs/x", nil),
		refusal{422, "invalid_identifier", "job_id"})
	expect(t, "unknown job", w.Do(t, "GET", "/bulk_mutation_jobs/blkmtnjob_00", nil), refusal{404, "not_found", ""})
}
