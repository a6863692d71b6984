package limits

import (
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/testing/emulatortest"
)

// limit is one limit of the service.
type limit struct {
	says  string // the line of part 8, its first cell; or a number of the service facts
	of    string // what of that line, where it has several
	takes string // what the service takes, for the page; "" has that of the line
	where string // where adsync checks it
	code  diag.Code

	least, most int // 0: none
	unit        int // what one more is, 1 unless said
	step        int // what it is a multiple of, 1 unless said
	// files are what adsync reads, for so many
	files func(t *testing.T, dir string, n int) string
	// ask has the service take so many, and returns the status of its answer
	ask func(t *testing.T, s *emulatortest.Service, n int) int
}

// The places where adsync checks a limit.
const (
	inFiles  = "`validate` and `plan`, in the files"
	inPlan   = "`plan`, with what is live"
	inPack   = "adsync fills jobs no further; what no operation holds goes in a request of its own"
	inRate   = "adsync sends no faster than 80 % of it"
	inCall   = "adsync asks for no more"
	inKeys   = "adsync makes shorter ones"
	inVerb   = "the command, before it asks the service"
	byAnswer = "the service's answer says it"
)

func all() []limit {
	return []limit{
		{says: "Bulk operations per job", where: inPack},
		{says: "Bulk request body size", where: inPack},
		{says: "Serialized bulk operation size", where: inPack, code: diag.TooLong},
		{says: "Create requests per ad account (bulk)", where: inRate},
		{says: "Bulk operation results per page", where: inCall},
		{says: "`operation_id` and `idempotency_key` length", where: inKeys},
		{says: "Self-serve campaigns per ad account", where: inPlan, code: diag.TooMany, most: 5000,
			files: manyCampaigns, ask: asksManyCampaigns},
		{says: "Self-serve ad groups per ad account", where: inPlan, code: diag.TooMany, most: 5000,
			files: manyGroups, ask: asksManyGroups},
		{says: "Self-serve ads per ad account", where: inPlan, code: diag.TooMany, most: 5000,
			files: manyAds, ask: asksManyAds},
		{says: "Minimum bulk campaign budget", where: inFiles, code: diag.BadMoney, least: 1_000_000,
			files: campaignWith(func(n int) string { return "budget: {daily: " + units(n) + "}\n" }),
			ask:   asksCampaign(func(c object, n int) { c["budget"] = object{"daily_spend_limit_micros": n} })},
		{says: "Minimum bulk campaign budget", of: "lifetime", where: inFiles, code: diag.BadMoney, least: 1_000_000,
			files: campaignWith(func(n int) string { return "budget: {lifetime: " + units(n) + "}\n" }),
			ask:   asksCampaign(func(c object, n int) { c["budget"] = object{"lifetime_spend_limit_micros": n} })},
		{says: "Campaign locations per bulk campaign", where: inFiles, code: diag.TooLong, most: 2500,
			files: campaignWith(func(n int) string { return "targeting: {locations: [" + places(n) + "]}\n" }),
			ask: asksCampaign(func(c object, n int) {
				c["targeting"] = object{"locations": object{"include": ids(n)}}
			})},
		{says: "Campaign locations per bulk campaign", of: "excluded", where: inFiles, code: diag.TooLong, most: 2500,
			files: campaignWith(func(n int) string { return "targeting: {excluded_locations: [" + places(n) + "]}\n" }),
			ask: asksCampaign(func(c object, n int) {
				c["targeting"] = object{"excluded_locations": object{"include": ids(n)}}
			})},
		{says: "Context hints per ad group (bulk)", where: inFiles, code: diag.TooLong, most: 2000,
			files: groupWith(func(n int) string { return "context_hints: [" + places(n) + "]\n" }),
			ask:   asksGroup(func(g object, n int) { g["context_hints"] = strings.Split(places(n), ", ") })},
		{says: "Campaign and ad group names (bulk)", of: "campaign", where: inFiles, code: diag.TooLong,
			least: 3, most: 1000,
			files: campaignWith(func(n int) string { return "name: " + letters(n) + "\n" }),
			ask:   asksCampaign(func(c object, n int) { c["name"] = letters(n) })},
		{says: "Campaign and ad group names (bulk)", of: "ad group", where: inFiles, code: diag.TooLong,
			least: 3, most: 1000,
			files: groupWith(func(n int) string { return "name: " + letters(n) + "\n" }),
			ask:   asksGroup(func(g object, n int) { g["name"] = letters(n) })},
		{says: "Ad title / body / target URL", of: "title", takes: "3 to 50 characters", where: inFiles,
			code: diag.TooLong, least: 3, most: 50,
			files: adWith(func(n int) string { return "title: " + letters(n) + "\n" }),
			ask:   asksAd(func(_, c object, n int) { c["title"] = letters(n) })},
		{says: "Ad title / body / target URL", of: "body", takes: "up to 100 characters", where: inFiles,
			code: diag.TooLong, most: 100,
			files: adWith(func(n int) string { return "body: " + letters(n) + "\n" }),
			ask:   asksAd(func(_, c object, n int) { c["body"] = letters(n) })},
		{says: "Ad title / body / target URL", of: "target URL", takes: "up to 2,048 characters", where: inFiles,
			code: diag.TooLong, most: 2048,
			files: adWith(func(n int) string { return "target_url: " + address(n) + "\n" }),
			ask:   asksAd(func(_, c object, n int) { c["target_url"] = address(n) })},
		{says: "Image", where: inFiles, code: diag.BadFile, least: 640,
			files: func(t *testing.T, dir string, n int) string {
				save(t, filepath.Join(dir, "hero.png"), string(picture(t, n)))
				return adWith(func(int) string { return "image: hero.png\n" })(t, dir, n)
			},
			ask: func(t *testing.T, s *emulatortest.Service, n int) int {
				return upload(t, s, picture(t, n))
			}},
		{says: "Pixel, conversion API key names", of: "pixel", where: inFiles, code: diag.TooLong,
			least: 3, most: 1000,
			files: text(func(n int) string { return "kind: pixel\nkey: web\nname: " + letters(n) + "\n" }),
			ask: asks("/conversions/pixels", func(n int) object {
				return object{"name": letters(n), "client_type": "web"}
			})},
		{says: "Pixel, conversion API key names", of: "conversion API key", where: inVerb},
		{says: "Conversion event stream", where: byAnswer},
		{says: "`Idempotency-Key`", where: inKeys},
		{says: "`limit` on campaigns, custom audiences, ad accounts, event settings", where: inCall},
		{says: "`limit` on audit logs and custom audience operations", where: inCall},
		{says: "`limit` on insights", where: inCall},
		{says: "`custom_audience_ids` filter", where: "adsync asks by 100 at a time"},
		{says: "Custom audience operation id", where: "adsync reads the operation before it changes anything"},
		{says: "Hotel insights", where: inVerb},
		{says: "Audit log times", where: "adsync asks within these"},

		{says: "4.2", of: "ad name", takes: "3 to 1,000 characters", where: inFiles, code: diag.TooLong,
			least: 3, most: 1000,
			files: adWith(func(n int) string { return "name: " + letters(n) + "\n" }),
			ask:   asksAd(func(a, _ object, n int) { a["name"] = letters(n) })},
		{says: "3.2", of: "highest bid", takes: "30,400,000.00", where: inFiles, code: diag.BadMoney,
			most:  30_400_000_000_000,
			files: groupWith(func(n int) string { return "bid: {max: " + units(n) + "}\n" }),
			ask: asksGroup(func(g object, n int) {
				g["bidding_config"] = object{"billing_event_type": "click",
					"strategy": "fixed_bid", "max_bid_micros": n}
			})},
		{says: "8.2", of: "audience name", takes: "3 to 1,000 characters", where: inFiles, code: diag.TooLong,
			least: 3, most: 1000,
			files: text(func(n int) string { return "kind: audience\nkey: a\nname: " + letters(n) + "\n" }),
			ask:   asks("/custom_audiences", func(n int) object { return object{"name": letters(n)} })},
		{says: "6", of: "file of people, as it is sent", takes: "500,000,000 bytes, which are 7,692,307 people",
			where: inFiles, code: diag.TooLarge},
		{says: "9.3", of: "spend limit windows ahead", takes: "60 that begin after today", where: inPlan,
			code: diag.TooMany, most: 60, files: text(windowsYAML), ask: asksWindows},
		{says: "9.3", of: "name of a window", takes: "up to 256 characters", where: inFiles, code: diag.TooLong,
			most:  256,
			files: windowWith(func(n int) string { return "name: " + letters(n) + "\namount: 5.00\n" }),
			ask:   asksWindow(func(w object, n int) { w["name"], w["amount_micros"] = letters(n), 5_000_000 })},
		{says: "9.3", of: "spend limit", takes: "up to 1,000,000,000.00", where: inFiles, code: diag.BadMoney,
			most: 1_000_000_000_000_000, unit: 10_000,
			files: windowWith(func(n int) string { return "amount: " + units(n) + "\n" }),
			ask:   asksWindow(func(w object, n int) { w["amount_micros"] = n })},
		{says: "9.3", of: "spend limit, in parts", takes: "whole coins: 0.01 in USD", where: inFiles,
			code: diag.BadMoney, least: 10_000, step: 10_000,
			files: windowWith(func(n int) string { return "amount: " + units(n) + "\n" }),
			ask:   asksWindow(func(w object, n int) { w["amount_micros"] = n })},
		{says: "3.2", of: "factor of a bid", takes: "0.1 to 10", where: inFiles, code: diag.BadValue,
			least: 100_000, most: 10_000_000,
			files: groupWith(func(n int) string {
				return "bid: {max: 1.00, multipliers: [caud_x x " + units(n) + "]}\n"
			}),
			ask: func(t *testing.T, s *emulatortest.Service, n int) int {
				audience := s.Must(t, "POST", "/custom_audiences", object{"name": "Runners"}).ID(t)
				s.Advance(t, 24*3600)
				return asksGroup(func(g object, n int) {
					g["bidding_config"] = object{"billing_event_type": "click", "strategy": "fixed_bid",
						"max_bid_micros": 1_000_000, "custom_audience_bid_multipliers": []object{
							{"custom_audience_id": audience, "bid_multiplier_micros": n}}}
				})(t, s, n)
			}},
	}
}
