package ads

import (
	"bytes"
	"encoding/json"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// adGroupView is an ad group as the service shows it (service facts 3.1): its fields in their order.
type adGroupView []shownField

type shownField struct {
	name  string
	value any
}

// MarshalJSON writes the fields in their order.
func (v adGroupView) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // as answers are written
	b.WriteByte('{')
	for i, f := range v {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + f.name + `":`)
		if err := e.Encode(f.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// biddingView is world.Bidding, whose strategy may be left out.
type biddingView struct {
	BillingEventType string             `json:"billing_event_type"`
	Strategy         string             `json:"strategy,omitempty"`
	MaxBidMicros     *int64             `json:"max_bid_micros,omitempty"`
	Multipliers      []world.Multiplier `json:"custom_audience_bid_multipliers,omitempty"`
}

func viewBidding(points *openpoint.Settings, b world.Bidding) biddingView {
	v := biddingView(b)
	if b.Strategy == FixedBid && points.Is(openpoint.DefaultStrategy, "left_out") {
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
	v := make(adGroupView, 0, 16)
	add := func(name string, value any) { v = append(v, shownField{name, value}) }
	add("id", g.ID)
	if g.CampaignID != "" && !c.Points.Is(openpoint.ParentEcho, "no") {
		add("campaign_id", g.CampaignID)
	}
	add("created_at", g.CreatedAt)
	add("updated_at", g.UpdatedAt)
	for _, a := range AdGroupAttributes {
		if value, shown := a.shown(c.Points, g); shown {
			add(a.Name, value)
		}
	}
	if id := externalID(c, g.UserExternalID); id != nil {
		add("user_external_id", *id)
	}
	if show.issues {
		add("serving_issues", shownIssues(c, r.serving.adGroupIssues(c.Account, g, c.Now())))
	}
	if show.bidTooLow {
		low := g.Bidding.MaxBidMicros != nil && *g.Bidding.MaxBidMicros < lowBid[g.Bidding.BillingEventType]
		add("bid_too_low", low)
	}
	return v
}
