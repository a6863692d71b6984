package ads

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/daemon/web/campaigns"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/words/catalogue"
)

// How many ads a page has, and a document, and how many pages anybody can want.
const (
	adsMost      = 24
	documentMost = 500
	pagesMost    = 1_000_000
)

// Orders of ads, the usual one first.
const (
	byReview   = "review"
	bestCTR    = "best-ctr"
	worstCTR   = "worst-ctr"
	mostSpend  = "most-spend"
	leastSpend = "least-spend"
	byName     = "name"
)

// orders have the texts by which the page calls them.
var orders = []campaigns.Offer{{Words: "ads.by-review", Path: byReview}, {Words: "ads.by-best", Path: bestCTR},
	{Words: "ads.by-worst", Path: worstCTR}, {Words: "ads.by-most", Path: mostSpend},
	{Words: "ads.by-least", Path: leastSpend}, {Words: "ads.by-name", Path: byName}}

// deliveries are whether ads were shown on the days, with their texts.
var deliveries = []campaigns.Offer{{Words: "ads.shown-or-not", Path: ""}, {Words: "ads.shown", Path: "yes"},
	{Words: "ads.not-shown", Path: "no"}}

// Asked is what the address of a page of ads asks for.
type Asked struct {
	Span, Words, Order, Delivery string
	Campaign                     string // its id; "" for any
	Status, Review               string // "" for any
	Page                         int
}

// read reads an address. What campaigns reads of it, that does.
func read(v url.Values) (q Asked, err error) {
	q = Asked{Span: cmp.Or(v.Get("span"), "7d"), Words: shown.Name(v.Get("q")),
		Order: cmp.Or(v.Get("order"), byReview), Delivery: v.Get("delivery"), Campaign: v.Get("campaign"),
		Status: shown.Name(v.Get("status")), Review: shown.Name(v.Get("review"))}
	if v.Get("from") != "" || v.Get("to") != "" {
		q.Span = ""
	}
	q.Page, _ = strconv.Atoi(v.Get("page"))
	q.Page = min(max(q.Page, 1), pagesMost)
	for _, one := range []struct {
		name, is string
		of       []campaigns.Offer
	}{{"order", q.Order, orders}, {"delivery", q.Delivery, deliveries}} {
		if !slices.ContainsFunc(one.of, func(o campaigns.Offer) bool { return o.Path == one.is }) {
			return q, campaigns.Wrong(catalogue.Say("wrong.choice",
				"name", one.name, "value", shown.Text(one.is, 40), "wanted", listed(one.of)))
		}
	}
	return q, nil
}

func listed(of []campaigns.Offer) string {
	var all []string
	for _, o := range of {
		if o.Path != "" {
			all = append(all, o.Path)
		}
	}
	return strings.Join(all, ", ")
}

// query is the address that asks for the same.
func (q *Asked) query() string {
	v := url.Values{}
	set := func(name, value, usual string) {
		if value != usual {
			v.Set(name, value)
		}
	}
	set("span", q.Span, "7d")
	set("q", q.Words, "")
	set("order", q.Order, byReview)
	set("delivery", q.Delivery, "")
	set("campaign", q.Campaign, "")
	set("status", q.Status, "")
	set("review", q.Review, "")
	if q.Page > 1 {
		v.Set("page", strconv.Itoa(q.Page))
	}
	return v.Encode()
}
