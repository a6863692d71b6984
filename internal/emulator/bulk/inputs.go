package bulk

import (
	"adsync/internal/emulator/ads"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// kind is one of the six operation types: how its input is read (table of part 4).
type kind struct {
	create bool
	read   func(op *operation, o *wire.Object, points *openpoint.Settings) effect
}

var kindNames = []string{"campaign.create", "campaign.update",
	"ad_group.create", "ad_group.update", "ad.create", "ad.update"}

var kinds = map[string]kind{
	"campaign.create": {true, readCampaignCreate},
	"campaign.update": {false, readCampaignUpdate},
	"ad_group.create": {true, readAdGroupCreate},
	"ad_group.update": {false, readAdGroupUpdate},
	"ad.create":       {true, readAdCreate},
	"ad.update":       {false, readAdUpdate},
}

// readCampaignCreate: by default impression-billed, lifetime budget, paused (bulk rule 5).
func readCampaignCreate(op *operation, o *wire.Object, points *openpoint.Settings) effect {
	o.Require("name", "max_budget_micros")
	c := world.Campaign{
		Name:            ads.NormName(points, o.Name("name", 3, 1000).V),
		Status:          world.Status(o.Choice("status", "active", "paused").Or("paused")),
		BiddingType:     "impressions",
		EventSettingIDs: []string{},
	}
	if o.Choice("billing_event_type", "impression", "click").V == "click" {
		c.BiddingType = "clicks"
	}
	c.Objective = ads.Objective(c.BiddingType)
	c.Budget = budgetOf(readBudgetType(o, points).Or("lifetime"),
		o.Int("max_budget_micros", ads.MinBudget, ads.MaxBudget).V)
	places := world.Places{
		Countries: ads.NormList(points, o.Texts("target_countries", 0, 0, ads.CheckCountry).V),
		Include:   ads.NormList(points, readLocations(o).V),
	}
	if len(places.Countries)+len(places.Include) > 0 {
		c.Targeting = &world.Targeting{Locations: &places}
	}
	op.campaign = &c
	return createCampaign(c)
}

func readBudgetType(o *wire.Object, points *openpoint.Settings) wire.Opt[string] {
	if points.Is(openpoint.BulkDaily, "refused") {
		return o.Choice("budget_type", "lifetime")
	}
	return o.Choice("budget_type", "lifetime", "daily")
}

func readLocations(o *wire.Object) wire.Opt[[]string] {
	return o.Texts("location_ids", 0, ads.MaxLocations, ads.CheckLocation)
}

func budgetOf(half string, micros int64) world.Budget {
	if half == "daily" {
		return world.Budget{Daily: &micros}
	}
	return world.Budget{Lifetime: &micros}
}

func readCampaignUpdate(_ *operation, o *wire.Object, points *openpoint.Settings) effect {
	notEmpty(o)
	o.AllowNull("description", "start_time", "end_time")
	name, description := o.Name("name", 3, 1000), o.Text("description", 0, 0)
	start, end := o.Time("start_time"), o.Time("end_time")
	micros, half := o.Int("max_budget_micros", ads.MinBudget, ads.MaxBudget), readBudgetType(o, points)
	locations := readLocations(o)
	return updateCampaign(ads.CampaignChange{Status: readStatus(o), Apply: func(c *world.Campaign) error {
		c.Name = ads.NormName(points, name.Or(c.Name))
		ads.Set(&c.Description, description)
		ads.Set(&c.StartTime, start)
		ads.Set(&c.EndTime, end)
		if locations.Given() {
			c.Targeting = withLocations(points, c.Targeting, locations.V)
		}
		return changeBudget(&c.Budget, micros, half)
	}})
}

// changeBudget keeps the half the campaign has unless budget_type says otherwise.
func changeBudget(b *world.Budget, micros wire.Opt[int64], half wire.Opt[string]) error {
	have := "lifetime"
	if b.Daily != nil {
		have = "daily"
	}
	if micros.Given() {
		*b = budgetOf(half.Or(have), micros.V)
		return nil
	}
	if half.Given() && half.V != have {
		return wire.Invalidf("max_budget_micros", "missing_required_parameter",
			"A change of budget_type to '%s' needs max_budget_micros.", half.V)
	}
	return nil
}

// withLocations replaces the location ids of a targeting; whether countries stay is open.
func withLocations(points *openpoint.Settings, t *world.Targeting, ids []string) *world.Targeting {
	var next world.Targeting
	if t != nil {
		next = *t
	}
	places := world.Places{Include: ads.NormList(points, ids)}
	if next.Locations != nil && points.Is(openpoint.BulkLocationsReplace, "ids") {
		places.Countries = next.Locations.Countries
	}
	next.Locations = &places
	if len(places.Countries)+len(places.Include) == 0 {
		next.Locations = nil
	}
	return &next
}

func readAdGroupCreate(op *operation, o *wire.Object, points *openpoint.Settings) effect {
	ads.RequireAdGroup(ads.BulkCreate, o, "campaign_idempotency_key")
	op.campaignKey = o.Name("campaign_idempotency_key", 1, maxID).V
	var g world.AdGroup
	given := ads.ReadAdGroup(ads.BulkCreate, o, func() {
		g.Status = world.Status(o.Choice("status", "active", "paused").Or("paused"))
	})
	given.Fill(points, &g)
	bid := readBid(op, o, points)
	g.Bidding = world.Bidding{BillingEventType: op.bidsBy, Strategy: ads.FixedBid, MaxBidMicros: bid}
	return createAdGroup(g)
}

// readBid reads at most one of max_bid_micros (clicks) and max_cpm_bid_micros
// (impressions), and gives the bid per single event (bulk rule 6).
func readBid(op *operation, o *wire.Object, points *openpoint.Settings) *int64 {
	click := o.Int("max_bid_micros", 1, points.Int(openpoint.BidCeiling))
	cpm := o.Int("max_cpm_bid_micros", 1, points.Int(openpoint.BidCeiling))
	switch {
	case click.Given() && cpm.Given():
		o.Fail("max_cpm_bid_micros", "invalid_value", "Only one of max_bid_micros and max_cpm_bid_micros can be given.")
	case click.Given():
		op.bidsBy = "click"
		return click.Ptr()
	case cpm.Given():
		op.bidsBy = "impression"
		return perImpression(o, cpm.V, points)
	}
	return nil
}

func perImpression(o *wire.Object, cpm int64, points *openpoint.Settings) *int64 {
	if points.Is(openpoint.BulkCPMUnit, "per_impression") {
		return &cpm
	}
	if cpm%1000 != 0 {
		o.Fail("max_cpm_bid_micros", "invalid_value", "Invalid '%s': %d micros for 1,000 "+
			"impressions is no whole amount for one; want a multiple of 1,000.", o.At("max_cpm_bid_micros"), cpm)
	}
	bid := cpm / 1000
	return &bid
}

func readAdGroupUpdate(op *operation, o *wire.Object, points *openpoint.Settings) effect {
	notEmpty(o)
	given := ads.ReadAdGroup(ads.BulkUpdate, o, nil)
	bid := readBid(op, o, points)
	return updateAdGroup(ads.AdGroupChange{Status: readStatus(o),
		Apply: func(g *world.AdGroup, _ world.Campaign) error {
			given.Apply(points, g)
			if bid != nil {
				g.Bidding.BillingEventType, g.Bidding.Strategy, g.Bidding.MaxBidMicros = op.bidsBy, ads.FixedBid, bid
			}
			return nil
		}})
}

// readAdCreate: the input has no name; the ad is named by its title.
func readAdCreate(op *operation, o *wire.Object, points *openpoint.Settings) effect {
	o.Require("campaign_idempotency_key", "ad_group_idempotency_key", "title", "body", "target_url", "source_image_url")
	op.campaignKey = o.Name("campaign_idempotency_key", 1, maxID).V
	op.adGroupKey = o.Name("ad_group_idempotency_key", 1, maxID).V
	op.imageURL = ads.ReadURL(o, "source_image_url")
	d := world.Ad{Status: world.Status(o.Choice("status", "active", "paused").Or("paused"))}
	d.Creative = readCreative(o, points)
	d.Name = d.Creative.Title
	return createAd(d)
}

func readCreative(o *wire.Object, points *openpoint.Settings) world.Creative {
	return world.Creative{
		Type:      ads.ChatCard,
		Title:     ads.NormName(points, o.Name("title", 3, 50).V),
		Body:      ads.NormName(points, o.Text("body", 0, 100).V),
		TargetURL: ads.NormURL(points, ads.ReadURL(o, "target_url")),
	}
}

// readAdUpdate: a creative has title, body, target_url and file_id, all of them (bulk rule 8).
func readAdUpdate(_ *operation, o *wire.Object, points *openpoint.Settings) effect {
	notEmpty(o)
	name := o.Name("name", 3, 1000)
	change := ads.AdChange{Status: readStatus(o), Apply: func(d *world.Ad) {
		d.Name = ads.NormName(points, name.Or(d.Name))
	}}
	if c, _ := o.Object("creative"); c != nil {
		c.Require("title", "body", "target_url", "file_id")
		creative := readCreative(c, points)
		creative.FileID = c.Text("file_id", 1, 255).V
		change.Creative = &creative
	}
	return updateAd(change)
}

func readStatus(o *wire.Object) *world.Status {
	v := o.Choice("status", "active", "paused", "archived")
	if !v.Given() {
		return nil
	}
	status := world.Status(v.V)
	return &status
}

func notEmpty(o *wire.Object) {
	if o.Len() == 0 {
		o.Fail("", "missing_required_parameter", "Invalid '%s': want at least one field to change.", o.At(""))
	}
}
