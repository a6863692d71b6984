package compare_test

import (
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

// TestNamesByKeyBecomeIDs: what the files name by key is compared by its id, and
// is made in the same plan where that can be.
func TestNamesByKeyBecomeIDs(t *testing.T) {
	const (
		pixel    = "pixel/shop#p1 name=Web_shop\n"
		orders   = "event_setting/orders#e1 name=Orders event_type=order_created attribution_window_days=30 source=p1\n"
		campaign = "campaign/x#c1 name=Spring bidding_type=conversions conversion_goal=e1 budget.daily=10\n"
		one      = "audience/one#a1 name=One\naudience/two#a2 name=Two\n"
	)
	tests := []struct {
		name                string
		last, desired, live string
		want                string
	}{
		{name: "known: nothing to do", last: pixel + orders + campaign, live: pixel + orders + campaign,
			desired: "pixel/shop name=Web_shop\nevent_setting/orders name=Orders " +
				"event_type=order_created source=pixel/shop\ncampaign/x conversion_goal=event_setting/orders"},
		{name: "new, of what is there", last: orders, live: pixel + orders,
			desired: "event_setting/orders name=Orders\n" +
				"campaign/x name=Spring bidding_type=conversions conversion_goal=event_setting/orders budget.daily=10",
			want: "create campaign/x; bidding_type conversions edit create; budget.daily 10.00 edit " +
				"create; conversion_goal e1 edit create; name Spring edit create; status paused default create"},
		{name: "new, of what is new", desired: "pixel/shop name=Web_shop\n" +
			"event_setting/orders name=Orders event_type=order_created source=pixel/shop",
			want: "create event_setting/orders; attribution_window_days 30 default create; " +
				"event_type order_created edit create; name Orders edit create; source pixel/shop edit create\n" +
				"create pixel/shop; name Web shop edit create"},
		{name: "a list, in another order", last: one + "campaign/x#c1 targeting.audiences=a1|a2",
			live: one + "campaign/x#c1 targeting.audiences=a1|a2",
			desired: "audience/one name=One\naudience/two " +
				"name=Two\ncampaign/x targeting.audiences=audience/two|audience/one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := diff(t, tt.last, tt.desired, tt.live)
			if got := strings.ReplaceAll(sketch(p.Changes), `"`, ""); got != tt.want || len(p.Problems) > 0 {
				t.Errorf("Diff =\n%s\n%v\nwant\n%s", got, p.Problems, tt.want)
			}
		})
	}
}

// TestWhatCannotBeNamedIsHeld: the service would refuse it, so it is not sent.
func TestWhatCannotBeNamedIsHeld(t *testing.T) {
	const (
		live = "audience/one#a1 name=One\naudience/gone#a9 name=Gone status=archived\npixel/shop#p1 " +
			"name=Shop\ncampaign/y#c2 name=Summer bidding_type=clicks budget.daily=10 targeting.audiences=a7\n"
		campaign = "campaign/x name=Spring bidding_type=clicks budget.daily=10 "
		group    = "\nad_group/x/r name=Runners bid.max=1"
	)
	tests := []struct {
		name, desired, want string
		unread              bool
	}{
		{name: "an id nobody has", desired: campaign + "targeting.audiences=a5" + group,
			want: "targeting.audiences is a5, which is no id the service shows as one of kind audience"},
		{name: "an archived one", desired: campaign + "targeting.audiences=a9" + group,
			want: "targeting.audiences is a9, which is archived"},
		{name: "one that is there", desired: campaign + "targeting.audiences=a1" + group},
		{name: "one that is made here and has people",
			desired: "audience/new name=New\n" + campaign + "targeting.audiences=audience/new" + group,
			want:    "audience/new, which this plan makes, and whose people the service takes in first"},
		{name: "an update waits for what is made here", desired: "audience/new name=New\ncampaign/y " +
			"targeting.audiences=audience/new", want: "audience/new, which this plan makes; apply that first"},
		{name: "what an update named before stays", desired: "campaign/y targeting.audiences=a1|a7"},
		{name: "a key of nothing", desired: campaign + "conversion_goal=event_setting/none" + group,
			want: "event_setting/none, which is not at the service, and this plan does not make it"},
		{name: "a source nobody has", desired: "event_setting/o name=Orders event_type=order_created source=p7",
			want: "source is p7, which is no id the service shows as one of kind pixel"},
		{name: "what names what is held", desired: "event_setting/o name=Orders event_type=order_created source=p7\n" +
			campaign + "conversion_goal=event_setting/o" + group,
			want: "conversion_goal is event_setting/o, which is held"},
		{name: "of what was not read nothing is known",
			desired: campaign + "targeting.audiences=a5" + group, unread: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := plan.Input{
				Schemas: kinds.All(), Policy: plan.DefaultPolicy(),
				Last: snapshot(t, live), Desired: snapshot(t, tt.desired), Live: snapshot(t, live),
				Listed: map[resource.Kind]bool{kinds.Audience: !tt.unread, kinds.Pixel: true, kinds.EventSetting: true},
			}
			p := compare.Diff(in)
			got, held := "", map[string]bool{}
			for _, c := range p.Changes {
				for _, h := range c.Holds() {
					got += c.Address.String() + ": " + h.Message + "\n"
					held[c.Address.String()] = true
				}
			}
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("held with\n%s\nwant\n%s", got, tt.want)
			}
			if tt.want != "" && strings.Contains(tt.desired, group) && !held["ad_group/x/r"] {
				t.Errorf("the ad group goes although its campaign is held:\n%s", sketch(p.Changes))
			}
		})
	}
}

// TestASelectionPullsInWhatIsNamed: what a create names by key comes along, or
// holds it.
func TestASelectionPullsInWhatIsNamed(t *testing.T) {
	const desired = "pixel/shop name=Web_shop\n" +
		"event_setting/orders name=Orders event_type=order_created source=pixel/shop\n" +
		"campaign/x name=Spring bidding_type=conversions conversion_goal=event_setting/orders budget.daily=10"
	for _, tt := range []struct{ exclude, want string }{
		{"", "create event_setting/orders, create pixel/shop, create campaign/x"},
		{"-pixel", "create event_setting/orders HELD, create campaign/x HELD"},
		{"-event_setting", "create campaign/x HELD"},
	} {
		in := plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Desired: snapshot(t, desired)}
		var got []string
		for _, c := range compare.Diff(selected(t, in, "campaign/x "+tt.exclude)).Changes {
			line := string(c.Action) + " " + c.Address.String()
			if c.Held != nil {
				line += " HELD"
			}
			got = append(got, line)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("without %q the plan is %v; want %s", tt.exclude, got, tt.want)
		}
	}
}

// TestAGoalIsAStandardEventSetting holds conversion rule 4 of part 2 to what the
// service holds, too.
func TestAGoalIsAStandardEventSetting(t *testing.T) {
	for _, tt := range []struct{ setting, want string }{
		{"event_type=order_created source=p1", ""},
		{"event_type=custom custom_event_name=read source=p1", "whose event_type is custom at the service"},
		{"event_type=order_created source=p1 status=archived", "which is archived"},
		{"event_type=order_created", "which has no one conversion source"},
	} {
		p := diff(t, "", "campaign/x name=Spring bidding_type=conversions conversion_goal=e1 budget.daily=10",
			"event_setting/o#e1 name=Orders "+tt.setting)
		got := ""
		for _, problem := range p.Problems {
			got += problem.Message
		}
		for _, c := range p.Changes {
			for _, h := range c.Holds() {
				got += h.Message
			}
		}
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: it says %q; want %q", tt.setting, got, tt.want)
		}
	}
}
