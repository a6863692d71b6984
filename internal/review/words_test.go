package review

import (
	"strings"
	"testing"

	"adsync/internal/resource"
)

// documented are the reasons and codes that the service facts name (parts 4.2 and 4.5).
var (
	documentedReasons = strings.Fields(`crawl_failed crawler_bot_blocked crawler_captcha crawler_login_required crawler_400 crawler_401
		crawler_403 crawler_404 crawler_408 crawler_410 crawler_429 crawler_500 crawler_502 crawler_503 crawler_504 robots_txt
		unsupported_content_type landing_page_image_processing_failed landing_page_unusable missing_favicon`)
	documentedIssues = strings.Fields(`ad_account_suspended ad_account_brand_review_missing_favicon ad_account_brand_review_escalated_review
		ad_account_brand_review_rejected ad_account_brand_review_in_progress ad_account_payment_method_missing_or_unauthorized
		ad_account_threshold_payment_failed ad_account_persona_verification_not_approved ad_account_persona_verification_step_up_required
		ad_account_budget_exhausted campaign_not_active campaign_not_started campaign_ended campaign_has_no_ad_groups
		campaign_has_no_serving_ready_ad_groups campaign_budget_exhausted ad_group_not_active ad_group_has_no_ads
		ad_group_has_no_serving_ready_ads ad_not_active ad_in_review review_not_approved landing_page_crawl_issue ad_over_18_only
		policy_country_targeting_blocked policy_country_targeting_limited title_missing advertiser_name_missing image_or_favicon_missing
		target_url_invalid reserved_query_params_present product_feed_id_missing partial_serving_review_not_approved
		partial_serving_landing_page_crawl_issue partial_serving_ad_in_review`)
)

// TestEveryDocumentedReasonHasWords: and none of them repeats the code.
func TestEveryDocumentedReasonHasWords(t *testing.T) {
	for _, reason := range documentedReasons {
		if _, known := reasons[reason]; !known {
			t.Errorf("reason %s has no words", reason)
		}
		means, do := whyRejected(reason)
		if strings.ContainsAny(means, "_[") || !strings.Contains(do, "reviewed again") {
			t.Errorf("WhyRejected(%s) = %q, %q; want words, and what has it reviewed again", reason, means, do)
		}
	}
	for _, code := range documentedIssues {
		_, ok := issues[code]
		means, do := whyNotServed(code)
		if !ok || strings.ContainsAny(means, "_[") || strings.HasPrefix(do, "[") {
			t.Errorf("issue %s has the words %q, %q; want some", code, means, do)
		}
		for _, kind := range []resource.Kind{"campaign", "ad_group", "ad"} {
			if own := ofItself(kind, code); strings.HasPrefix(own, "[") {
				t.Errorf("%s says %q of itself; want words", kind, own)
			}
		}
	}
	if len(reasons) != len(documentedReasons) || len(issues) != len(documentedIssues) {
		t.Errorf("%d reasons and %d issues have words; want %d and %d",
			len(reasons), len(issues), len(documentedReasons), len(documentedIssues))
	}
}

func TestALineSaysWhereAnAdStands(t *testing.T) {
	tests := []struct {
		name     string
		standing Standing
		state    State
		text     string
	}{
		{"rejected", Standing{Said: "rejected", Reason: "crawler_404",
			Issues: []string{"review_not_approved"}}, Rejected,
			"Rejected: the landing page is not there (404) (crawler_404). Open the Target URL in " +
				"a private window, mend the page or the address, and save the ad: a changed ad is reviewed again."},
		{"rejected for a reason nobody knows", Standing{Said: "rejected", Reason: "policy_v2"}, Rejected,
			"Rejected: its reason is one that adsync does not know (policy_v2). " +
				"Read the service's policy for ads, and change the ad: a changed ad is reviewed again."},
		{"rejected without a reason", Standing{Said: "rejected"}, Rejected,
			"Rejected: the service gives no reason. " +
				"Read the service's policy for ads, and change the ad: a changed ad is reviewed again."},
		{"in review", Standing{Said: "in_review", Issues: []string{"ad_in_review"}}, InReview,
			"In review: the service has not decided yet, which takes minutes as a rule."},
		{"approved, and paused by its files", Standing{Said: "approved",
			Issues: []string{"ad_not_active", "campaign_not_started"}}, Approved, "Approved: ."},
		{"approved, and limited",
			Standing{Said: "approved", Issues: []string{"ad_not_active", "policy_country_targeting_limited"}}, Limited,
			"Limited: the service's policy forbids it in some of the countries it is aimed " +
				"at (policy_country_targeting_limited). Leave those countries out of its ad group, or change the ad."},
		{"an issue nobody knows", Standing{Said: "approved", Issues: []string{"quality_hold_v2"}}, Limited,
			"Limited: something that adsync does not " +
				"know keeps it from people (quality_hold_v2). Ask the service what it means."},
		{"a word of the review nobody knows", Standing{Said: "paused_by_legal"}, Limited,
			"Limited: the service calls it paused by legal. Ask the service what it means."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := tt.standing.Line()
			if l.State != tt.state || l.Text() != tt.text {
				t.Errorf("Line() is %s and says %q; want %s and %q", l.State, l.Text(), tt.state, tt.text)
			}
		})
	}
}

// TestACodeIsSaidWhereWordsAreMissing, and nowhere else, to people who have a workbook.
func TestACodeIsSaidWhereWordsAreMissing(t *testing.T) {
	for reason, want := range map[string]string{
		"crawler_404": "Rejected: the landing page is not there (404). Open the Target " +
			"URL in a private window, mend the page or the address, and save the ad: a changed ad is reviewed again.",
		"policy_v2": "Rejected: its reason is one that adsync does not " +
			"know (policy_v2). Read the service's policy for ads, and change the ad: a changed ad is reviewed again.",
	} {
		s := Standing{Said: "rejected", Reason: reason}
		if got := s.Line().InWords(); got != want {
			t.Errorf("%s is %q; want %q", reason, got, want)
		}
	}
}

// TestTheCellsOfAWorkbookAreInWords: where they are not all of it, the row's message is.
func TestTheCellsOfAWorkbookAreInWords(t *testing.T) {
	for _, tt := range []struct {
		standing     Standing
		said, issues string
	}{
		{Standing{Said: "rejected", Reason: "crawler_404", Issues: []string{"review_not_approved"}},
			"rejected: the landing page is not there (404)", "its review did not approve it"},
		{Standing{Said: "rejected"}, "rejected: the service gives no reason", ""},
		{Standing{Said: "in_review", Issues: []string{"ad_in_review", "ad_not_active"}},
			"in review", "it is in review; it is paused"},
		{Standing{Said: "approved", Issues: []string{"quality_hold_v2"}},
			"approved", "something that adsync does not know keeps it from people (quality_hold_v2)"},
		{Standing{Said: "third_review"}, "third review (third_review)", ""},
		{Standing{}, "", ""},
	} {
		r := Record{Ads: map[string]*Standing{"ad/a/b/c": &tt.standing}}
		if said, issues := r.Cells("ad/a/b/c"); said != tt.said || issues != tt.issues {
			t.Errorf("Cells of %+v = %q, %q; want %q, %q", tt.standing, said, issues, tt.said, tt.issues)
		}
	}
}

// TestATableSaysItOfItself as an export does: a campaign of the campaign, an ad group of the ad group.
func TestATableSaysItOfItself(t *testing.T) {
	s := Standing{Said: "approved", Issues: []string{"campaign_not_active", "ad_group_has_no_ads", "new_v2"}}
	const unknown = "; something that adsync does not know keeps it from people (new_v2)"
	for kind, want := range map[resource.Kind]string{
		"":         "its campaign is paused; its ad group has no ads" + unknown,
		"campaign": "the campaign is paused; its ad group has no ads" + unknown,
		"ad_group": "its campaign is paused; the ad group has no ads" + unknown,
		"ad":       "its campaign is paused; the ad group has no ads" + unknown,
	} {
		_, got := s.cells(kind)
		if got != want || !MaySay(factIssues, got) {
			t.Errorf("%s says %q, and may say it %v; want %q", kind, got, MaySay(factIssues, got), want)
		}
	}
	if MaySay(factIssues, "its campaign is gone") {
		t.Error("a table never said that its campaign is gone")
	}
}

// What was read of an account may be exported more than once, for one workbook after the other.
func TestWordsForAnExportLeaveWhatWasRead(t *testing.T) {
	read := resource.Attributes{}
	read.Set(factReview, resource.Text("rejected: crawler_404"))
	read.Set(factIssues, resource.Text("review_not_approved"))
	said := func() string {
		export := &resource.Snapshot{}
		export.Add(&resource.Resource{Address: resource.Address{Kind: "ad", Key: "a"}, Facts: read})
		InWords(export)
		return export.Get(resource.Address{Kind: "ad", Key: "a"}).Facts.Value(factReview).Text()
	}
	if once, again := said(), said(); once != again || !strings.HasPrefix(once, "rejected: ") {
		t.Errorf("the review is %q, and exported again %q; want the same", once, again)
	}
}
