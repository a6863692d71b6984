package compare_test

import (
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/plan"
	"adsync/plan/compare"
)

// TestTooFewPeopleForAUseAreWarnedOf: a plan that names an audience for a use says where it is
// known to be too small for it, and nothing where its size is not known.
func TestTooFewPeopleForAUseAreWarnedOf(t *testing.T) {
	const (
		small    = "audience/one#a1 name=One members.revision=1\n"
		campaign = "campaign/x#c name=Spring status=paused bidding_type=clicks budget.daily=100"
		group    = campaign + "\nad_group/x/g#g name=Group status=paused bid.strategy=fixed_bid bid.max=1"
		list     = "audience/one name=One members.identifier=email members.file=sha256:aa members.people=12"
	)
	tests := []struct {
		name, live, files string
		sizes             map[plan.For]string
		want              string // the message, "" for none
	}{
		{"included", small + campaign, small + campaign + " targeting.audiences=a1",
			map[plan.For]string{{ID: "a1", Use: "inclusion"}: "under_25k (too_small)"},
			"targeting.audiences has audience/one, whose size at the service is under_25k (too_small); " +
				"want 25000 or more matched people for inclusion"},
		{"large enough, or not known", small + campaign, small + campaign + " targeting.audiences=a1", nil, ""},
		{"small for another use", small + campaign, small + campaign + " targeting.audiences=a1",
			map[plan.For]string{{ID: "a1", Use: "bid_multiplier"}: "under_25k"}, ""},
		{"included before", small + campaign + " targeting.audiences=a1",
			small + strings.Replace(campaign, "Spring", "Summer", 1) + " targeting.audiences=a1",
			map[plan.For]string{{ID: "a1", Use: "inclusion"}: "under_25k"}, ""},
		{"excluded", small + campaign, small + campaign + " targeting.excluded_audiences=a1",
			map[plan.For]string{{ID: "a1", Use: "exclusion"}: "under_25k"}, ""},
		{"bid for", small + group, small + group + " bid.multipliers=a1:1.1",
			map[plan.For]string{{ID: "a1", Use: "bid_multiplier"}: "under_25k"},
			"bid.multipliers has audience/one, whose size at the service is under_25k; " +
				"want 25000 or more matched people for bid_multiplier"},
		{"a new one with a short list", campaign, list + "\n" + campaign + " targeting.audiences=audience/one",
			nil, "targeting.audiences has audience/one, whose list has 12 people; " +
				"want 25000 or more matched people for inclusion"},
		{"people are added to one that is small", small + campaign,
			list + " members.do=add\n" + campaign + " targeting.audiences=audience/one",
			map[plan.For]string{{ID: "a1", Use: "inclusion"}: "under_25k"}, ""},
		{"a short list in the place of what is included", small + campaign + " targeting.audiences=a1",
			list + "\n" + campaign + " targeting.audiences=a1", nil,
			"members.file leaves at most 12 people in it, and targeting.audiences of campaign/x has it; " +
				"want 25000 or more matched people for inclusion"},
		{"a short list in the place of what is excluded", small + campaign + " targeting.excluded_audiences=a1",
			list + "\n" + campaign + " targeting.excluded_audiences=a1", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := compare.Diff(plan.Input{
				Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Last: snapshot(t, tt.live),
				Desired: written(snapshot(t, tt.files)), Live: snapshot(t, tt.live), Small: tt.sizes,
			})
			got := ""
			for _, problem := range p.Problems {
				if problem.Code != diag.TooFewPeople {
					continue
				}
				if got += problem.Message; problem.Severity != diag.Warning || problem.Position.IsZero() {
					t.Errorf("%v is %s; want a warning with a position", problem, problem.Severity)
				}
			}
			if got != tt.want {
				t.Errorf("warns %q; want %q\n%s", got, tt.want, sketch(p.Changes))
			}
		})
	}
}
