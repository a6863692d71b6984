package reconcile_test

import (
	"maps"
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
)

// route is a value of one attribute, in an account and beside other values in which
// it goes by one way.
type route struct {
	attribute     string       // "ad_group bid.max"
	first, second any          // as world.write takes it, or a func(*world) any
	only          string       // creates or updates; both where it is empty
	by            string       // the way; the first of the page where it is empty
	prior         func(*world) // what is there already
	beneath       bool         // so is its parent
	noJobs        bool         // the account has no bulk jobs
	points        string       // of the emulator
	with          values       // beside it; nil takes a value away
	then          values       // beside the second value, in place of with
	campaign      values       // of the campaign above it
}

type values map[string]any

// What a resource has beside the value that is looked at.
var usual = map[resource.Kind]values{
	"campaign": {"name": "Base campaign", "status": "paused",
		"bidding_type": "clicks", "budget.lifetime": 100_000_000, "targeting.countries": []string{"US"}},
	"ad_group": {"name": "Base group", "status": "paused", "bid.max": 1_250_000},
	"ad": {"status": "paused", "title": "Base title", "body": "Base body",
		"target_url": "https://shop.example/base", "image": "https://images.shop.example/base.jpg"},
	"audience":           {"name": "Base audience"},
	"spend_limit_window": {"amount": 900_000_000, "start": day(5), "end": day(20)},
	"daily_spend_limit":  {"amount": 90_000_000, "start": day(5)},
	"pixel":              {"name": "Base pixel"},
	"event_setting":      {"name": "Base event", "event_type": "order_created", "source": "pixel/shop"},
	"account":            {},
}

func heroImage(w *world) any { return w.image(testImage(w.t)) }

func day(days int) func(*world) any { return func(w *world) any { return w.day(days) } }

// write writes the resource with a value.
func (row route) write(w *world, s *resource.Schema, a *resource.Attribute, v any) {
	attributes := maps.Clone(usual[s.Kind])
	maps.Copy(attributes, row.with)
	attributes[a.Name] = v
	w.writeUsual(row.address(s), attributes)
}

// above writes what stands above it.
func (row route) above(w *world, s *resource.Schema) {
	if s.Parent == "" {
		return
	}
	campaign := maps.Clone(usual["campaign"])
	maps.Copy(campaign, row.campaign)
	w.writeUsual("campaign/c", campaign)
	if s.Kind == "ad" {
		w.writeUsual("ad_group/c/g", usual["ad_group"])
	}
}

func (w *world) writeUsual(address string, attributes values) {
	given := map[string]any{}
	for name, v := range attributes {
		if late, is := v.(func(*world) any); is {
			v = late(w)
		}
		if v != nil {
			given[name] = v
		}
		if v == cleared {
			given[name] = nil
		}
	}
	w.write(address, given)
}

// cleared is a value that is taken back, as [clear] does.
const cleared = "[clear]"

func (row route) address(s *resource.Schema) string {
	switch {
	case s.Only != "":
		return string(s.Kind) + "/" + s.Only
	case s.Kind == "ad_group":
		return "ad_group/c/g"
	case s.Kind == "ad":
		return "ad/c/g/a"
	}
	return string(s.Kind) + "/c"
}

// afterwards is what stands beside the second value.
func (row route) afterwards() values {
	if row.then == nil {
		return row.with
	}
	return row.then
}

func (row route) Value(phase string) any {
	if phase == creates {
		return row.first
	}
	return row.second
}

// way is the way it goes by, of those the page has.
func (row route) way(ways []string) string {
	if row.by != "" {
		return row.by
	}
	return strings.Split(ways[0], "**")[1]
}

func (row route) service(t *testing.T) (change []func(*emulator.Options)) {
	if row.points != "" {
		change = append(change, emulatortest.WithPoints(t, row.points))
	}
	if row.noJobs {
		change = append(change, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = false })
	}
	return change
}

// routed has a row for every way of every attribute.
func routed() []route {
	rows := append(routedCampaigns(), routedGroups()...)
	rows = append(rows, routedAds()...)
	return append(rows, routedOthers()...)
}

// everywhere is a value in an account with bulk jobs, and in one without.
func everywhere(attribute string, first, second any, change ...func(*route)) []route {
	with := route{attribute: attribute, first: first, second: second}
	for _, each := range change {
		each(&with)
	}
	without := with
	without.noJobs, without.by = true, "single"
	return []route{with, without}
}

func besides(with values) func(*route)       { return func(row *route) { row.with = with } }
func having(prior func(*world)) func(*route) { return func(row *route) { row.prior = prior } }

func twoAudiences(w *world) {
	w.write("audience/one", map[string]any{"name": "Audience one"})
	w.write("audience/two", map[string]any{"name": "Audience two"})
}

func routedCampaigns() []route {
	event := func(w *world) {
		w.write("pixel/shop", map[string]any{"name": "Web shop"})
		w.write("event_setting/orders", map[string]any{
			"name": "Orders", "event_type": "order_created", "source": "pixel/shop",
		})
		w.write("event_setting/leads", map[string]any{
			"name": "Leads", "event_type": "lead_created", "source": "pixel/shop",
		})
	}
	daily := values{"budget.lifetime": nil, "budget.daily": 50_000_000}
	converts := values{
		"budget.lifetime": nil, "budget.daily": 50_000_000,
		"bidding_type": "conversions", "conversion_goal": "event_setting/orders",
	}
	var rows []route
	for _, some := range [][]route{
		everywhere("campaign name", "Alpha campaign", "Beta campaign"),
		everywhere("campaign status", "paused", "active"),
		everywhere("campaign budget.lifetime", 100_000_000, 120_000_000),
		everywhere("campaign start", day(30), day(35)),
		everywhere("campaign end", day(60), day(65)),
		everywhere("campaign targeting.excluded_countries", []string{"CA"}, []string{"MX"}),
		everywhere("campaign targeting.excluded_locations", []string{"2000043"}, []string{"3000194"}),
		everywhere("campaign targeting.audiences",
			[]string{"audience/one"}, []string{"audience/two"}, having(twoAudiences)),
		everywhere("campaign targeting.excluded_audiences",
			[]string{"audience/one"}, []string{"audience/two"}, having(twoAudiences)),
		everywhere("campaign targeting.platforms", []string{"web"}, []string{"ios_web"}),
		everywhere("campaign tracking", "utm_source=alpha", "utm_source=beta"),
		everywhere("campaign description", "Alpha words", "Beta words"),
		everywhere("campaign targeting.countries", []string{"US"}, []string{"CA"}),
		everywhere("campaign targeting.locations", []string{"2000043"}, []string{"3000194"}),
		everywhere("campaign budget.daily", 50_000_000, 60_000_000, besides(daily)),
	} {
		rows = append(rows, some...)
	}
	return append(rows,
		route{
			attribute: "campaign budget.daily", first: 50_000_000,
			only: creates, by: "single", points: "bulk_budget_type_daily=refused", with: daily,
		},
		route{attribute: "campaign description", first: "Alpha words", second: cleared, only: updates, by: "single"},
		route{attribute: "campaign bidding_type", first: "clicks", second: "impressions"},
		route{attribute: "campaign bidding_type", first: "clicks", only: creates, by: "single", noJobs: true},
		route{
			attribute: "campaign bidding_type", first: "conversions",
			only: creates, by: "single", with: converts, prior: event,
		},
		route{
			attribute: "campaign conversion_goal",
			first:     "event_setting/orders", second: "event_setting/leads", with: converts, prior: event,
		},
		route{attribute: "campaign product_feed", first: "fd_test", second: "fd_other"},
		route{attribute: "campaign business_agent", first: "agent_1", second: "agent_2"},
		route{attribute: "campaign protect", first: []string{"archive"}, second: []string{"budget"}},
	)
}

func routedGroups() []route {
	maximised := values{"bid.max": nil}
	daily, feed := values{"budget.lifetime": nil, "budget.daily": 50_000_000}, values{"product_feed": "fd_test"}
	const products = `{"filters":[],"product_feed_id":"fd_test"}`
	const others = `{"filters":[{"field":"brand","operator":"in","values":["Acme"]}],"product_feed_id":"fd_test"}`
	var rows []route
	for _, some := range [][]route{
		everywhere("ad_group name", "Alpha group", "Beta group"),
		everywhere("ad_group status", "paused", "active"),
		everywhere("ad_group bid.max", 1_250_000, 1_350_000),
		everywhere("ad_group context_hints", []string{"people who run"}, []string{"people who swim"}),
		everywhere("ad_group description", "Alpha words", "Beta words"),
		everywhere("ad_group tracking", "utm_source=alpha", "utm_source=beta"),
	} {
		rows = append(rows, some...)
	}
	return append(rows,
		route{
			attribute: "ad_group bid.max", first: 60_000,
			only: creates, by: "follow-up", campaign: values{"bidding_type": "impressions"},
		},
		route{
			attribute: "ad_group bid.max", first: 60_000,
			second: 50_000, only: updates, by: "single", campaign: values{"bidding_type": "impressions"},
		},
		route{attribute: "ad_group bid.strategy", first: "fixed_bid", only: creates},
		route{
			attribute: "ad_group bid.strategy", first: "maximize_clicks",
			only: creates, by: "single", with: maximised, campaign: daily,
		},
		route{
			attribute: "ad_group bid.strategy", first: "maximize_clicks", second: "fixed_bid",
			only: updates, with: maximised, then: values{"bid.max": 1_000_000}, campaign: daily,
		},
		route{attribute: "ad_group context_hints", first: []string{"people who run"}, second: cleared, only: updates},
		route{attribute: "ad_group description", first: "Alpha words", second: cleared, only: updates, by: "single"},
		route{attribute: "ad_group exclusion_hints", first: []string{"football boots"}, second: []string{"sandals"}},
		route{attribute: "ad_group exclusion_hints", first: []string{"football boots"}, second: cleared, only: updates},
		route{
			attribute: "ad_group exclusion_hints", first: []string{"football boots"},
			second: cleared, only: updates, then: values{"tracking": "utm_source=alpha"},
		},
		route{
			attribute: "ad_group exclusion_hints",
			first:     []string{"football boots"}, only: creates, by: "follow-up", beneath: true,
		},
		route{
			attribute: "ad_group bid.multipliers", prior: twoAudiences,
			first: []string{"audience/one x 1.5"}, second: []string{"audience/two x 2"},
		},
		route{attribute: "ad_group product_set", first: products, second: others, campaign: feed},
		route{attribute: "ad_group protect", first: []string{"archive"}, second: []string{"budget"}},
	)
}

func routedAds() []route {
	const elsewhere = "https://images.shop.example/other.jpg"
	var rows []route
	for _, some := range [][]route{
		everywhere("ad name", "Alpha ad", "Beta ad"),
		everywhere("ad status", "paused", "active"),
		everywhere("ad title", "Alpha title", "Beta title"),
		everywhere("ad body", "Alpha body", "Beta body"),
		everywhere("ad target_url", "https://shop.example/alpha", "https://shop.example/beta"),
		everywhere("ad tracking", "utm_source=alpha", "utm_source=beta"),
	} {
		rows = append(rows, some...)
	}
	return append(rows,
		route{attribute: "ad image", first: "https://images.shop.example/base.jpg", second: elsewhere},
		route{attribute: "ad image", first: "https://images.shop.example/base.jpg", second: heroImage, only: updates},
		route{attribute: "ad image", first: heroImage, only: creates, by: "upload"},
		route{
			attribute: "ad image", first: "https://images.shop.example/base.jpg",
			second: elsewhere, by: "upload", noJobs: true,
		},
		route{attribute: "ad price", first: "from $89", second: "from $79"},
		route{
			attribute: "ad image_crop", first: `{"height":0.8,"width":0.8,"x":0.1,"y":0}`,
			second: `{"height":0.5,"width":0.5,"x":0,"y":0}`,
		},
		route{attribute: "ad protect", first: []string{"archive"}, second: []string{"budget"}},
	)
}

func routedOthers() []route {
	people := func(from, to int) func(*world) any { return func(w *world) any { return w.List(from, to) } }
	counted := func(more values) values {
		maps.Copy(more, values{"members.people": 50})
		return more
	}
	sources := func(w *world) {
		w.audience("one", 0, 50)
		w.audience("two", 40, 60)
	}
	shop := func(w *world) { w.write("pixel/shop", map[string]any{"name": "Web shop"}) }
	pixels := func(w *world) { shop(w); w.write("pixel/app", map[string]any{"name": "App"}) }
	named := values{"members.file": people(0, 50), "members.identifier": "email_sha256"}
	return []route{
		{attribute: "audience name", first: "Alpha audience", second: "Beta audience"},
		{attribute: "audience members.file", first: people(0, 50),
			second: people(10, 60), with: counted(values{"members.identifier": "email"})},
		{attribute: "audience members.identifier",
			first: "email", second: "email_sha256", with: counted(values{"members.file": people(0, 50)}),
			then: counted(values{"members.file": people(10, 60)})},
		{attribute: "audience members.do", first: "replace",
			second: "replace", only: creates, with: counted(maps.Clone(named))},
		{attribute: "audience members.do", first: "add",
			second: "replace", only: updates, with: counted(maps.Clone(named))},
		{attribute: "audience merge", first: []string{"audience/one", "audience/two"},
			second: []string{"audience/two", "audience/one", "aud_3"}, prior: sources},
		{attribute: "audience status", first: "archived", only: creates},
		{attribute: "audience status", second: "archived", only: updates},
		{attribute: "audience description", first: "Alpha words", second: "Beta words"},
		{attribute: "audience protect", first: []string{"archive"}, second: []string{"budget"}},

		{attribute: "spend_limit_window amount", first: 900_000_000, second: 800_000_000},
		{attribute: "spend_limit_window start", first: day(5), second: day(4)},
		{attribute: "spend_limit_window end", first: day(20), second: day(21)},
		{attribute: "spend_limit_window name", first: "Alpha days", second: "Beta days"},
		{attribute: "spend_limit_window io_id", first: "io_alpha", second: "io_beta"},
		{attribute: "spend_limit_window status", first: "archived", only: creates},
		{attribute: "spend_limit_window status", second: "archived", only: updates},
		{attribute: "spend_limit_window protect", first: []string{"archive"}, second: []string{"budget"}},

		{attribute: "daily_spend_limit amount", first: 90_000_000, second: 80_000_000},
		{attribute: "daily_spend_limit start", first: day(5), second: day(4)},
		{attribute: "daily_spend_limit end", first: day(20), second: day(21)},
		{attribute: "daily_spend_limit status", first: "archived", only: creates},
		{attribute: "daily_spend_limit status", second: "archived", only: updates},
		{attribute: "daily_spend_limit protect", first: []string{"archive"}, second: []string{"budget"}},

		{attribute: "pixel name", first: "Alpha pixel", second: "Beta pixel"},
		{attribute: "pixel protect", first: []string{"archive"}, second: []string{"budget"}},

		{attribute: "event_setting name", first: "Alpha event", second: "Beta event", prior: shop},
		{attribute: "event_setting event_type", first: "order_created", second: "lead_created", prior: shop},
		{attribute: "event_setting custom_event_name",
			first: "brochure_read", second: "brochure_sent", with: values{"event_type": "custom"}, prior: shop},
		{attribute: "event_setting attribution_window_days", first: "30", second: "30", prior: shop},
		{attribute: "event_setting source", first: "pixel/shop", second: "pixel/app", prior: pixels},
		{attribute: "event_setting status", first: "archived", only: creates, prior: shop},
		{attribute: "event_setting status", second: "archived", only: updates, prior: shop},
		{attribute: "event_setting protect", first: []string{"archive"}, second: []string{"budget"}, prior: shop},

		{attribute: "account name", first: nil, second: "Trail Shoes"},
		{attribute: "account legal_name", first: nil, second: "Trail Shoes Inc."},
		{attribute: "account account_name", first: nil, second: "Trail Shoes US"},
		{attribute: "account brand_name", first: nil, second: "Trail"},
		{attribute: "account status", first: nil, second: "paused", by: "single** paused"},
		{attribute: "account status", first: "paused", second: "active", by: "single** active"},
		{attribute: "account url", first: nil, second: "https://shop.example/"},
		{attribute: "account favicon", first: nil, second: "https://images.shop.example/icon.jpg"},
		{attribute: "account favicon", first: "https://images.shop.example/icon.jpg", second: heroImage},
		{attribute: "account protect", first: []string{"archive"}, second: []string{"budget"}},
	}
}
