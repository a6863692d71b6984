package ads

import (
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// Issue is a reason why something does not serve.
type Issue struct {
	Code string `json:"code"`
}

// Serving finds out what keeps campaigns, ad groups and ads from serving.
type Serving struct {
	review world.Review
	// AccountIssues are the codes of what keeps a whole account from serving. It
	// is set once, before the first request.
	AccountIssues func(a *world.Account, now time.Time) []string
	// BudgetExhausted reports whether a campaign's budget stops it today. It is
	// set once, before the first request.
	BudgetExhausted func(a *world.Account, campaignID string) bool
}

// wantIssues reads include, whose published values are serving_issues and, on
// ad groups, bid_too_low.
func wantIssues(c *service.Call, more ...string) bool {
	issues := false
	for _, v := range c.Query.Choices("include", append([]string{"serving_issues"}, more...)...) {
		issues = issues || v == "serving_issues"
	}
	return issues
}

// shownIssues adds a code that no document names, where the open point says so.
func shownIssues(c *service.Call, found []Issue) *[]Issue {
	if c.Points.Is(openpoint.UnknownEnums, "yes") {
		found = append(found, Issue{"quality_hold_v2"})
	}
	return &found
}

// accountIssues keep everything in the account from serving.
func (r *Serving) accountIssues(a *world.Account, now time.Time) []Issue {
	issues := []Issue{}
	for _, code := range r.AccountIssues(a, now) {
		issues = append(issues, Issue{code})
	}
	return issues
}

// campaignIssues keep a campaign from serving.
func (r *Serving) campaignIssues(a *world.Account, c world.Campaign, now time.Time) []Issue {
	issues := append(r.accountIssues(a, now), r.ownCampaignIssues(a, c, now)...)
	groups := a.AdGroupsOf.Of(c.ID)
	if len(groups) == 0 {
		return append(issues, Issue{"campaign_has_no_ad_groups"})
	}
	for _, g := range groups {
		if len(r.ownAdGroupIssues(a, g, now)) == 0 {
			return issues
		}
	}
	return append(issues, Issue{"campaign_has_no_serving_ready_ad_groups"})
}

func (r *Serving) ownCampaignIssues(a *world.Account, c world.Campaign, now time.Time) []Issue {
	var issues []Issue
	if c.Status != world.Active {
		issues = append(issues, Issue{"campaign_not_active"})
	}
	if c.StartTime != nil && now.Unix() < *c.StartTime {
		issues = append(issues, Issue{"campaign_not_started"})
	}
	if c.EndTime != nil && now.Unix() >= *c.EndTime {
		issues = append(issues, Issue{"campaign_ended"})
	}
	if r.BudgetExhausted(a, c.ID) {
		issues = append(issues, Issue{"campaign_budget_exhausted"})
	}
	return issues
}

// adGroupIssues keep an ad group from serving, its campaign's included.
func (r *Serving) adGroupIssues(a *world.Account, g world.AdGroup, now time.Time) []Issue {
	issues := r.accountIssues(a, now)
	if c, ok := a.Campaigns.Get(g.CampaignID); ok {
		issues = append(issues, r.ownCampaignIssues(a, c, now)...)
	}
	return append(issues, r.ownAdGroupIssues(a, g, now)...)
}

func (r *Serving) ownAdGroupIssues(a *world.Account, g world.AdGroup, now time.Time) []Issue {
	var issues []Issue
	if g.Status != world.Active {
		issues = append(issues, Issue{"ad_group_not_active"})
	}
	ads := a.AdsOf.Of(g.ID)
	if len(ads) == 0 {
		return append(issues, Issue{"ad_group_has_no_ads"})
	}
	for _, d := range ads {
		if len(r.ownAdIssues(d, now)) == 0 {
			return issues
		}
	}
	return append(issues, Issue{"ad_group_has_no_serving_ready_ads"})
}

// adIssues keep an ad from serving, those of its parents included.
func (r *Serving) adIssues(a *world.Account, d world.Ad, now time.Time) []Issue {
	issues := r.accountIssues(a, now)
	if c, ok := a.Campaigns.Get(d.CampaignID); ok {
		issues = append(issues, r.ownCampaignIssues(a, c, now)...)
	}
	if g, ok := a.AdGroups.Get(d.AdGroupID); ok && g.Status != world.Active {
		issues = append(issues, Issue{"ad_group_not_active"})
	}
	return append(issues, r.ownAdIssues(d, now)...)
}

func (r *Serving) ownAdIssues(d world.Ad, now time.Time) []Issue {
	var issues []Issue
	if d.Status != world.Active {
		issues = append(issues, Issue{"ad_not_active"})
	}
	switch status, _ := r.review.Outcome(d, now); status {
	case "in_review":
		issues = append(issues, Issue{"ad_in_review"})
	case "rejected":
		issues = append(issues, Issue{"review_not_approved"})
	}
	return issues
}
