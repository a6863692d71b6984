package compare_test

import (
	"fmt"
	"testing"

	"adsync/plan"
)

// A bid for a click and one for an impression are amounts of two units.
func TestBidsCompareWithinWhatTheyPayFor(t *testing.T) {
	account := "campaign/views#c name=Views status=active bidding_type=impressions budget.daily=900\n"
	for i := range 6 {
		account += fmt.Sprintf("ad_group/views/g%d#g%d name=Views_%d status=active bid.max=0.001\n", i, i, i)
	}
	beside := func(bidding, bid, strategy string) string {
		return account + "campaign/new name=New bidding_type=" + bidding +
			" status=active budget.daily=900\nad_group/new/g name=Group status=active bid.max=" + bid + strategy
	}
	tests := []struct {
		name, files, want string
	}{
		{name: "the first clicks beside impressions", files: beside("clicks", "1.20", "")},
		{name: "another of impressions", files: beside("impressions", "0.0029", "")},
		{name: "another of impressions, far above",
			files: beside("impressions", "1.20", ""), want: "raises-spend=ad_group/new/g=1.20 scale=ad_group/new/g"},
		{name: "and with its strategy said", files: beside("impressions", "0.004", " bid.strategy=fixed_bid"),
			want: "raises-spend=ad_group/new/g=0.004"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := limited(t, func(p *plan.Policy) { p.ExposurePercent = 1000 }, plan.Recent{}, account, tt.files)
			if got := asked(p); !sameWords(got, tt.want) {
				t.Errorf("asked for %q; want %q\n%s", got, tt.want, sketch(p.Changes))
			}
		})
	}
}
