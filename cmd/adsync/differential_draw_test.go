package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The trees drawn here lie near the limits of the interface, on both sides.
// Most values are on the good side, so that most trees have few problems or none.

// values are those on the good side of a limit, and those beyond it.
type values struct{ good, bad []string }

func near(good, bad []string) values { return values{good, bad} }

// oneIn is how seldom a value is a bad one.
const oneIn = 40

func (v values) draw(r *rand.Rand) string {
	if len(v.bad) > 0 && r.IntN(oneIn) == 0 {
		return v.bad[r.IntN(len(v.bad))]
	}
	return v.good[r.IntN(len(v.good))]
}

// sized are texts of so many code points, in scripts of one to four bytes each.
func sized(counts ...int) []string {
	var texts []string
	for _, n := range counts {
		for _, letter := range []string{"a", "é", "語", "👟"} {
			texts = append(texts, strings.Repeat(letter, n))
		}
	}
	return texts
}

var (
	drawnName = near(append(sized(3, 1000), "Spring", "  Spring  ", "\u3000ab c\u3000", "a b"),
		append(sized(2, 1001), "   ", "\u3000\u3000\u3000", " ab ", "\u00a0\u2003\u2003"))
	drawnTitle = near(append(sized(3, 50), "Shoes", "  Shoes  "),
		append(sized(2, 51), "   ", "\u3000\u3000\u3000\u3000"))
	drawnBody = near(append(sized(1, 100), "Light"), sized(101))
	drawnURL  = near([]string{"https://shop.example/", "http://shop.example/a?b=c#d",
		"https://shop.example/" + strings.Repeat("a", 2048-21), "https://SHOP.example:8443/é"},
		[]string{"ftp://shop.example/", "shop.example", "https://",
			"javascript:alert(1)", "https://shop.example/" + strings.Repeat("a", 2049-21),
			"https:///x", "https://:80/"})
	drawnStatus = near([]string{"", "active", "paused"}, []string{"archive", "on"})
	drawnDaily  = near([]string{"{daily: 1}", "{daily: 50}",
		"{lifetime: 1}", "{lifetime: 1500.000001}", "{daily: 1000000000}"},
		[]string{"{daily: 0.999999}", "{lifetime: 0}", "{daily: 1, lifetime: 1}", "{daily: -1}", "{lifetime: 1e3}"})
	drawnDays = near([]string{"", "start: 2027-01-01", "start: 2027-01-01\nend: 2027-01-01", "start: 2000-01-02\n" +
		"end: 2099-12-30", "end: 2099-12-30", "start: 2027-01-01T10:00:00Z\nend: 2027-01-01T10:00:01Z"},
		[]string{"start: 2027-01-02\nend: 2027-01-01", "end: 2099-12-31", "start: 1999-12-31", "end: 2100-01-01",
			"start: 2027-01-01T10:00:00Z\nend: 2027-01-01T10:00:00Z", "start: 2027-02-29", "end: 2026-01-01"})
	drawnReach = near([]string{"", "{countries: [US, no, Canada]}",
		"{locations: [\"2000043\"]}", "{platforms: [web]}", "{excluded_countries: [US]}"},
		[]string{"{countries: [UK]}", "{countries: [ZZ]}",
			"{locations: [Paris]}", "{platforms: [tv]}", "{audiences: [caud_x], excluded_audiences: [caud_x]}"})
	drawnTracking = near([]string{"", "utm_source=chat&utm_campaign={campaign_id}",
		"a={ad_id}&b={oppref}", "a=%20&b=é", "a=1&a=2", "flag"},
		[]string{"a=1#b", "a={campain_id}", "a={", "a=%", "a b=1", "?a=1", "a=}"})
	drawnFilters = near([]string{`[]`, `[{field: price, operator: lte, values: ["20"]}]`,
		`[{field: brand, operator: in, values: [a, b]}, {field: ads_metadata.x, operator: contains, values: [c]}]`},
		[]string{`[{field: brend, operator: in, values: [a]}]`, `[{field: brand, operator: gt, values: [a]}]`,
			`[{field: brand, operator: is, values: [a]}]`, `[{field: brand, operator: in, values: []}]`,
			`[{field: brand, operator: in, values: [a]}, {field: brand, operator: in, values: [b]}]`,
			`[{field: price, operator: lt, values: [20]}]`})
)

// drawnTree is a campaign with an ad group with an ad, as YAML. goal is the id
// of an event setting that may be a goal.
func drawnTree(r *rand.Rand, number int, goal string) string {
	bidding := near([]string{"clicks", "impressions", "conversions"}, []string{"views per click"}).draw(r)
	feed := near([]string{"", "", "fd_test"}, nil).draw(r)
	var b strings.Builder
	line := func(indent int, name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s%s: %s\n", strings.Repeat(" ", indent), name, value)
		}
	}
	fmt.Fprintf(&b, "kind: campaign\nkey: tree-%d\n", number)
	line(0, "name", inQuotes(drawnName.draw(r)))
	line(0, "bidding_type", bidding)
	line(0, "budget", drawnDaily.draw(r))
	line(0, "status", drawnStatus.draw(r))
	if days := drawnDays.draw(r); days != "" {
		b.WriteString(days + "\n")
	}
	line(0, "targeting", drawnReach.draw(r))
	line(0, "product_feed", feed)
	if bidding == "conversions" {
		line(0, "conversion_goal", near([]string{goal}, []string{""}).draw(r))
	}
	line(0, "tracking", inQuotesUnlessNone(drawnTracking.draw(r)))
	b.WriteString("ad_groups:\n  - key: g\n")
	drawnGroup(r, line, bidding, feed)
	b.WriteString("    ads:\n      - key: a\n")
	line(8, "name", inQuotesUnlessNone(near([]string{"", "Hero"}, []string{"ab"}).draw(r)))
	line(8, "title", inQuotes(drawnTitle.draw(r)))
	line(8, "body", inQuotes(drawnBody.draw(r)))
	line(8, "target_url", inQuotes(drawnURL.draw(r)))
	line(8, "image", "https://images.example/a.png")
	line(8, "status", drawnStatus.draw(r))
	line(8, "tracking", inQuotesUnlessNone(drawnTracking.draw(r)))
	return b.String()
}

func drawnGroup(r *rand.Rand, line func(int, string, string), bidding, feed string) {
	line(4, "name", inQuotes(drawnName.draw(r)))
	line(4, "status", drawnStatus.draw(r))
	fits := map[string]string{"clicks": "maximize_clicks", "conversions": "maximize_conversions"}[bidding]
	bids := []string{"{max: 0.000001}", "{max: 1.25, strategy: fixed_bid}", "{max: 100}"}
	if fits != "" {
		bids = append(bids, "{strategy: "+fits+"}")
	}
	line(4, "bid", near(bids, []string{"", "{max: 0}", "{strategy: fixed_bid}", "{strategy: maximize_clicks}",
		"{strategy: maximize_conversions}", "{strategy: maximize_clicks, max: 1}", "{max: 30400001}"}).draw(r))
	line(4, "context_hints", near([]string{"", "[people who run]",
		"[\" people \", people, \"" + strings.Repeat("x", 3000) + "\"]"}, []string{"[\"\"]", "[\" \"]"}).draw(r))
	of := near([]string{feed}, []string{"fd_other"}).draw(r)
	if of != "" && r.IntN(2) == 0 {
		line(4, "product_set", fmt.Sprintf("{product_feed_id: %s, filters: %s}", of, drawnFilters.draw(r)))
	}
}

func inQuotes(s string) string { return `"` + s + `"` }

func inQuotesUnlessNone(s string) string {
	if s == "" {
		return ""
	}
	return inQuotes(s)
}
