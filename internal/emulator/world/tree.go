package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
)

// Campaign is a campaign's record. What the service shows of it is made in package ads.
type Campaign struct {
	ID              string       `json:"id"`
	Name            string       `json:"name"`
	Description     *string      `json:"description"`
	Status          Status       `json:"status"`
	CreatedAt       int64        `json:"created_at"` // Unix seconds
	UpdatedAt       int64        `json:"updated_at"`
	StartTime       *int64       `json:"start_time"`
	EndTime         *int64       `json:"end_time"`
	Budget          Budget       `json:"budget"`
	BiddingType     string       `json:"bidding_type"` // impressions, clicks, conversions
	Objective       string       `json:"objective"`
	Mode            *string      `json:"mode"`
	ProductFeedID   *string      `json:"product_feed_id"`
	BusinessAgentID *string      `json:"business_agent_id"`
	EventSettingIDs []string     `json:"conversion_event_setting_ids"`
	Targeting       *Targeting   `json:"targeting"`
	LandingPage     *LandingPage `json:"landing_page_configuration"`
	UserExternalID  string       `json:"user_external_id"`
}

// BillingEvent is what a campaign's ad groups are billed by: impression or click.
func (c Campaign) BillingEvent() string {
	if c.BiddingType == "impressions" {
		return "impression"
	}
	return "click"
}

// Budget has exactly one half, in micros of the account currency.
type Budget struct {
	Daily    *int64 `json:"daily_spend_limit_micros,omitempty"`
	Lifetime *int64 `json:"lifetime_spend_limit_micros,omitempty"`
}

// LandingPage is a tracking template, or one that is cleared.
type LandingPage struct {
	QueryStringTemplate *string `json:"query_string_template"`
}

// Targeting says where and to whom a campaign shows. Nil parts are not there.
type Targeting struct {
	Locations         *Places  `json:"locations,omitempty"`
	ExcludedLocations *Places  `json:"excluded_locations,omitempty"`
	Audiences         []string `json:"custom_audiences,omitempty"`
	ExcludedAudiences []string `json:"excluded_custom_audiences,omitempty"`
	Platforms         []string `json:"platforms,omitempty"`
}

// Places are countries and catalogue locations.
type Places struct {
	Countries []string `json:"countries,omitempty"`
	Include   []string `json:"include,omitempty"` // location ids
}

// AdGroup is an ad group's record.
type AdGroup struct {
	ID             string       `json:"id"`
	CampaignID     string       `json:"campaign_id"`
	Name           string       `json:"name"`
	Description    *string      `json:"description"`
	Status         Status       `json:"status"`
	CreatedAt      int64        `json:"created_at"`
	UpdatedAt      int64        `json:"updated_at"`
	ContextHints   []string     `json:"context_hints"`
	ExclusionHints []string     `json:"exclusion_hints"` // bulk jobs only; never shown
	Bidding        Bidding      `json:"bidding_config"`
	ProductSet     *ProductSet  `json:"product_set"`
	LandingPage    *LandingPage `json:"landing_page_configuration"`
	UserExternalID string       `json:"user_external_id"`

	// Values are the attributes that nothing but requests and answers reads, by name. They stand
	// among the others in the record as it is stored.
	Values map[string]json.RawMessage `json:"-"`
}

// adGroupFields are the fields of an ad group's record without its values.
type adGroupFields AdGroup

// MarshalJSON writes the values after the fields.
func (g AdGroup) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(adGroupFields(g))
	if err != nil || len(g.Values) == 0 {
		return text, err
	}
	values, err := json.Marshal(g.Values)
	return append(append(text[:len(text)-1], ','), values[1:]...), err
}

// UnmarshalJSON reads fields, and what is no field as a value.
func (g *AdGroup) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode((*adGroupFields)(g)) == nil {
		return nil
	}
	if err := json.Unmarshal(text, (*adGroupFields)(g)); err != nil {
		return err
	}
	var known map[string]json.RawMessage
	fields, err := json.Marshal(adGroupFields(*g))
	if err != nil {
		return err
	}
	if err := errors.Join(json.Unmarshal(text, &g.Values), json.Unmarshal(fields, &known)); err != nil {
		return err
	}
	maps.DeleteFunc(g.Values, func(name string, _ json.RawMessage) bool { return known[name] != nil })
	return nil
}

// Bidding is an ad group's bid configuration, as shown.
type Bidding struct {
	BillingEventType string `json:"billing_event_type"` // impression, click
	// fixed_bid, maximize_clicks, maximize_conversions, automated_bid
	Strategy     string       `json:"strategy"`
	MaxBidMicros *int64       `json:"max_bid_micros,omitempty"`
	Multipliers  []Multiplier `json:"custom_audience_bid_multipliers,omitempty"`
}

// Multiplier raises or lowers the bid for an audience; micros, 1,000,000 is ×1.
type Multiplier struct {
	AudienceID string `json:"custom_audience_id"`
	Micros     int64  `json:"bid_multiplier_micros"`
}

// ProductSet filters the campaign's product feed.
type ProductSet struct {
	ProductFeedID string          `json:"product_feed_id"`
	Filters       []ProductFilter `json:"filters"`
}

// ProductFilter is one condition of a product set.
type ProductFilter struct {
	Field    string   `json:"field"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

// Ad is an ad's record.
type Ad struct {
	ID             string       `json:"id"`
	AdGroupID      string       `json:"ad_group_id"`
	CampaignID     string       `json:"campaign_id"`
	Name           string       `json:"name"`
	Status         Status       `json:"status"`
	CreatedAt      int64        `json:"created_at"`
	UpdatedAt      int64        `json:"updated_at"`
	Creative       Creative     `json:"creative"`
	VersionID      string       `json:"version_id"`      // of the submitted creative
	SubmittedAt    int64        `json:"submitted_at_ms"` // Unix milliseconds; the review starts here
	LandingPage    *LandingPage `json:"landing_page_configuration"`
	UserExternalID string       `json:"user_external_id"`
}

// Creative is what an ad shows. Fields that its type does not use are "".
type Creative struct {
	Type      string     `json:"type"` // chat_card, product_ad_template
	Title     string     `json:"title"`
	Body      string     `json:"body"`
	Price     string     `json:"price,omitempty"`
	FileID    string     `json:"file_id,omitempty"`
	ImageCrop *ImageCrop `json:"image_crop,omitempty"`
	TargetURL string     `json:"target_url,omitempty"`
}

// ImageCrop is a part of the image, as fractions kept in the digits they were sent in.
type ImageCrop struct {
	X      Raw `json:"x"`
	Y      Raw `json:"y"`
	Width  Raw `json:"width"`
	Height Raw `json:"height"`
}
