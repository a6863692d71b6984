package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"pgregory.net/rapid"
)

// cutOff plans from was to now, and then anew from what a part of that left.
type cutOff struct {
	was, now string // the account and the record before, and the files
	left     string // what the apply that was cut off left of both; "" is was
	files    string // by then; "" is now
	live     string // by then, where somebody changed it; "" is left
	allow    []string
	policy   func(*plan.Policy)
}

func (c cutOff) First(t testing.TB) *plan.Plan {
	t.Helper()
	return limited(t, asIs, plan.Recent{}, c.was, c.now, c.allow...)
}

func (c cutOff) second(t testing.TB) *plan.Plan {
	t.Helper()
	first := c.First(t)
	policy := plan.DefaultPolicy()
	if c.policy != nil {
		c.policy(&policy)
	}
	or := func(text, other string) string {
		if text == "" {
			return other
		}
		return text
	}
	left := or(c.left, c.was)
	in := plan.Input{
		Schemas: kinds.All(), Policy: policy, Recent: plan.Recent{Levels: levels(first)},
		Last: snapshot(t, left), Desired: dropIDs(snapshot(t, or(c.files, c.now))), Live: snapshot(t, or(c.live, left)),
	}
	if credit := first.Credit("run-000001"); credit != nil {
		in.Credits = []plan.Credit{*credit}
	}
	return compare.Diff(in)
}

func levels(p *plan.Plan) []int64 {
	return []int64{p.Spend.DailyBefore + p.Spend.LifetimeBefore, p.Spend.DailyAfter + p.Spend.LifetimeAfter}
}

// lowHigh is an account of two campaigns, and a change of both by which nothing rises.
func lowHigh(low, high string) string {
	return "campaign/low#1 name=Low status=active bidding_type=clicks budget.daily=" + low +
		"\ncampaign/high#2 name=High status=active bidding_type=clicks budget.daily=" + high
}

// dozen is an account of as many campaigns as have their updates counted, with ids and
// more attributes where they are given.
func dozen(id, more string) (text string) {
	for i := range 12 {
		text += fmt.Sprintf("campaign/c%d%s name=Camp_%d status=active bidding_type=clicks budget.daily=10%s\n",
			i, strings.Replace(id, "#", fmt.Sprint("#", i+1), 1), i, more)
	}
	return text
}

const newOne = "\ncampaign/new name=New status=active bidding_type=clicks budget.daily="

func TestTheRestOfAPlanThatWasCutOffGoesOn(t *testing.T) {
	strict := func(p *plan.Policy) { p.MaxDailyExposure = 199e6 }
	unattended := func(p *plan.Policy) { p.Unattended = true }
	tests := []struct {
		name string
		cutOff
		want string // what is held, by address and hazard
	}{
		{name: "the decrease is made", cutOff: cutOff{
			was: lowHigh("100", "100"), now: lowHigh("55", "145"), left: lowHigh("55", "100"),
		}},
		{name: "nothing is made yet", cutOff: cutOff{was: lowHigh("100", "100"), now: lowHigh("55", "145")}},
		{name: "the paying row is another one by then", cutOff: cutOff{
			was: lowHigh("100", "100"), now: lowHigh("20", "145"),
			left: lowHigh("20", "100"), files: lowHigh("60", "145"),
		},
			want: "campaign/high exposure raises-spend=campaign/low exposure"},
		{name: "the paying row is as it was before", cutOff: cutOff{
			was: lowHigh("100", "100"), now: lowHigh("20", "150"), files: lowHigh("100", "150"),
		}},
		{name: "the raised row is another one", cutOff: cutOff{was: lowHigh("100", "100"), now: lowHigh("55", "145"),
			left: lowHigh("55", "100"), files: lowHigh("55", "146")}, want: "campaign/high exposure"},
		{name: "somebody else lowered the paying row", cutOff: cutOff{was: lowHigh("100", "100"),
			now: lowHigh("55", "145"), live: lowHigh("55", "100")}, want: "campaign/high exposure"},
		{name: "somebody moved the paying row", cutOff: cutOff{
			was: lowHigh("100", "100"), now: lowHigh("55", "145"),
			left: lowHigh("55", "100"), live: lowHigh("54", "100"),
		},
			want: "campaign/high exposure campaign/low drift exposure"},
		{name: "somebody moved the raised row", cutOff: cutOff{
			was: lowHigh("100", "100"), now: lowHigh("55", "145"),
			left: lowHigh("55", "100"), live: lowHigh("55", "90"),
		},
			want: "campaign/high conflict raises-spend exposure"},
		{name: "a rise that the plan did not show",
			cutOff: cutOff{was: lowHigh("100", "100"), now: lowHigh("55", "145"),
				left: lowHigh("55", "100"), files: lowHigh("55", "145") + newOne + "60"},
			want: "campaign/new exposure"},
		{name: "above a ceiling that was lowered", cutOff: cutOff{was: lowHigh("100", "100"),
			now: lowHigh("55", "145"), left: lowHigh("55", "100"), policy: strict}, want: "campaign/high exposure"},
		{name: "nobody looks and there is no ceiling", cutOff: cutOff{was: lowHigh("100", "100"), now: lowHigh("55",
			"145"), left: lowHigh("55", "100"), policy: unattended}, want: "campaign/high unattended"},
		{name: "creates of a new account", cutOff: cutOff{
			was: "", now: strings.ReplaceAll(lowHigh("5", "500"), "#1", ""),
			left: "campaign/low#1 name=Low status=active bidding_type=clicks budget.daily=5",
		}},
		{name: "a create that is still paused",
			cutOff: cutOff{was: lowHigh("100", "100"), now: lowHigh("50", "100") + newOne + "50",
				left: lowHigh("50", "100") +
					"\ncampaign/new#3 name=New status=paused bidding_type=clicks budget.daily=50"}},
		{name: "a create that somebody gave another budget", cutOff: cutOff{was: lowHigh("100", "100"),
			now:  lowHigh("50", "100") + "\ncampaign/new name=New status=active bidding_type=clicks budget.daily=50",
			left: lowHigh("50", "100") + "\ncampaign/new#3 name=New status=paused bidding_type=clicks budget.daily=50",
			live: lowHigh("50", "100") + "\ncampaign/new#3 name=New status=paused bidding_type=clicks budget.daily=90"},
			want: "campaign/new drift exposure"},
		{name: "a create that somebody lowered, and the files lowered further", cutOff: cutOff{
			was:  lowHigh("100", "100"),
			now:  lowHigh("50", "100") + "\ncampaign/new name=New status=active bidding_type=clicks budget.daily=50",
			left: lowHigh("50", "100") + "\ncampaign/new#3 name=New status=paused bidding_type=clicks budget.daily=50",
			live: lowHigh("50", "100") + "\ncampaign/new#3 name=New status=paused bidding_type=clicks budget.daily=40",
			files: lowHigh("50", "100") +
				"\ncampaign/new name=New status=active bidding_type=clicks budget.daily=30"},
			want: "campaign/new conflict exceeds-files"},
		{name: "what follows the creates of a new account", cutOff: cutOff{
			was: "", now: dozen("", " description=Shoes"), left: dozen("#", ""),
		}},
		{name: "what was allowed", cutOff: cutOff{
			was: lowHigh("100", "100"), now: lowHigh("50", "340"),
			left: lowHigh("50", "100"), allow: []string{"exposure=190/day", "raises-spend=campaign/high"},
		}},
		{name: "what was not allowed", cutOff: cutOff{was: lowHigh("100", "100"),
			now: lowHigh("50", "340"), left: lowHigh("50", "100")}, want: "campaign/high raises-spend exposure"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.second(t)
			if got := whatIsHeld(p); !sameWords(got, tt.want) {
				t.Errorf("held: %q; want %q\n%s", got, tt.want, sketch(p.Changes))
			}
		})
	}
}

func sameWords(a, b string) bool { return words(a) == words(b) }

func words(text string) string {
	count := map[string]int{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '=' }) {
		count[w]++
	}
	return fmt.Sprint(count)
}

// whatIsHeld names each address with what holds it.
func whatIsHeld(p *plan.Plan) string {
	var all []string
	for i := range p.Changes {
		if holds := p.Changes[i].Holds(); len(holds) > 0 {
			all = append(all, p.Changes[i].Address.String())
			for _, h := range holds {
				all = append(all, string(h.Hazard))
			}
		}
	}
	return strings.Join(all, " ")
}

// The rest of a plan goes wherever the plan was cut off, as often as that happens: what
// nothing held when it was shown is never held by what a part of it left (invariant 27).
func TestWhereverAPlanIsCutOffItsRestGoes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		was, now := drawAccounts(rt)
		last, live, desired := snapshot(t, was), snapshot(t, was), dropIDs(snapshot(t, now))
		var credits []plan.Credit
		var recent plan.Recent
		shown := map[string]bool{}
		for cut := range 4 {
			p := compare.Diff(plan.Input{
				Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Recent: recent, Credits: credits,
				Last: last, Desired: desired, Live: live,
			})
			goes := going(p)
			for part := range shown {
				if !goes[part] {
					rt.Fatalf("after %d cuts %s is held or gone:\n%s", cut, part, sketch(p.Changes))
				}
			}
			recent.Levels = append(recent.Levels, levels(p)...)
			credits = p.Credits
			if credit := p.Credit(fmt.Sprintf("run-%06d", cut)); credit != nil {
				credits = append(credits, *credit)
			}
			shown = goes
			last, live = copyOf(last), copyOf(live)
			for _, part := range applySome(rt, p, last, live) {
				delete(shown, part)
			}
		}
	})
}

// drawAccounts draws what is there, and what the files ask for.
func drawAccounts(t *rapid.T) (was, now string) {
	amount := rapid.SampledFrom([]string{"5", "10", "14", "20", "60", "75"})
	status := rapid.SampledFrom([]string{"active", "active", "active", "paused"})
	for i, n := 0, rapid.IntRange(2, 14).Draw(t, "campaigns"); i < n; i++ {
		line := fmt.Sprintf("campaign/c%d", i)
		const named = " name=Camp_%d bidding_type=clicks status=%s budget.daily=%s\n"
		from := amount.Draw(t, "from")
		if rapid.IntRange(0, 3).Draw(t, "new") > 0 {
			was += line + fmt.Sprintf("#%d", i) + fmt.Sprintf(named, i, status.Draw(t, "was"), from)
		}
		now += line + fmt.Sprintf(named, i, status.Draw(t, "is"), amount.Draw(t, "to"))
	}
	return was, now
}

// going names the parts of a plan that nothing holds.
func going(p *plan.Plan) map[string]bool {
	parts := map[string]bool{}
	for _, c := range p.Applicable() {
		for _, f := range c.Fields {
			parts[partOf(&c, &f)] = true
		}
	}
	return parts
}

func partOf(c *plan.Change, f *plan.Field) string { return c.Address.String() + " " + f.Name }

// applySome carries out the plan up to a moment, phase by phase, and names what it did.
func applySome(t *rapid.T, p *plan.Plan, last, live *resource.Snapshot) (done []string) {
	left := rapid.IntRange(0, len(going(p))).Draw(t, "parts")
	for phase := plan.Lower; phase <= plan.Activate; phase++ {
		for _, c := range p.Applicable() {
			for _, f := range c.Fields {
				creates := c.Action == plan.Create && phase == plan.Creates
				if f.Phase != phase || left == 0 {
					continue
				}
				if !creates {
					left--
				}
				for _, s := range []*resource.Snapshot{last, live} {
					r := &resource.Resource{Address: c.Address, ID: "id:" + c.Address.String()}
					if before := s.Get(c.Address); before != nil {
						*r = *before
						r.Attributes = append(resource.Attributes{}, before.Attributes...)
					} else if phase == plan.Creates {
						r.Set("status", resource.Text("paused"))
					}
					r.Set(f.Name, f.Desired)
					s.Put(r)
				}
				done = append(done, partOf(&c, &f))
			}
		}
	}
	return done
}

func copyOf(s *resource.Snapshot) *resource.Snapshot {
	c := &resource.Snapshot{}
	for r := range s.All() {
		c.Add(r)
	}
	return c
}
