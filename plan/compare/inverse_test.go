package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

// TestWhatTakesARunBack: a row a line of the table of plan.Invert, and what somebody
// did since.
func TestWhatTakesARunBack(t *testing.T) {
	text, number, null := resource.Text, resource.Number, resource.Null
	for _, row := range []struct {
		name   string
		action plan.Action
		fields []plan.DoneField
		kind   resource.Kind
		last   string // the record of now
		live   string
		allow  []plan.Allowance
		want   string // the plan, "stays: …", or "" for nothing to do
	}{
		{name: "an updated attribute", action: plan.Update,
			fields: []plan.DoneField{{Name: "budget.daily", Before: number(50_000_000), After: number(40_000_000)}},
			last:   "budget.daily=40", live: "budget.daily=40", want: "update budget.daily=50.00 (edit)"},
		{name: "what somebody changed since is a conflict",
			action: plan.Update, fields: []plan.DoneField{{Name: "budget.daily",
				Before: number(50_000_000), After: number(40_000_000)}},
			last: "budget.daily=40", live: "budget.daily=30",
			want: "update budget.daily=50.00 (edit) held: conflict held: raises-spend"},
		{name: "what a later run changed is a conflict",
			action: plan.Update, fields: []plan.DoneField{{Name: "budget.daily",
				Before: number(50_000_000), After: number(40_000_000)}},
			last: "budget.daily=30", live: "budget.daily=30",
			want: "update budget.daily=50.00 (edit) held: conflict held: raises-spend"},
		{name: "what is back already is somebody's, and not recorded",
			action: plan.Update, fields: []plan.DoneField{{Name: "budget.daily",
				Before: number(50_000_000), After: number(40_000_000)}},
			last: "budget.daily=40", live: "budget.daily=50", want: ""},
		{name: "a value that was cleared comes back",
			action: plan.Update, fields: []plan.DoneField{{Name: "description", Before: text("ours"), After: null()}},
			last: "description=[clear]", live: "", want: "update description=\"ours\" (edit)"},
		{name: "a value that was not there is cleared",
			action: plan.Update, fields: []plan.DoneField{{Name: "description",
				Before: resource.Value{}, After: text("ours")}},
			last: "description=ours", live: "description=ours", want: "update description=[clear] (edit)"},
		{name: "an activation is paused", action: plan.Update,
			fields: []plan.DoneField{{Name: "status", Before: text("paused"), After: text("active")}},
			last:   "status=active", live: "status=active", want: "update status=paused (edit)"},
		{name: "a pause is not undone", action: plan.Update,
			fields: []plan.DoneField{{Name: "status", Before: text("active"), After: text("paused")}},
			last:   "status=paused", live: "status=paused", want: "update status=active (edit) held: activates"},
		{name: "a pause is undone where that is allowed", action: plan.Update, fields: []plan.DoneField{{Name: "status",
			Before: text("active"), After: text("paused")}}, allow: []plan.Allowance{{Hazard: plan.Activates}},
			last: "status=paused", live: "status=paused", want: "update status=active (edit)"},
		{name: "what a later run started and somebody paused is theirs", action: plan.Update, fields: []plan.DoneField{
			{Name: "status", Before: text("active"), After: text("paused")}},
			allow: []plan.Allowance{{Hazard: plan.Activates}},
			last:  "status=active", live: "status=paused", want: "update status=active (drift) held: drift"},
		{name: "what a later run changed and somebody changed back is theirs",
			action: plan.Update, fields: []plan.DoneField{{Name: "budget.daily",
				Before: number(50_000_000), After: number(40_000_000)}},
			allow: []plan.Allowance{{Hazard: plan.RaisesSpend}},
			last:  "budget.daily=30", live: "budget.daily=40", want: "update budget.daily=50.00 (edit) held: conflict"},
		{name: "a create is paused", action: plan.Create, fields: []plan.DoneField{{Name: "status",
			Before: resource.Value{}, After: text("active")},
			{Name: "name", Before: resource.Value{}, After: text("Spring")}},
			last: "status=active", live: "status=active", want: "update status=paused (edit)"},
		{name: "a create that somebody paused since is theirs, and starts no more by itself",
			action: plan.Create, fields: []plan.DoneField{{Name: "status",
				Before: resource.Value{}, After: text("active")}},
			last: "status=active", live: "status=paused", want: ""},
		{name: "a create that is paused stays as it is",
			action: plan.Create, fields: []plan.DoneField{{Name: "status",
				Before: resource.Value{}, After: text("paused")}},
			last: "status=paused", live: "status=paused", want: ""},
		{name: "an archive stays", action: plan.Archive,
			fields: []plan.DoneField{{Name: "status", Before: text("active"), After: text("archived")}},
			last:   "status=archived", live: "status=archived",
			want: "stays: it was archived, and archiving cannot be undone"},
		{name: "what is forgotten stays", action: plan.Update,
			fields: []plan.DoneField{{Name: "budget.daily", Before: number(1), After: number(2)}},
			want:   "stays: adsync manages no resource of this address any more"},
		{name: "a lifetime budget in the place of a daily one", action: plan.Update, fields: []plan.DoneField{
			{Name: "budget.lifetime", Before: resource.Value{}, After: number(500_000_000)},
			{Name: "budget.daily", Before: number(50_000_000), After: null()}},
			last: "budget.lifetime=500 budget.daily=50", live: "budget.lifetime=500",
			allow: []plan.Allowance{{Hazard: plan.RaisesSpend}}, want: "update budget.daily=50.00 (edit)"},
		{name: "which somebody changed since", action: plan.Update, fields: []plan.DoneField{{Name: "budget.lifetime",
			Before: resource.Value{}, After: number(500_000_000)},
			{Name: "budget.daily", Before: number(50_000_000), After: null()}},
			last: "budget.lifetime=500", live: "budget.lifetime=700", allow: []plan.Allowance{
				{Hazard: plan.RaisesSpend}}, want: "update budget.daily=50.00 (edit) held: conflict"},
		{name: "which somebody took back", action: plan.Update, fields: []plan.DoneField{{Name: "budget.lifetime",
			Before: resource.Value{}, After: number(500_000_000)},
			{Name: "budget.daily", Before: number(50_000_000), After: null()}},
			last: "budget.lifetime=500", live: "budget.daily=50", want: ""},
		{name: "a daily budget stays one", action: plan.Update,
			fields: []plan.DoneField{{Name: "budget.daily", Before: resource.Value{}, After: number(50_000_000)},
				{Name: "budget.lifetime", Before: number(500_000_000), After: null()},
				{Name: "description", Before: text("ours"), After: text("theirs")}},
			last: "budget.daily=50 description=theirs", live: "budget.daily=50 description=theirs",
			want: "stays: it cannot take the place of what the run left (service " +
				"facts, 2.3: a daily budget does not become a lifetime budget); update description=\"ours\" (edit)"},
		{name: "a note in the record is nobody's", action: plan.Record, fields: []plan.DoneField{{Name: "budget.daily",
			Before: number(1), After: number(2)}}, last: "budget.daily=2", live: "budget.daily=2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			last, live := &resource.Snapshot{}, &resource.Snapshot{}
			if row.last != "" {
				last = snapshot(t, "campaign/spring#cmpn_1 name=Spring bidding_type=clicks "+row.last)
				live = snapshot(t, "campaign/spring#cmpn_1 name=Spring bidding_type=clicks "+row.live)
			}
			at := resource.Address{Kind: kinds.Campaign, Key: "spring"}
			v := plan.Invert(kinds.All(),
				last, []plan.Done{{Address: at, ID: "cmpn_1", Action: row.action, Fields: row.fields}})
			policy := plan.DefaultPolicy()
			policy.StartsHeld = true
			p := compare.Diff(plan.Input{
				Schemas: kinds.All(), Last: plan.Leaving(last, v.Left, live),
				Desired: v.Desired, Live: live, Policy: policy, Select: v.Select, Allow: row.allow, TakesBack: true,
			})
			var said []string
			for _, s := range v.Stays {
				said = append(said, "stays: "+s.Why)
			}
			for _, c := range p.Changes {
				if v.Left.Len() == 0 {
					break // nothing is planned where nothing is taken back
				}
				said = append(said, revertedChange(c))
			}
			if have := strings.Join(said, "; "); have != row.want {
				t.Errorf("the inverse is %q; want %q", have, row.want)
			}
		})
	}
}

func revertedChange(c plan.Change) string {
	text := string(c.Action)
	schema := kinds.All().Of(c.Address.Kind)
	for _, f := range c.Fields {
		a, _ := schema.Attribute(f.Name)
		text += fmt.Sprintf(" %s=%s (%s)", f.Name, a.Show(f.Desired), f.Cause)
		for _, h := range c.Holds() {
			text += " held: " + string(h.Hazard)
		}
	}
	return text
}

// TestARevertOfARevertComesBackToTheRun: what a run made of an attribute and what
// takes it back are each other's inverse.
func TestARevertOfARevertComesBackToTheRun(t *testing.T) {
	at := resource.Address{Kind: kinds.Campaign, Key: "spring"}
	before, after := resource.Number(50_000_000), resource.Number(40_000_000)
	last := snapshot(t, "campaign/spring#cmpn_1 name=Spring bidding_type=clicks budget.daily=40")
	first := plan.Invert(kinds.All(), last,
		[]plan.Done{{Address: at, Action: plan.Update,
			Fields: []plan.DoneField{{Name: "budget.daily", Before: before, After: after}}}})
	back := snapshot(t, "campaign/spring#cmpn_1 name=Spring bidding_type=clicks budget.daily=50")
	second := plan.Invert(kinds.All(), back,
		[]plan.Done{{Address: at, Action: plan.Update,
			Fields: []plan.DoneField{{Name: "budget.daily", Before: after, After: before}}}})
	if have := first.Desired.Get(at).Value("budget.daily"); !have.Equal(before) {
		t.Errorf("the revert wants %v, want %v", have, before)
	}
	if have := second.Desired.Get(at).Value("budget.daily"); !have.Equal(after) {
		t.Errorf("the revert of the revert wants %v, want %v", have, after)
	}
}

// TestARevertLeavesAllElseAlone, whatever the policy does with what files no
// longer name.
func TestARevertLeavesAllElseAlone(t *testing.T) {
	world := `
		campaign/spring#cmpn_1 name=Spring bidding_type=clicks budget.daily=40
		campaign/brand#cmpn_2 name=Brand bidding_type=clicks budget.daily=70
		ad_group/brand/r#adgrp_2 name=Runners bid.max=1`
	last := snapshot(t, world)
	live := snapshot(t, strings.ReplaceAll(world, "budget.daily=70", "budget.daily=90"))
	policy := plan.DefaultPolicy()
	policy.Prune, policy.Drift = plan.PruneArchive, plan.Revert
	v := plan.Invert(kinds.All(),
		last, []plan.Done{{Address: resource.Address{Kind: kinds.Campaign, Key: "spring"}, Action: plan.Update,
			Fields: []plan.DoneField{{Name: "budget.daily",
				Before: resource.Number(50_000_000), After: resource.Number(40_000_000)}}}})
	p := compare.Diff(plan.Input{
		Schemas: kinds.All(), Last: plan.Leaving(last, v.Left, live),
		Desired: v.Desired, Live: live, Policy: policy, Select: v.Select, TakesBack: true,
	})
	if len(p.Changes) != 1 || p.Changes[0].Address.Key != "spring" || len(p.Kept) > 0 {
		t.Errorf("the inverse changes %d resources and keeps %d; want campaign/spring alone: %+v",
			len(p.Changes), len(p.Kept), p.Changes)
	}
}

// A run names keys of then; the record knows them by id.
func TestARevertFollowsAKeyThatWasRenamed(t *testing.T) {
	done := []plan.Done{{Address: resource.Address{Kind: kinds.Campaign, Key: "spring"},
		ID: "cmpn_1", Action: plan.Update,
		Fields: []plan.DoneField{{Name: "budget.daily",
			Before: resource.Number(50_000_000), After: resource.Number(40_000_000)}}}}
	for last, want := range map[string]string{
		"campaign/summer#cmpn_1 budget.daily=40": "campaign/summer",
		// another one has the old key
		"campaign/summer#cmpn_1 budget.daily=40\ncampaign/spring#cmpn_2 budget.daily=7": "campaign/summer",
		"campaign/spring#cmpn_1 budget.daily=40\ncampaign/other#cmpn_2 budget.daily=7":  "campaign/spring",
		"campaign/spring#cmpn_2 budget.daily=40":                                        "", // another one
		"campaign/other#cmpn_2 budget.daily=7":                                          "",
	} {
		v := plan.Invert(kinds.All(), snapshot(t, last), done)
		var left []string
		for r := range v.Left.All() {
			left = append(left, r.Address.String())
		}
		if have := strings.Join(left, " "); have != want {
			t.Errorf("of %q the revert takes back %q; want %q", last, have, want)
		}
	}
}
