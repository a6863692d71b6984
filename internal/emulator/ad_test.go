package emulator_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/emulator/world"
	"adsync/internal/testing/emulatortest"
)

func TestAdCreate(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	base := emulatortest.AdBody(w.adGroup, "Hero", w.file)
	url := func(n int) string { return "https://x.example/" + fmt.Sprintf("%0*d", n-18, 1) }
	rows := []struct {
		name  string
		field string
		value any
		want  refusal
	}{
		{"as published", "name", "Hero", fine},
		{"under no ad group", "ad_group_id", "adgrp_none", refusal{404, "not_found", ""}},
		{"without a name", "name", absent, bad("missing_required_parameter", "name")},
		{"without a creative", "creative", absent, bad("missing_required_parameter", "creative")},
		{"without a type", "creative.type", absent, bad("missing_required_parameter", "creative.type")},
		{"title of 2", "creative.title", text(2), bad("string_below_min_length", "creative.title")},
		{"title of 3", "creative.title", text(3), fine},
		{"title of 50", "creative.title", text(50), fine},
		{"title of 51", "creative.title", text(51), bad("string_above_max_length", "creative.title")},
		{"empty body", "creative.body", "", fine},
		{"body of 100", "creative.body", text(100), fine},
		{"body of 101", "creative.body", text(101), bad("string_above_max_length", "creative.body")},
		{"without a body", "creative.body", absent, bad("missing_required_parameter", "creative.body")},
		{"price of 101", "creative.price", text(101), bad("string_above_max_length", "creative.price")},
		{"target of 2,048", "creative.target_url", url(2048), fine},
		{"target of 2,049", "creative.target_url", url(2049), bad("string_above_max_length", "creative.target_url")},
		{"target of another scheme", "creative.target_url",
			"javascript:alert(1)", bad("invalid_url", "creative.target_url")},
		{"target without a host", "creative.target_url", "https:///x", bad("invalid_url", "creative.target_url")},
		{"without a target", "creative.target_url", absent, bad("missing_required_parameter", "creative.target_url")},
		{"unknown file", "creative.file_id", "file_none", bad("file_not_found", "creative.file_id")},
		{"without a file", "creative.file_id", absent, bad("missing_required_parameter", "creative.file_id")},
		{"crop", "creative.image_crop", object{"x": 0, "y": 0.125, "width": 1, "height": 1}, fine},
		{"crop beyond", "creative.image_crop", object{"x": 0, "y": 0, "width": 1.5, "height": 1},
			bad("invalid_value", "creative.image_crop.width")},
		{"template without a feed", "creative", object{"type": "product_ad_template", "title": "abc", "body": ""},
			bad("invalid_value", "creative.type")},
	}
	for _, row := range rows {
		expect(t, "create ad: "+row.name, w.Do(t, "POST", "/ads", with(base, row.field, row.value)), row.want)
	}
}

func TestAdUpdate(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	creative := emulatortest.CreativeBody(w.file)
	rows := []struct {
		name string
		body any
		want refusal
	}{
		{"another ad group", w.fill(`{"ad_group_id":"{ad_group}"}`), bad("immutable_parameter", "ad_group_id")},
		{"title of 1 on update", object{"creative": with(creative, "title", "x")}, fine},
		{"empty title", object{"creative": with(creative, "title", "")},
			bad("string_below_min_length", "creative.title")},
		{"half a creative", object{"creative": object{"title": "New title"}},
			bad("missing_required_parameter", "creative.type")},
		{"creative without an image", object{"creative": with(creative, "file_id", absent)},
			bad("missing_required_parameter", "creative.file_id")},
	}
	for _, row := range rows {
		expect(t, "update ad: "+row.name, w.Do(t, "POST", "/ads/"+w.ad, row.body), row.want)
	}
}

func TestReviewFollowsTheClock(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) {
		o.Review = world.Review{
			Delay: 10 * time.Minute, Rules: []world.ReviewRule{{Contains: "miracle", Reason: "landing_page_unusable"}},
		}
	})
	w := newTree(t, s)
	status := func() string { return fmt.Sprint(w.Must(t, "GET", "/ads/"+w.ad, nil).Map(t)["review"]) }
	want := func(when, review string) {
		t.Helper()
		if got := status(); got != review {
			t.Errorf("%s: review = %s, want %s", when, got, review)
		}
	}
	want("at birth", "map[status:in_review]")
	w.Advance(t, 601)
	want("after ten minutes", "map[status:approved]")
	w.Must(t, "POST", "/ads/"+w.ad, `{"name":"Another name","status":"active"}`)
	want("after a change of name and status", "map[status:approved]")
	w.Must(t, "POST", "/ads/"+w.ad, object{"creative": with(emulatortest.CreativeBody(w.file), "body", "A miracle.")})
	want("after a new creative", "map[status:in_review]")
	w.Advance(t, 601)
	want("when it is rejected", "map[reason:landing_page_unusable status:rejected]")
	w.Must(t, "POST", "/ads/"+w.ad, object{
		"creative": with(emulatortest.CreativeBody(w.file), "target_url", "https://shop.example/review/crawler_404/x"),
	})
	w.Advance(t, 601)
	want("when its address says so", "map[reason:crawler_404 status:rejected]")
}

func TestPreviewIsAFrame(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	data := w.Must(t, "POST", "/ads/"+w.ad+"/preview", nil).Map(t)["data"].([]any)
	if len(data) != 1 {
		t.Fatalf("preview has %d parts, want 1", len(data))
	}
	body := fmt.Sprint(data[0].(map[string]any)["body"])
	if len(body) < 20 || body[:12] != `<iframe src=` {
		t.Errorf("preview body = %q, want an iframe", body)
	}
	expect(t, "preview of no ad", w.Do(t, "POST", "/ads/ad_none/preview", nil), refusal{404, "not_found", ""})
}

func TestServingIssuesOnlyWhenAsked(t *testing.T) {
	w := newTree(t, emulatortest.Start(t))
	codes := func(path string) (found []string) {
		issues, _ := w.Must(t, "GET", path, nil).Map(t)["serving_issues"].([]any)
		for _, issue := range issues {
			found = append(found, fmt.Sprint(issue.(map[string]any)["code"]))
		}
		return found
	}
	ad := "/ads/" + w.ad
	if got := codes(ad); got != nil {
		t.Errorf("serving_issues without include = %v, want none", got)
	}
	if diff := cmp.Diff([]string{"campaign_not_active", "ad_group_not_active", "ad_not_active", "ad_in_review"},
		codes(ad+"?include[]=serving_issues")); diff != "" {
		t.Errorf("issues of a new paused ad (-want +got):\n%s", diff)
	}
	for _, path := range []string{"/campaigns/" + w.campaign, "/ad_groups/" + w.adGroup, ad} {
		w.Must(t, "POST", path+"/activate", nil)
	}
	w.Advance(t, 61)
	for _, path := range []string{"/campaigns/" + w.campaign, "/ad_groups/" + w.adGroup, ad} {
		if got := codes(path + "?include=serving_issues"); got != nil {
			t.Errorf("issues of %s when all is active and approved = %v, want none", path, got)
		}
	}
	expect(t, "unknown include", w.Do(t, "GET", ad+"?include[]=bid_too_low", nil), bad("invalid_value", "include"))
}
