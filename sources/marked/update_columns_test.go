package marked

import (
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
)

func TestWhatAnUpdateLeavesToPeople(t *testing.T) {
	column := func(title string) knownColumn {
		for _, s := range kinds.All() {
			for i := range s.Facts {
				if s.Facts[i].Header == title {
					return knownColumn{title: title, fact: &s.Facts[i]}
				}
			}
		}
		return knownColumn{title: title, figure: &catalog.FigureColumn{}}
	}
	for _, c := range []struct {
		column, holds string
		stays         bool
	}{
		{"Review", "in_review", false},
		{"Review", "rejected: Text in the picture: too much", false},
		{"Review", " approved ", false},
		{"Review", "in review", false},
		{"Review", "in review: ask Bob", true},
		{"Review", "in third review (in_third_review)", false},
		{"Review", "in third review (ask Bob)", true},
		{"Serving issues", "it is in review; it is paused", false},
		{"Serving issues", "it is in review; ask Bob", true},
		{"Serving issues", "the campaign is paused; no ad of the ad group can be shown", false},
		{"Review", "ask Bob", true},
		{"Review", "Approved by Ann", true},
		{"Review", "#N/A", true},
		{"Serving issues", "campaign_not_active, ad_group_paused", false},
		{"Serving issues", "todo: ask Bob", true},
		{"Size", "100k_500k", false},
		{"Size", "about 3,000", true},
		{"Impressions 7d", "1200", false},
		{"Impressions 7d", "1.2E+5", false},
		{"Impressions 7d", "n/a", true},
		{"Impressions 7d", "\u00a0", false},
	} {
		if why := column(c.column).keeps(xlsx.Cell{Form: xlsx.TextCell,
			Text: c.holds, HasValue: true}); (why != "") != c.stays {
			t.Errorf("%s that holds %q: %q; want it to stay: %v", c.column, c.holds, why, c.stays)
		}
	}
	merges := []xlsx.Area{{FromRow: 4, FromColumn: 8, ToRow: 5, ToColumn: 8},
		{FromRow: 6, FromColumn: 8, ToRow: 6, ToColumn: 9}}
	for at, stays := range map[xlsx.At]bool{
		{Row: 4, Column: 8}: true, {Row: 5, Column: 8}: true, {Row: 6, Column: 8}: false, {Row: 4, Column: 7}: false,
	} {
		if why := spread(merges, at); (why != "") != stays {
			t.Errorf("cell %s: %q; want it to stay: %v", at, why, stays)
		}
	}
}
