package review

import (
	"strings"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
)

// issues are the codes of serving_issues (service facts, part 4.5), which keep an ad from being shown, each with the
// name of what to do about it. Where there is nothing, the issue only follows from what the files say (a status, a
// date), or from the review, and nothing is limited. Others are shown as they are.
var issues = map[string]string{
	"ad_account_suspended":                              "owner",
	"ad_account_brand_review_missing_favicon":           "icon",
	"ad_account_brand_review_escalated_review":          "wait",
	"ad_account_brand_review_rejected":                  "owner",
	"ad_account_brand_review_in_progress":               "wait",
	"ad_account_payment_method_missing_or_unauthorized": "payer",
	"ad_account_threshold_payment_failed":               "payer",
	"ad_account_persona_verification_not_approved":      "owner",
	"ad_account_persona_verification_step_up_required":  "owner",
	"ad_account_budget_exhausted":                       "account-limit",
	"campaign_budget_exhausted":                         "budget",
	"landing_page_crawl_issue":                          "page",
	"ad_over_18_only":                                   "adults",
	"policy_country_targeting_blocked":                  "other-countries",
	"policy_country_targeting_limited":                  "fewer-countries",
	"title_missing":                                     "title",
	"advertiser_name_missing":                           "name",
	"image_or_favicon_missing":                          "image",
	"target_url_invalid":                                "target",
	"reserved_query_params_present":                     "parameters",
	"product_feed_id_missing":                           "feed",
	"partial_serving_review_not_approved":               "part",
	"partial_serving_landing_page_crawl_issue":          "page",
	"partial_serving_ad_in_review":                      "",
	"campaign_not_active":                               "",
	"campaign_not_started":                              "",
	"campaign_ended":                                    "",
	"campaign_has_no_ad_groups":                         "",
	"campaign_has_no_serving_ready_ad_groups":           "",
	"ad_group_not_active":                               "",
	"ad_group_has_no_ads":                               "",
	"ad_group_has_no_serving_ready_ads":                 "",
	"ad_not_active":                                     "",
	"ad_in_review":                                      "",
	"review_not_approved":                               "",
}

// whyNotServed returns a code of serving_issues in words, and what to do. The code itself
// stands behind them, so that one that is not known is shown as it is.
func whyNotServed(code string) (means, do string) {
	if known, ok := issues[code]; ok {
		return catalogue.Say("review.issue." + code), doing(known)
	}
	return catalogue.Say("review.unknown-issue"), doing("ask")
}

// limits reports whether an issue is more than what the files or the review say.
func limits(code string) bool {
	do, known := issues[code]
	return !known || do != ""
}

// ofItself returns what a code means as a campaign or an ad group says it of itself, and an ad of its ad group; ""
// where that is nothing else.
func ofItself(kind resource.Kind, code string) string {
	if _, known := issues[code]; !known || kind == "" {
		return ""
	}
	for _, of := range []string{"campaign_", "ad_group_"} {
		if strings.HasPrefix(of, string(kind)) && strings.HasPrefix(code, of) {
			return catalogue.Say("review.issue." + code + ".own")
		}
	}
	return ""
}
