package ads

import (
	"slices"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// The bounds of budgets, micros. The upper one is that of account limits; the
// campaign's own is not published.
const (
	MinBudget = 1_000_000
	MaxBudget = 1_000_000_000_000_000
)

// readCampaignCreate reads the body of a create (part 2). What depends on the
// account is checked by checkCampaign.
func readCampaignCreate(o *wire.Object, points *openpoint.Settings) world.Campaign {
	o.Require("name", "budget")
	if points.Is(openpoint.BiddingTypeRequired, "yes") {
		o.Require("bidding_type")
	}
	o.AllowNull("description", "start_time", "end_time",
		"targeting", "landing_page_configuration", "mode", "product_feed_id", "business_agent_id")
	c := world.Campaign{
		Name:            NormName(points, o.Name("name", 3, 1000).V),
		Description:     o.Text("description", 0, 0).Ptr(),
		Status:          createStatus(o, points),
		StartTime:       o.Time("start_time").Ptr(),
		EndTime:         o.Time("end_time").Ptr(),
		BiddingType:     o.Choice("bidding_type", "impressions", "clicks", "conversions").Or("impressions"),
		Mode:            o.Choice("mode", "product_feed", "business_agent").Ptr(),
		ProductFeedID:   o.Text("product_feed_id", 1, 255).Ptr(),
		BusinessAgentID: o.Text("business_agent_id", 1, 255).Ptr(),
		EventSettingIDs: o.Texts("conversion_event_setting_ids", 0, 1000, nil).Or([]string{}),
		LandingPage:     readLandingPage(o),
	}
	if b := readBudget(o); b != nil {
		c.Budget = *b
	}
	if t := readTargeting(o, points); t != nil {
		c.Targeting = t.whole()
	}
	readGoal(o, &c)
	checkMode(o, c)
	return c
}

// Objective is what a bidding type aims at.
func Objective(biddingType string) string {
	if biddingType == "impressions" {
		return "reach"
	}
	return biddingType
}

// readGoal reads objective and billing_event_type, which follow from the
// bidding type and may only repeat it.
func readGoal(o *wire.Object, c *world.Campaign) {
	c.Objective = o.Choice("objective", "reach", "clicks", "conversions").Or(Objective(c.BiddingType))
	if c.Objective != Objective(c.BiddingType) {
		o.Fail("objective", "invalid_value", "Invalid 'objective': '%s' does not go with bidding_type '%s'.",
			c.Objective, c.BiddingType)
	}
	if v := o.Choice("billing_event_type", "impression", "click"); v.Given() && v.V != c.BillingEvent() {
		o.Fail("billing_event_type", "invalid_value",
			"Invalid 'billing_event_type': '%s' does not go with bidding_type '%s'.", v.V, c.BiddingType)
	}
}

// checkMode keeps product_feed_id and business_agent_id with their modes.
func checkMode(o *wire.Object, c world.Campaign) {
	mode := ""
	if c.Mode != nil {
		mode = *c.Mode
	}
	for _, need := range []struct {
		mode, name string
		given      bool
	}{
		{"product_feed", "product_feed_id", c.ProductFeedID != nil},
		{"business_agent", "business_agent_id", c.BusinessAgentID != nil},
	} {
		if mode == need.mode && !need.given {
			o.Fail(need.name, "missing_required_parameter",
				"Missing required parameter: '%s' with mode '%s'.", need.name, need.mode)
		}
		if mode != need.mode && need.given {
			o.Fail(need.name, "invalid_value", "Invalid '%s': it needs mode '%s'.", need.name, need.mode)
		}
	}
}

// readBudget reads a budget: exactly one half.
func readBudget(o *wire.Object) *world.Budget {
	b, seen := o.Object("budget")
	if b == nil {
		return nil
	}
	budget := &world.Budget{
		Daily:    b.Int("daily_spend_limit_micros", MinBudget, MaxBudget).Ptr(),
		Lifetime: b.Int("lifetime_spend_limit_micros", MinBudget, MaxBudget).Ptr(),
	}
	if seen.Given() && (budget.Daily == nil) == (budget.Lifetime == nil) {
		b.Fail("", "invalid_value",
			"Invalid 'budget': want exactly one of daily_spend_limit_micros and lifetime_spend_limit_micros.")
	}
	return budget
}

// checkCampaign checks a create against the account.
func checkCampaign(a *world.Account, c world.Campaign) error {
	if err := checkSchedule(c); err != nil {
		return err
	}
	if err := checkGoal(a, c); err != nil {
		return err
	}
	if c.ProductFeedID != nil && !slices.Contains(a.Profile().Features.ProductFeeds, *c.ProductFeedID) {
		return wire.Invalidf("product_feed_id", "product_feed_not_found",
			"No product feed '%s' is linked to the ad account.", *c.ProductFeedID)
	}
	return checkTargeting(a, c)
}

func checkSchedule(c world.Campaign) error {
	if c.EndTime == nil {
		return nil
	}
	start := int64(wire.MinTime)
	if c.StartTime != nil {
		start = *c.StartTime
	}
	if *c.EndTime <= start {
		return wire.Invalidf("end_time", "invalid_value",
			"Invalid 'end_time': %d is not after start_time %d.", *c.EndTime, start)
	}
	return nil
}

// checkGoal is the conversion-optimised rules of part 2, and that linked
// settings exist.
func checkGoal(a *world.Account, c world.Campaign) error {
	if c.BiddingType != "conversions" {
		for _, id := range c.EventSettingIDs {
			if _, ok := a.EventSettings.Get(id); !ok {
				return wire.Invalidf("conversion_event_setting_ids",
					"event_setting_not_found", "No conversion event setting found with id '%s'.", id)
			}
		}
		return nil
	}
	if !a.Profile().Features.Conversions {
		return wire.Refusef(403, "conversion_bidding_not_enabled", "bidding_type", "Conversion bidding is not enabled.")
	}
	if len(c.EventSettingIDs) != 1 {
		return wire.Invalidf("conversion_event_setting_ids", "invalid_value",
			"A conversions campaign needs exactly one conversion event setting, but got %d.", len(c.EventSettingIDs))
	}
	return checkConversionGoal(a, c.EventSettingIDs[0])
}

func checkConversionGoal(a *world.Account, id string) error {
	setting, ok := a.EventSettings.Get(id)
	if !ok || setting.Archived {
		return wire.Invalidf("conversion_event_setting_ids",
			"event_setting_not_found", "No active conversion event setting found with id '%s'.", id)
	}
	if setting.EventType == "custom" {
		return wire.Invalidf("conversion_event_setting_ids",
			"custom_event_setting", "The custom event setting '%s' cannot be the goal of a conversions campaign.", id)
	}
	if source, ok := a.Pixels.Get(setting.SourceID); !ok || source.Inactive {
		return wire.Invalidf("conversion_event_setting_ids",
			"source_not_active", "The event setting '%s' is not connected to an active conversion source.", id)
	}
	return nil
}

// readCampaignUpdate reads the body of an update: nested settings and arrays replace.
func readCampaignUpdate(o *wire.Object, points *openpoint.Settings) CampaignChange {
	notEmpty(o)
	immutable(o, "bidding_type", "mode", "product_feed_id", "business_agent_id", "objective", "billing_event_type")
	o.AllowNull("description", "start_time", "end_time", "targeting", "landing_page_configuration")
	name := o.Name("name", 3, 1000)
	description := o.Text("description", 0, 0)
	start, end := o.Time("start_time"), o.Time("end_time")
	events := o.Texts("conversion_event_setting_ids", 0, 1000, nil)
	landing, hasLanding := readLandingPage(o), o.Has("landing_page_configuration")
	targeting, hasTargeting := readTargeting(o, points), o.Has("targeting")
	budget := readBudget(o)
	return CampaignChange{Status: updateStatus(o), Apply: func(c *world.Campaign) error {
		c.Name = NormName(points, name.Or(c.Name))
		Set(&c.Description, description)
		Set(&c.StartTime, start)
		Set(&c.EndTime, end)
		if hasLanding {
			c.LandingPage = landing
		}
		if hasTargeting {
			c.Targeting = targeting.over(c.Targeting)
		}
		if budget != nil {
			c.Budget = *budget
		}
		if !events.Given() {
			return nil
		}
		if c.BiddingType == "conversions" {
			return wire.Invalidf("conversion_event_setting_ids",
				"immutable_parameter", "The goal of a conversions campaign cannot be changed after creation.")
		}
		c.EventSettingIDs = events.V
		return nil
	}}
}

// Set applies a three-valued field: absent keeps, null clears, a value replaces.
func Set[T any](to **T, v wire.Opt[T]) {
	if v.Set {
		*to = v.Ptr()
	}
}

// checkCampaignChange checks what a change makes of a campaign.
func checkCampaignChange(a *world.Account, before, after world.Campaign) error {
	if before.Budget.Daily != nil && after.Budget.Lifetime != nil {
		return wire.Invalidf("budget", "invalid_value", "A daily budget cannot be changed into a lifetime budget.")
	}
	if err := checkSchedule(after); err != nil {
		return err
	}
	if err := checkLinkedEvents(a, before, after); err != nil {
		return err
	}
	if err := checkDailyCut(a, before, after); err != nil {
		return err
	}
	if before.Targeting == after.Targeting {
		return nil
	}
	return checkTargeting(a, after)
}

func checkLinkedEvents(a *world.Account, before, after world.Campaign) error {
	if after.BiddingType == "conversions" || slices.Equal(before.EventSettingIDs, after.EventSettingIDs) {
		return nil
	}
	return checkGoal(a, after)
}

// checkDailyCut refuses a daily budget that is cut below the effective bid of one
// of its ad groups, the bid times its largest multiplier (published with bidding).
func checkDailyCut(a *world.Account, before, after world.Campaign) error {
	if before.Budget.Daily == nil || after.Budget.Daily == nil || *after.Budget.Daily >= *before.Budget.Daily {
		return nil
	}
	for _, g := range a.AdGroupsOf.Of(after.ID) {
		if g.Status != world.Archived && g.Bidding.MaxBidMicros != nil &&
			effectiveBid(g.Bidding) > *after.Budget.Daily {
			return wire.Invalidf("budget.daily_spend_limit_micros", "budget_below_bid", "The daily budget "+
				"%d is below the bid %d of ad group %s.", *after.Budget.Daily, effectiveBid(g.Bidding), g.ID)
		}
	}
	return nil
}
