package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/plan"
	"adsync/plan/compare"

	"github.com/google/go-cmp/cmp"
)

func TestGuardsOnAmounts(t *testing.T) {
	tests := []struct {
		name  string
		from  string // what is live and was applied last
		to    string // what the files say
		allow []string
		held  string // the allowances the plan asks for, "" where it passes
	}{
		{name: "budget up to one and a half times passes", from: "budget.daily=100", to: "budget.daily=150"},
		{name: "budget above that is held", from: "budget.daily=100",
			to: "budget.daily=150.01", held: "raises-spend=campaign/x"},
		{name: "and passes when allowed by name", from: "budget.daily=100",
			to: "budget.daily=499", allow: []string{"raises-spend"}},
		{name: "or by address", from: "budget.daily=100",
			to: "budget.daily=499", allow: []string{"raises-spend=campaign/x"}},
		{name: "or up to an amount", from: "budget.daily=100",
			to: "budget.daily=499", allow: []string{"raises-spend=campaign/x=499"}},
		{name: "but not beyond it", from: "budget.daily=100",
			to: "budget.daily=499", allow: []string{"raises-spend=campaign/x=498"}, held: "raises-spend=campaign/x"},
		{name: "nor elsewhere", from: "budget.daily=100",
			to: "budget.daily=499", allow: []string{"raises-spend=campaign/y"}, held: "raises-spend=campaign/x"},
		{name: "or by a sum a day that is enough",
			from: "budget.daily=100", to: "budget.daily=220", allow: []string{"raises-spend=120/day"}},
		{name: "but not by less", from: "budget.daily=100",
			to: "budget.daily=220", allow: []string{"raises-spend=119.99/day"}, held: "raises-spend=campaign/x"},
		{name: "budget from five times on wants the exact amount", from: "budget.daily=100", to: "budget.daily=500",
			allow: []string{"raises-spend", "raises-spend=900/day", "raises-spend=campaign/x=501"},
			held:  "raises-spend=campaign/x=500.00"},
		{name: "and passes with it", from: "budget.daily=100",
			to: "budget.daily=500", allow: []string{"raises-spend=campaign/x=500"}},
		{name: "a lifetime budget is guarded alike",
			from: "budget.lifetime=100", to: "budget.lifetime=200", held: "raises-spend=campaign/x"},
		{name: "a sum a day does not allow a lifetime budget", from: "budget.lifetime=100",
			to: "budget.lifetime=200", allow: []string{"raises-spend=900/day"}, held: "raises-spend=campaign/x"},
		{name: "a daily budget in place of a lifetime one cannot be compared",
			from: "budget.lifetime=100", to: "budget.daily=1", held: "raises-spend=campaign/x"},
		{name: "lowering passes", from: "budget.daily=100", to: "budget.daily=1"},
		{name: "huge amounts do not wrap round", from: "budget.daily=9000000000000", to: "budget.daily=9100000000000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, "campaign/x#1 "+tt.from, "campaign/x "+tt.to, "campaign/x#1 "+tt.from, tt.allow...)
			if got := asked(p); got != tt.held {
				t.Errorf("%s to %s asks for %q; want %q", tt.from, tt.to, got, tt.held)
			}
		})
	}
}

func TestGuardsOnBids(t *testing.T) {
	tests := []struct {
		name, from, to string
		daily          string
		allow          []string
		held           string
	}{
		{name: "up to 1.3 times passes", daily: "100", from: "bid.max=1", to: "bid.max=1.30"},
		{name: "above that is held", daily: "100",
			from: "bid.max=1", to: "bid.max=1.31", held: "raises-spend=ad_group/x/r"},
		{name: "from three times on wants the exact amount", daily: "100", from: "bid.max=1",
			to: "bid.max=3", allow: []string{"raises-spend"}, held: "raises-spend=ad_group/x/r=3.00"},
		{name: "above a tenth of the daily budget too", daily: "10", from: "bid.max=1",
			to: "bid.max=1.01", allow: []string{"raises-spend"}, held: "raises-spend=ad_group/x/r=1.01"},
		{name: "with the exact amount it passes", daily: "10",
			from: "bid.max=1", to: "bid.max=1.01", allow: []string{"raises-spend=ad_group/x/r=1.01"}},
		{name: "set anew is a tenth at most", daily: "10",
			from: "bid.strategy=maximize_clicks", to: "bid.strategy=fixed_bid bid.max=2",
			held: "raises-spend=ad_group/x/r=2.00 raises-spend=ad_group/x/r=2.00"},
		{name: "set anew within a tenth passes", daily: "100",
			from: "bid.strategy=maximize_clicks", to: "bid.strategy=fixed_bid bid.max=2"},
		{name: "cleared is no cap at all, and holds the strategy that goes with it",
			daily: "100", from: "bid.strategy=fixed_bid bid.max=2", to: "bid.strategy=maximize_clicks bid.max=[clear]",
			held: "raises-spend=ad_group/x/r raises-spend=ad_group/x/r"},
		{name: "cleared and allowed", daily: "100", from: "bid.strategy=fixed_bid bid.max=2",
			to: "bid.strategy=maximize_clicks bid.max=[clear]", allow: []string{"raises-spend=ad_group/x/r"}},
		{name: "lowering passes, above a tenth as it may be", daily: "1", from: "bid.max=3", to: "bid.max=2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			above := "campaign/x#1 budget.daily=" + tt.daily + "\n"
			p := diff(t, above+"ad_group/x/r#2 "+tt.from,
				above+"ad_group/x/r "+tt.to, above+"ad_group/x/r#2 "+tt.from, tt.allow...)
			if got := asked(p); got != tt.held {
				t.Errorf("%s to %s asks for %q; want %q\n%s", tt.from, tt.to, got, tt.held, sketch(p.Changes))
			}
		})
	}
}

// asked is every allowance the plan asks for.
func asked(p *plan.Plan) string {
	var all []string
	for i := range p.Changes {
		for _, h := range p.Changes[i].Holds() {
			all = append(all, h.Allow)
		}
	}
	return strings.Join(all, " ")
}

func TestASumADayIsForTheWholePlan(t *testing.T) {
	live := "campaign/x#1 budget.daily=100\ncampaign/y#2 budget.daily=100"
	p := diff(t, live, "campaign/x budget.daily=160\ncampaign/y budget.daily=170", live, "raises-spend=129/day")
	if !p.Empty() {
		t.Errorf("rises of 60 and 70 a day pass an allowance of 129: %s", sketch(p.Applicable()))
	}
}

func TestHazardsAreShownAllowedOrNot(t *testing.T) {
	tests := []struct{ name, last, desired, want string }{
		{"a raise", "campaign/x#1 budget.daily=10", "campaign/x budget.daily=11", "raises-spend"},
		{"a start", "campaign/x#1 status=paused", "campaign/x status=active", "activates"},
		{"more countries", "campaign/x#1 targeting.countries=US",
			"campaign/x targeting.countries=US|CA", "widens-targeting"},
		{"other countries", "campaign/x#1 targeting.countries=US",
			"campaign/x targeting.countries=CA", "widens-targeting"},
		{"all countries", "campaign/x#1 targeting.countries=US",
			"campaign/x targeting.countries=[clear]", "widens-targeting"},
		{"fewer countries", "campaign/x#1 targeting.countries=US|CA", "campaign/x targeting.countries=US", ""},
		{"countries for the first time", "campaign/x#1 name=Spring", "campaign/x targeting.countries=US", ""},
		{"fewer exclusions", "campaign/x#1 targeting.excluded_countries=US|CA",
			"campaign/x targeting.excluded_countries=US", "widens-targeting"},
		{"no exclusions", "campaign/x#1 targeting.excluded_countries=US",
			"campaign/x targeting.excluded_countries=[clear]", "widens-targeting"},
		{"more exclusions", "campaign/x#1 targeting.excluded_countries=US",
			"campaign/x targeting.excluded_countries=US|CA", ""},
		{"a name", "campaign/x#1 name=Spring", "campaign/x name=Summer", ""},
		{"a pause", "campaign/x#1 status=active", "campaign/x status=paused", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, tt.last, tt.desired, tt.last)
			if len(p.Applicable()) != 1 {
				t.Fatalf("applicable is %q; want one change", sketch(p.Applicable()))
			}
			if got := hazards(p.Changes); got != tt.want {
				t.Errorf("hazards are %q; want %q", got, tt.want)
			}
		})
	}
}

func TestAnEditOfACreativeRestartsTheReview(t *testing.T) {
	live := "campaign/x#1\nad_group/x/r#2\nad/x/r/a#3 name=Hero title=Shoes_one"
	renamed := diff(t, live, "campaign/x\nad_group/x/r\nad/x/r/a name=Other", live)
	retitled := diff(t, live, "campaign/x\nad_group/x/r\nad/x/r/a title=Shoes_two", live)
	if a, b := hazards(renamed.Changes), hazards(retitled.Changes); a != "" || b != "restarts-review" {
		t.Errorf("hazards are %q of a name and %q of a title; want none and restarts-review", a, b)
	}
}

func TestPrune(t *testing.T) {
	const (
		x    = "campaign/x#1 status=active\n"
		y    = "campaign/y#2 status=active\n"
		xr   = "ad_group/x/r#3 status=active\n"
		kept = "campaign/keep#8 status=active\nad_group/keep/r#9 status=active\n"
	)
	tests := []struct {
		name           string
		prune          plan.OnPrune
		managed, files string // besides what is kept; live is as last
		paused         bool   // campaign/x is paused at the service
		started        bool   // campaign/x was paused, and is active at the service
		allow          []string
		want           string
	}{
		{name: "keep", prune: plan.PruneKeep, managed: x},
		{name: "pause", prune: plan.PrunePause, managed: x,
			want: "update campaign/x (pruned); status paused edit lower"},
		{name: "pause what is paused", prune: plan.PrunePause, managed: x, paused: true},
		{name: "pause what somebody started", prune: plan.PrunePause,
			managed: x, started: true, want: "update campaign/x (pruned) HELD(conflict); status paused edit lower"},
		{name: "pause what somebody started, allowed as such", prune: plan.PrunePause, managed: x, started: true,
			allow: []string{"conflict=campaign/x"}, want: "update campaign/x (pruned); status paused edit lower"},
		{name: "pause the top of a tree alone", prune: plan.PrunePause,
			managed: x + xr, want: "update campaign/x (pruned); status paused edit lower"},
		{name: "archive is held", prune: plan.PruneArchive,
			managed: x, want: "archive campaign/x (pruned) HELD(archives); status archived edit lower"},
		{name: "archive by name, within the limit", prune: plan.PruneArchive,
			managed: x, allow: []string{"archives"}, want: "archive campaign/x (pruned); status archived edit lower"},
		{name: "archive beyond the limit", prune: plan.PruneArchive, managed: x + y, allow: []string{"archives"},
			want: "archive campaign/x (pruned) HELD(archives); " +
				"status archived edit lower\narchive campaign/y (pruned) HELD(archives); status archived edit lower"},
		{name: "archive beyond the limit by count",
			prune: plan.PruneArchive, managed: x + y, allow: []string{"archives=2"},
			want: "archive campaign/x (pruned); " +
				"status archived edit lower\narchive campaign/y (pruned); status archived edit lower"},
		{name: "archive beyond the limit by address",
			prune: plan.PruneArchive, managed: x + y, allow: []string{"archives=campaign/y"},
			want: "archive campaign/x (pruned) " +
				"HELD(archives); status archived edit lower\narchive campaign/y (pruned); status archived edit lower"},
		{name: "what the policy archives does not hold what the files archive", prune: plan.PruneArchive,
			managed: x + y, files: "campaign/y status=archived\n", allow: []string{"archives"},
			want: "archive campaign/x (pruned) " +
				"HELD(archives); status archived edit lower\narchive campaign/y; status archived edit lower"},
		{name: "archive what somebody paused", prune: plan.PruneArchive, managed: x, paused: true, allow: []string{
			"archives"}, want: "archive campaign/x (pruned) HELD(conflict); status archived edit lower"},
		{name: "archive what somebody paused, allowed as such",
			prune: plan.PruneArchive, managed: x, paused: true, allow: []string{"archives", "conflict=campaign/x"},
			want: "archive campaign/x (pruned); status archived edit lower"},
		{name: "archive the top of a tree alone", prune: plan.PruneArchive, managed: x + xr,
			allow: []string{"archives"}, want: "archive campaign/x (pruned); status archived edit lower"},
		{name: "nothing above what the files still name",
			prune: plan.PruneArchive, managed: x + xr, files: xr, allow: []string{"archives"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			policy := plan.DefaultPolicy()
			policy.Prune = tt.prune
			live := tt.managed
			if tt.paused {
				live = strings.Replace(live, "active", "paused", 1)
			}
			if tt.started {
				tt.managed = strings.Replace(tt.managed, "active", "paused", 1)
			}
			p := compare.Diff(plan.Input{
				Schemas: kinds.All(), Policy: policy, Allow: allowances(t, tt.allow...),
				Last: snapshot(t, tt.managed+kept),
				Live: snapshot(t, live+kept), Desired: dropIDs(snapshot(t, tt.files+kept)),
			})
			if d := cmp.Diff(tt.want, sketch(p.Changes)); d != "" {
				t.Errorf("Diff (-want +got):\n%s", d)
			}
		})
	}
}

// While a workbook is a draft nothing is pruned, and what was removed by hand stays known, so that it is never made
// anew. What a workbook that never was ready may name is not said to be gone from the files.
func TestADraftPrunesAndForgetsNothing(t *testing.T) {
	policy := plan.DefaultPolicy()
	policy.Prune = plan.PruneArchive
	in := plan.Input{
		Schemas: kinds.All(), Policy: policy, Allow: allowances(t, "archives"),
		Last: snapshot(t, "campaign/keep#1 status=active\ncampaign/x#2 status=active\n"+
			"campaign/by-hand#3 status=active"),
		Live:    snapshot(t, "campaign/keep#1 status=active\ncampaign/x#2 status=active"),
		Desired: dropIDs(snapshot(t, "campaign/keep status=active")),
	}
	if p := compare.Diff(in); len(p.Changes) != 2 {
		t.Fatalf("without a draft Diff = %s; want an archive and what is forgotten", sketch(p.Changes))
	}
	in.InDraft = true
	p := compare.Diff(in)
	if len(p.Changes) != 0 || len(p.Kept) != 1 {
		t.Errorf("Diff = %q, and kept are %v; want no change, and campaign/x kept", sketch(p.Changes), p.Kept)
	}
	in.Unheard = true
	if p := compare.Diff(in); len(p.Changes) != 0 || len(p.Kept) != 0 {
		t.Errorf("Diff = %q, and kept are %v; want neither", sketch(p.Changes), p.Kept)
	}
}

func TestAShrunkenSourcePrunesNothing(t *testing.T) {
	tests := []struct {
		name         string
		had, missing int
		want         bool
	}{
		{"three of ten", 10, 3, true},
		{"four of ten", 10, 4, false},
		{"four of nine are too few to judge", 9, 4, true},
		{"all of three", 3, 3, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var last, desired strings.Builder
			for i := range tt.had {
				line := fmt.Sprintf("campaign/c%d#%d status=active\n", i, i)
				last.WriteString(line)
				if i >= tt.missing {
					desired.WriteString(line)
				}
			}
			policy := plan.DefaultPolicy()
			policy.Prune = plan.PrunePause
			p := compare.Diff(plan.Input{
				Schemas: kinds.All(), Policy: policy, Last: snapshot(t, last.String()),
				Live: snapshot(t, last.String()), Desired: dropIDs(snapshot(t, desired.String())),
			})
			if pruned := len(p.Changes) > 0; pruned != tt.want || (len(p.Problems) > 0) == tt.want {
				t.Errorf("%d of %d missing: pruned %v with %d problems; want %v",
					tt.missing, tt.had, pruned, len(p.Problems), tt.want)
			}
		})
	}
}

func TestSpendCountsActiveCampaigns(t *testing.T) {
	live := `
		campaign/a#1 status=active budget.daily=100
		campaign/b#2 status=paused budget.daily=40
		campaign/c#3 status=active budget.lifetime=1000
		campaign/d#4 status=active budget.daily=10
		campaign/~5#5 status=active budget.daily=7`
	desired := `
		campaign/a budget.daily=120
		campaign/b status=active
		campaign/c budget.lifetime=4000
		campaign/d status=paused
		campaign/e name=New bidding_type=clicks budget.daily=5 status=active`
	managed := live[:strings.Index(live, "campaign/~5")]
	p := diff(t, managed, desired, live, "exposure=10000/day")
	want := plan.Spend{DailyBefore: 117e6, DailyAfter: 172e6, LifetimeBefore: 1000e6, LifetimeAfter: 1000e6}
	if d := cmp.Diff(want, p.Spend); d != "" {
		t.Errorf("spend, the lifetime raise being held (-want +got):\n%s", d)
	}
	p = diff(t, managed, desired, live, "exposure=10000/day", "raises-spend=campaign/c")
	if p.Spend.LifetimeAfter != 4000e6 {
		t.Errorf("lifetime after, the raise being allowed, is %d; want 4000 units", p.Spend.LifetimeAfter)
	}
}
