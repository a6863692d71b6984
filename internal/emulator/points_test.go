package emulator_test

import (
	"fmt"
	"testing"

	"adsync/internal/testing/emulatortest"
)

func TestOpenPointsOfCreates(t *testing.T) {
	base := emulatortest.CampaignBody("Spring")
	place := object{"locations": object{"include": []object{{"id": "999999999999999999"}}}}
	rows := []struct {
		points, field string
		value         any
		want          refusal
	}{
		{"create_status_required=no", "status", absent, fine},
		{"create_bidding_type_required=no", "bidding_type", absent, fine},
		{"", "targeting", place, fine},
		{"unknown_location=refused", "targeting", place, bad("location_not_found", "targeting.locations")},
	}
	for _, row := range rows {
		s := emulatortest.Start(t, emulatortest.WithPoints(t, row.points))
		expect(t, row.points+" without "+row.field,
			s.Do(t, "POST", "/campaigns", with(base, row.field, row.value)), row.want)
	}
	s := emulatortest.Start(t, emulatortest.WithPoints(t, "max_bid_ceiling_micros=100000000"))
	body := emulatortest.AdGroupBody(s.Campaign(t, "Spring"), "Group")
	expect(t, "bid at the lower ceiling",
		s.Do(t, "POST", "/ad_groups", with(body, "bidding_config.max_bid_micros", 100_000_000)), fine)
	expect(t, "bid above it", s.Do(t, "POST", "/ad_groups", with(body, "bidding_config.max_bid_micros", 100_000_001)),
		bad("integer_above_max_value", "bidding_config.max_bid_micros"))
}

func TestWithoutStatusACreateIsPaused(t *testing.T) {
	s := emulatortest.Start(t, emulatortest.WithPoints(t, "create_status_required=no,create_bidding_type_required=no"))
	got := s.Must(t, "POST",
		"/campaigns", object{"name": "Spring", "budget": object{"daily_spend_limit_micros": 1_000_000}}).Map(t)
	if got["status"] != "paused" || got["bidding_type"] != "impressions" {
		t.Errorf("campaign = %v %v, want paused impressions", got["status"], got["bidding_type"])
	}
}

func TestUnknownEnumValues(t *testing.T) {
	for points, want := range map[string]string{
		"": "[map[code:campaign_not_active] map[code:campaign_has_no_ad_groups]]",
		"unknown_enum_values=yes": "[map[code:campaign_not_active] " +
			"map[code:campaign_has_no_ad_groups] map[code:quality_hold_v2]]",
	} {
		s := emulatortest.Start(t, emulatortest.WithPoints(t, points))
		got := s.Must(t, "GET", "/campaigns/"+s.Campaign(t, "Spring")+"?include[]=serving_issues", nil).Map(t)
		if text := fmt.Sprint(got["serving_issues"]); text != want {
			t.Errorf("%q: serving_issues = %s, want %s", points, text, want)
		}
	}
}

func TestOpenPointsOfSubmission(t *testing.T) {
	accepted := refusal{status: 202}
	wrong := job(campaignOp("a"), with(campaignOp("b"), "input.name", "x"))
	rows := []struct {
		points string
		body   object
		want   refusal
	}{
		{"", wrong, accepted},
		{"bulk_field_errors=submission", wrong, bad("string_below_min_length", "operations[1].input.name")},
		{"bulk_field_errors=submission", job(adGroupOp("g", "none")),
			bad("dependency_not_found", "campaign_idempotency_key")},
		{"bulk_field_errors=submission,bulk_budget_type_daily=refused", job(with(campaignOp("a"),
			"input.budget_type", "daily")), bad("invalid_value", "operations[0].input.budget_type")},
		{"bulk_field_errors=submission", job(with(campaignOp("a"), "input.budget_type", "daily")), accepted},
	}
	for _, row := range rows {
		s := emulatortest.Start(t, emulatortest.WithPoints(t, row.points))
		expect(t, row.points, s.Do(t, "POST", "/bulk_mutation_jobs", row.body), row.want)
	}
}

func TestOpenPointsOfJobKeys(t *testing.T) {
	const first = `{"operations":[{"operation_id":"a","type":"campaign.create","idempotency_key":"k","input":{"name":"Abc","max_budget_micros":1000000}}]}`
	const reordered = `{"operations":[{"type":"campaign.create","operation_id":"a","idempotency_key":"k","input":{"name":"Abc","max_budget_micros":1000000}}]}`
	conflict := refusal{409, "idempotency_conflict", ""}
	for points, want := range map[string]refusal{"": conflict, "bulk_same_body=json": {status: 202}} {
		s := emulatortest.Start(t, emulatortest.WithPoints(t, points))
		s.Must(t, "POST", "/bulk_mutation_jobs", first, "Idempotency-Key", "j")
		expect(t, points+": fields in another order",
			s.Do(t, "POST", "/bulk_mutation_jobs", reordered, "Idempotency-Key", "j"), want)
	}
	for points, want := range map[string]refusal{"": conflict, "key_used_by_validate_only=no": {status: 202}} {
		s := emulatortest.Start(t, emulatortest.WithPoints(t, points))
		s.Must(t, "POST", "/bulk_mutation_jobs", with(job(campaignOp("a")), "validate_only", true),
			"Idempotency-Key", "j")
		expect(t, points+": the key of a dry run",
			s.Do(t, "POST", "/bulk_mutation_jobs", job(campaignOp("a")), "Idempotency-Key", "j"), want)
	}
	s := emulatortest.Start(t, emulatortest.WithPoints(t, "key_ttl=30m"))
	old := s.Must(t, "POST", "/bulk_mutation_jobs", first, "Idempotency-Key", "j").ID(t)
	s.JobEnd(t, old)
	s.Advance(t, 1800)
	if again := s.Must(t, "POST", "/bulk_mutation_jobs", first, "Idempotency-Key", "j").ID(t); again == old {
		t.Errorf("the job's key is known after its life")
	}
}

func TestOpenPointsOfResults(t *testing.T) {
	down := with(adOp("a", "c", "g"), "input.source_image_url", "http://127.0.0.1:1/x.png")
	rows := []struct{ points, retryable, after string }{
		{"", "true", "<nil>"},
		{"bulk_retry_after=86400", "true", "86400"},
		{"bulk_retry_after=30,bulk_retryable=null", "<nil>", "<nil>"},
	}
	for _, row := range rows {
		w := &tree{Service: emulatortest.Start(t, emulatortest.WithPoints(t, row.points))}
		got := w.runJob(t, campaignOp("c"), adGroupOp("g", "c"), down)[2]
		if fmt.Sprint(got["retryable"]) != row.retryable || fmt.Sprint(got["retry_after_seconds"]) != row.after {
			t.Errorf("%q: retryable %v after %v, want %s after %s",
				row.points, got["retryable"], got["retry_after_seconds"], row.retryable, row.after)
		}
	}
	s := emulatortest.Start(t, emulatortest.WithPoints(t, "bulk_completed_at=null"))
	id := s.Must(t, "POST", "/bulk_mutation_jobs", job(campaignOp("a"))).ID(t)
	if got := s.JobEnd(t, id); got["completed_at"] != nil {
		t.Errorf("bulk_completed_at=null gives %v", got["completed_at"])
	}
}

func TestBulkLocationsReplace(t *testing.T) {
	for points, want := range map[string]string{"": "[US]", "bulk_locations_replace=locations": "<nil>"} {
		w := newTree(t, emulatortest.Start(t, emulatortest.WithPoints(t, points)))
		w.Must(t, "POST", "/campaigns/"+w.campaign,
			`{"targeting":{"locations":{"countries":["US"],"include":[{"id":"1"}]}}}`)
		w.runJob(t, change("campaign.update", w.campaign, object{"location_ids": []string{"2000043"}}))
		got := w.Must(t, "GET", "/campaigns/"+w.campaign,
			nil).Map(t)["targeting"].(map[string]any)["locations"].(map[string]any)
		ids := got["include"].([]any)
		if fmt.Sprint(got["countries"]) != want || len(ids) != 1 || ids[0].(map[string]any)["id"] != "2000043" {
			t.Errorf("%q: locations = %v, want countries %s and one id", points, got, want)
		}
	}
}

// TestEveryDrawServes draws all points and runs what does not depend on them: a
// tree is made, read, changed, and the log says so.
func TestEveryDrawServes(t *testing.T) {
	for seed := range 60 {
		s := emulatortest.Start(t, emulatortest.WithPoints(t, fmt.Sprintf("random:%d,bulk_duration=0s", seed)))
		w := newTree(t, s)
		w.Must(t, "POST", "/campaigns/"+w.campaign, `{"name":"Summer"}`)
		w.Must(t, "POST", "/ads/"+w.ad+"/activate", nil)
		w.Must(t, "POST", "/ad_groups/"+w.adGroup+"/archive", nil)
		for path, want := range map[string][2]string{
			"/campaigns/" + w.campaign: {"Summer", "paused"},
			"/ads/" + w.ad:             {"Hero", "active"},
			"/ad_groups/" + w.adGroup:  {"Runners", "archived"},
		} {
			got := w.Must(t, "GET", path, nil).Map(t)
			if got["name"] != want[0] || got["status"] != want[1] {
				t.Errorf("draw %d: %s = %v %v, want %v", seed, path, got["name"], got["status"], want)
			}
		}
		all := w.runJob(t, campaignOp("c"), adGroupOp("g", "c"), adOp("a", "c", "g"))
		for i, r := range all {
			if r["status"] != "created" {
				t.Errorf("draw %d: operation %d = %v", seed, i, r)
			}
		}
		if n := s.World().MutationCount(); n != 12 {
			t.Errorf("draw %d: %d mutations, want 12", seed, n)
		}
	}
}
