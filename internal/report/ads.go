package report

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/figures"
	"adsync/internal/insights"
)

// mostAds is how many ads are best and worst.
const mostAds = 5

// Picture is what an ad looks like: a small JPEG, and the ad's title.
type Picture struct {
	JPEG  []byte
	Title string
}

// draw has ads show their pictures. of returns that of an ad by its id; nil where there is none.
func draw(of func(ad string) *Picture, lists ...[]Ad) {
	for _, list := range lists {
		for i := range list {
			list[i].picture = of(list[i].ID)
		}
	}
}

// rank finds the best ads and the worst: by conversions, or by clicks where there are none.
func (r *Report) rank(t *figures.Table) {
	cost := "cpa"
	if r.RankedBy = "conversions"; !something(t.Total.Of(r.RankedBy)) {
		r.RankedBy, cost = "clicks", "cpc"
	}
	var ads []Ad
	for i := range t.Lines {
		ads = append(ads, r.ad(&t.Lines[i]))
	}
	slices.SortStableFunc(ads, func(a, b Ad) int {
		return cmp.Or(most(a.Figures[r.RankedBy], b.Figures[r.RankedBy]), most(b.Figures["spend"], a.Figures["spend"]))
	})
	for i := 0; i < len(ads) && i < mostAds && something(ads[i].Figures[r.RankedBy]); i++ {
		r.Top = append(r.Top, ads[i])
	}
	rest := slices.DeleteFunc(ads[len(r.Top):], func(a Ad) bool {
		_, known := insights.Millionths(a.Figures[r.RankedBy])
		return !known || !something(a.Figures["spend"])
	})
	slices.SortStableFunc(rest, func(a, b Ad) int { // those with none first
		none, also := !something(a.Figures[r.RankedBy]), !something(b.Figures[r.RankedBy])
		switch {
		case none && also:
			return most(a.Figures["spend"], b.Figures["spend"])
		case none:
			return -1
		case also:
			return 1
		}
		return most(a.Figures[cost], b.Figures[cost])
	})
	r.Bottom = append(r.Bottom, rest[:min(len(rest), mostAds)]...)
}

func (r *Report) ad(l *figures.Line) Ad {
	var in []string
	for _, above := range l.Above {
		in = append(in, above.Name)
	}
	return Ad{ID: l.ID, Name: cmp.Or(l.Name, l.ID), In: strings.Join(in, " › "), Figures: r.figures(&l.Sums)}
}
