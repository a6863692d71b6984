// Package kinds describes every kind of resource, one file a kind, as data.
//
// It refuses to do anything: no reader, encoder or comparison stands here. Its
// invariant is that whatever the product knows of a kind is in its description,
// so that adding a kind or an attribute touches this package, the emulator and
// fixtures, and nothing else (design.md section 2.5).
//
// A kind has its file: campaign.go, ad_group.go, ad.go, audience.go, conversion.go (pixel and
// event setting), spend_limit.go, account.go. Rules of a kind that one attribute cannot say
// stand in rules_campaign.go and its like.
package kinds

import "adsync/internal/resource"

// The kinds adsync manages.
const (
	Campaign resource.Kind = "campaign"
	AdGroup  resource.Kind = "ad_group"
	Ad       resource.Kind = "ad"

	Audience         resource.Kind = "audience"
	SpendLimitWindow resource.Kind = "spend_limit_window"
	DailySpendLimit  resource.Kind = "daily_spend_limit"
	Pixel            resource.Kind = "pixel"
	EventSetting     resource.Kind = "event_setting"
	Account          resource.Kind = "account"
)

// All returns every kind, parents before children.
func All() resource.Schemas {
	all := resource.Schemas{
		campaign(), adGroup(), ad(), audience(), spendLimitWindow(),
		dailySpendLimit(), pixel(), eventSetting(), account(),
	}
	for _, s := range all {
		s.Attributes = append(s.Attributes, protect())
	}
	return all
}

// protect is the same attribute on every kind: a word to adsync, which the
// service never hears of (design.md section 6).
func protect() resource.Attribute {
	return resource.Attribute{
		Name: "protect", Protects: true,
		Help: "archive, pause, budget or all: " +
			"what adsync must never do to it. Blank: left as it is; [clear] lifts it, from the next apply on.",
		Example: "archive, budget",
		Type:    resource.TypeSet, Clearable: true,
		Choices: []resource.Choice{{Value: "archive"}, {Value: "pause"}, {Value: "budget"}, {Value: "all"}},
	}
}

// The statuses every kind of the tree has (interface, part 3).
const (
	Active   = "active"
	Paused   = "paused"
	Archived = "archived"
)

// status is the same attribute on campaign, ad group and ad. A create without a
// status is paused: nobody's money moves unless a file says so.
func status() resource.Attribute {
	return resource.Attribute{
		Name: "status", Header: "Status",
		Help: "active, paused or archived. Blank: " +
			"left as it is; a new one is created paused. Archiving cannot be undone.",
		Example: Paused,
		Type:    resource.TypeChoice,
		Choices: []resource.Choice{
			{Value: Active, Synonyms: []string{"enabled", "live", "running"}},
			{Value: Paused, Synonyms: []string{"disabled", "stopped"}},
			{Value: Archived, Synonyms: []string{"removed"}},
		},
		OnCreate: true, Default: Paused, Spend: resource.Delivery,
		Wire: resource.Wire{Path: "status"},
		Bulk: resource.BulkField{Create: "status", Update: "status"},
	}
}

// tracking is the same attribute on campaign, ad group and ad (interface, part 2, tracking parameters).
func tracking() resource.Attribute {
	return resource.Attribute{
		Name: "tracking", Header: "Tracking",
		Help: "Query parameters added to the landing " +
			"page, such as utm_source=chat&utm_campaign={campaign_id}. Blank: left as it is; [clear] removes it.",
		Example: "utm_source=chat&utm_campaign={campaign_id}",
		Type:    resource.TypeQuery, Clearable: true,
		Wire: resource.Wire{Path: "landing_page_configuration.query_string_template"},
	}
}

func trackingGroup() resource.Group {
	return resource.Group{Wire: "landing_page_configuration"}
}

// servingIssues are what keeps a resource from being shown, which a read has to ask for.
func servingIssues(what string) resource.Fact {
	return resource.Fact{
		Name: "serving_issues", Header: "Serving issues",
		Path: "serving_issues", Item: "code", Include: "serving_issues",
		Help: "What kept the " + what + " from being shown " +
			"when this was exported. Blank: nothing.",
	}
}

func description() resource.Attribute {
	return resource.Attribute{
		Name: "description", Header: "Description",
		Help:    "Your own note, kept at the service. Blank: left as it is; [clear] removes it.",
		Example: "Ask Ann before changing the budget",
		Type:    resource.TypeText, Max: 10000, Clearable: true,
		Wire: resource.Wire{Path: "description"},
		Bulk: resource.BulkField{Update: "description"},
	}
}
