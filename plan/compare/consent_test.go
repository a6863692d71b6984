package compare_test

import (
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/plan"
	"adsync/plan/compare"
)

// yes is a consent to each of the asks a plan has with these allowances.
func yes(t testing.TB, p *plan.Plan, allow ...string) (all []plan.Consent) {
	t.Helper()
	for _, one := range allow {
		asks := p.FindAsks()
		i := slices.IndexFunc(asks, func(a plan.Ask) bool { return strings.HasPrefix(a.Allow, one) })
		if i < 0 {
			t.Fatalf("the plan asks for nothing with %s; it asks for %q", one, asked(p))
		}
		all = append(all, plan.Consent{ID: one, By: "Ann", Hazard: asks[i].Hazard, Parts: asks[i].Parts})
	}
	return all
}

// agreedTo is a plan of what is live and was applied last, with consents.
func agreedTo(t testing.TB, was, now string, consents ...plan.Consent) *plan.Plan {
	t.Helper()
	live := snapshot(t, was)
	return compare.Diff(plan.Input{
		Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Last: live, Desired: snapshot(t, now), Live: live,
		Asks: true, Consents: consents, Today: "2026-03-01",
	})
}

const (
	oneCampaign = "campaign/x#1 status=active budget.daily=100"
	oneRaised   = "campaign/x status=active budget.daily=180"
)

// A raise that two guards hold goes once both were agreed to, in any order, and not
// before.
func TestAConsentReleasesOneOfTwoHolds(t *testing.T) {
	shown := agreedTo(t, oneCampaign, oneRaised)
	raises, exposure := yes(t, shown, "raises-spend"), yes(t, shown, "exposure")
	if got := asked(agreedTo(t, oneCampaign, oneRaised, raises...)); got != "exposure=80.00/day" {
		t.Errorf("with the raise agreed to it asks for %q; want the exposure alone", got)
	}
	if got := asked(agreedTo(t, oneCampaign, oneRaised, exposure...)); got != "raises-spend=campaign/x" {
		t.Errorf("with the exposure agreed to it asks for %q; want the raise alone", got)
	}
	both := agreedTo(t, oneCampaign, oneRaised, append(exposure, raises...)...)
	if got := asked(both); got != "" || len(both.Consented) != 2 {
		t.Errorf("with both it asks for %q and names %d consents; want nothing, and both", got, len(both.Consented))
	}
}

// A consent holds while what it names is as it was, whatever else changes.
func TestAConsentHoldsWhileItsChangeIsAsItWas(t *testing.T) {
	other := "\ncampaign/y#2 status=active budget.daily=1000"
	was := oneCampaign + other
	k := yes(t, agreedTo(t, was, oneRaised+other), "raises-spend=campaign/x")
	tests := []struct {
		name, was, now string
		goes           bool
	}{
		{"nothing else changed", was, oneRaised + other, true},
		{"another campaign is renamed", was, oneRaised + other + " name=Other", true},
		{"another campaign is raised, and held", was, oneRaised + "\ncampaign/y status=active budget.daily=1900", true},
		{"its own name changed", was, oneRaised + " name=Xyz" + other, true},
		{"another campaign is live otherwise", oneCampaign + "\ncampaign/y#2 status=active budget.daily=900",
			oneRaised + other, true},
		{"more is asked for", was, "campaign/x status=active budget.daily=181" + other, false},
		{"less is asked for", was, "campaign/x status=active budget.daily=179" + other, false},
		{"what is live is less", "campaign/x#1 status=active budget.daily=99" + other, oneRaised + other, false},
		{"another resource has its address", "campaign/x#9 status=active budget.daily=100" + other,
			oneRaised + other, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := asked(agreedTo(t, tt.was, tt.now, k...))
			if goes := !strings.Contains(got, "raises-spend=campaign/x"); goes != tt.goes {
				t.Errorf("it asks for %q; want the raise of campaign/x agreed to: %v", got, tt.goes)
			}
		})
	}
}

// A set that was shown may go in part; what is new in it waits, and lets the others
// go. Nobody's yes covers what only somebody else's names.
func TestAConsentToASetIsForItsMembers(t *testing.T) {
	was := "campaign/a#1 status=active budget.daily=100\n" +
		"campaign/b#2 status=active budget.daily=100\ncampaign/c#3 status=active budget.daily=100"
	ab := "campaign/a status=active budget.daily=149\ncampaign/b status=active budget.daily=149"
	shown := agreedTo(t, was, ab+"\ncampaign/c status=active budget.daily=100")
	k := yes(t, shown, "exposure")
	if total := shown.FindAsks()[0].Total; total != 98e6 {
		t.Errorf("the set was shown with %d in all; want 98.00", total)
	}
	if got := held1(agreedTo(t, was, ab+"\ncampaign/c status=active budget.daily=149", k...)); got != "campaign/c" {
		t.Errorf("with a third one %q waits; want campaign/c alone", got)
	}
	raised := strings.Replace(was, "campaign/a#1 status=active budget.daily=100",
		"campaign/a#1 status=active budget.daily=149", 1)
	if got := held1(agreedTo(t, raised, ab+"\ncampaign/c status=active budget.daily=149", k...)); got != "campaign/c" {
		t.Errorf("with a part of it done %q waits; want campaign/c alone", got)
	}
	grown := "campaign/a status=active budget.daily=149\ncampaign/b status=active budget.daily=149.5"
	if got := held1(agreedTo(t, was, grown+"\ncampaign/c status=active budget.daily=100", k...)); got != "campaign/b" {
		t.Errorf("with one of them raised higher %q waits; want campaign/b alone", got)
	}
}

// Two consents never add up: each covers what it names itself.
func TestConsentsNeverAddUp(t *testing.T) {
	was := "campaign/a#1 status=active budget.daily=100\n" +
		"campaign/b#2 status=active budget.daily=100\ncampaign/c#3 status=active budget.daily=100"
	of := func(raised ...string) string {
		now := was
		for _, key := range raised {
			now = strings.Replace(now, "campaign/"+key, "campaign/"+key+" name=New", 1)
		}
		for i, key := range []string{"a", "b", "c"} {
			amount := "100"
			if slices.Contains(raised, key) {
				amount = "190"
			}
			now = strings.Replace(now, "#"+string(rune('1'+i))+" status=active budget.daily=100",
				" status=active budget.daily="+amount, 1)
		}
		return now
	}
	a, b := yes(t, agreedTo(t, was, of("a")), "exposure"), yes(t, agreedTo(t, was, of("b")), "exposure")
	if got := agreedTo(t, was, of("c"), append(a, b...)...); !strings.Contains(asked(got), "exposure") ||
		len(got.Consented) != 0 {
		t.Errorf("yes to campaign/a and to campaign/b released %v of campaign/c", got.Consented)
	}
}

// What was begun of a change goes on: its rest starts from what was made of it. Once
// somebody else changed that, it is another change.
func TestAConsentGoesOnWithWhatItBegan(t *testing.T) {
	rest := "campaign/y#2 status=active budget.daily=100"
	made := "\ncampaign/x#7 name=Xyz bidding_type=clicks status=paused budget.daily=150"
	wanted := "\ncampaign/x name=Xyz bidding_type=clicks status=active budget.daily=150"
	k := yes(t, agreedTo(t, rest, rest+wanted), "exposure")
	if got := asked(agreedTo(t, rest+made, rest+wanted, k...)); got == "" {
		t.Error("the start of what somebody else made passes; want it held")
	}
	k[0].Begun = map[string]bool{"campaign/x": true}
	if got := asked(agreedTo(t, rest+made, rest+wanted, k...)); got != "" {
		t.Errorf("the start of what the same consent made asks for %q; want nothing", got)
	}
	larger := strings.Replace(made, "budget.daily=150", "budget.daily=450", 1)
	if got := asked(agreedTo(t, rest+larger, rest+strings.Replace(wanted, "budget.daily=150", "budget.daily=450", 1),
		k...)); got == "" {
		t.Error("a start with a larger budget passes; want it held")
	}
}

// held1 names the addresses at which something is held.
func held1(p *plan.Plan) string {
	var at []string
	for i := range p.Changes {
		if len(p.Changes[i].Holds()) > 0 {
			at = append(at, p.Changes[i].Address.String())
		}
	}
	return strings.Join(at, " ")
}

// What could be spent on a campaign is asked about once, and not once more for the whole
// account.
func TestAYesToWhatExceedsTheFilesIsForTheAccountToo(t *testing.T) {
	others := "\ncampaign/b#2 status=active budget.daily=2000\ncampaign/d#4 status=paused budget.daily=100"
	last := snapshot(t, "campaign/a#1 status=paused budget.daily=100"+others)
	with := func(consents ...plan.Consent) *plan.Plan {
		return compare.Diff(plan.Input{
			Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Last: last,
			Desired: snapshot(t, "campaign/a status=active budget.daily=140\n"+
				"campaign/b status=active budget.daily=2000\ncampaign/d status=active budget.daily=100"),
			Live: snapshot(t, "campaign/a#1 status=paused budget.daily=150"+others),
			Asks: true, Consents: consents, Today: "2026-03-01",
		})
	}
	agreed := yes(t, with(), "exceeds-files=campaign/a")
	if got := asked(with(agreed...)); strings.Contains(got, "exceeds-files=campaign/a") ||
		!strings.Contains(got, "exceeds-files=campaign/d") {
		t.Errorf("it asks for %q; want campaign/a agreed to, and campaign/d to wait", got)
	}
}
