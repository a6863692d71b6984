package main

import (
	"fmt"
	"strings"

	"adsync/internal/resource"

	"pgregory.net/rapid"
)

// rounds of an account: each is all its files say, the later ones with edits.
const rounds = 3

// drawRounds draws the files of an account, round by round. The resources stay
// the same, most of what they say too.
func drawRounds(t *rapid.T) []string {
	a := &drawnAccount{t: t, said: map[string]string{}}
	for _, name := range []string{"pixels", "settings", "audiences", "windows", "daily", "campaigns"} {
		a.count(name)
	}
	var files []string
	for round := range rounds {
		a.round = round
		files = append(files, a.files())
	}
	return files
}

type drawnAccount struct {
	t     *rapid.T
	round int
	said  map[string]string // what every line said in the round before
	sizes map[string]int
	b     strings.Builder
}

func (a *drawnAccount) count(of string) {
	if a.sizes == nil {
		a.sizes = map[string]int{}
	}
	a.sizes[of] = rapid.IntRange(0, 2).Draw(a.t, of)
}

// pick returns one of the values; where a line was there before, mostly what it
// said then.
func (a *drawnAccount) pick(line string, often int, values ...string) string {
	before, known := a.said[line]
	if known && rapid.IntRange(0, 9).Draw(a.t, "kept "+line) < often {
		return before
	}
	a.said[line] = rapid.SampledFrom(values).Draw(a.t, line)
	return a.said[line]
}

// rapid draws the ends of a range more often than its middle, which is why the
// rare case is in the middle.

// seldom is one of the values, and once in a while one that is likely wrong.
func (a *drawnAccount) seldom(good []string, wrong ...string) []string {
	if rapid.IntRange(0, 29).Draw(a.t, "wrong") == 17 {
		return wrong
	}
	return good
}

// keys are those of the resources of a sort, as the files name them.
func (a *drawnAccount) keys(kind, sort, letter string) []string {
	keys := []string{}
	for i := range a.sizes[sort] {
		keys = append(keys, fmt.Sprintf("%s/%s%d", kind, letter, i))
	}
	return keys
}

// fixed is pick for what cannot change later, or hardly ever does.
func (a *drawnAccount) fixed(line string, values ...string) string {
	if before, known := a.said[line]; known {
		return before
	}
	return a.pick(line, 0, values...)
}

func (a *drawnAccount) near(line string, v values) string {
	good := append(append(append([]string{}, v.good...), v.good...), v.good...)
	if len(v.bad) > 0 && rapid.IntRange(0, 199).Draw(a.t, "beyond "+line) == 117 {
		good = v.bad
	}
	return a.pick(line, 7, good...)
}

func (a *drawnAccount) line(indent int, name, value string) {
	if value != "" {
		fmt.Fprintf(&a.b, "%s%s: %s\n", strings.Repeat(" ", indent), name, value)
	}
}

func (a *drawnAccount) files() string {
	a.b.Reset()
	a.b.WriteString("kind: account\n")
	a.line(0, "account_name", a.pick("account name", 5, "Trail", "Trail Shoes"))
	a.line(0, "status", a.pick("account status", 7, "", "active", "paused"))
	for i := range a.sizes["pixels"] {
		fmt.Fprintf(&a.b, "---\nkind: pixel\nkey: p%d\nname: Pixel %d\n", i, i)
	}
	if a.sizes["pixels"] == 0 {
		a.sizes["settings"] = 0
	}
	for i := range a.sizes["settings"] {
		a.setting(i)
	}
	for i := range a.sizes["audiences"] {
		fmt.Fprintf(&a.b, "---\nkind: audience\nkey: a%d\nname: Audience %d\n", i, i)
		a.line(0, "status", a.pick(fmt.Sprintf("audience %d status", i), 9, "", "", "", "archived"))
	}
	for i := range a.sizes["windows"] {
		a.limit("spend_limit_window", i, 60*i, 5)
	}
	for i := range a.sizes["daily"] {
		a.limit("daily_spend_limit", i, 60*i+1, 1)
	}
	for i := range a.sizes["campaigns"] {
		a.campaign(i)
	}
	return a.b.String()
}

func (a *drawnAccount) setting(i int) {
	line := fmt.Sprintf("setting %d ", i)
	fmt.Fprintf(&a.b, "---\nkind: event_setting\nkey: s%d\nname: Setting %d\n", i, i)
	event := a.fixed(line+"event", "order_created", "order_created", "lead_created", "custom")
	a.line(0, "event_type", event)
	if event == "custom" {
		a.line(0, "custom_event_name", "brochure_read")
	}
	a.line(0, "source", a.fixed(line+"source", a.seldom(a.keys("pixel", "pixels", "p"), "src_nobody", "pixel/p9")...))
}

func (a *drawnAccount) limit(kind string, i, from, days int) {
	line := fmt.Sprintf("%s %d ", kind, i)
	fmt.Fprintf(&a.b, "---\nkind: %s\nkey: l%d\n", kind, i)
	a.line(0, "amount", a.pick(line+"amount", 5, "0.01", "400", "1000000"))
	a.line(0, "start", a.pick(line+"start",
		9, a.seldom([]string{inDays(from), inDays(from + 1), inDays(from + 2)}, inDays(from+59), inDays(-1))...))
	ends := []string{inDays(from + days + 2), inDays(from + 20), inDays(from + 40)}
	if kind == "daily_spend_limit" && i == a.sizes["daily"]-1 {
		ends = append(ends, "null", "null")
	}
	a.line(0, "end", a.pick(line+"end", 6, a.seldom(ends, inDays(from+70), "")...))
	a.line(0, "status", a.pick(line+"status", 9, "", "", "", "archived"))
}

// inDays is a day of the account, so many after the one it is made on.
func inDays(days int) string { return resource.DayPlus(drawnDay, days) }

func (a *drawnAccount) campaign(i int) {
	line := fmt.Sprintf("campaign %d ", i)
	fmt.Fprintf(&a.b, "---\nkind: campaign\nkey: c%d\n", i)
	name := fmt.Sprintf("Campaign %d", i)
	if i == 0 {
		name = a.near(line+"name", drawnName)
	}
	a.line(0, "name", inQuotes(name))
	biddings := []string{"clicks", "impressions"}
	goals := a.keys("event_setting", "settings", "s")
	if len(goals) > 0 {
		biddings = append(biddings, "conversions", "conversions")
	}
	bidding := a.pick(line+"bidding", 9, biddings...)
	a.line(0, "bidding_type", bidding)
	budget := a.near(line+"budget", drawnDaily)
	a.line(0, "budget", budget)
	a.line(0, "status", a.pick(line+"status", 6, a.seldom([]string{"", "active", "paused", "paused"}, "archived")...))
	if days := a.near(line+"days", drawnDays); days != "" {
		a.b.WriteString(days + "\n")
	}
	feed := a.fixed(line+"feed", "", "", "", "fd_test")
	a.line(0, "product_feed", feed)
	a.line(0, "targeting", a.pick(line+"targeting", 5, a.seldom(a.targeting(feed),
		"{locations: [\"2000043\"]}", "{excluded_audiences: [caud_nobody]}", "{audiences: [audience/a9]}")...))
	if bidding != "conversions" {
		goals = append(goals, "", "", "", "")
	}
	a.line(0, "conversion_goal", a.fixed(line+bidding+" goal", a.seldom(goals, "ces_nobody", "event_setting/s9")...))
	a.line(0, "tracking", inQuotesUnlessNone(a.near(line+"tracking", drawnTracking)))
	groups := rapid.IntRange(0, 2)
	if _, known := a.said[line+"groups"]; !known {
		a.said[line+"groups"] = fmt.Sprint(groups.Draw(a.t, line+"groups"))
	}
	if a.said[line+"groups"] == "0" {
		return
	}
	a.b.WriteString("ad_groups:\n")
	for g := range int(a.said[line+"groups"][0] - '0') {
		a.group(fmt.Sprintf("%sgroup %d ", line, g), g, bidding, budget, feed)
	}
}

func (a *drawnAccount) targeting(feed string) []string {
	targeting := []string{"", "{countries: [US, CA]}", "{platforms: [web]}", "{excluded_countries: [US]}"}
	if feed == "" {
		targeting = append(targeting, "{locations: [\"2000043\"], platforms: [web]}")
	}
	if all := a.keys("audience", "audiences", "a"); len(all) > 0 {
		targeting = append(targeting, "{audiences: ["+all[0]+"]}",
			"{countries: [US], excluded_audiences: ["+strings.Join(all, ", ")+"]}",
			"{audiences: ["+all[0]+"], excluded_audiences: ["+strings.Join(all[1:], ", ")+"]}")
	}
	return targeting
}

func (a *drawnAccount) group(line string, g int, bidding, budget, feed string) {
	fmt.Fprintf(&a.b, "  - key: g%d\n", g)
	a.line(4, "name", inQuotes(fmt.Sprintf("%d%s", g, a.pick(line+"name", 8, " Group", strings.Repeat("語", 999)))))
	a.line(4, "status", a.pick(line+"status", 7, a.seldom([]string{"", "active", "paused"}, "archived")...))
	fits := map[string]string{"clicks": "{strategy: maximize_clicks, max: null}",
		"conversions": "{strategy: maximize_conversions, max: null}"}[bidding]
	bids := []string{"{max: 0.000001, strategy: fixed_bid}",
		"{max: 1, strategy: fixed_bid}", "{max: 0.9, strategy: fixed_bid}"}
	if strings.HasPrefix(budget, "{daily") && fits != "" {
		bids = append(bids, fits)
	}
	bid := a.pick(line+bidding+budget+" bid", 6, a.seldom(bids,
		"", "{max: 60}", "{strategy: maximize_clicks}", "{strategy: maximize_conversions}", "{strategy: fixed_bid}")...)
	a.line(4, "bid", bid)
	a.line(4, "context_hints",
		a.pick(line+"hints", 6, "", "[people who run]", "[a, b, \""+strings.Repeat("x", 3000)+"\"]", "[]"))
	a.line(4, "exclusion_hints", a.pick(line+"exclusions", 8, "", "", "[football boots]"))
	if feed != "" {
		a.line(4, "product_set", a.pick(line+"products", 8, "", "{product_feed_id: fd_test, filters: []}",
			"{product_feed_id: fd_test, filters: [{field: price, operator: lte, values: [\"20\"]}]}"))
	}
	if a.fixed(line+"ad", "", "yes", "yes") == "" {
		return
	}
	a.b.WriteString("    ads:\n      - key: a\n")
	a.line(8, "name", inQuotesUnlessNone(a.pick(line+"ad name", 8, "", "Hero", "Other")))
	a.line(8, "title", inQuotes(a.near(line+"title", drawnTitle)))
	a.line(8, "body", inQuotes(a.near(line+"body", drawnBody)))
	a.line(8, "target_url", inQuotes(a.near(line+"url", drawnURL)))
	a.line(8, "image", a.pick(line+"image", 8, "https://images.example/a.png", "https://images.example/b.png"))
	a.line(8, "status", a.pick(line+"ad status", 7, a.seldom([]string{"", "active", "paused"}, "archived")...))
	a.line(8, "tracking", inQuotesUnlessNone(a.near(line+"ad tracking", drawnTracking)))
}
