package emulator_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// FuzzRequestBodies sends any body to every route that takes one: no answer is
// a 5xx, every refusal has the published shape, and a refused request changes nothing.
func FuzzRequestBodies(f *testing.F) {
	s, err := emulator.Open(onDisk(""))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	paths := []string{"/campaigns", "/campaigns/cmpn_x",
		"/ad_groups", "/ad_groups/adgrp_x", "/ads", "/ads/ad_x", "/upload", "/bulk_mutation_jobs"}
	for i, body := range []any{
		emulatortest.CampaignBody("Spring"), emulatortest.AdGroupBody("cmpn_x", "Group"),
		emulatortest.AdBody("adgrp_x", "Ad", "file_x"),
		object{"image_url": "https://images.example/x.png"},
		job(campaignOp("c"), adGroupOp("g", "c"), adOp("a", "c", "g")),
		with(emulatortest.CampaignBody("Spring"), "targeting", object{
			"locations": object{"include": locations(2)}, "platforms": object{"included": []string{"web"}},
		}),
		job(change("campaign.update", "cmpn_x", object{"start_time": nil, "location_ids": []string{"1"}})),
	} {
		text, err := json.Marshal(body)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i, string(text))
	}
	f.Add(0, `{"name":null,"budget":[],"targeting":{"locations":{"include":[null]}}}`)
	f.Add(7, `{"operations":[{"operation_id":"a","type":"ad.create","idempotency_key":"k","input":null}]}`)
	f.Fuzz(func(t *testing.T, at int, body string) {
		path := paths[uint(at)%uint(len(paths))]
		before := s.World().MutationCount()
		req := httptest.NewRequest("POST", "/v1"+path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+emulatortest.Key)
		got := httptest.NewRecorder()
		s.ServeHTTP(got, req)
		if got.Code >= 500 && !strings.Contains(got.Body.String(), "image_fetch_failed") {
			t.Fatalf("POST %s %q = %d %s", path, body, got.Code, got.Body)
		}
		if got.Code < 300 {
			return
		}
		var refusal struct {
			Error struct{ Message, Type string }
		}
		if err := json.Unmarshal(got.Body.Bytes(), &refusal); err != nil ||
			refusal.Error.Message == "" || refusal.Error.Type == "" {
			t.Fatalf("POST %s %q: refusal %s is not in the published shape", path, body, got.Body)
		}
		if path != "/bulk_mutation_jobs" && s.World().MutationCount() != before {
			t.Fatalf("POST %s %q was refused with %d and changed something", path, body, got.Code)
		}
	})
}
