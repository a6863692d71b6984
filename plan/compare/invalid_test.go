package compare_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"pgregory.net/rapid"
)

func TestARowThatIsNotValidWaitsAndTheOthersGo(t *testing.T) {
	const (
		a      = "campaign/a budget.daily=10 status=active\n"
		noCell = "campaign/a status=active\n" // its budget is the wrong cell
		b      = "campaign/b budget.daily=20 status=active\n"
		b21    = "campaign/b budget.daily=21 status=active\n"
		r      = "ad_group/a/r bid.max=1 status=active\n"
		s      = "ad_group/a/s bid.max=1 status=active\n"
		t5     = "ad_group/b/t bid.max=1 status=paused\n"
		groups = r + s + t5
	)
	live := strings.Join([]string{
		"campaign/a#1 name=Name_A budget.daily=10 status=active",
		"campaign/b#4 name=Name_B budget.daily=20 status=active",
		"ad_group/a/r#2 name=Name_R bid.max=1 status=active", "ad_group/a/s#3 name=Name_S bid.max=1 status=active",
		"ad_group/b/t#5 name=Name_T bid.max=1 status=paused",
	}, "\n")
	tests := []struct {
		name, desired string
		invalid       plan.InvalidRow
		policy        plan.OnPrune
		want          []string
	}{
		{name: "what else it says waits, and another row goes",
			desired: "campaign/a budget.daily=10 status=paused\ncampaign/b budget.daily=19 status=active\n" + groups,
			invalid: plan.InvalidRow{Address: campaign("a")},
			want: []string{"update campaign/a HELD(invalid); status paused edit lower",
				"update campaign/b; budget.daily 19.00 edit lower"}},
		{name: "a row that says nothing else is shown", desired: noCell + b + groups,
			invalid: plan.InvalidRow{Address: campaign("a")}, want: []string{"update campaign/a HELD(invalid)"}},
		{name: "what is beneath it waits with it",
			desired: noCell + b + "ad_group/a/r bid.max=0.9 status=active\n" + s + t5,
			invalid: plan.InvalidRow{Address: campaign("a")},
			want: []string{"update ad_group/a/r HELD(invalid); bid.max 0.90 edit lower",
				"update campaign/a HELD(invalid)"}},
		{name: "a new row that lacks what its wrong cell was to say is no problem",
			desired: a + b + "campaign/n name=Name_N bidding_type=clicks\n" + groups,
			invalid: plan.InvalidRow{Address: campaign("n"), Lowers: true},
			want: []string{"create campaign/n HELD(invalid); " +
				"bidding_type clicks edit create; name Name N edit create; " +
				"status paused default create"}},
		{name: "no increase counts on what a wrong cell may have lowered", desired: noCell + b21 + groups,
			invalid: plan.InvalidRow{Address: campaign("a"), Lowers: true},
			want: []string{"update campaign/a HELD(invalid)",
				"update campaign/b; budget.daily 21.00 edit raise HELD(exceeds-files)"}},
		{name: "what another decrease frees may be spent",
			desired: noCell + "campaign/b budget.daily=15 status=active\n" + groups +
				"campaign/n name=Name_N bidding_type=clicks budget.daily=5 status=active\n",
			invalid: plan.InvalidRow{Address: campaign("a"), Lowers: true},
			want: []string{"update campaign/a HELD(invalid)", "update campaign/b; budget.daily 15.00 edit lower",
				"create campaign/n; bidding_type " +
					"clicks edit create; budget.daily 5.00 edit create; name Name N edit create; " +
					"status active edit activate"}},
		{name: "a text lowers nothing", desired: a + b21 + groups, invalid: plan.InvalidRow{Address: adGroup("a/r")},
			want: []string{"update ad_group/a/r HELD(invalid)", "update campaign/b; budget.daily 21.00 edit raise"}},
		{name: "what rises or starts beside it in its campaign waits",
			desired: "campaign/a budget.daily=11 status=active\n" +
				b21 + r + "ad_group/a/s bid.max=1.1 status=active\n" + t5,
			invalid: plan.InvalidRow{Address: adGroup("a/r"), Lowers: true},
			want: []string{"update ad_group/a/r HELD(invalid)",
				"update ad_group/a/s; bid.max 1.10 edit raise HELD(exceeds-files)",
				"update campaign/a; budget.daily 11.00 edit raise HELD(exceeds-files)",
				"update campaign/b; budget.daily 21.00 edit raise"}},
		{name: "a limit nobody can read bounds no rise",
			desired: a + b21 + "daily_spend_limit/d start=2026-11-24\n" + groups,
			invalid: plan.InvalidRow{Address: resource.Address{Kind: "daily_spend_limit", Key: "d"}, Lowers: true},
			want: []string{"create daily_spend_limit/d HELD(invalid); start 2026-11-24 edit lower",
				"update campaign/b; budget.daily 21.00 edit raise HELD(exceeds-files)"}},
		{name: "nothing of its kind is pruned", policy: plan.PruneArchive, desired: noCell + r,
			invalid: plan.InvalidRow{Address: campaign("a")}, want: []string{"update campaign/a HELD(invalid)"}},
		{name: "nor what the row may be, of which nobody can tell", policy: plan.PrunePause,
			desired: "campaign/a budget.daily=11 status=active\n" +
				r + "ad_group/x/s bid.max=2 status=active\n" + b + t5,
			invalid: plan.InvalidRow{Address: adGroup("x/s"), Adrift: true, Lowers: true},
			want: []string{"create ad_group/x/s HELD(invalid); bid.max 2.00 edit create; status active edit activate",
				"update campaign/a; budget.daily 11.00 edit raise HELD(exceeds-files)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			policy := plan.DefaultPolicy()
			policy.Prune = cmp.Or(tt.policy, policy.Prune)
			tt.invalid.Message = `a.csv:2:4: amount is "x"`
			p := compare.Diff(plan.Input{
				Schemas: kinds.All(), Policy: policy, Today: "2026-11-23", Allow: allowances(t, "exposure=1000/day"),
				Last: snapshot(t, live), Live: snapshot(t, live), Desired: snapshot(t, tt.desired),
				Invalid: []plan.InvalidRow{tt.invalid},
			})
			lines := strings.Split(sketch(p.Changes), "\n")
			slices.Sort(lines)
			slices.Sort(tt.want)
			if !slices.Equal(lines, tt.want) || len(p.Problems) > 0 {
				want := strings.Join(tt.want, "\n")
				t.Errorf("plan is\n%s\nwith the problems %v; want\n%s", strings.Join(lines, "\n"), p.Problems, want)
			}
		})
	}
}

func TestARowOnlyThePlanFindsWrongWaits(t *testing.T) {
	const b = "campaign/b name=Name_B bidding_type=clicks budget.daily=5 status=paused\n"
	const noBudget = " bidding_type=clicks status=paused\n"
	const createsB = "create campaign/b; bidding_type clicks edit create; budget.daily 5.00 edit create; " +
		"name Name B edit create; status paused edit create"
	tests := []struct {
		name, desired string
		strict        bool
		want          []string
		waits, stops  int
	}{
		{name: "a new campaign without a budget", desired: "campaign/a name=Name_A" + noBudget + b, waits: 1,
			want: []string{"create campaign/a HELD(invalid); " +
				"bidding_type clicks edit create; name Name A edit create; " +
				"status paused edit create", createsB}},
		{name: "an ad group whose strategy lacks its bid", waits: 1,
			desired: b + "ad_group/b/r name=Name_R bid.strategy=fixed_bid status=paused\n",
			want: []string{"create ad_group/b/r " +
				"HELD(invalid); bid.strategy fixed_bid edit create; name Name R edit create; " +
				"status paused edit create", createsB}},
		{name: "where nothing may wait", strict: true, desired: "campaign/a name=Name_A" + noBudget + b, stops: 1},
		{name: "three of four rows of a kind", stops: 3,
			desired: b + "campaign/a name=Name_A" + noBudget + "campaign/c name=Name_C" + noBudget +
				"campaign/d name=Name_D" + noBudget},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := compare.Diff(plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Today: "2026-11-23",
				Desired: snapshot(t, tt.desired), LetsWait: !tt.strict})
			lines := strings.Split(sketch(p.Changes), "\n")
			slices.Sort(lines)
			slices.Sort(tt.want)
			if len(p.Waits) != tt.waits || len(p.Problems) != tt.stops ||
				tt.stops == 0 && !slices.Equal(lines, tt.want) {
				want := strings.Join(tt.want, "\n")
				t.Errorf("plan is\n%s\nwaits %v, problems %v; want\n%s",
					strings.Join(lines, "\n"), p.Waits, p.Problems, want)
			}
		})
	}
}

func adGroup(key string) resource.Address { return resource.Address{Kind: "ad_group", Key: key} }

func campaign(key string) resource.Address { return resource.Address{Kind: "campaign", Key: key} }

// TestRowsThatAreNotValidCostNothing invalidates rows and cells of drawn accounts:
// what is applied never spends more than what is live, or than the files with those
// rows as they are live; and nothing of a kind with such a row is pruned.
func TestRowsThatAreNotValidCostNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawMoney(rt)
		in := d.input(t, "exposure=100000/day")
		full := in.Desired
		in.Desired = &resource.Snapshot{}
		kindsWaiting := map[resource.Kind]bool{}
		for r := range full.All() {
			own := *r
			if rapid.SampledFrom([]bool{false, false, true}).Draw(rt, "invalid") {
				row := plan.InvalidRow{Address: r.Address, Message: "x"}
				own.Attributes = nil
				for _, n := range r.Attributes {
					if rapid.Bool().Draw(rt, "kept") {
						own.Attributes = append(own.Attributes, n)
						continue
					}
					a, _ := in.Schemas.Of(r.Address.Kind).Attribute(n.Name)
					row.Lowers = row.Lowers || a.OfMoney()
				}
				in.Invalid, kindsWaiting[r.Address.Kind] = append(in.Invalid, row), true
			}
			in.Desired.Add(&own)
		}
		p := compare.Diff(in)
		if len(in.Invalid) == 0 {
			return
		}
		for _, c := range p.Applicable() {
			if waitsIn(in, c.Address) && c.Action != plan.Forget {
				rt.Fatalf("%s of a row that is not valid is applied\n%s", c.Action, d)
			}
			if c.Pruned && kindsWaiting[c.Address.Kind] {
				rt.Fatalf("%s is pruned while a row of its kind waits\n%s", c.Address, d)
			}
		}
		after, files := oracle{simulated(in.Live, p), d.spent}, oracle{asFiles(in), d.spent}
		before := oracle{in.Live, d.spent}
		for what, of := range map[string]func(oracle) int64{"a day": oracle.day, "this month": oracle.thisMonth} {
			if got, most := of(after), max(of(before), of(files)); got > most {
				rt.Fatalf("%d can be spent %s after "+
					"the plan, more than %d before and %d by the files with what waits as live"+
					"\n%s\ninvalid %v\n%s", got, what, of(before), of(files), d, in.Invalid, sketch(p.Changes))
			}
		}
	})
}

var otherHalf = map[string]string{"budget.daily": "budget.lifetime", "budget.lifetime": "budget.daily"}

func waitsIn(in plan.Input, a resource.Address) bool {
	return slices.ContainsFunc(in.Invalid, func(v plan.InvalidRow) bool { return v.Address == a })
}

// asFiles is the account as the files want it, with what waits as it is live.
func asFiles(in plan.Input) *resource.Snapshot {
	files := &resource.Snapshot{}
	for r := range in.Live.All() {
		files.Put(r)
	}
	for r := range in.Desired.All() {
		if waitsIn(in, r.Address) {
			continue
		}
		wanted := &resource.Resource{Address: r.Address}
		if live := in.Live.Get(r.Address); live != nil {
			wanted.ID, wanted.Attributes = live.ID, slices.Clone(live.Attributes)
		}
		for _, n := range r.Attributes {
			if half, is := otherHalf[n.Name]; is && n.Value.IsSet() {
				wanted.Set(half, resource.Value{})
			}
			if !n.Value.IsSet() {
				n.Value = resource.Value{}
			}
			wanted.Set(n.Name, n.Value)
		}
		files.Put(wanted)
	}
	return files
}

func (o oracle) day() int64 {
	daily, lifetime, most := o.sums()
	return min(daily+lifetime, most)
}

func (o oracle) thisMonth() int64 {
	today, _ := time.Parse(time.DateOnly, moneyDay)
	return min(o.month(today, false), o.month(today, true))
}
