package kinds

import (
	"slices"

	"adsync/internal/resource"
)

func campaign() *resource.Schema {
	return &resource.Schema{
		Kind: Campaign, Title: "Campaign", Sheet: "Campaigns", Collection: "campaigns",
		NameFrom: []string{"name"}, Removal: Archived, Insights: "campaign", Audit: "campaign_id",
		Attributes: []resource.Attribute{
			{
				Name: "name", Header: "Campaign",
				Help: "The campaign's name, 3 to 1,000 characters.", Example: "Spring launch",
				Type: resource.TypeText, Min: 3, Max: 1000, Required: true, OnCreate: true,
				Wire: resource.Wire{Path: "name"},
				Bulk: resource.BulkField{Create: "name", Update: "name"},
			},
			status(),
			{
				Name: "bidding_type", Header: "Bidding",
				Help: "What is paid for: impressions, clicks or conversions. Cannot change later.", Example: "clicks",
				Type: resource.TypeChoice, Required: true, OnCreate: true, Immutable: true,
				Choices: []resource.Choice{
					{Value: "impressions", Synonyms: []string{"views", "impression", "reach"}},
					{Value: "clicks", Synonyms: []string{"click"}},
					{Value: "conversions", Synonyms: []string{"conversion"}},
				},
				Wire: resource.Wire{Path: "bidding_type"},
				Bulk: resource.BulkField{
					Create: "billing_event_type",
					Map:    map[string]string{"impressions": "impression", "clicks": "click"}, AtCreate: true,
				},
			},
			budgetDaily(), budgetLifetime(),
			{
				Name: "start", Header: "Start date",
				Help: "First day, YYYY-MM-DD, in the account's " +
					"time zone. Blank: left as it is; a new campaign can start at once.", Example: "2026-12-01",
				Type: resource.TypeDay, Clearable: true,
				Wire: resource.Wire{Path: "start_time", Codec: resource.StartTime},
				Bulk: resource.BulkField{Update: "start_time"},
			},
			{
				Name: "end", Header: "Last day",
				Help:    "Last day that is still inside, YYYY-MM-DD. Blank: left as it is; [clear] means no end.",
				Example: "2026-12-31",
				Type:    resource.TypeLast, Clearable: true, Earliest: resource.Today, EditsBack: true,
				Without: &resource.Without{Says: "no-last-day"},
				Wire:    resource.Wire{Path: "end_time", Codec: resource.EndTime},
				Bulk:    resource.BulkField{Update: "end_time"},
			},
			{
				Name: "targeting.countries", Header: "Countries",
				Help: "Two-letter codes or names of countries, " +
					"separated by commas. Blank: left as it is; [clear] removes the countries.", Example: "US, CA",
				Type: resource.TypeRegion, Clearable: true, Spend: resource.Reach,
				Without: &resource.Without{
					Says: "all-countries", Unless: []string{"targeting.locations"},
					But: []string{"targeting.excluded_countries", "targeting.excluded_locations"},
				},
				Wire: resource.Wire{Path: "targeting.locations.countries"},
				Bulk: resource.BulkField{Create: "target_countries"},
			},
			{
				Name: "targeting.locations", Header: "Locations",
				Help: "Ids of regions or cities, separated by commas.", Example: "2000043, 3000194",
				Type: resource.TypeIDs, Max: 2500, Clearable: true, Spend: resource.Reach,
				Wire: resource.Wire{Path: "targeting.locations.include", Codec: resource.IDObjects},
				Bulk: resource.BulkField{Create: "location_ids"},
			},
			excluded(reach("targeting.excluded_countries",
				"targeting.excluded_locations.countries", resource.TypeRegion, resource.Plain)),
			excluded(reach("targeting.excluded_locations",
				"targeting.excluded_locations.include", resource.TypeIDs, resource.IDObjects)),
			of(Audience, used("inclusion", leastMatched, reach("targeting.audiences",
				"targeting.custom_audiences.ids", resource.TypeIDs, resource.Plain))),
			of(Audience, used("exclusion", 0, excluded(reach("targeting.excluded_audiences",
				"targeting.excluded_custom_audiences.ids", resource.TypeIDs, resource.Plain)))),
			platforms(),
			{
				Name: "conversion_goal", Header: "Conversion goal",
				Help: "The event setting a conversions campaign is optimised for: its id, or " +
					"event_setting/KEY for one of your files. Cannot change later.", Example: "event_setting/orders",
				Type: resource.TypeID, Of: EventSetting, Addressed: EventSetting, Immutable: true,
				Wire: resource.Wire{Path: "conversion_event_setting_ids", Codec: resource.SingleItem},
				Bulk: resource.BulkField{AtCreate: true},
			},
			{
				Name: "product_feed", Header: "Product feed",
				Help: "Id of the product feed of a product-feed campaign. Cannot change later.", Example: "fd_123",
				Type: resource.TypeID, Immutable: true,
				Wire: resource.Wire{Path: "product_feed_id"},
				Bulk: resource.BulkField{AtCreate: true},
			},
			tracking(), description(),
			{
				Name: "business_agent", Header: "Business agent",
				Help:    "Id of the business agent of a business-agent campaign. Cannot change later.",
				Example: "agent_123",
				Type:    resource.TypeID, Immutable: true,
				Wire: resource.Wire{Path: "business_agent_id"},
				Bulk: resource.BulkField{AtCreate: true},
			},
		},
		Facts: []resource.Fact{servingIssues("campaign")},
		Groups: []resource.Group{
			{Wire: "budget", Exclusive: true},
			{Wire: "targeting", ReadOnly: []string{"name", "type", "country_code", "region_code"}},
			trackingGroup(),
		},
		Fixed: []resource.Fixed{
			{Wire: "mode", Value: "product_feed", If: "product_feed"},
			{Wire: "mode", Value: "business_agent", If: "business_agent"},
		},
		Bulk:  resource.BulkRoute{Create: "campaign.create", Update: "campaign.update"},
		Rules: ofCampaign(), Across: slices.Concat(acrossCampaign(), acrossTracking(Campaign)),
		Most: 5000,
	}
}

func budgetDaily() resource.Attribute {
	path := "budget.daily_spend_limit_micros"
	return resource.Attribute{
		Name: "budget.daily", Header: "Daily budget",
		Help: "Most to spend on one day, in the account's " +
			"currency. Give this or the lifetime budget. Blank: left as it is.", Example: "50.00",
		Type: resource.TypeMoney, Min: resource.MicrosPerUnit, Spend: resource.Amount, Per: "day",
		Without: &resource.Without{Says: "no-daily-limit"},
		Wire:    resource.Wire{Path: path},
		Bulk: resource.BulkField{
			Create: "max_budget_micros", With: map[string]string{"budget_type": "daily"},
			Needs: resource.BulkDailyBudget, AtCreate: true,
		},
	}
}

func budgetLifetime() resource.Attribute {
	return resource.Attribute{
		Name: "budget.lifetime", Header: "Lifetime budget",
		Help: "Most to spend over the whole campaign, " +
			"in the account's currency. Give this or the daily budget. Blank: left as it is.", Example: "1500.00",
		Type: resource.TypeMoney, Min: resource.MicrosPerUnit, Spend: resource.Amount, Per: "lifetime",
		Wire: resource.Wire{Path: "budget.lifetime_spend_limit_micros"},
		Bulk: resource.BulkField{
			Create: "max_budget_micros", Update: "max_budget_micros",
			With: map[string]string{"budget_type": "lifetime"},
		},
	}
}

// reach is targeting that only YAML says and only single requests carry.
func reach(name, wire string, typ resource.Type, codec resource.Codec) resource.Attribute {
	return resource.Attribute{
		Name: name, Type: typ, Max: 2500, Clearable: true, Spend: resource.Reach,
		Help: "Part of the targeting; the whole targeting is sent when any of it changes.",
		Wire: resource.Wire{Path: wire, Codec: codec},
	}
}

func excluded(a resource.Attribute) resource.Attribute {
	a.Excludes = true
	return a
}

func used(use string, least int64, a resource.Attribute) resource.Attribute {
	a.Use = &resource.Use{Name: use, Least: least}
	return a
}

// of returns which kind is named: by ids, or by addresses of the files.
func of(kind resource.Kind, a resource.Attribute) resource.Attribute {
	a.Of, a.Addressed = kind, kind
	a.Help = "Ids, or " + string(kind) + "/KEY for those of your files. " + a.Help
	return a
}

func platforms() resource.Attribute {
	return resource.Attribute{
		Name: "targeting.platforms", Type: resource.TypeSet, Clearable: true, Spend: resource.Reach,
		Help: "Where ads show; absent means everywhere on a new campaign.",
		Choices: []resource.Choice{{Value: "web"}, {Value: "desktop_web"},
			{Value: "ios_web"}, {Value: "android_web"}, {Value: "ios_app"}, {Value: "android_app"}},
		Wire: resource.Wire{Path: "targeting.platforms.included", Null: true},
	}
}
