package compare_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawn is three snapshots that contradict each other as much as they may, and
// a policy.
type drawn struct {
	last, desired, live string
	policy              plan.Policy
	switches            bool // a budget may change from daily to lifetime
	today               string
	spent               map[string]int64
}

func (d *drawn) input(t testing.TB, allow ...string) plan.Input {
	return plan.Input{Schemas: kinds.All(), Policy: d.policy, Allow: allowances(t, allow...),
		Last: snapshot(t, d.last), Desired: snapshot(t, d.desired), Live: snapshot(t, d.live),
		Today: d.today, Spent: d.spent}
}

func (d *drawn) String() string {
	return "last:\n" + d.last + "desired:\n" + d.desired + "live:\n" + d.live
}

func draw(t *rapid.T, switches bool) *drawn {
	d := &drawn{policy: drawPolicy(t), switches: switches}
	for _, c := range []string{"a", "b"} {
		above := sides{true, true, true}
		campaign := d.resource(t, above, "campaign/"+c, "name=N_"+c+" bidding_type=clicks", d.campaign)
		for _, g := range []string{"r", "s"} {
			group := d.resource(t, campaign, "ad_group/"+c+"/"+g, "name=Group_"+g, adGroupDraw)
			d.resource(t, group, "ad/"+c+"/"+g+"/h",
				"body=Light target_url=https://a.example/ image=https://a.example/a.png title=Hero_one", adDraw)
		}
	}
	return d
}

// sides says which snapshots hold a resource.
type sides struct{ last, desired, live bool }

func (d *drawn) resource(t *rapid.T, above sides, address, fixed string, attributes func(*rapid.T) string) sides {
	often := rapid.SampledFrom([]bool{true, true, true, false})
	in := sides{above.last && often.Draw(t, "last"),
		above.desired && often.Draw(t, "desired"), above.live && often.Draw(t, "live")}
	shared := attributes(t)
	write := func(side *string, there bool, id string) {
		if !there {
			return
		}
		own := shared
		if rapid.Bool().Draw(t, "differs") {
			own = attributes(t)
		}
		*side += address + id + " " + fixed + " " + own + "\n"
	}
	write(&d.last, in.last, "#id:"+address)
	write(&d.desired, in.desired, "")
	write(&d.live, in.live, "#id:"+address)
	return in
}

func (d *drawn) campaign(t *rapid.T) string {
	forms := []string{"budget.daily="}
	if d.switches {
		forms = append(forms, "budget.lifetime=")
	}
	return some(t, rapid.SampledFrom(forms).Draw(t, "budget")+
		rapid.SampledFrom([]string{"10", "14", "20", "60"}).Draw(t, "amount")) +
		some(t, "status="+rapid.SampledFrom([]string{"active", "active", "paused", "archived"}).Draw(t, "status")) +
		some(t, rapid.SampledFrom([]string{"description=one", "description=two", "description=[clear]"}).Draw(t,
			"description")) +
		some(t, rapid.SampledFrom([]string{"targeting.countries=US",
			"targeting.countries=US|CA", "targeting.countries=[clear]"}).Draw(t, "countries")) +
		some(t, rapid.SampledFrom([]string{"product_feed=fd-1", "product_feed=fd-2"}).Draw(t, "feed"))
}

func adGroupDraw(t *rapid.T) string {
	bids := []string{"bid.strategy=fixed_bid bid.max=1", "bid.strategy=fixed_bid bid.max=1.2",
		"bid.strategy=fixed_bid bid.max=9", "bid.max=1", "bid.strategy=maximize_clicks bid.max=[clear]"}
	return some(t, rapid.SampledFrom(bids).Draw(t, "bid")) +
		some(t, "status="+rapid.SampledFrom([]string{"active", "paused", "archived"}).Draw(t, "status")) +
		some(t, rapid.SampledFrom([]string{"exclusion_hints=boots", "exclusion_hints=socks"}).Draw(t, "exclusions")) +
		some(t, rapid.SampledFrom([]string{"context_hints=runners", "context_hints=runners|walkers"}).Draw(t, "hints"))
}

func adDraw(t *rapid.T) string {
	return some(t, rapid.SampledFrom([]string{"name=Hero", "name=Other"}).Draw(t, "name")) +
		some(t, "status="+rapid.SampledFrom([]string{"active", "paused", "archived"}).Draw(t, "status")) +
		some(t, rapid.SampledFrom([]string{"tracking=a=1", "tracking=[clear]"}).Draw(t, "tracking"))
}

func some(t *rapid.T, attribute string) string {
	if rapid.SampledFrom([]bool{true, true, false}).Draw(t, "given") {
		return attribute + " "
	}
	return ""
}

func drawPolicy(t *rapid.T) plan.Policy {
	p := plan.DefaultPolicy()
	p.Drift = rapid.SampledFrom([]plan.OnDrift{plan.Report, plan.Revert}).Draw(t, "drift")
	p.Prune = rapid.SampledFrom([]plan.OnPrune{plan.PruneKeep, plan.PrunePause, plan.PruneArchive}).Draw(t, "prune")
	return p
}

// allowed plans with every allowance the plan asks for, and those that asks for
// in its turn. It fails when an allowance does not release what asked for it.
func allowed(t *rapid.T, tb testing.TB, d *drawn) (*plan.Plan, []string) {
	var given []string
	for {
		p := compare.Diff(d.input(tb, given...))
		wanted := strings.Fields(asked(p))
		if len(wanted) == 0 {
			return p, given
		}
		for _, w := range wanted {
			if slices.Contains(given, w) {
				t.Fatalf("%s is given and asked for again:\n%s\n%s", w, sketch(p.Changes), d)
			}
		}
		slices.Sort(wanted)
		given = append(given, slices.Compact(wanted)...)
	}
}

// recorded is what the record holds after the changes, as reconcile writes it.
func recorded(last *resource.Snapshot, changes []plan.Change) *resource.Snapshot {
	after := &resource.Snapshot{}
	for r := range last.All() {
		own := *r
		own.Attributes = slices.Clone(r.Attributes)
		after.Add(&own)
	}
	for _, c := range changes {
		if c.Action == plan.Forget || c.Action == plan.Archive && c.Pruned {
			forget(after, c.Address)
			continue
		}
		if c.Action == plan.Create || c.Action == plan.Replace || after.Get(c.Address) == nil {
			after.Put(&resource.Resource{Address: c.Address, ID: "id:" + c.Address.String()})
		}
		for _, f := range slices.Concat(c.Fields, c.Recorded) {
			if f.Cause != plan.SentAlong {
				after.Get(c.Address).Set(f.Name, f.Desired)
			}
		}
	}
	return after
}

func forget(s *resource.Snapshot, a resource.Address) {
	for _, b := range s.Addresses() {
		if b == a || strings.HasPrefix(b.Key, a.Key+"/") {
			s.Remove(b)
		}
	}
}

func TestTheSecondPlanIsEmpty(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		p, given := allowed(rt, t, d)
		in := d.input(t, given...)
		in.Last, in.Live = recorded(in.Last, p.Applicable()), simulated(in.Live, p)
		in.Recent = remembered(plan.Recent{}, p)
		if second := compare.Diff(in); !second.Empty() {
			rt.Fatalf("second plan is not empty:\n%s\nfirst:\n%s\n%s", sketch(second.Changes), sketch(p.Changes), d)
		}
	})
}

func TestTheSecondPlanIsEmptyWithoutAllowances(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		in := d.input(t)
		p := compare.Diff(in)
		in.Last, in.Live = recorded(in.Last, p.Applicable()), simulated(in.Live, p)
		in.Recent = plan.Recent{
			Amounts: p.Moves(), Levels: []int64{p.Spend.DailyBefore + p.Spend.LifetimeBefore,
				p.Spend.DailyAfter + p.Spend.LifetimeAfter},
		}
		if second := compare.Diff(in); !second.Empty() {
			rt.Fatalf("second plan is not empty:\n%s\nfirst:\n%s\n%s", sketch(second.Changes), sketch(p.Changes), d)
		}
	})
}

func TestTheSameBytesWhateverTheOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		first := compare.Diff(d.input(t))
		shuffled := *d
		for _, side := range []*string{&shuffled.last, &shuffled.desired, &shuffled.live} {
			rows := strings.Split(*side, "\n")
			*side = strings.Join(rapid.Permutation(rows).Draw(rt, "rows"), "\n")
		}
		second := compare.Diff(shuffled.input(t))
		if first.Hash() != second.Hash() {
			a, _ := json.Marshal(first)
			b, _ := json.Marshal(second)
			rt.Fatalf("plans differ:\n%s", cmp.Diff(string(a), string(b)))
		}
	})
}

// sent is every field a plan sends to the service, and every address it sends to.
func sent(changes []plan.Change) map[string]bool {
	all := map[string]bool{}
	for _, c := range changes {
		if c.Action == plan.Record || c.Action == plan.Forget {
			continue
		}
		all[c.Address.String()] = true
		for _, f := range c.Fields {
			if f.Cause != plan.SentAlong {
				all[c.Address.String()+" "+f.Name] = true
			}
		}
	}
	return all
}

func TestTighteningNeverAddsAChange(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		_, given := allowed(rt, t, d)
		given = append(given, "raises-spend=30/day", "archives", "archives=2")
		loose := compare.Diff(d.input(t, given...))
		may := sent(loose.Applicable())
		tight := *d
		tighten(rt, &tight.policy)
		kept := rapid.SliceOfDistinct(rapid.SampledFrom(given), rapid.ID).Draw(rt, "kept")
		for _, c := range compare.Diff(tight.input(t, kept...)).Applicable() {
			for what := range sent([]plan.Change{c}) {
				if !may[what] && !replaced(loose, c.Address) {
					rt.Fatalf("%s is added by fewer allowances %v and a tighter policy:\nloose:\n%s\n%s",
						what, kept, sketch(loose.Changes), d)
				}
			}
		}
	})
}

func tighten(t *rapid.T, p *plan.Policy) {
	if rapid.Bool().Draw(t, "report") {
		p.Drift = plan.Report
	}
	if rapid.Bool().Draw(t, "keep") {
		p.Prune = plan.PruneKeep
	}
	p.Budget.HoldAbove -= rapid.Int64Range(0, 50).Draw(t, "budget hold")
	p.Budget.RefuseFrom -= rapid.Int64Range(0, 300).Draw(t, "budget refuse")
	p.Bid.HoldAbove -= rapid.Int64Range(0, 30).Draw(t, "bid hold")
	p.BidShare -= rapid.Int64Range(0, 9).Draw(t, "bid share")
	p.ArchiveCount -= rapid.Int64Range(0, 5).Draw(t, "archives")
}

// replaced reports whether a plan replaces the resource or one above it, which does
// everything an update would.
func replaced(p *plan.Plan, a resource.Address) bool {
	return slices.ContainsFunc(p.Applicable(), func(c plan.Change) bool {
		return c.Action == plan.Replace && (a == c.Address || strings.HasPrefix(a.Key, c.Address.Key+"/"))
	})
}

func TestLoweringAlwaysPasses(t *testing.T) {
	lower := []struct{ address, from, to, attribute string }{
		{"campaign/a", "budget.daily=60", "budget.daily=10", "budget.daily"},
		{"campaign/a", "budget.lifetime=60", "budget.lifetime=10", "budget.lifetime"},
		{"campaign/a", "status=active", "status=paused", "status"},
		{"ad_group/a/r", "bid.max=9", "bid.max=1", "bid.max"},
		{"ad_group/a/r", "status=active", "status=paused", "status"},
		{"ad/a/r/h", "status=active", "status=paused", "status"},
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		row := rapid.SampledFrom(lower).Draw(rt, "lowered")
		for _, above := range []string{"campaign/a", "ad_group/a/r", "ad/a/r/h"} {
			for _, side := range []*string{&d.last, &d.desired, &d.live} {
				ensure(side, above)
			}
		}
		set(&d.last, row.address, row.from)
		set(&d.live, row.address, row.from)
		set(&d.desired, row.address, row.to)
		p := compare.Diff(d.input(t))
		if !sent(p.Applicable())[row.address+" "+row.attribute] {
			rt.Fatalf("%s to %s of %s does not pass:\n%s\n%s", row.from, row.to, row.address, sketch(p.Changes), d)
		}
	})
}

// ensure puts the resource into the snapshot, not archived.
func ensure(side *string, address string) {
	rows := strings.Split(*side, "\n")
	for i, row := range rows {
		if name, _, _ := strings.Cut(row, " "); strings.HasPrefix(name+"#", address+"#") {
			rows[i] = strings.ReplaceAll(row, "status=archived", "")
			*side = strings.Join(rows, "\n")
			return
		}
	}
	*side += address + "#id:" + address + "\n"
}

// set writes one attribute over what the row has of it, and its other half.
func set(side *string, address, attribute string) {
	name, _, _ := strings.Cut(attribute, "=")
	group, _, _ := strings.Cut(name, ".")
	rows := strings.Split(*side, "\n")
	for i, row := range rows {
		if first, _, _ := strings.Cut(row, " "); !strings.HasPrefix(first+"#", address+"#") {
			continue
		}
		kept := slices.DeleteFunc(strings.Fields(row), func(f string) bool {
			return strings.HasPrefix(f, group) && strings.Contains(f, "=")
		})
		rows[i] = strings.Join(append(kept, attribute), " ")
	}
	*side = strings.Join(rows, "\n")
}

func TestAForeignPauseIsNeverUndone(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		address := rapid.SampledFrom([]string{"campaign/a", "ad_group/a/r", "ad/a/r/h"}).Draw(rt, "paused")
		for _, above := range []string{"campaign/a", "ad_group/a/r", "ad/a/r/h"} {
			for _, side := range []*string{&d.last, &d.desired, &d.live} {
				ensure(side, above)
			}
		}
		set(&d.last, address, "status=active")
		set(&d.desired, address, "status=active")
		set(&d.live, address, "status=paused")
		p, _ := allowed(rt, t, d)
		if after := simulated(d.input(t).Live, p); statusOf(after, address) == kinds.Active {
			rt.Fatalf("%s is started again:\n%s\n%s", address, sketch(p.Changes), d)
		}
	})
}

func statusOf(s *resource.Snapshot, address string) string {
	a, _ := resource.ParseAddress(address)
	if r := s.Get(a); r != nil {
		return r.Value("status").Text()
	}
	return ""
}

// possible is what an account can spend, told apart from the plan's own count.
func possible(live *resource.Snapshot) (daily, lifetime int64) {
	for r := range live.All() {
		if r.Address.Kind == kinds.Campaign && r.Value("status").Text() == kinds.Active {
			d, _ := r.Value("budget.daily").Number()
			l, _ := r.Value("budget.lifetime").Number()
			daily, lifetime = daily+d, lifetime+l
		}
	}
	return daily, lifetime
}

// Applied field by field in the order of the phases, no moment can spend more
// than the larger of before and after (design.md section 5). Budgets do not
// change between daily and lifetime here: those two sums cannot be compared.
func TestExposureOnThePath(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, false)
		p, _ := allowed(rt, t, d)
		live := d.input(t).Live
		before, _ := possible(live)
		after, _ := possible(simulated(live, p))
		if p.Spend.DailyBefore != before || p.Spend.DailyAfter != after {
			rt.Fatalf("plan says %d to %d a day; before is %d, after is %d",
				p.Spend.DailyBefore, p.Spend.DailyAfter, before, after)
		}
		moment := simulated(live, &plan.Plan{})
		for phase := plan.Lower; phase <= plan.Activate; phase++ {
			for _, c := range p.Applicable() {
				step(rt, moment, c, phase, func(what string) {
					if now, _ := possible(moment); now > max(before, after) {
						rt.Fatalf("%s: %d can be spent a day; before %d, after %d:\n%s\n%s",
							what, now, before, after, sketch(p.Changes), d)
					}
				})
			}
		}
		if now, _ := possible(moment); now != after {
			rt.Fatalf("at the end of the path %d can be spent a day; want %d", now, after)
		}
	})
}

// step sends what a change sends in one phase, field by field.
func step(t *rapid.T, live *resource.Snapshot, c plan.Change, phase plan.Phase, check func(string)) {
	if c.Action == plan.Replace && phase == plan.Lower {
		live.Remove(c.Address)
	}
	creates := c.Action == plan.Create || c.Action == plan.Replace
	if creates && phase == plan.Creates {
		live.Put(&resource.Resource{Address: c.Address})
	}
	r := live.Get(c.Address)
	if r == nil || c.Action == plan.Record || c.Action == plan.Forget {
		return
	}
	own := *r
	own.Attributes = slices.Clone(r.Attributes)
	live.Put(&own)
	for _, f := range c.Fields {
		switch {
		case f.Phase != phase:
			continue
		case f.Desired.IsSet():
			own.Set(f.Name, f.Desired)
		default:
			own.Set(f.Name, resource.Value{})
		}
		check(fmt.Sprintf("%s of %s in phase %s", f.Name, c.Address, phase))
	}
}
