package rules

import "strings"

// Endpoint is one endpoint of the interface, or a published addition to it.
type Endpoint struct {
	Method, Pattern string
	Auth            string // K key, R OAuth with the read scope, W OAuth with both
	Point           string // the open point of an addition, which is published and not in the interface
}

// Name is the method and the path.
func (e Endpoint) Name() string { return e.Method + " " + e.Pattern }

// Endpoints are all endpoints of part 4 in its order, then the published additions.
var Endpoints = []Endpoint{
	{Method: "GET", Pattern: "/campaigns", Auth: "KR"},
	{Method: "POST", Pattern: "/campaigns", Auth: "KW"},
	{Method: "GET", Pattern: "/campaigns/{campaign_id}", Auth: "KR"},
	{Method: "POST", Pattern: "/campaigns/{campaign_id}", Auth: "KW"},
	{Method: "POST", Pattern: "/campaigns/{campaign_id}/activate", Auth: "KW"},
	{Method: "POST", Pattern: "/campaigns/{campaign_id}/pause", Auth: "KW"},
	{Method: "POST", Pattern: "/campaigns/{campaign_id}/archive", Auth: "KW"},
	{Method: "POST", Pattern: "/ad_groups", Auth: "KW"},
	{Method: "GET", Pattern: "/ad_groups/{ad_group_id}", Auth: "KR"},
	{Method: "GET", Pattern: "/ad_groups", Auth: "KR"},
	{Method: "POST", Pattern: "/ad_groups/{ad_group_id}", Auth: "KW"},
	{Method: "POST", Pattern: "/ad_groups/{ad_group_id}/activate", Auth: "KW"},
	{Method: "POST", Pattern: "/ad_groups/{ad_group_id}/pause", Auth: "KW"},
	{Method: "POST", Pattern: "/ad_groups/{ad_group_id}/archive", Auth: "KW"},
	{Method: "POST", Pattern: "/upload", Auth: "KW"},
	{Method: "POST", Pattern: "/ads", Auth: "KW"},
	{Method: "GET", Pattern: "/ads/{ad_id}", Auth: "KR"},
	{Method: "POST", Pattern: "/ads/{ad_id}", Auth: "KW"},
	{Method: "POST", Pattern: "/ads/{ad_id}/activate", Auth: "KW"},
	{Method: "POST", Pattern: "/ads/{ad_id}/pause", Auth: "KW"},
	{Method: "POST", Pattern: "/ads/{ad_id}/archive", Auth: "KW"},
	{Method: "POST", Pattern: "/ads/{ad_id}/preview", Auth: "KW"},
	{Method: "POST", Pattern: "/bulk_mutation_jobs", Auth: "KW"},
	{Method: "GET", Pattern: "/bulk_mutation_jobs/{job_id}", Auth: "KR"},
	{Method: "GET", Pattern: "/bulk_mutation_jobs/{job_id}/operations", Auth: "KR"},
	{Method: "GET", Pattern: "/custom_audiences", Auth: "KR"},
	{Method: "POST", Pattern: "/custom_audiences", Auth: "KW"},
	{Method: "GET", Pattern: "/custom_audiences/{custom_audience_id}", Auth: "KR"},
	{Method: "POST", Pattern: "/custom_audiences/{custom_audience_id}/archive", Auth: "KW"},
	{Method: "POST", Pattern: "/custom_audiences/{custom_audience_id}/add", Auth: "KW"},
	{Method: "POST", Pattern: "/custom_audiences/{custom_audience_id}/remove", Auth: "KW"},
	{Method: "POST", Pattern: "/custom_audiences/{custom_audience_id}/replace", Auth: "KW"},
	{Method: "POST", Pattern: "/custom_audiences/merge", Auth: "KW"},
	{Method: "GET", Pattern: "/custom_audiences/{custom_audience_id}/operations/{operation_id}", Auth: "KR"},
	{Method: "GET", Pattern: "/custom_audiences/{custom_audience_id}/operations", Auth: "KR"},
	{Method: "POST", Pattern: "/custom_audiences/{custom_audience_id}/operations/{operation_id}/cancel", Auth: "KW"},
	{Method: "POST", Pattern: "/custom_audiences/{custom_audience_id}/operations/{operation_id}/resume", Auth: "KW"},
	{Method: "GET", Pattern: "/ad_account", Auth: "KR"},
	{Method: "GET", Pattern: "/ad_accounts", Auth: "KR"},
	{Method: "POST", Pattern: "/ad_account/brand", Auth: "KW"},
	{Method: "POST", Pattern: "/ad_account/activate", Auth: "KW"},
	{Method: "POST", Pattern: "/ad_account/pause", Auth: "KW"},
	{Method: "GET", Pattern: "/ad_account/spend_limit_windows", Auth: "KR"},
	{Method: "POST", Pattern: "/ad_account/spend_limit_windows", Auth: "KW"},
	{Method: "POST", Pattern: "/ad_account/spend_limit_windows/{window_id}", Auth: "KW"},
	{Method: "POST", Pattern: "/ad_account/spend_limit_windows/{window_id}/delete", Auth: "KW"},
	{Method: "POST", Pattern: "/ad_account/daily_spend_limit", Auth: "KW"},
	{Method: "POST", Pattern: "/ad_account/daily_spend_limit/delete", Auth: "KW"},
	{Method: "GET", Pattern: "/ad_account/insights", Auth: "KR"},
	{Method: "GET", Pattern: "/ad_account/hotel_insights", Auth: "KR"},
	{Method: "GET", Pattern: "/audit_logs", Auth: "K"},
	{Method: "POST", Pattern: "/ad_account_creation_sessions", Auth: "W"},
	{Method: "POST", Pattern: "/api_keys", Auth: "K"},
	{Method: "GET", Pattern: "/me", Auth: "R"},
	{Method: "POST", Pattern: "/conversions/pixels", Auth: "K?"},
	{Method: "GET", Pattern: "/conversions/events", Auth: "K?"},
	{Method: "POST", Pattern: "/conversions/api_keys", Auth: "K?"},
	{Method: "POST", Pattern: "/conversions/event_settings", Auth: "K?"},
	{Method: "GET", Pattern: "/conversions/event_settings", Auth: "K?"},

	{Method: "GET", Pattern: "/ads", Auth: "KR", Point: "list_ads"},
	{Method: "GET", Pattern: "/campaigns/{campaign_id}/insights", Auth: "KR", Point: "scoped_insights"},
	{Method: "GET", Pattern: "/ad_groups/{ad_group_id}/insights", Auth: "KR", Point: "scoped_insights"},
	{Method: "GET", Pattern: "/ads/{ad_id}/insights", Auth: "KR", Point: "scoped_insights"},
	{Method: "POST", Pattern: "/conversions/insights", Auth: "K?", Point: "conversion_insights"},
	{Method: "GET", Pattern: "/conversions/pixels", Auth: "K?", Point: "pixel_list"},
	{Method: "POST", Pattern: "/uploads", Auth: "KW", Point: "audience_uploads"},
	{Method: "GET", Pattern: "/geo_lookup/search", Auth: "KR", Point: "geo_lookup"},
}

// Addition reports whether the endpoint is published and not in the interface.
func (e Endpoint) Addition() bool { return e.Point != "" }

// takes reports whether a row's path is one of the endpoint's. A segment of the
// pattern that is a name takes any segment that no other endpoint has as it is.
func (e Endpoint) Takes(method, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	parts, wanted := strings.Split(path, "/"), strings.Split(e.Pattern, "/")
	if method != e.Method || len(parts) != len(wanted) {
		return false
	}
	for i, part := range wanted {
		if strings.HasPrefix(part, "{") {
			if parts[i] == "" || parts[i] == "merge" {
				return false
			}
			continue
		}
		if parts[i] != part {
			return false
		}
	}
	return true
}

// sample is the path with ids that nobody has.
func (e Endpoint) Sample() string {
	parts := strings.Split(e.Pattern, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = "none"
		}
	}
	return strings.Join(parts, "/")
}
