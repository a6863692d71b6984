package compare_test

import (
	"strings"
	"testing"

	"adsync/plan"
)

// TestABidIsMeasuredTimesItsLargestFactor: what people of an audience are bid is what a
// guard bounds, whichever of the two rises.
func TestABidIsMeasuredTimesItsLargestFactor(t *testing.T) {
	const campaign = "campaign/x#c name=Spring status=active bidding_type=clicks budget.daily=100\n"
	group := func(says string) string {
		return campaign + "audience/one#a1 name=One\naudience/two#a2 name=Two\n" +
			"ad_group/x/g#g name=Group status=active bid.strategy=fixed_bid " + says
	}
	for _, row := range []struct{ name, live, files, want string }{
		{"a first factor, small", "bid.max=1", "bid.max=1 bid.multipliers=a1:1.2", ""},
		{"a first factor, above what passes", "bid.max=1", "bid.max=1 bid.multipliers=a1:1.8",
			"raises-spend=ad_group/x/g"},
		{"a first factor, the largest", "bid.max=1", "bid.max=1 bid.multipliers=a1:10",
			"raises-spend=ad_group/x/g=10.00"},
		{"one below 1", "bid.max=1", "bid.max=1 bid.multipliers=a1:0.1", ""},
		{"lower", "bid.max=1 bid.multipliers=a1:10", "bid.max=1 bid.multipliers=a1:2", ""},
		{"cleared", "bid.max=1 bid.multipliers=a1:10", "bid.max=1 bid.multipliers=", ""},
		{"not named by the files", "bid.max=1 bid.multipliers=a1:10", "bid.max=1", ""},
		{"cleared below 1", "bid.max=1 bid.multipliers=a1:0.1", "bid.max=1 bid.multipliers=",
			"raises-spend=ad_group/x/g=1.00"},
		{"another than the largest", "bid.max=1 bid.multipliers=a1:10|a2:1",
			"bid.max=1 bid.multipliers=a1:10|a2:9", "raises-spend=ad_group/x/g=9.00"},
		{"bid and factor a little each", "bid.max=1 bid.multipliers=a1:2",
			"bid.max=1.4 bid.multipliers=a1:2.8", "raises-spend=ad_group/x/g raises-spend=ad_group/x/g"},
		{"bid up, factor down by as much: who is in no audience", "bid.max=1 bid.multipliers=a1:4",
			"bid.max=2 bid.multipliers=a1:2", "raises-spend=ad_group/x/g"},
		{"bid a little up, factor down", "bid.max=1 bid.multipliers=a1:4", "bid.max=1.2 bid.multipliers=a1:2", ""},
		{"a factor that falls in a list that may wait makes no room", "bid.max=9 bid.multipliers=a1:6|a2:1",
			"bid.max=9.1 bid.multipliers=a1:5|a2:1.2", "raises-spend=ad_group/x/g=54.60"},
		{"above its share of the daily budget", "bid.max=9 bid.multipliers=a1:6",
			"bid.max=9.1 bid.multipliers=a1:6", "raises-spend=ad_group/x/g=54.60"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := limited(t, func(p *plan.Policy) {
				p.ExposurePercent, p.BidShare = 1000, 50
			}, plan.Recent{}, group(row.live), group(row.files))
			if got := asked(p); !sameWords(got, row.want) {
				t.Errorf("asked for %q; want %q\n%s", got, row.want, sketch(p.Changes))
			}
		})
	}
}

// TestADecreaseThatIsHeldMakesNoRoom: a bid and its factors are measured together, and
// what somebody else changed meanwhile stays until a person decides.
func TestADecreaseThatIsHeldMakesNoRoom(t *testing.T) {
	const campaign = "campaign/x#c name=Spring status=active bidding_type=clicks budget.daily=100\n"
	group := func(says string) string {
		return campaign + "audience/one#a1 name=One\n" +
			"ad_group/x/g#g name=Group status=active bid.strategy=fixed_bid " + says
	}
	for _, row := range []struct{ name, last, files, live, want string }{
		{"a factor that both changed, and a higher bid",
			"bid.max=1 bid.multipliers=a1:3", "bid.max=2 bid.multipliers=a1:2", "bid.max=1 bid.multipliers=a1:4",
			"raises-spend=ad_group/x/g conflict=ad_group/x/g"},
		{"a bid that both changed, and a higher factor",
			"bid.max=3 bid.multipliers=a1:1", "bid.max=2 bid.multipliers=a1:2", "bid.max=4 bid.multipliers=a1:1",
			"conflict=ad_group/x/g raises-spend=ad_group/x/g"},
		{"a factor that the files lower, and a higher bid",
			"bid.max=1 bid.multipliers=a1:4", "bid.max=1.2 bid.multipliers=a1:2", "bid.max=1 bid.multipliers=a1:4", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := diff(t, group(row.last), group(row.files), group(row.live))
			if got := asked(p); !sameWords(got, row.want) {
				t.Errorf("asked for %q; want %q\n%s", got, row.want, sketch(p.Changes))
			}
		})
	}
}

// TestAFactorDoesNotCreepUpWithinADay: each audience has a day of its own, whatever the others do.
func TestAFactorDoesNotCreepUpWithinADay(t *testing.T) {
	group := func(factors string) string {
		return "campaign/x#c name=Spring status=active bidding_type=clicks budget.daily=100\n" +
			"audience/one#a1 name=One\naudience/two#a2 name=Two\n" +
			"ad_group/x/g#g name=Group status=active bid.strategy=fixed_bid bid.max=1 bid.multipliers=" + factors
	}
	roomy := func(p *plan.Policy) { p.ExposurePercent, p.BidShare = 1000, 50 }
	for _, row := range []struct{ name, from, over, to, want string }{
		{"alone", "a1:1", "a1:1.2", "a1:1.4", "raises-spend=ad_group/x/g"},
		{"beside one that rose more", "a1:2|a2:1", "a1:2.45|a2:1.2", "a1:2.45|a2:1.4", "raises-spend=ad_group/x/g"},
		{"beside one that rose less", "a1:2|a2:1", "a1:2.2|a2:1.2", "a1:2.45|a2:1.2", ""},
		{"another one", "a1:1|a2:1", "a1:1.2|a2:1", "a1:1.2|a2:1.2", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			first := limited(t, roomy, plan.Recent{}, group(row.from), group(row.over))
			if got := asked(first); got != "" {
				t.Fatalf("the first step asks for %q", got)
			}
			then := limited(t, roomy, remembered(plan.Recent{}, first), group(row.over), group(row.to))
			if got := asked(then); !sameWords(got, row.want) {
				t.Errorf("asked for %q; want %q\n%s", got, row.want, sketch(then.Changes))
			}
		})
	}
}

// TestAFactorOfWhatIsArchivedStaysBehind: the service refuses a setting with it, so that no bid could be
// lowered any more; nobody is multiplied by it.
func TestAFactorOfWhatIsArchivedStaysBehind(t *testing.T) {
	group := func(says string) string {
		return "campaign/x#c name=Spring status=active bidding_type=clicks budget.daily=100\n" +
			"audience/one#a1 name=One status=archived\naudience/two#a2 name=Two\n" +
			"ad_group/x/g#g name=Group status=active bid.strategy=fixed_bid " + says
	}
	for _, row := range []struct{ name, live, files, want string }{
		{"a lower bid", "bid.max=1 bid.multipliers=a1:0.5|a2:2", "bid.max=0.9 bid.multipliers=a1:0.5|a2:2", "a2 x 2"},
		{"another factor", "bid.max=1 bid.multipliers=a1:0.5|a2:2", "bid.max=1 bid.multipliers=a1:0.5|a2:1.8",
			"a2 x 1.8"},
		{"a factor that is held, beside a lower bid", "bid.max=1 bid.multipliers=a1:0.5|a2:2",
			"bid.max=0.9 bid.multipliers=a1:0.5|a2:9", "a2 x 2"},
		{"one that the files do not name", "bid.max=1 bid.multipliers=a1:0.5|a2:2", "bid.max=0.9", "a2 x 2"},
		{"the only one", "bid.max=1 bid.multipliers=a1:0.5", "bid.max=0.9 bid.multipliers=a1:0.5", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := limited(t, func(*plan.Policy) {}, plan.Recent{}, group(row.live), group(row.files))
			sent := "the whole list at the service, as no field says another"
			for c := range p.EachApplicable() {
				for _, f := range c.Fields {
					if f.Name == "bid.multipliers" {
						sent = strings.Join(f.Desired.Items(), ", ")
					}
				}
			}
			if sent != row.want {
				t.Errorf("sent %q; want %q\n%s", sent, row.want, sketch(p.Changes))
			}
		})
	}
}
