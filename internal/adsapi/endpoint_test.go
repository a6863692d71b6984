package adsapi

import (
	"net/url"
	"testing"
)

func TestEndpoint(t *testing.T) {
	for _, tc := range []struct {
		path, template string
		repeatable     bool
	}{
		{"/campaigns", "POST /campaigns", false},
		{"/campaigns/c1", "POST /campaigns/{id}", true},
		{"/campaigns/c1/pause", "POST /campaigns/{id}/pause", true},
		{"/ads/a1/preview", "POST /ads/{id}/preview", true},
		{"/upload", "POST /upload", false},
		{"/bulk_mutation_jobs", "POST /bulk_mutation_jobs", false},
		{"/bulk_mutation_jobs/j/operations", "POST /bulk_mutation_jobs/{id}/operations", true},
		{"/custom_audiences/merge", "POST /custom_audiences/merge", false},
		{"/custom_audiences/u/add", "POST /custom_audiences/{id}/add", false},
		{"/custom_audiences/u/archive", "POST /custom_audiences/{id}/archive", true},
		{"/custom_audiences/u/operations/o/cancel", "POST /custom_audiences/{id}/operations/{id}/cancel", true},
		{"/ad_account/pause", "POST /ad_account/pause", true},
		{"/ad_account/daily_spend_limit", "POST /ad_account/daily_spend_limit", false},
		{"/ad_account/daily_spend_limit/delete", "POST /ad_account/daily_spend_limit/delete", false},
		{"/ad_account/spend_limit_windows", "POST /ad_account/spend_limit_windows", false},
		{"/ad_account/spend_limit_windows/w", "POST /ad_account/spend_limit_windows/{id}", true},
		{"/ad_account/spend_limit_windows/w/delete", "POST /ad_account/spend_limit_windows/{id}/delete", true},
		{"/conversions/event_settings", "POST /conversions/event_settings", false},
	} {
		e, err := parseEndpoint(tc.path)
		if err != nil {
			t.Fatalf("parseEndpoint(%q): %v", tc.path, err)
		}
		if got := e.template("POST"); got != tc.template {
			t.Errorf("template of %q = %q; want %q", tc.path, got, tc.template)
		}
		if got := e.repeatable(); got != tc.repeatable {
			t.Errorf("repeatable(%q) = %v; want %v", tc.path, got, tc.repeatable)
		}
	}
}

func TestPathIsEscapedAndUnsafePathsAreRefused(t *testing.T) {
	e, err := parseEndpoint("/campaigns/a b?c#d%2F;é/pause")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.escaped(), "/campaigns/a%20b%3Fc%23d%252F%3B%C3%A9/pause"; got != want {
		t.Errorf("escaped = %q; want %q", got, want)
	}
	for _, path := range []string{"", "campaigns", "/",
		"//", "/campaigns/", "/campaigns//pause", "/campaigns/..", "/./x", "/a\nb", "/a\x7f", "/a\u0085", "/a\xff"} {
		if _, err := parseEndpoint(path); err == nil {
			t.Errorf("parseEndpoint(%q) = no error; want a refusal", path)
		}
	}
	if _, err := JoinPath("campaigns", "a/b"); err == nil {
		t.Error(`JoinPath("campaigns", "a/b") = no error; want a refusal`)
	}
}

func TestArrayParametersHaveBrackets(t *testing.T) {
	q := url.Values{"include": {"serving_issues"}, "fields[]": {"a", "b"}, "name": {"x y"}}
	if got, want := encodeQuery(q), "fields%5B%5D=a&fields%5B%5D=b&include%5B%5D=serving_issues&name=x+y"; got != want {
		t.Errorf("encodeQuery = %q; want %q", got, want)
	}
}
