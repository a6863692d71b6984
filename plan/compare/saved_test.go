package compare_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"pgregory.net/rapid"
)

// saved is what a plan of the input says, written and read again.
func saved(t testing.TB, in plan.Input) *plan.SavedPlan {
	t.Helper()
	content, err := json.Marshal(compare.Diff(in))
	if err != nil {
		t.Fatal(err)
	}
	agreement, err := plan.ReadSavedPlan(content)
	if err != nil {
		t.Fatal(err)
	}
	return agreement
}

func TestASavedPlanIsAFreshPlanWhenNothingMoved(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		var given []string
		if rapid.Bool().Draw(rt, "allowed") {
			_, given = allowed(rt, t, d)
		}
		in := d.input(t, given...)
		if rapid.Bool().Draw(rt, "selected") {
			in = selected(t, in, drawPatterns(rt))
		}
		fresh := compare.Diff(in)
		in.Saved = saved(t, in)
		in.Select = plan.Selection{}
		again := compare.Diff(in)
		if len(again.Stale) > 0 || sketch(again.Applicable()) != sketch(fresh.Applicable()) ||
			again.Spend != fresh.Spend {
			rt.Fatalf("a saved plan is another:\nfresh:\n%s\nsaved:\n%s\nstale: %+v\n%s",
				sketch(fresh.Changes), sketch(again.Changes), again.Stale, d)
		}
	})
}

// Whatever moved, nothing goes that did not go when the plan was saved, with the
// same values, or that would not go now.
func TestASavedPlanOnlyNarrows(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		then := draw(rt, true)
		now := *then
		other := draw(rt, true)
		for _, side := range []struct{ to, from *string }{{&now.last, &other.last},
			{&now.desired, &other.desired}, {&now.live, &other.live}} {
			if rapid.Bool().Draw(rt, "moved") {
				*side.to = *side.from
			}
		}
		_, given := allowed(rt, t, then)
		in := now.input(t, given...)
		fresh := compare.Diff(in)
		// What counts a sum counts what goes, and less goes than in a fresh plan.
		limits := allowances(t, "exposure=1000000/day", "updates=1000")
		unlimited := in
		unlimited.Allow = slices.Concat(in.Allow, limits)
		may := sent(compare.Diff(unlimited).Applicable())
		unlimited.Allow = slices.Concat(unlimited.Allow, allowances(t, "exceeds-files"))
		mayRise := sent(compare.Diff(unlimited).Applicable())
		in.Saved = saved(t, then.input(t, given...))
		promised := valuesSent(compare.Diff(then.input(t, given...)).Applicable())
		narrowed := compare.Diff(in)
		bare := map[string]bool{} // only recorded: what it needs of others is not asked for
		for _, c := range narrowed.Applicable() {
			bare[c.Address.String()] = len(c.Fields) == 0
		}
		for what := range sent(narrowed.Applicable()) {
			if may[what] || replaced(fresh, address(strings.Fields(what)[0])) || bare[what] {
				continue
			}
			if beyond := beyondAll(in, narrowed, fresh); !mayRise[what] || beyond != "" {
				rt.Fatalf("%s goes, and not in a fresh plan; %s:\n%s\nfresh:\n%s\n%s", what, beyond,
					sketch(narrowed.Changes), sketch(fresh.Changes), &now)
			}
		}
		for what := range valuesSent(narrowed.Applicable()) {
			if !promised[what] {
				rt.Fatalf("%s goes, and was not saved:\n%s\nthen:\n%s\n%s", what, sketch(narrowed.Changes), then, &now)
			}
		}
	})
}

// beyondAll is what a plan would let spend that could not be spent before, nor were the
// files carried out whole, nor after another plan; "" for nothing. A rise that the other
// holds as it would start something (exceeds-files) may go where that start is held.
func beyondAll(in plan.Input, p, other *plan.Plan) string {
	in.Today = moneyDay
	after := simulated(in.Live, p)
	var mostDay, mostMonth int64
	most := map[resource.Address]int64{}
	for _, s := range []*resource.Snapshot{in.Live, asTheFilesSay(in, other), simulated(in.Live, other)} {
		day, month := potential(in, s, true)
		mostDay, mostMonth = max(mostDay, day), max(mostMonth, month)
		for a, n := range delivering(s) {
			most[a] = max(most[a], n)
		}
	}
	if day, month := potential(in, after, false); day > mostDay || month > mostMonth {
		return fmt.Sprintf("%s could be spent a day and %s this month, more than %s and %s",
			units(day), units(month), units(mostDay), units(mostMonth))
	}
	for a, n := range delivering(after) {
		if n > most[a] {
			return fmt.Sprintf("%s would deliver with %s, more than %s", a, units(n), units(most[a]))
		}
	}
	return ""
}

// delivering returns what delivers beneath campaigns, with its bid: all there is where it has
// none, one micro where its kind never bids.
func delivering(s *resource.Snapshot) map[resource.Address]int64 {
	levels := map[resource.Address]int64{}
	for r := range s.All() {
		runs := true
		for at := r.Address; !at.IsZero(); at = kinds.All().Parent(at) {
			above := s.Get(at)
			runs = runs && above != nil && above.Value("status").Text() == kinds.Active
		}
		switch bid, set := r.Value("bid.max").Number(); {
		case !runs || kinds.All().Parent(r.Address).IsZero():
		case set:
			levels[r.Address] = bid
		case r.Address.Kind == kinds.AdGroup:
			levels[r.Address] = math.MaxInt64
		default:
			levels[r.Address] = 1
		}
	}
	return levels
}

// valuesSent is every field a plan sends, with what it was computed from.
func valuesSent(changes []plan.Change) map[string]bool {
	all := map[string]bool{}
	for _, c := range changes {
		if c.Action == plan.Record || c.Action == plan.Forget {
			continue
		}
		for _, f := range c.Fields {
			if f.Cause != plan.SentAlong {
				all[strings.Join([]string{string(c.Action), c.Address.String(),
					c.ID, f.Name, f.Desired.String(), f.Live().String(), f.Last().String()}, " ")] = true
			}
		}
	}
	return all
}

const two = "campaign/a#1 name=Aaa status=paused " +
	"budget.daily=10 description=one\ncampaign/b#2 name=Bbb status=paused budget.daily=10\n"

func edited(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(two) }

func TestS25WhatMovedIsRefusedWithBothValuesAndTheRestGoesOn(t *testing.T) {
	want := edited("budget.daily=10 description", "budget.daily=12 description", "Bbb", "Bob")
	for _, row := range []struct {
		name                string
		last, desired, live string
		stale, goes         string
	}{
		{name: "nothing moved", last: two, desired: want, live: two, goes: "campaign/a budget.daily, campaign/b name"},
		{name: "the files say another budget", last: two, desired: strings.Replace(want, "12", "13", 1), live: two,
			stale: "campaign/a budget.daily files: budget.daily is 13.00 in the files now; the saved plan has 12.00",
			goes:  "campaign/b name"},
		{name: "somebody changed the budget at the service",
			last: two, desired: want, live: edited("budget.daily=10 description", "budget.daily=9 description"),
			stale: "campaign/a budget.daily live: budget.daily " +
				"is 9.00 at the service now; the plan was saved with 10.00", goes: "campaign/b name"},
		{name: "another agent applied something in between", last: edited("Bbb", "Bee"), desired: want, live: two,
			stale: "campaign/b name record: name was last applied as \"Bee\"; the plan was saved with \"Bbb\"",
			goes:  "campaign/a budget.daily"},
		{name: "the files took the edit back", last: two, desired: strings.Replace(want, "12", "10", 1), live: two,
			stale: "campaign/a  change: has nothing to change any more; the saved plan has an update",
			goes:  "campaign/b name"},
		{name: "somebody made the same edit at the service",
			last: two, desired: want, live: edited("budget.daily=10 description", "budget.daily=12 description"),
			stale: "campaign/a  change: is as the files want it already; the saved plan has an update",
			goes:  "campaign/b name"},
		{name: "an edit more in the same row", last: two, desired: strings.Replace(want, "=one", "=two", 1), live: two,
			stale: "campaign/a description files: description is \"two\" in the files now; the saved plan has (none)",
			goes:  "campaign/a budget.daily, campaign/b name"},
		{name: "an edit of a row the plan does not have is left out", last: two + "campaign/c#3 name=Ccc",
			desired: want + "campaign/c name=Coo", live: two + "campaign/c#3 name=Ccc",
			goes: "campaign/a budget.daily, campaign/b name"},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := plan.Input{
				Schemas: kinds.All(), Policy: plan.DefaultPolicy(),
				Last: snapshot(t, two), Desired: snapshot(t, want), Live: snapshot(t, two),
			}
			in.Saved = saved(t, in)
			in.Last, in.Desired, in.Live = snapshot(t, row.last), snapshot(t, row.desired), snapshot(t, row.live)
			p := compare.Diff(in)
			if got := staleLines(p); got != row.stale {
				t.Errorf("stale is %q; want %q", got, row.stale)
			}
			if got := goesIn(p); got != row.goes {
				t.Errorf("%s goes; want %s:\n%s", got, row.goes, sketch(p.Changes))
			}
		})
	}
}

func staleLines(p *plan.Plan) string {
	var lines []string
	for _, s := range p.Stale {
		lines = append(lines, s.Address.String()+" "+s.Attribute+" "+s.What+": "+s.Message)
	}
	return strings.Join(lines, "\n")
}

func goesIn(p *plan.Plan) string {
	var goes []string
	for _, c := range p.Applicable() {
		for _, f := range c.Fields {
			goes = append(goes, c.Address.String()+" "+f.Name)
		}
	}
	slices.Sort(goes)
	return strings.Join(goes, ", ")
}

// What came up since a plan was saved is left out of it; where that is a decrease that is
// held, its money is not free for a rise of the saved plan, as in a fresh one.
func TestADecreaseThatIsNewAndHeldFreesNoMoney(t *testing.T) {
	three := strings.ReplaceAll(two, "paused", "active")
	b := func(budget string) string {
		return strings.Replace(three, "Bbb status=active budget.daily=10", "Bbb status=active budget.daily="+budget, 1)
	}
	want := func(s string) string { return strings.Replace(s, "10 description", "12 description", 1) }
	for _, row := range []struct{ name, live, files, goes string }{
		{"nothing came up", b("10"), "10", "campaign/a budget.daily"},
		{"a decrease that conflicts with an edit at the service", b("50"), "5", ""},
		{"a decrease that nothing holds", b("10"), "5", "campaign/a budget.daily"},
	} {
		in := plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Today: moneyDay,
			Last: snapshot(t, three), Desired: snapshot(t, want(three)), Live: snapshot(t, three)}
		in.Saved = saved(t, in)
		in.Desired, in.Live = snapshot(t, want(b(row.files))), snapshot(t, row.live)
		p := compare.Diff(in)
		said := strings.Contains(staleLines(p), "exceeds-files=campaign/a")
		if goesIn(p) != row.goes || said != (row.goes == "") {
			t.Errorf("%s: %q goes; want %q, and that what is held is said:\n%s\n%s", row.name, goesIn(p), row.goes,
				staleLines(p), sketch(p.Changes))
		}
	}
}

func TestAParentThatMovedHoldsItsChildren(t *testing.T) {
	in := plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Desired: snapshot(t, selectable)}
	in.Saved = saved(t, in)
	in.Desired = snapshot(t, strings.Replace(selectable, "name=Spring ", "name=Autumn ", 1))
	p := compare.Diff(in)
	if got := sketch(p.Applicable()); strings.Contains(got, "/spring/") ||
		!strings.Contains(got, "create ad_group/spring-sale/x") {
		t.Errorf("with another campaign goes:\n%s", got)
	}
}

func TestAnActivationIsHeldWhereTheBudgetBeneathItMoved(t *testing.T) {
	last := "campaign/a#1 name=Aaa status=paused\n"
	in := plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Allow: allowances(t, "activates"),
		Last: snapshot(t, last), Desired: snapshot(t, "campaign/a name=Aaa status=active"),
		Live: snapshot(t, "campaign/a#1 name=Aaa status=paused budget.daily=10")}
	in.Saved = saved(t, in)
	if p := compare.Diff(in); goesIn(p) != "campaign/a status" {
		t.Fatalf("goes: %s\n%s", goesIn(p), sketch(p.Changes))
	}
	in.Live = snapshot(t, "campaign/a#1 name=Aaa status=paused budget.daily=5000")
	p := compare.Diff(in)
	if goesIn(p) != "" || !strings.Contains(staleLines(p), "possible spend becomes 5000.00 a day") {
		t.Errorf("a campaign starts at 5000 a day, approved at 10:\n%s\n%s", sketch(p.Changes), staleLines(p))
	}
}

func TestAnAllowanceAfterTheFactReleasesNothingOfASavedPlan(t *testing.T) {
	in := plan.Input{
		Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Last: snapshot(t, two),
		Desired: snapshot(t, strings.ReplaceAll(two, "daily=10", "daily=40")), Live: snapshot(t, two),
	}
	in.Saved = saved(t, in)
	in.Allow = allowances(t, "raises-spend")
	if p := compare.Diff(in); goesIn(p) != "" {
		t.Errorf("%s goes, and was held when the plan was saved", goesIn(p))
	}
	in.Saved = nil
	in.Saved = saved(t, in)
	in.Allow = nil
	if p := compare.Diff(in); goesIn(p) != "" ||
		!strings.Contains(staleLines(p), "allow it again with --allow raises-spend=campaign/a") {
		t.Errorf("%s goes without the allowance; stale: %s", goesIn(p), staleLines(p))
	}
}
