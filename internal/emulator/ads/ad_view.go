package ads

import (
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// adView is an ad as the service shows it (service facts 4.1).
type adView struct {
	ID             string             `json:"id"`
	AdGroupID      string             `json:"ad_group_id,omitempty"`
	CreatedAt      int64              `json:"created_at"`
	UpdatedAt      int64              `json:"updated_at"`
	Name           string             `json:"name"`
	Status         world.Status       `json:"status"`
	Creative       world.Creative     `json:"creative"`
	ReviewStatus   string             `json:"review_status"`
	Review         reviewView         `json:"review"`
	LandingPage    *world.LandingPage `json:"landing_page_configuration"`
	UserExternalID *string            `json:"user_external_id,omitempty"`
	ServingIssues  *[]Issue           `json:"serving_issues,omitempty"`
}

type reviewView struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// viewAd shows an ad; it is called inside View or Update.
func (r adverts) view(c *service.Call, d world.Ad, issues bool) adView {
	status, reason := r.serving.review.Outcome(d, c.Now())
	if status == "rejected" && c.Points.Is(openpoint.UnknownEnums, "yes") {
		reason = "policy_review_v2"
	}
	v := adView{
		ID: d.ID, AdGroupID: d.AdGroupID, CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt,
		Name: d.Name, Status: d.Status, Creative: d.Creative,
		ReviewStatus: status, Review: reviewView{status, reason},
		LandingPage: d.LandingPage, UserExternalID: externalID(c, d.UserExternalID),
	}
	if c.Points.Is(openpoint.ParentEcho, "no") {
		v.AdGroupID = ""
	}
	if issues {
		v.ServingIssues = shownIssues(c, r.serving.adIssues(c.Account, d, c.Now()))
	}
	return v
}
