package kinds

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

const fixedBid = "fixed_bid"

// ofAdGroup are the rules an ad group keeps by itself.
func ofAdGroup() []resource.Rule {
	return []resource.Rule{
		{Name: "interface, part 2, ad group: bidding_config", Check: bidFitsStrategy},
		{Name: "interface, part 2, ad group: product_set; service facts, 3.2", Check: filtersOfProducts},
		{Name: "interface, part 8: a bulk operation, which alone says exclusion_hints, has 512 KiB",
			Check: exclusionsFit},
	}
}

// acrossAdGroup are the rules between an ad group and its campaign.
func acrossAdGroup() []resource.Across {
	return []resource.Across{
		{Name: "interface, part 2, conversion rules 1 and 5; service facts, 3.2: Maximize Results",
			Check: strategyFitsCampaign},
		{Name: "interface, part 2, ad group: fixed_bid requires max_bid_micros", Check: newHasBid},
		{Name: "interface, part 2, ad group: product_set is of the campaign's feed", Check: productsOfCampaign},
		{Name: "service facts, 2.3: a daily budget is not cut below a bid", Check: bidWithinBudget},
	}
}

func bidFitsStrategy(value func(string) resource.Value) *resource.Finding {
	bid, strategy := value("bid.max"), value("bid.strategy")
	switch {
	case strategy.Text() == fixedBid && !bid.IsSet():
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "bid.strategy",
			Message: "bid.strategy is fixed_bid without bid.max; want the most to pay",
		}
	case maximises(strategy) && bid.IsSet():
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "bid.max", Hint: "null, or [clear] in a workbook, takes a bid away",
			Message: "bid.max is set" + unwritten(bid) +
				" with bid.strategy " + stated(strategy) + "; want no bid, or the strategy fixed_bid",
		}
	case maximises(strategy) && value("bid.multipliers").IsSet():
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "bid.multipliers",
			Hint: "null, or [clear] in a workbook, takes the factors away",
			Message: "bid.multipliers is set" + unwritten(value("bid.multipliers")) + " with bid.strategy " +
				stated(strategy) + "; want none, or the strategy fixed_bid",
		}
	}
	return nil
}

// goesWith is the one strategy that maximises the results a campaign pays for.
var goesWith = map[string]string{"clicks": "maximize_clicks", "conversions": "maximize_conversions"}

// maximises reports whether a strategy takes no bid. One that only the service names,
// such as automated_bid of an ad group a job made without a bid, gives way to a bid.
func maximises(strategy resource.Value) bool {
	return slices.Contains(slices.Collect(maps.Values(goesWith)), strategy.Text())
}

func strategyFitsCampaign(see *resource.View) []resource.Finding {
	strategy, bidding := see.Value("bid.strategy"), see.Above(Campaign, "bidding_type")
	if !maximises(strategy) || !bidding.IsSet() {
		return nil
	}
	fits := goesWith[bidding.Text()]
	switch lifetime := see.Above(Campaign, "budget.lifetime"); {
	case fits == "":
		return conflicting("bid.strategy", "bid.strategy is %s in a campaign with bidding_type %s; want fixed_bid",
			strategy.Text(), stated(bidding))
	case strategy.Text() != fits:
		return conflicting("bid.strategy", "bid.strategy "+
			"is %s in a campaign with bidding_type %s; want fixed_bid or %s", strategy.Text(), stated(bidding), fits)
	case lifetime.IsSet():
		return conflicting("bid.strategy", "bid.strategy is %s in a campaign with a lifetime "+
			"budget of %s; want fixed_bid, or a campaign with a daily budget", strategy.Text(), stated(lifetime))
	}
	return nil
}

// newHasBid leaves no bid to the service: without one an ad group of a bulk job
// bids as the service likes, and one of a single request is refused.
func newHasBid(see *resource.View) []resource.Finding {
	strategy := see.Value("bid.strategy")
	if !see.New || see.Value("bid.max").IsSet() || strategy.IsSet() {
		return nil
	}
	return []resource.Finding{{Code: diag.Required, Attribute: "bid.max",
		Message: "ad group is new and has no bid.max; want the most to pay, or a maximize strategy"}}
}

func productsOfCampaign(see *resource.View) []resource.Finding {
	set := see.Value("product_set")
	if !set.IsSet() || !see.Above(Campaign, "bidding_type").IsSet() {
		return nil
	}
	feed, of := see.Above(Campaign, "product_feed"), productSetOf(set)
	switch {
	case !feed.IsSet():
		return conflicting("product_set",
			"product_set is set in a campaign without a product_feed; want a product-feed campaign, or no product_set")
	case of != nil && of.Feed != "" && of.Feed != feed.Text():
		return conflicting("product_set", "product_set is of the product "+
			"feed %q in a campaign of the product feed %s; want the campaign's", diag.Printable(of.Feed), stated(feed))
	}
	return nil
}

// bidWithinBudget holds a cut of the daily budget to the bids beneath it.
func bidWithinBudget(see *resource.View) []resource.Finding {
	budget, live := see.Above(Campaign, "budget.daily"), see.AboveLive(Campaign, "budget.daily")
	bid := see.Value("bid.max")
	most, ok := budget.Number()
	before, wasSet := live.Number()
	n, bids := bid.Number()
	factor := resource.LargestFactor(see.Value("bid.multipliers"))
	n = resource.Multiplied(n, factor)
	if !ok || !wasSet || !bids || most >= before || n <= most {
		return nil
	}
	said := stated(bid)
	if factor > resource.One {
		said += ", times the largest factor " + resource.FormatMoney(n)
	}
	return conflicting("bid.max", "bid.max is %s, above the daily budget of %s that its campaign "+
		"is cut to; the service refuses such a cut: want a lower bid first, or a budget of at least the bid",
		said, stated(budget))
}

// productSet is the JSON of product_set as the service has it (service facts,
// 3.1 and 3.2).
type productSet struct {
	Feed    string `json:"product_feed_id"`
	Filters []struct {
		Field    string   `json:"field"`
		Operator string   `json:"operator"`
		Values   []string `json:"values"`
	} `json:"filters"`
}

// productSetOf is nil where the JSON has another shape.
func productSetOf(v resource.Value) *productSet {
	decoder := json.NewDecoder(strings.NewReader(v.Text()))
	decoder.DisallowUnknownFields()
	set := &productSet{}
	if decoder.Decode(set) != nil {
		return nil
	}
	return set
}

// What product filters are made of (service facts, 3.2).
var (
	productFields = []string{
		"title", "body", "item_id", "offer_id", "price", "target_url", "image_url", "product_category", "brand",
		"seller_name", "external_seller_id", "star_rating", "condition", "age_group",
	}
	productOperators = []string{"in", "not_in", "gt", "gte", "lt", "lte", "contains", "not_contains", "starts_with"}
	comparing        = []string{"gt", "gte", "lt", "lte"}
	numeric          = []string{"price", "star_rating"}
)

const ownField = "ads_metadata."

func filtersOfProducts(value func(string) resource.Value) *resource.Finding {
	v := value("product_set")
	if !v.IsSet() {
		return nil
	}
	wrong := func(format string, args ...any) *resource.Finding {
		return &resource.Finding{
			Code: diag.BadValue, Attribute: "product_set", Message: "product_set " + fmt.Sprintf(format, args...),
		}
	}
	set := productSetOf(v)
	if set == nil || set.Feed == "" {
		return wrong(`is %q; want {"product_feed_id": …, "filters": [{"field": …, "operator": …, "values": [texts]}]}`,
			diag.Printable(v.Text()))
	}
	seen := map[string]bool{}
	for _, f := range set.Filters {
		switch {
		case seen[f.Field]:
			return wrong("filters by %q twice; want each field once", diag.Printable(f.Field))
		case !slices.Contains(productFields, f.Field) && !strings.HasPrefix(f.Field, ownField):
			finding := wrong("filters by %q; want %s or %s…",
				diag.Printable(f.Field), strings.Join(productFields, ", "), ownField)
			finding.Hint = diag.DidYouMean(f.Field, productFields)
			return finding
		case !slices.Contains(productOperators, f.Operator):
			finding := wrong("has the operator %q; want %s",
				diag.Printable(f.Operator), strings.Join(productOperators, ", "))
			finding.Hint = diag.DidYouMean(f.Operator, productOperators)
			return finding
		case slices.Contains(comparing, f.Operator) && !slices.Contains(numeric, f.Field):
			return wrong("compares %q by %q; want that for price and star_rating only",
				diag.Printable(f.Field), f.Operator)
		case len(f.Values) == 0:
			return wrong("filters by %q without values; want at least one", diag.Printable(f.Field))
		}
		seen[f.Field] = true
	}
	return nil
}

// The size of a bulk operation, and what an update needs beside its hints.
const (
	operationBytes = 512 << 10
	besideHints    = 1 << 10
)

// encodedLength returns how many bytes a text takes in JSON, with its quotes: < and & take six each.
func encodedLength(text string) int {
	encoded, _ := json.Marshal(text) // a text has no error
	return len(encoded)
}

func exclusionsFit(value func(string) resource.Value) *resource.Finding {
	size := 0
	for _, hint := range value("exclusion_hints").Items() {
		size += len(",") + encodedLength(hint)
	}
	if size+besideHints <= operationBytes {
		return nil
	}
	return &resource.Finding{
		Code: diag.TooLong, Attribute: "exclusion_hints",
		Message: fmt.Sprintf("exclusion_hints take %d KiB; want at most "+
			"%d, as the service takes them in one bulk operation only", size>>10, (operationBytes-besideHints)>>10),
	}
}
