package review

// issue is what keeps an ad from being shown. Where it only follows from what the files
// say (a status, a date), or from the review, nothing is limited.
type issue struct {
	words
	follows bool
}

// limit is one that keeps the ad from people, and what to do about it.
func limit(means, do string) issue { return issue{words{means, do}, false} }

// follows is one that says what the files or the review say already.
func follows(means string) issue { return issue{words{means, ""}, true} }

// What the issues of an account ask for.
const (
	payFor   = "ask whoever pays for the account to mend it at the service"
	askOwner = "ask whoever owns the account: it is settled at the service, not in the files"
)

// issues are the codes of serving_issues (service facts, part 4.5). Others are shown as
// they are.
var issues = map[string]issue{
	"ad_account_suspended": limit("the account is suspended", askOwner),
	"ad_account_brand_review_missing_favicon": limit("the brand was not approved: its site has no icon",
		"give the brand an icon at the service, or its site a favicon"),
	"ad_account_brand_review_escalated_review": limit("the brand is looked at more closely by the service",
		"wait; nothing is shown until the service has decided"),
	"ad_account_brand_review_rejected": limit("the brand was rejected", askOwner),
	"ad_account_brand_review_in_progress": limit("the brand is in review",
		"wait; nothing is shown until the service has decided"),
	"ad_account_payment_method_missing_or_unauthorized": limit("the account has no means of payment that is accepted",
		payFor),
	"ad_account_threshold_payment_failed":          limit("a payment of the account failed", payFor),
	"ad_account_persona_verification_not_approved": limit("the owner of the account is not verified", askOwner),
	"ad_account_persona_verification_step_up_required": limit("the service wants more proof of who owns the account",
		askOwner),
	"ad_account_budget_exhausted": limit("the budget of the account is spent",
		"raise the account's own limit, or wait for its next period"),
	"campaign_budget_exhausted": limit("the budget of its campaign is spent",
		"raise the budget of the campaign, or leave it"),
	"landing_page_crawl_issue": limit("the landing page cannot be read any more", openPage),
	"ad_over_18_only": limit("it is shown to adults only",
		"nothing, unless the ad is meant for everybody: then change its text, picture or page"),
	"policy_country_targeting_blocked": limit("the service's "+
		"policy forbids it in all countries it is aimed at", "aim its ad group at other countries, or change the ad"),
	"policy_country_targeting_limited": limit("the service's policy forbids "+
		"it in some of the countries it is aimed at", "leave those countries out of its ad group, or change the ad"),
	"title_missing": limit("it has no title", "fill in its Title"),
	"advertiser_name_missing": limit("the account has no name to show",
		"give the brand a name at the service"),
	"image_or_favicon_missing": limit("it has no picture, or its brand no icon",
		"fill in its Image, or give the brand an icon at the service"),
	"target_url_invalid": limit("its Target URL is not valid", "mend its Target URL"),
	"reserved_query_params_present": limit("its Target URL "+
		"has parameters the service keeps for itself", "take them out of the Target URL and the tracking"),
	"product_feed_id_missing": limit("its products are missing",
		"name a product feed in its ad group"),
	"partial_serving_review_not_approved": limit("a part of it was not approved",
		"change what was rejected: a changed ad is reviewed again"),
	"partial_serving_landing_page_crawl_issue": limit("a part of its landing pages cannot be read", openPage),
	"partial_serving_ad_in_review":             follows("a part of it is in review"),
	"campaign_not_active":                      follows("its campaign is paused"),
	"campaign_not_started":                     follows("its campaign has not begun"),
	"campaign_ended":                           follows("its campaign has ended"),
	"campaign_has_no_ad_groups":                follows("its campaign has no ad groups"),
	"campaign_has_no_serving_ready_ad_groups":  follows("no ad group of its campaign can be shown"),
	"ad_group_not_active":                      follows("its ad group is paused"),
	"ad_group_has_no_ads":                      follows("its ad group has no ads"),
	"ad_group_has_no_serving_ready_ads":        follows("no ad of its ad group can be shown"),
	"ad_not_active":                            follows("it is paused"),
	"ad_in_review":                             follows("it is in review"),
	"review_not_approved":                      follows("its review did not approve it"),
}

// whyNotServed returns a code of serving_issues in words, and what to do. The code itself
// stands behind them, so that one that is not known is shown as it is.
func whyNotServed(code string) (means, do string) {
	if known, ok := issues[code]; ok {
		return known.means, known.do
	}
	return "something that adsync does not know keeps it from people", "ask the service what it means"
}

// limits reports whether an issue is more than what the files or the review say.
func limits(code string) bool { return !issues[code].follows }
