package compare_test

import (
	"strings"
	"testing"

	"adsync/plan"
)

func TestProtectHoldsWhatItNames(t *testing.T) {
	const was = "campaign/x#1 status=active budget.daily=100\nad_group/x/r#2 status=active bid.max=1\n"
	tests := []struct {
		name, protect string // what the files say besides
		now           string
		passes        bool
	}{
		{"archive", "campaign/x protect=archive", "status=archived", false},
		{"archive lets a pause pass", "campaign/x protect=archive", "status=paused", true},
		{"pause", "campaign/x protect=pause", "status=paused", false},
		{"pause lets a budget pass", "campaign/x protect=pause", "budget.daily=110", true},
		{"budget holds a rise", "campaign/x protect=budget", "budget.daily=110", false},
		{"budget holds a decrease", "campaign/x protect=budget", "budget.daily=90", false},
		{"budget lets a name pass", "campaign/x protect=budget", "name=Other", true},
		{"all holds a name", "campaign/x protect=all", "name=Other", false},
		{"several words", "campaign/x protect=archive|budget", "budget.daily=110", false},
		{"an ad group keeps its campaign from being paused",
			"ad_group/x/r protect=pause\ncampaign/x", "status=paused", false},
		{"and from being archived", "ad_group/x/r protect=archive\ncampaign/x", "status=archived", false},
		{"and not from another budget", "ad_group/x/r protect=all\ncampaign/x", "budget.daily=110", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, was, tt.protect+" "+tt.now, was, "archives", "raises-spend")
			var held []string
			for i := range p.Changes {
				for _, h := range p.Changes[i].Holds() {
					if h.Hazard == plan.Protected && h.Allow != "" {
						t.Errorf("a flag releases it: %q", h.Allow)
					}
					held = append(held, string(h.Hazard))
				}
			}
			if passes := len(held) == 0; passes != tt.passes || !passes && strings.Join(held, " ") != "protected" {
				t.Errorf("%s with %s is held by %v; want it to pass: %v", tt.protect, tt.now, held, tt.passes)
			}
		})
	}
}

func TestProtectIsNeverSentAndOutlivesItsOwnRemoval(t *testing.T) {
	const live = "campaign/x#1 budget.daily=100"
	first := diff(t, live, "campaign/x budget.daily=100 protect=budget", live)
	if got, want := sketch(first.Applicable()), "record campaign/x; record protect budget"; got != want {
		t.Errorf("a protection plans %q; want %q", got, want)
	}
	created := diff(t, "", "campaign/x name=New bidding_type=clicks budget.daily=1 protect=all", "")
	for _, f := range created.Changes[0].Fields {
		if f.Name == "protect" {
			t.Error("protect is sent with a create")
		}
	}
	const last = live + " protect=budget"
	both := diff(t, last, "campaign/x budget.daily=101 protect=[clear]", live)
	if got, want := sketch(both.Applicable()), "record campaign/x; record protect [clear]"; got != want {
		t.Errorf("lifted and changed at once plans %q; want only the record of the lifting", got)
	}
	gone := diff(t, last, "campaign/x budget.daily=101", live)
	if got := sketch(gone.Applicable()); got != "" {
		t.Errorf("a protection that is no longer written lets %q pass; want nothing", got)
	}
}
