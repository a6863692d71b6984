package ads

import (
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// adGroupView is an ad group as the service shows it (service facts 3.1).
type adGroupView struct {
	ID             string             `json:"id"`
	CampaignID     string             `json:"campaign_id,omitempty"`
	CreatedAt      int64              `json:"created_at"`
	UpdatedAt      int64              `json:"updated_at"`
	Name           string             `json:"name"`
	Description    *string            `json:"description"`
	Status         world.Status       `json:"status"`
	ContextHints   *[]string          `json:"context_hints,omitempty"`
	Bidding        biddingView        `json:"bidding_config"`
	ProductSet     *world.ProductSet  `json:"product_set"`
	LandingPage    *world.LandingPage `json:"landing_page_configuration"`
	UserExternalID *string            `json:"user_external_id,omitempty"`
	ServingIssues  *[]Issue           `json:"serving_issues,omitempty"`
	BidTooLow      *bool              `json:"bid_too_low,omitempty"`
}

// biddingView is world.Bidding, whose strategy may be left out.
type biddingView struct {
	BillingEventType string             `json:"billing_event_type"`
	Strategy         string             `json:"strategy,omitempty"`
	MaxBidMicros     *int64             `json:"max_bid_micros,omitempty"`
	Multipliers      []world.Multiplier `json:"custom_audience_bid_multipliers,omitempty"`
}

func viewBidding(c *service.Call, b world.Bidding) biddingView {
	v := biddingView(b)
	if b.Strategy == FixedBid && c.Points.Is(openpoint.DefaultStrategy, "left_out") {
		v.Strategy = ""
	}
	return v
}

// shownParts are the parts of an ad group that only include brings.
type shownParts struct{ issues, bidTooLow bool }

func wantAdGroup(c *service.Call) shownParts {
	var show shownParts
	show.issues = wantIssues(c, "bid_too_low")
	for _, v := range c.Query.Texts("include", 0) {
		show.bidTooLow = show.bidTooLow || v == "bid_too_low"
	}
	return show
}

// The bids below which an ad group would hardly win, micros. The service's own are not published.
var lowBid = map[string]int64{"impression": 1_000, "click": 100_000}

// viewAdGroup shows an ad group; it is called inside View or Update.
func (r adGroups) view(c *service.Call, g world.AdGroup, show shownParts) adGroupView {
	v := adGroupView{
		ID: g.ID, CampaignID: g.CampaignID, CreatedAt: g.CreatedAt, UpdatedAt: g.UpdatedAt,
		Name: g.Name, Description: shownDescription(c, g.Description), Status: g.Status,
		ContextHints: shownList(c, g.ContextHints),
		Bidding:      viewBidding(c, g.Bidding), ProductSet: g.ProductSet, LandingPage: g.LandingPage,
		UserExternalID: externalID(c, g.UserExternalID),
	}
	if c.Points.Is(openpoint.ParentEcho, "no") {
		v.CampaignID = ""
	}
	if show.issues {
		v.ServingIssues = shownIssues(c, r.serving.adGroupIssues(c.Account, g, c.Now()))
	}
	if show.bidTooLow {
		low := g.Bidding.MaxBidMicros != nil && *g.Bidding.MaxBidMicros < lowBid[g.Bidding.BillingEventType]
		v.BidTooLow = &low
	}
	return v
}
