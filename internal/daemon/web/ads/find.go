// Package ads is the view of how an account's ads look, where they stand with the service's review, and what they did:
// the ads that an address asks for, as a page of cards and as a document for programs.
//
// It refuses to ask the service, to read pictures, and to answer requests: internal/daemon/web does, with what this one
// returns. Its invariant: the page and the document of one address have the same ads in the same order.
//
// asked.go reads the address, find.go chooses, view.go is the page, document.go the other.
package ads

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon/web/campaigns"
	"adsync/internal/insights"
	"adsync/internal/review"
)

// Found are the ads that an address asks for.
type Found struct {
	asked    Asked
	days     campaigns.Days
	ads      []ad // that are asked for, in their order
	all      int
	gaps     []string          // days that were not read
	pictures map[string]string // where the files have them, by their sums
	icon     string            // what names that of the brand; "" where there is none

	reviews   map[string]int // how many of all stand so
	statuses  map[string]bool
	campaigns map[string]string // names by id
}

// Find reads what an address asks for of what is kept of an account. Its error is campaigns.Wrong where the address is.
func Find(ctx context.Context, a campaigns.Account, address url.Values, at time.Time) (*Found, error) {
	q, err := read(address)
	if err != nil {
		return nil, err
	}
	of := url.Values{"level": {"ad"}, "sort": {"name"}, "col": {"spend", "cell"}}
	for _, name := range []string{"span", "from", "to", "changed"} {
		if address.Has(name) {
			of[name] = address[name]
		}
	}
	if q.Status != "" {
		of.Set("status", q.Status) // with it what is removed is there, too
	}
	lines, err := campaigns.Find(ctx, a, of, at)
	if err != nil {
		return nil, err
	}
	f := &Found{asked: q, days: lines.Days(), gaps: lines.Table().Gaps(), reviews: map[string]int{},
		statuses: map[string]bool{}, campaigns: map[string]string{}}
	if _, f.icon, err = a.Archive.Icons().Icon(); err != nil {
		return nil, err
	}
	if a.Plan != nil {
		f.pictures = a.Plan.Pictures
	}
	if q.Span == "" {
		f.asked.Span = f.days.From + ".." + f.days.To
	}
	f.choose(lines.Rows())
	return f, nil
}

// ad is one of them, and how it is ordered.
type ad struct {
	campaigns.Row
	last   bool  // it has nothing to compare
	rank   int   // the least first
	figure int64 // the greatest first
}

// choose keeps the rows that are asked for, in their order.
func (f *Found) choose(rows []campaigns.Row) {
	q, words := &f.asked, strings.ToLower(f.asked.Words)
	f.all = len(rows)
	for i := range rows {
		r := &rows[i]
		of, name := campaignOf(r)
		f.campaigns[of] = name
		f.reviews[r.Setting.Review]++
		f.statuses[r.Setting.Status] = true
		shown := count(r, "impressions")
		switch {
		case q.Campaign != "" && of != q.Campaign, q.Review != "" && r.Setting.Review != q.Review,
			q.Delivery == "yes" && shown == 0, q.Delivery == "no" && shown > 0,
			words != "" && !strings.Contains(strings.ToLower(textOf(r)), words):
			continue
		}
		f.ads = append(f.ads, q.ordered(r, shown))
	}
	slices.SortStableFunc(f.ads, func(a, b ad) int {
		return cmp.Or(boolCompare(a.last, b.last), cmp.Compare(a.rank, b.rank), cmp.Compare(b.figure, a.figure))
	})
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// ordered puts an ad in its place; shown is how often it was shown.
func (q *Asked) ordered(r *campaigns.Row, shown int64) ad {
	one := ad{Row: *r}
	switch q.Order {
	case byReview:
		one.rank, one.figure = rank(r), count(r, "spend")
	case bestCTR:
		one.last, one.figure = shown < enoughImpressions, count(r, "ctr")
	case worstCTR:
		one.last, one.figure = shown < enoughImpressions, -count(r, "ctr")
	case mostSpend:
		one.last, one.figure = shown == 0, count(r, "spend")
	case leastSpend:
		one.last, one.figure = shown == 0, -count(r, "spend")
	}
	return one // by name they are already
}

// enoughImpressions is how often an ad was shown at least for its CTR to be compared, in millionths.
const enoughImpressions = 100 * 1_000_000

// campaignOf is the id and the name of the campaign of an ad; "" where they are not known.
func campaignOf(r *campaigns.Row) (id, name string) {
	if len(r.Above) < 2 {
		return "", ""
	}
	return r.Above[1].Parent, r.Above[0].Name
}

// textOf is what is searched of an ad.
func textOf(r *campaigns.Row) string {
	all := []string{r.Name, r.ID}
	for _, above := range r.Above {
		all = append(all, above.Name)
	}
	if l := r.Setting.Look; l != nil {
		all = append(all, l.Title, l.Body, l.Target)
	}
	return strings.Join(all, "\n")
}

// count is a figure of an ad in millionths; 0 where it is not known.
func count(r *campaigns.Row, metric string) int64 {
	n, _ := insights.Millionths(r.Of(metric))
	return n
}

// standings are where ads stand, those that ask most of a person first.
var standings = []string{string(review.Rejected), string(review.Limited), string(review.InReview),
	string(review.Approved)}

// rank is behind how many others an ad stands by its review. One that is removed asks nothing of anybody.
func rank(r *campaigns.Row) int {
	at := slices.Index(standings, r.Setting.Review)
	if r.Setting.Removed || at < 0 {
		return len(standings)
	}
	return at
}
