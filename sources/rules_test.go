package sources_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/sources"
	"adsync/sources/config"
)

// problemsOf loads a folder with one file and gives what is wrong, a line each.
func problemsOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	p, problems := config.ReadProject(dir)
	return printed(append(problems, sources.Load(context.Background(), p, kinds.All()).Problems...))
}

const rulesCampaign = "kind: campaign\nkey: spring\nname: Spring\nbidding_type: %s\n%s\n"

// TestRulesBetweenAnAdGroupAndItsCampaign: the two stand in two files, and the
// message leads from one to the other.
func TestRulesBetweenAnAdGroupAndItsCampaign(t *testing.T) {
	for _, row := range []struct{ name, bidding, campaign, group, want string }{
		{"fixed bid", "clicks", "budget: {daily: 10}", "bid: {max: 1.25}", ""},
		{"maximise clicks of a daily budget", "clicks", "budget: {daily: 10}", "bid: {strategy: maximize_clicks}", ""},
		{"maximise conversions for their cost", "conversions",
			"budget: {daily: 10}\nconversion_goal: ces_1", "bid: {strategy: maximize_conversions}", ""},
		{"maximise clicks of a conversions campaign",
			"conversions", "budget: {daily: 10}\nconversion_goal: ces_1", "bid: {strategy: maximize_clicks}",
			"group.yaml:5:17: bid.strategy is maximize_clicks in a campaign " +
				"with bidding_type conversions (campaign.yaml:4:15); want fixed_bid or maximize_conversions (ADS1014)"},
		{"maximise for impressions", "impressions", "budget: {daily: 10}", "bid: {strategy: maximize_clicks}",
			"group.yaml:5:17: bid.strategy is maximize_clicks " +
				"in a campaign with bidding_type impressions (campaign.yaml:4:15); want fixed_bid (ADS1014)"},
		{"maximise a lifetime budget", "clicks", "budget: {lifetime: 10}", "bid: {strategy: maximize_clicks}",
			"group.yaml:5:17: bid.strategy is maximize_clicks in a campaign with a lifetime " +
				"budget of 10.00 (campaign.yaml:5:20); want fixed_bid, or a campaign with a daily budget (ADS1014)"},
		{"a budget nobody decides here", "clicks", "description: x", "bid: {strategy: maximize_clicks}", ""},
		{"a budget that does not parse", "clicks",
			"budget: {lifetime: ten}", "bid: {strategy: maximize_clicks}", `campaign.yaml:5:20: amount is "ten"`},
		{"products of the campaign's feed", "clicks", "product_feed: fd_1",
			`product_set: {product_feed_id: fd_1, filters: [{field: price, operator: lt, values: ["20"]}]}`, ""},
		{"products of another feed", "clicks", "product_feed: fd_1", `product_set: {product_feed_id: fd_2}`,
			`group.yaml:5:14: product_set is of the product feed "fd_2" ` +
				`in a campaign of the product feed fd_1 (campaign.yaml:5:15); want the campaign's (ADS1014)`},
		{"products without a feed", "clicks", "description: x", `product_set: {product_feed_id: fd_1}`,
			"group.yaml:5:14: product_set is set " +
				"in a campaign without a product_feed; want a product-feed campaign, or no product_set (ADS1014)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := problemsOf(t, map[string]string{
				"campaign.yaml": fmt.Sprintf(rulesCampaign, row.bidding, row.campaign),
				"group.yaml":    "kind: ad_group\ncampaign: spring\nkey: runners\nname: Runners\n" + row.group + "\n",
			})
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("problems are\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}

// TestARuleHoldsForWhatIsInherited: a default that contradicts a row is found,
// where the default stands, with the place of the row's own value.
func TestARuleHoldsForWhatIsInherited(t *testing.T) {
	got := problemsOf(t, map[string]string{"a.yaml": `kind: defaults
ad_group:
  bid: {max: 1.25}
---
kind: campaign
name: Spring
bidding_type: clicks
budget: {daily: 10}
ad_groups:
  - name: Runners
    bid: {strategy: maximize_clicks}
`})
	want := "a.yaml:3:14: bid.max is set with bid.strategy " +
		"maximize_clicks (a.yaml:11:21); want no bid, or the strategy fixed_bid (ADS1014)\n"
	if got != want {
		t.Errorf("problems are\n%s\nwant\n%s", got, want)
	}
}

// TestRulesHoldBetweenFormats: the campaign stands in YAML, its ad group in a CSV.
func TestRulesHoldBetweenFormats(t *testing.T) {
	got := problemsOf(t, map[string]string{
		"campaign.yaml": fmt.Sprintf(rulesCampaign, "impressions", "budget: {daily: 10}"),
		"Ad groups.csv": "Campaign,Ad group,Bid strategy\nSpring,Runners,maximize_clicks\n",
	})
	want := "Ad groups.csv:2:16: bid.strategy is maximize_clicks " +
		"in a campaign with bidding_type impressions (campaign.yaml:4:15); want fixed_bid (ADS1014)\n"
	if got != want {
		t.Errorf("problems are\n%s\nwant\n%s", got, want)
	}
}

// TestRulesOfAResourceAlone names what is wrong and where.
func TestRulesOfAResourceAlone(t *testing.T) {
	for _, row := range []struct{ name, yaml, want string }{
		{"a feed targeted by place", "product_feed: fd_1\ntargeting: {locations: [\"2000043\"]}",
			"a.yaml:7:24: targeting.locations is set on a product-feed campaign"},
		{"an audience in and out", "targeting: {audiences: [caud_1, caud_2], excluded_audiences: [caud_2]}",
			`a.yaml:6:62: audience "caud_2" is included (a.yaml:6:24) and excluded; want one of the two (ADS1014)`},
		{"a place by name", "targeting: {locations: [Paris]}",
			`a.yaml:6:24: targeting.locations has "Paris"; want location ids`},
		{"a last day the service cannot say", "end: 2100-01-01",
			`a.yaml:6:6: last day is 2100-01-01, which ends after 2100-01-01T00:00:00Z in UTC`},
		{"moments of one day", "start: 2026-12-01T18:00:00Z\nend: 2026-12-01T09:00:00Z",
			"a.yaml:7:6: last day is 2026-12-01T09:00:00Z, before the start"},
		{"archived with all that is wrong", "end: 2100-01-01\nstatus: archived", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := problemsOf(t, map[string]string{
				"a.yaml": fmt.Sprintf(rulesCampaign, "clicks", "budget: {daily: 10}\n"+row.yaml),
			})
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("problems are\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}

// TestH21LandingPagesStayInTheListedDomains: at the cell, with the nearest domain.
func TestH21LandingPagesStayInTheListedDomains(t *testing.T) {
	const tree = rulesCampaign + "ad_groups:\n  - name: Runners\n    bid: {max: 1}\n    ads:\n" +
		"      - title: Shoes\n        body: Light\n        image: https://cdn.example/a.png\n        target_url: %s\n"
	for _, row := range []struct{ url, want string }{
		{"https://shop.example/trail", ""},
		{"https://www.shop.example:443/trail", ""},
		{"https://SHOP.example./", ""},
		{"https://other.example/", ""},
		{"https://shop.exmaple/",
			"ads.yaml:13:21: target_url is at \"shop.exmaple\", which the domains of adsync.yaml " +
				"(adsync.yaml:1:11) do not hold; want shop.example, other.example, or what lies beneath (ADS1033)"},
		{"https://shop.example.evil.example/", `target_url is at "shop.example.evil.example"`},
		{"https://notshop.example/", `target_url is at "notshop.example"`},
		{"https://shop.example@evil.example/", `target_url is at "evil.example"`},
		{"javascript:alert(1)", "want an http or https address"},
	} {
		got := problemsOf(t, map[string]string{
			"adsync.yaml": "domains: [shop.example, other.example]\n",
			"ads.yaml":    fmt.Sprintf(tree, "clicks", "budget: {daily: 10}", row.url),
		})
		if row.want == "" && got != "" || !strings.Contains(got, row.want) {
			t.Errorf("%s: problems are\n%s\nwant\n%s", row.url, got, row.want)
		}
	}
}

// TestX20TrackingTemplates: what breaks an address is refused at its place, what
// does not arrive as it is written is said.
func TestX20TrackingTemplates(t *testing.T) {
	for _, row := range []struct{ tracking, want string }{
		{"utm_source=chat&utm_campaign={campaign_id}&ad={ad_id}&ref={oppref}&name=a%20b", ""},
		{"utm_source=chat#top", "want key=value pairs joined by &, without ?, # or spaces (ADS1011)"},
		{`utm_source=chat\r\nSet-Cookie: a=b`, "line break; want one line (ADS1011)"},
		{`utm_source=\x01`, "without ?, # or spaces (ADS1011)"},
		{`utm_source=\u2028x`, "without ?, # or spaces (ADS1011)"},
		{"utm_campaign={campain_id}", "want only the placeholders {campaign_id}, {ad_id} and {oppref} (ADS1011)"},
		{"ref={obref}", "want only the placeholders"},
		{"a={campaign_id", "want only the placeholders"},
		{"discount=50%&b=1", "want two hexadecimal digits after each % (ADS1011)"},
		{"a=1&b=2&a=3", `warning: tracking has the parameter "a" twice`},
		{"a=1&%61=3", `warning: tracking has the parameter "a" twice`},
		{"a=1&&b=2", "warning: tracking has a parameter without a name"},
		{"utm_campaign=Frühling", "warning: tracking holds letters an address does not; want them encoded (ADS1034)"},
	} {
		got := problemsOf(t, map[string]string{
			"a.yaml": fmt.Sprintf(rulesCampaign, "clicks", "budget: {daily: 10}\ntracking: \""+row.tracking+"\""),
		})
		if row.want == "" && got != "" || !strings.Contains(got, row.want) {
			t.Errorf("%s: problems are\n%s\nwant\n%s", row.tracking, got, row.want)
		}
	}
}

// TestTrackingThatAnotherLevelOverrides is said once for each parameter of a
// template, however many ads go over it.
func TestTrackingThatAnotherLevelOverrides(t *testing.T) {
	ads := ""
	for i := range 3 {
		ads += fmt.Sprintf("      - {key: a%d, title: Shoes, body: Light, image: \"https://cdn.example/a.png\", "+
			"target_url: \"https://shop.example/\", tracking: \"utm_content=%d&own=x&utm_source=chat\"}\n", i, i)
	}
	got := problemsOf(t, map[string]string{"a.yaml": fmt.Sprintf(rulesCampaign,
		"clicks", "budget: {daily: 10}\ntracking: utm_source=chat&utm_content={ad_id}") +
		"ad_groups:\n  - name: Runners\n    bid: {max: 1}\n    ads:\n" + ads})
	want := `warning: tracking sets "utm_content", ` +
		`which the tracking of its campaign sets too (a.yaml:6:11); of the two that of the ad arrives (ADS1034)`
	if strings.Count(got, "ADS1034") != 1 || !strings.Contains(got, want) {
		t.Errorf("problems are\n%s\nwant one\n%s", got, want)
	}
}
