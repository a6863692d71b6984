package compare_test

import (
	"testing"

	"adsync/internal/kinds"
	"adsync/plan"
	"adsync/plan/compare"

	"github.com/google/go-cmp/cmp"
)

// The rows of the three-way table of Diff, over whole resources and attributes.
func TestDiff(t *testing.T) {
	const spring = "campaign/x#c1 name=Spring "
	tests := []struct {
		name                string
		last, desired, live string
		allow               []string
		want                string
	}{
		{name: "new", desired: "campaign/x name=Spring bidding_type=clicks budget.daily=50",
			want: "create campaign/x; bidding_type clicks " +
				"edit create; budget.daily 50.00 edit create; name Spring edit create; status paused default create"},
		{name: "exists, not ours", desired: "campaign/x name=Spring", live: spring + "status=active",
			want: "adopt campaign/x HELD(adopt); record name Spring"},
		{name: "exists, not ours, and allowed", desired: "campaign/x name=Spring description=ours",
			live: spring, allow: []string{"adopt"},
			want: "adopt campaign/x; description ours edit neutral; record name Spring"},
		{name: "adopting starts nothing by itself",
			desired: "campaign/x name=Spring status=active", live: spring + "status=paused", allow: []string{"adopt"},
			want: "adopt campaign/x; status active edit activate HELD(activates); record name Spring"},
		{name: "in sync", last: spring, desired: "campaign/x name=Spring", live: spring},
		{name: "edited in the files", last: spring + "budget.daily=50",
			desired: "campaign/x budget.daily=60", live: spring + "budget.daily=50",
			want: "update campaign/x; budget.daily 60.00 edit raise"},
		{name: "immutable, edited in the files", last: spring + "bidding_type=clicks",
			desired: "campaign/x bidding_type=impressions description=new", live: spring + "bidding_type=clicks",
			want: "replace campaign/x; bidding_type " +
				"impressions edit neutral HELD(replace); description new edit neutral"},
		{name: "edited outside", last: spring + "description=ours",
			desired: "campaign/x description=ours", live: spring + "description=theirs",
			want: "update campaign/x; description ours drift neutral HELD(drift)"},
		{name: "edited outside, undoing allowed", last: spring + "description=ours",
			desired: "campaign/x description=ours",
			live:    spring + "description=theirs", allow: []string{"drift=campaign/x"},
			want: "update campaign/x; description ours drift neutral"},
		{name: "removed outside", last: spring + "description=ours",
			desired: "campaign/x description=ours", live: spring,
			want: "update campaign/x; description ours drift neutral HELD(drift)"},
		{name: "both edited", last: spring + "description=first",
			desired: "campaign/x description=ours", live: spring + "description=theirs",
			want: "update campaign/x; description ours edit neutral HELD(conflict)"},
		{name: "both edited, ours allowed", last: spring + "description=first",
			desired: "campaign/x description=ours", live: spring + "description=theirs", allow: []string{"conflict"},
			want: "update campaign/x; description ours edit neutral"},
		{name: "both edited alike", last: spring + "description=first",
			desired: "campaign/x description=ours", live: spring + "description=ours",
			want: "record campaign/x; record description ours"},
		{name: "gone outside", last: spring, desired: "campaign/x name=Spring",
			want: "create campaign/x HELD(removed-by-hand)"},
		{name: "archived outside", last: spring + "status=active",
			desired: "campaign/x status=active", live: spring + "status=archived",
			want: "create campaign/x HELD(removed-by-hand)"},
		{name: "removed from the files", last: spring, live: spring},
		{name: "gone on both sides", last: spring, want: "forget campaign/x"},
		{name: "archived outside and removed from the files",
			last: spring, live: spring + "status=archived", want: "forget campaign/x"},
		{name: "someone else's", live: spring + "status=active"},

		{name: "not in the files: unmanaged, whatever it is",
			last: spring + "description=ours", desired: "campaign/x name=Spring", live: spring + "description=theirs"},
		{name: "managed only now, nothing there", last: spring, desired: "campaign/x description=ours", live: spring,
			want: "update campaign/x; description ours edit neutral"},
		{name: "managed only now, someone else's value there",
			last: spring, desired: "campaign/x description=ours", live: spring + "description=theirs",
			want: "update campaign/x; description ours edit neutral HELD(adopt)"},
		{name: "managed only now, and cleared, someone else's value there",
			last: spring, desired: "campaign/x description=[clear]", live: spring + "description=theirs",
			want: "update campaign/x; description [clear] edit neutral HELD(adopt)"},
		{name: "managed only now, the same value there",
			last: spring, desired: "campaign/x description=ours", live: spring + "description=ours",
			want: "record campaign/x; record description ours"},
		{name: "managed only now, a pause passes",
			last: spring, desired: "campaign/x status=paused", live: spring + "status=active",
			want: "update campaign/x; status paused edit lower"},
		{name: "managed only now, a start does not",
			last: spring, desired: "campaign/x status=active", live: spring + "status=paused",
			want: "update campaign/x; status active edit activate HELD(activates)"},
		{name: "cleared", last: spring + "description=ours",
			desired: "campaign/x description=[clear]", live: spring + "description=ours",
			want: "update campaign/x; description [clear] edit neutral"},
		{name: "cleared already", last: spring + "description=[clear]",
			desired: "campaign/x description=[clear]", live: spring},
		{name: "cleared outside too", last: spring + "description=ours",
			desired: "campaign/x description=[clear]", live: spring,
			want: "record campaign/x; record description [clear]"},
		{name: "an empty list is none", last: spring + "targeting.countries=[clear]",
			desired: "campaign/x targeting.countries=[clear]", live: spring + "targeting.countries="},

		{name: "paused outside: never started again", last: spring + "status=active",
			desired: "campaign/x status=active", live: spring + "status=paused", allow: []string{"drift", "activates"},
			want: "update campaign/x; status active drift activate HELD(drift)"},
		{name: "started outside: reported", last: spring + "status=paused",
			desired: "campaign/x status=paused", live: spring + "status=active",
			want: "update campaign/x; status paused drift lower HELD(drift)"},
		{name: "started outside, undoing allowed", last: spring + "status=paused",
			desired: "campaign/x status=paused", live: spring + "status=active", allow: []string{"drift"},
			want: "update campaign/x; status paused drift lower"},
		{name: "started by the files", last: spring + "status=paused",
			desired: "campaign/x status=active", live: spring + "status=paused",
			want: "update campaign/x; status active edit activate"},

		{name: "archived by the files", last: spring + "status=paused",
			desired: "campaign/x name=Winter status=archived", live: spring + "status=paused",
			want: "archive campaign/x HELD(archives); status archived edit lower"},
		{name: "archived by the files and allowed",
			last: spring + "status=active", desired: "campaign/x status=archived",
			live: spring + "status=active", allow: []string{"archives=campaign/x"},
			want: "archive campaign/x; status archived edit lower"},
		{name: "archived by the files, paused by someone",
			last: spring + "status=active", desired: "campaign/x status=archived",
			live: spring + "status=paused", allow: []string{"archives=campaign/x"},
			want: "archive campaign/x HELD(conflict); status archived edit lower"},
		{name: "archived by the files, started by someone",
			last: spring + "status=paused", desired: "campaign/x status=archived",
			live: spring + "status=active", allow: []string{"archives=campaign/x"},
			want: "archive campaign/x HELD(conflict); status archived edit lower"},
		{name: "archived by the files, paused by someone, and allowed as such",
			last: spring + "status=active", desired: "campaign/x status=archived",
			live: spring + "status=paused", allow: []string{"archives=campaign/x", "conflict=campaign/x"},
			want: "archive campaign/x; status archived edit lower"},
		{name: "archived by the files, its status managed only now",
			last: spring, desired: "campaign/x status=archived",
			live: spring + "status=paused", allow: []string{"archives=campaign/x"},
			want: "archive campaign/x; status archived edit lower"},
		{name: "archived by the files, edited otherwise by someone",
			last: spring + "status=active description=ours", desired: "campaign/x status=archived description=ours",
			live: spring + "status=active description=theirs", allow: []string{"archives=campaign/x"},
			want: "archive campaign/x; status archived edit lower"},
		{name: "archived by the files, and so it is", last: spring + "status=archived",
			desired: "campaign/x name=Winter status=archived", live: spring + "status=archived"},
		{name: "archived by the files and by someone",
			last: spring + "status=paused", desired: "campaign/x status=archived", live: spring + "status=archived",
			want: "record campaign/x; record status archived"},
		{name: "archived by the files, and never there", desired: "campaign/x name=Spring status=archived"},
		{name: "archived by adsync, wanted again",
			last: spring + "status=archived", desired: "campaign/x status=active", live: spring + "status=archived",
			want: "create campaign/x HELD(removed-by-hand)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, tt.last, tt.desired, tt.live, tt.allow...)
			if d := cmp.Diff(tt.want, sketch(p.Changes)); d != "" {
				t.Errorf("Diff (-want +got):\n%s", d)
			}
			if len(p.Problems) > 0 {
				t.Errorf("Diff has problems:\n%s", problems(p.Problems))
			}
		})
	}
}

// An archive cannot be undone: who holds one over somebody's edit says what both
// sides wrote.
func TestAnArchiveOverAnEditSaysBothValues(t *testing.T) {
	const was, is = "campaign/x#c1 name=Spring status=active", "campaign/x#c1 name=Spring status=paused"
	tests := []struct{ name, desired, want string }{
		{"the files archive it", "campaign/x status=archived",
			"the files archive it, and someone changed status to paused outside adsync; it was active"},
		{"the policy archives it",
			"", "is no longer in the files, and someone changed status to paused outside adsync; it was active"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := plan.Input{
				Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Last: snapshot(t, was+"\ncampaign/y#c2"),
				Live: snapshot(t, is+"\ncampaign/y#c2"), Desired: snapshot(t, tt.desired+"\ncampaign/y"),
			}
			in.Policy.Prune, in.Policy.ShrinkPercent, in.Policy.ShrinkFrom = plan.PruneArchive, 100, 0
			c := compare.Diff(in).Changes[0]
			if holds := c.Holds(); holds[0].Message != tt.want ||
				holds[0].Allow != "conflict=campaign/x" || !c.IsForeign() {
				t.Errorf("Diff holds %+v, foreign %t; want %q", holds, c.IsForeign(), tt.want)
			}
		})
	}
}

func TestDiffCompareWithLastAloneWhatTheServiceDoesNotShow(t *testing.T) {
	const runners = "ad_group/x/r#g1 name=Runners "
	tests := []struct{ name, last, desired, want string }{
		{"as sent", runners + "exclusion_hints=boots", "ad_group/x/r exclusion_hints=boots", ""},
		{"edited", runners + "exclusion_hints=boots", "ad_group/x/r exclusion_hints=boots|socks",
			"update ad_group/x/r; exclusion_hints boots\nsocks edit neutral"},
		{"managed only now", runners, "ad_group/x/r exclusion_hints=boots",
			"update ad_group/x/r; exclusion_hints boots edit neutral"},
		{"cleared", runners + "exclusion_hints=boots",
			"ad_group/x/r exclusion_hints=[clear]", "update ad_group/x/r; exclusion_hints [clear] edit neutral"},
		{"none, and none sent", runners, "ad_group/x/r exclusion_hints=[clear]", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, "campaign/x#c1 name=Spring\n"+tt.last,
				"campaign/x name=Spring\n"+tt.desired, "campaign/x#c1 name=Spring\n"+runners)
			if d := cmp.Diff(tt.want, sketch(p.Changes)); d != "" {
				t.Errorf("Diff (-want +got):\n%s", d)
			}
		})
	}
}

func TestDiffCounts(t *testing.T) {
	p := diff(t,
		"campaign/a#1 name=Aaa\ncampaign/k#2 name=Kkk",
		"campaign/a name=Aaa",
		"campaign/a#1 name=Aaa\ncampaign/k#2 name=Kkk\n"+
			"campaign/~9#9 name=Theirs status=active\ncampaign/~8#8 name=Theirs status=archived")
	if len(p.Changes) != 0 || p.InSync != 1 || p.Unmanaged != 1 ||
		len(p.Kept) != 1 || p.Kept[0].String() != "campaign/k" {
		t.Errorf("Diff = %d changes, %d in sync, %d unmanaged, kept %v; want 0, 1, 1, campaign/k",
			len(p.Changes), p.InSync, p.Unmanaged, p.Kept)
	}
}

func TestDiffOfNothing(t *testing.T) {
	p := compare.Diff(plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy()})
	if !p.Empty() || len(p.Problems) != 0 {
		t.Errorf("Diff of nothing = %s", sketch(p.Changes))
	}
}

func TestDiffRevertsDriftByPolicy(t *testing.T) {
	last := "campaign/x#c1 description=ours tracking=a=1 status=active"
	live := "campaign/x#c1 description=theirs tracking=b=2 status=paused"
	policy := plan.DefaultPolicy()
	policy.DriftOf = map[string]plan.OnDrift{"description": plan.Revert, "status": plan.Revert}
	p := compare.Diff(plan.Input{
		Schemas: kinds.All(), Policy: policy, Last: snapshot(t, last),
		Desired: snapshot(t, last), Live: snapshot(t, live),
	})
	want := "update campaign/x; description ours drift " +
		"neutral; status active drift activate HELD(drift); tracking a=1 drift neutral HELD(drift)"
	if d := cmp.Diff(want, sketch(p.Changes)); d != "" {
		t.Errorf("Diff (-want +got):\n%s", d)
	}
}

func TestDiffRevertsNoConflictByPolicy(t *testing.T) {
	policy := plan.DefaultPolicy()
	policy.Drift = plan.Revert
	p := compare.Diff(plan.Input{Schemas: kinds.All(), Policy: policy,
		Last: snapshot(t, "campaign/x#c1 description=first"), Desired: snapshot(t, "campaign/x description=ours "+
			"tracking=a=1"), Live: snapshot(t, "campaign/x#c1 description=theirs tracking=b=2")})
	want := "update campaign/x; description ours edit neutral HELD(conflict); tracking a=1 edit neutral HELD(adopt)"
	if d := cmp.Diff(want, sketch(p.Changes)); d != "" {
		t.Errorf("Diff (-want +got):\n%s", d)
	}
}
