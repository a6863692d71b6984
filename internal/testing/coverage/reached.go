package coverage

import (
	"cmp"
	"strings"
)

// reached says by which command, attribute or page a user reaches each endpoint.
var reached = map[string]string{
	"GET /ad_account":                                  "`doctor`, and every `plan`",
	"POST /ad_account/activate":                        "`apply`: `status` of kind `account`",
	"POST /ad_account/brand":                           "`apply`: names, `url` and `favicon` of kind `account`",
	"POST /ad_account/daily_spend_limit":               "`apply`: kind `daily_spend_limit`",
	"POST /ad_account/daily_spend_limit/delete":        "`apply`: `status: archived` of kind `daily_spend_limit`",
	"GET /ad_account/insights":                         "`insights`",
	"GET /campaigns/{campaign_id}/insights":            "`insights` of one campaign",
	"GET /ad_groups/{ad_group_id}/insights":            "`insights` of one ad group",
	"GET /ads/{ad_id}/insights":                        "`insights` of one ad",
	"GET /ad_account/hotel_insights":                   "`hotels`",
	"POST /conversions/insights":                       "`conversions insights`",
	"POST /ad_account/pause":                           "`apply`: `status` of kind `account`",
	"GET /ad_account/spend_limit_windows":              "`plan`, `export`: kinds of spend limits",
	"POST /ad_account/spend_limit_windows":             "`apply`: kind `spend_limit_window`",
	"POST /ad_account/spend_limit_windows/{window_id}": "`apply`: kind `spend_limit_window`",
	"POST /ad_account/spend_limit_windows/{window_id}/delete": "`apply`: `status: archived` of kind " +
		"`spend_limit_window`",
	"POST /ad_account_creation_sessions":                    "`accounts create`",
	"GET /ad_accounts":                                      "`accounts`",
	"GET /ad_groups":                                        "`plan`, `export`",
	"POST /ad_groups":                                       "`apply`: kind `ad_group`",
	"GET /ad_groups/{ad_group_id}":                          "`plan`, and `apply` as it reads back",
	"POST /ad_groups/{ad_group_id}":                         "`apply`: kind `ad_group`",
	"GET /ads":                                              "`plan`, `export`",
	"POST /ads":                                             "`apply`: kind `ad`",
	"GET /ads/{ad_id}":                                      "`plan`, and `apply` as it reads back",
	"POST /ads/{ad_id}":                                     "`apply`: kind `ad`",
	"POST /ads/{ad_id}/preview":                             "`preview`",
	"POST /api_keys":                                        "`keys create`",
	"GET /audit_logs":                                       "`audit`, and `plan` as it names who changed what",
	"POST /bulk_mutation_jobs":                              "`apply`, `validate --online`",
	"GET /bulk_mutation_jobs/{job_id}":                      "`apply`",
	"GET /bulk_mutation_jobs/{job_id}/operations":           "`apply`",
	"GET /campaigns":                                        "`plan`, `export`",
	"POST /campaigns":                                       "`apply`: kind `campaign`",
	"GET /campaigns/{campaign_id}":                          "`plan`, and `apply` as it reads back",
	"POST /campaigns/{campaign_id}":                         "`apply`: kind `campaign`",
	"POST /conversions/api_keys":                            "`conversions key`",
	"GET /conversions/event_settings":                       "`plan`, `export`: kind `event_setting`",
	"POST /conversions/event_settings":                      "`apply`: kind `event_setting`",
	"GET /conversions/events":                               "`conversions recent`",
	"GET /conversions/pixels":                               "`plan`, `export`: kind `pixel`",
	"POST /conversions/pixels":                              "`apply`: kind `pixel`",
	"GET /custom_audiences":                                 "`audience list`, `plan`, `export`: kind `audience`",
	"POST /custom_audiences":                                "`apply`: kind `audience`",
	"POST /custom_audiences/merge":                          "`apply`: `merge` of kind `audience`",
	"GET /custom_audiences/{custom_audience_id}":            "`audience show`, and `apply` as it reads back",
	"POST /custom_audiences/{custom_audience_id}/add":       "`apply`: `members.do: add`",
	"POST /custom_audiences/{custom_audience_id}/archive":   "`apply`: `status: archived` of kind `audience`",
	"GET /custom_audiences/{custom_audience_id}/operations": "`audience operations`, `apply`",
	"GET /custom_audiences/{custom_audience_id}/operations/{operation_id}":         "`apply`",
	"POST /custom_audiences/{custom_audience_id}/operations/{operation_id}/cancel": "`audience cancel`",
	"POST /custom_audiences/{custom_audience_id}/operations/{operation_id}/resume": "`audience resume`",
	"POST /custom_audiences/{custom_audience_id}/remove":                           "`apply`: `members.do: remove`",
	"POST /custom_audiences/{custom_audience_id}/replace":                          "`apply`: `members.do: replace`",
	"GET /geo_lookup/search": "`locations`",
	"GET /me":                "`whoami`",
	"POST /upload":           "`apply`: `image` of kind `ad`, `favicon` of kind `account`",
	"POST /uploads":          "`apply`: `members.file` of kind `audience`",
}

// everywhere are inputs that are the same at every endpoint.
var everywhere = map[string]string{
	"header OpenAI-Ad-Account": "`account` of `adsync.yaml`, where `credentials` has `oauth`",
	"header Idempotency-Key":   "adsync makes one for each request",
	"limit":                    "adsync asks for whole pages",
	"after":                    "adsync reads all pages",
	"cursor":                   "adsync reads all pages",
}

// elsewhere are inputs that no script sends, and the test that shows them.
var elsewhere = map[string]string{
	"after":                    "internal/adsapi.TestListOfManyPagesIsWhole",
	"header OpenAI-Ad-Account": "script login",
	"cursor":                   "internal/adsapi.TestMembershipOperationsArePagedToTheEnd",
}

// unsent are inputs that adsync never sends, and why a user misses nothing.
var unsent = map[string]string{
	"* before": "`after` reads the same pages from the other end",
	"POST /ad_account_creation_sessions body return_url": "nobody is sent back: adsync waits for the account",
	"* name":                         "adsync reads a list whole, and picks by name itself",
	"* order":                        "adsync reads a list whole, and puts it in order itself",
	"POST /campaigns body objective": "`bidding_type` says it",
	"POST /campaigns body billing_event_type": "`bidding_type` says it",
	"POST /bulk_mutation_jobs body partial_failure": "the default is true, and each operation has a result " +
		"of its own",
	"POST /bulk_mutation_jobs body operations.input.max_cpm_bid_micros": "the bid of a campaign that pays for " +
		"impressions goes in a request of its own",
	"POST /custom_audiences body identifier_resolution":                              hashed,
	"POST /custom_audiences/{custom_audience_id}/add body identifier_resolution":     hashed,
	"POST /custom_audiences/{custom_audience_id}/remove body identifier_resolution":  hashed,
	"POST /custom_audiences/{custom_audience_id}/replace body identifier_resolution": hashed,
	"POST /custom_audiences/{custom_audience_id}/add body expected_revision":         unbound,
	"POST /custom_audiences/{custom_audience_id}/remove body expected_revision":      unbound,
	"POST /campaigns/{campaign_id} body conversion_event_setting_ids": "the goal of a campaign cannot change; " +
		"another campaign takes its place",
}

// instead are endpoints that adsync never calls, and the value of an update that does the
// same; a script shows that it is sent.
var instead = map[string]Input{
	"POST /campaigns/{campaign_id}/activate": {"POST /campaigns/{campaign_id}", "body status=active"},
	"POST /campaigns/{campaign_id}/pause":    {"POST /campaigns/{campaign_id}", "body status=paused"},
	"POST /campaigns/{campaign_id}/archive":  {"POST /campaigns/{campaign_id}", "body status=archived"},
	"POST /ad_groups/{ad_group_id}/activate": {"POST /ad_groups/{ad_group_id}", "body status=active"},
	"POST /ad_groups/{ad_group_id}/pause":    {"POST /ad_groups/{ad_group_id}", "body status=paused"},
	"POST /ad_groups/{ad_group_id}/archive":  {"POST /ad_groups/{ad_group_id}", "body status=archived"},
	"POST /ads/{ad_id}/activate":             {"POST /ads/{ad_id}", "body status=active"},
	"POST /ads/{ad_id}/pause":                {"POST /ads/{ad_id}", "body status=paused"},
	"POST /ads/{ad_id}/archive":              {"POST /ads/{ad_id}", "body status=archived"},
}

const (
	hashed  = "adsync hashes what it sends, and says of what in `identifier_type`"
	unbound = "`apply` compares the revision first, and a stopped operation of somebody else may end in between"
)

// by returns how a user reaches an input, or "", and why it is never sent, or "". What a
// script shows is sent.
func by(in Input, isShown bool) (how, why string) {
	if why := cmp.Or(unsent[row(in)], unsent["* "+in.Name], doesTheSame(in)); why != "" && !isShown {
		return "", why
	}
	if i := strings.LastIndex(in.Name, "locations.include."); i >= 0 && in.Name[i:] != "locations.include.id" {
		return "", "the location's `id` says it"
	}
	if how := everywhere[in.Name]; how != "" {
		return how, ""
	}
	if field, ok := strings.CutPrefix(in.Name, "body "); ok {
		if attribute := attributeOf(in.Endpoint, field); attribute != "" {
			return "`" + attribute + "`", ""
		}
	}
	return reached[in.Endpoint], ""
}

// doesTheSame names what is sent instead of an endpoint, or returns "".
func doesTheSame(in Input) string {
	other, is := instead[row(in)]
	if !is {
		return ""
	}
	value := strings.ReplaceAll(strings.TrimPrefix(other.Name, "body "), "=", ": ")
	return "`" + value + "` in `" + other.Endpoint + "` does the same"
}
