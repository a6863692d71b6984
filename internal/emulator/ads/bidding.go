package ads

import (
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// The strategies. Maximize Results is one of the two maximize_ ones, by the
// campaign's bidding type. Automated is only ever shown: a bulk create without a bid.
const (
	FixedBid            = "fixed_bid"
	maximizeClicks      = "maximize_clicks"
	maximizeConversions = "maximize_conversions"
	Automated           = "automated_bid"
)

// The bounds of an audience's bid multiplier, micros.
const (
	minMultiplier = 100_000
	maxMultiplier = 10_000_000
)

// effectiveBid is the most a bid comes to for the people of an audience, micros; the bounds
// of both keep the product within an int64.
func effectiveBid(b world.Bidding) int64 {
	most := int64(1_000_000)
	for _, m := range b.Multipliers {
		most = max(most, m.Micros)
	}
	bid := *b.MaxBidMicros
	return bid/1_000_000*most + bid%1_000_000*most/1_000_000
}

func isMaximize(strategy string) bool {
	return strategy == maximizeClicks || strategy == maximizeConversions
}

// readBidding reads a whole bidding_config; nil when absent. A fixed bid needs
// max_bid_micros, Maximize Results must do without (part 2).
func readBidding(o *wire.Object, points *openpoint.Settings) *world.Bidding {
	b, _ := o.Object("bidding_config")
	if b == nil {
		return nil
	}
	b.Require("billing_event_type")
	bidding := &world.Bidding{
		BillingEventType: b.Choice("billing_event_type", "impression", "click").V,
		Strategy:         b.Choice("strategy", FixedBid, maximizeClicks, maximizeConversions).Or(FixedBid),
		MaxBidMicros:     b.Int("max_bid_micros", 1, points.Int(openpoint.BidCeiling)).Ptr(),
		Multipliers:      readMultipliers(b),
	}
	switch {
	case bidding.Strategy == FixedBid:
		b.Require("max_bid_micros")
	case bidding.MaxBidMicros != nil:
		b.Fail("max_bid_micros", "invalid_value", "Invalid '%s': it must be omitted with strategy '%s'.",
			b.At("max_bid_micros"), bidding.Strategy)
	case len(bidding.Multipliers) > 0:
		b.Fail("custom_audience_bid_multipliers", "invalid_value",
			"Invalid '%s': it goes with strategy fixed_bid only.", b.At("custom_audience_bid_multipliers"))
	}
	return bidding
}

func readMultipliers(b *wire.Object) []world.Multiplier {
	var all []world.Multiplier
	seen := map[string]bool{}
	for _, m := range b.Objects("custom_audience_bid_multipliers", 0, 0).V {
		m.Require("custom_audience_id", "bid_multiplier_micros")
		one := world.Multiplier{
			AudienceID: m.Text("custom_audience_id", 1, 255).V,
			Micros:     m.Int("bid_multiplier_micros", minMultiplier, maxMultiplier).V,
		}
		if seen[one.AudienceID] {
			m.Fail("custom_audience_id", "invalid_value",
				"Invalid '%s': the audience '%s' is used twice.", m.At("custom_audience_id"), one.AudienceID)
		}
		seen[one.AudienceID] = true
		all = append(all, one)
	}
	return all
}

// CheckBidding checks a bid configuration against its campaign (part 2 and the
// conversion-optimised rules).
func CheckBidding(c world.Campaign, b world.Bidding) error {
	if b.BillingEventType != c.BillingEvent() {
		return wire.Invalidf("bidding_config.billing_event_type", "billing_event_mismatch", "Ad groups of a campaign "+
			"with bidding_type '%s' are billed by %s, not by %s.", c.BiddingType, c.BillingEvent(), b.BillingEventType)
	}
	if !isMaximize(b.Strategy) {
		return nil
	}
	if fits := map[string]string{"clicks": maximizeClicks,
		"conversions": maximizeConversions}[c.BiddingType]; b.Strategy != fits {
		return wire.Invalidf("bidding_config.strategy",
			"strategy_mismatch", "The strategy '%s' does not go with bidding_type '%s'.", b.Strategy, c.BiddingType)
	}
	if c.Budget.Daily == nil {
		return wire.Invalidf("bidding_config.strategy",
			"daily_budget_required", "The strategy '%s' needs a campaign with a daily budget.", b.Strategy)
	}
	return nil
}
