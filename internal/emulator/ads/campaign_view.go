package ads

import (
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// campaignView is a campaign as the service shows it (service facts 2.1).
type campaignView struct {
	ID               string             `json:"id"`
	CreatedAt        int64              `json:"created_at"`
	UpdatedAt        int64              `json:"updated_at"`
	Name             string             `json:"name"`
	Description      *string            `json:"description"`
	Status           world.Status       `json:"status"`
	StartTime        *int64             `json:"start_time"`
	EndTime          *int64             `json:"end_time"`
	Budget           world.Budget       `json:"budget"`
	BiddingType      string             `json:"bidding_type"`
	Objective        string             `json:"objective"`
	BillingEventType string             `json:"billing_event_type"`
	Mode             *string            `json:"mode"`
	ProductFeedID    *string            `json:"product_feed_id"`
	BusinessAgentID  *string            `json:"business_agent_id"`
	EventSettingIDs  *[]string          `json:"conversion_event_setting_ids,omitempty"`
	Targeting        targetingView      `json:"targeting"`
	LandingPage      *world.LandingPage `json:"landing_page_configuration"`
	UserExternalID   *string            `json:"user_external_id,omitempty"`
	ServingIssues    *[]Issue           `json:"serving_issues,omitempty"`
}

type targetingView struct {
	Locations         *placesView    `json:"locations,omitempty"`
	ExcludedLocations *placesView    `json:"excluded_locations,omitempty"`
	Audiences         *audiencesView `json:"custom_audiences,omitempty"`
	ExcludedAudiences *audiencesView `json:"excluded_custom_audiences,omitempty"`
	Platforms         *platformsView `json:"platforms,omitempty"`
}

type placesView struct {
	Countries []string `json:"countries,omitempty"`
	Include   []place  `json:"include,omitempty"`
}

type audiencesView struct {
	IDs []string `json:"ids"`
}

type platformsView struct {
	Included []string `json:"included"`
}

// viewCampaign shows a campaign; it is called inside View or Update.
func (r campaigns) view(c *service.Call, row world.Campaign, issues bool) campaignView {
	v := campaignView{
		ID: row.ID, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		Name: row.Name, Description: shownDescription(c.Points, row.Description), Status: row.Status,
		StartTime: row.StartTime, EndTime: row.EndTime, Budget: row.Budget,
		BiddingType: row.BiddingType, Objective: row.Objective, BillingEventType: row.BillingEvent(),
		Mode: row.Mode, ProductFeedID: row.ProductFeedID, BusinessAgentID: row.BusinessAgentID,
		EventSettingIDs: shownList(c.Points, row.EventSettingIDs),
		Targeting:       viewTargeting(row.Targeting), LandingPage: row.LandingPage,
		UserExternalID: externalID(c, row.UserExternalID),
	}
	if issues {
		found := r.serving.campaignIssues(c.Account, row, c.Now())
		v.ServingIssues = shownIssues(c, found)
	}
	return v
}

func externalID(c *service.Call, id string) *string {
	if id == "" || c.Points.Is(openpoint.UserExternalID, "absent") {
		return nil
	}
	return &id
}

func viewTargeting(t *world.Targeting) targetingView {
	if t == nil {
		return targetingView{}
	}
	v := targetingView{
		Locations: viewPlaces(t.Locations), ExcludedLocations: viewPlaces(t.ExcludedLocations),
		Audiences: viewAudiences(t.Audiences), ExcludedAudiences: viewAudiences(t.ExcludedAudiences),
	}
	if t.Platforms != nil {
		v.Platforms = &platformsView{t.Platforms}
	}
	return v
}

func viewPlaces(p *world.Places) *placesView {
	if p == nil {
		return nil
	}
	v := &placesView{Countries: p.Countries}
	for _, id := range p.Include {
		v.Include = append(v.Include, expand(id))
	}
	return v
}

func viewAudiences(ids []string) *audiencesView {
	if ids == nil {
		return nil
	}
	return &audiencesView{ids}
}
