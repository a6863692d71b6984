package compare_test

import (
	"encoding/json"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// selected is an input with patterns, `-pattern` excludes.
func selected(t testing.TB, in plan.Input, patterns string) plan.Input {
	t.Helper()
	for _, text := range strings.Fields(patterns) {
		name, excludes := strings.CutPrefix(text, "-")
		p, err := plan.ParsePattern(name, diag.Position{})
		if err != nil {
			t.Fatal(err)
		}
		if excludes {
			in.Select.Exclude = append(in.Select.Exclude, p)
			continue
		}
		in.Select.Target = append(in.Select.Target, p)
	}
	return in
}

const selectable = `
campaign/spring        name=Spring budget.daily=10 status=paused bidding_type=clicks
ad_group/spring/runs   name=Runs bid.strategy=fixed_bid bid.max=1
ad/spring/runs/hero    name=Hero title=Hero body=Body target_url=https://a.example/ image=https://a.example/a.png
campaign/spring-sale   name=Sale budget.daily=10 status=paused bidding_type=clicks
ad_group/spring-sale/x name=Sales bid.strategy=fixed_bid bid.max=1
`

func TestAPatternNamesWhatItSays(t *testing.T) {
	for _, row := range []struct{ pattern, want string }{
		{"campaign", "campaign/spring campaign/spring-sale"},
		{"campaign/spring", "campaign/spring"},
		{"campaign/spring/**", "campaign/spring ad_group/spring/runs ad/spring/runs/hero"},
		{"campaign/spring*", "campaign/spring campaign/spring-sale"},
		{"campaign/spring-?ale", "campaign/spring-sale"},
		{"campaign/spring-[a-z]ale/**", "campaign/spring-sale ad_group/spring-sale/x"},
		{"campaign/**", "campaign/spring ad_group/spring/runs " +
			"ad/spring/runs/hero campaign/spring-sale ad_group/spring-sale/x"},
		{"*/spring/**", "campaign/spring ad_group/spring/runs ad/spring/runs/hero"},
		{"-ad -ad_group", "campaign/spring campaign/spring-sale"},
		{"campaign/spring-*/** -ad_group/**", "campaign/spring-sale"},
		{"campaign -campaign/spring", "campaign/spring-sale"},
	} {
		t.Run(row.pattern, func(t *testing.T) {
			in := selected(t, plan.Input{Schemas: kinds.All(),
				Policy: plan.DefaultPolicy(), Desired: snapshot(t, selectable)}, row.pattern)
			p := compare.Diff(in)
			var got []string
			for _, c := range p.Changes {
				got = append(got, c.Address.String())
			}
			if d := cmp.Diff(strings.Fields(row.want), got); d != "" || p.Unmatched != nil {
				t.Errorf("%s selects (-want +got), %v:\n%s", row.pattern, p.Unmatched, d)
			}
		})
	}
}

func TestAPatternThatNamesNothingIsAnError(t *testing.T) {
	for _, row := range []struct{ pattern, want string }{
		{"campain", `--target campain names nothing in the files or in adsync's record; did you mean "campaign"?`},
		{"campaign/sprung", `did you mean "campaign/spring"?`},
		{"ad_group/spring/run/**", `did you mean "ad_group/spring/runs"?`},
		{"campaign -ad/spring/runs/zero", `--exclude ad/spring/runs/zero names nothing`},
		{"campaign/winter-*", `--target campaign/winter-* names nothing`},
	} {
		in := selected(t, plan.Input{Schemas: kinds.All(),
			Policy: plan.DefaultPolicy(), Desired: snapshot(t, selectable)}, row.pattern)
		if err := compare.Diff(in).Unmatched; err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; want %s", row.pattern, err, row.want)
		}
	}
	for _, text := range []string{"", "campaign/", "/spring", "campaign//x", "campaign/[a"} {
		if _, err := plan.ParsePattern(text, diag.Position{}); err == nil {
			t.Errorf("ParsePattern(%q) gives no error", text)
		}
	}
}

func TestAPatternOfAFileIsNamedWithItsLine(t *testing.T) {
	p, err := plan.ParsePattern("campaign/none", diag.At("list.txt", 3, 0))
	if err != nil {
		t.Fatal(err)
	}
	in := plan.Input{
		Schemas: kinds.All(), Policy: plan.DefaultPolicy(),
		Desired: snapshot(t, selectable), Select: plan.Selection{Target: []plan.Pattern{p}},
	}
	if err := compare.Diff(in).Unmatched; err == nil ||
		!strings.Contains(err.Error(), "campaign/none of list.txt:3 names nothing") {
		t.Errorf("unmatched is %v", err)
	}
}

func TestASelectedCreateBringsWhatItNeeds(t *testing.T) {
	in := selected(t, plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Desired: snapshot(t, selectable)},
		"ad/spring/runs/hero")
	p := compare.Diff(in)
	if got, want := len(p.Applicable()), 3; got != want {
		t.Fatalf("%d changes go; want %d:\n%s", got, want, sketch(p.Changes))
	}
	want := []plan.Pulled{
		{Address: address("campaign/spring"), For: address("ad/spring/runs/hero")},
		{Address: address("ad_group/spring/runs"), For: address("ad/spring/runs/hero")},
	}
	if d := cmp.Diff(want, p.Selected.Pulled); d != "" {
		t.Errorf("pulled in (-want +got):\n%s", d)
	}
}

func address(text string) resource.Address {
	a, _ := resource.ParseAddress(text)
	return a
}

func TestASelectedCreateWithoutItsParentIsHeld(t *testing.T) {
	in := selected(t, plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Desired: snapshot(t, selectable)},
		"ad -campaign/spring")
	p := compare.Diff(in)
	if len(p.Applicable()) != 0 || len(p.Changes) != 1 || len(p.Selected.Pulled) != 0 {
		t.Fatalf("%d changes go:\n%s", len(p.Applicable()), sketch(p.Changes))
	}
	if h := p.Changes[0].Held; h == nil || h.Hazard != plan.Unselected ||
		h.Message != "needs campaign/spring, which is excluded" {
		t.Errorf("held with %+v", h)
	}
}

func TestAReplaceIsNeverWithoutWhatLiesBeneathIt(t *testing.T) {
	last := strings.ReplaceAll(selectable, "bidding_type=clicks", "bidding_type=impressions")
	in := plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Allow: allowances(t, "replace"),
		Last: snapshot(t, last), Desired: snapshot(t, selectable), Live: snapshot(t, last)}
	if whole := compare.Diff(in); !strings.Contains(sketch(whole.Applicable()), "replace ad/spring/runs/hero") {
		t.Fatalf("nothing is replaced:\n%s", sketch(whole.Changes))
	}
	p := compare.Diff(selected(t, in, "campaign/spring"))
	if got := sketch(p.Applicable()); !strings.Contains(got, "replace ad/spring/runs/hero") || len(p.Changes) != 3 {
		t.Errorf("what lies beneath stays behind:\n%s", sketch(p.Changes))
	}
	p = compare.Diff(selected(t, in, "campaign/spring -ad"))
	if len(p.Applicable()) != 0 {
		t.Errorf("a tree is archived that is not made again:\n%s", sketch(p.Changes))
	}
	p = compare.Diff(selected(t, in, "ad/spring/runs/hero"))
	if len(p.Applicable()) != 0 {
		t.Errorf("an ad is made beneath what is replaced later:\n%s", sketch(p.Changes))
	}
}

func TestWhatIsLeftOutIsCountedWithItsMoney(t *testing.T) {
	rows := "campaign/a#1 name=Aaa status=active budget.daily=10\ncampaign/b#2 name=Bbb status=active budget.daily=10\n"
	in := plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(),
		Last: snapshot(t, rows), Live: snapshot(t, rows),
		Desired: snapshot(t, strings.ReplaceAll(rows, "daily=10", "daily=12"))}
	p := compare.Diff(selected(t, in, "campaign/a"))
	if p.Spend.DailyBefore != 20e6 || p.Spend.DailyAfter != 22e6 {
		t.Errorf("the selected part takes spend from %d to %d; want 20 to 22", p.Spend.DailyBefore, p.Spend.DailyAfter)
	}
	if s := p.Selected.Spend; s.DailyBefore != 10e6 || s.DailyAfter != 12e6 {
		t.Errorf("what is left out takes spend from %d to %d; want 10 to 12", s.DailyBefore, s.DailyAfter)
	}
	content, err := json.Marshal(p)
	if want := `"left_out":{"counts":{"update":1},"changes":[{"address":"campaign/b","action":"update","held":false}]`; err != nil || !strings.Contains(string(content), want) {
		t.Errorf("JSON has no %s, %v:\n%s", want, err, content)
	}
}

// A pattern is drawn from what a marketer may type.
func drawPatterns(t *rapid.T) string {
	one := rapid.SampledFrom([]string{"campaign", "ad_group", "ad", "campaign/a",
		"campaign/a/**", "campaign/b/**", "*/a/**", "ad_group/*/r", "ad_group/a/**", "ad/a/r/h", "ad/**/h",
		"-campaign", "-campaign/a", "-ad_group/b/**", "-ad/a/r/h", "-*/b/**", "-ad"})
	return strings.Join(rapid.SliceOfN(one, 1, 3).Draw(t, "patterns"), " ")
}

func TestSelectingAddsNothingAndReleasesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		_, given := allowed(rt, t, d)
		given = rapid.SliceOfDistinct(rapid.SampledFrom(append(given, "raises-spend=30/day", "archives", "archives=2")),
			rapid.ID).Draw(rt, "given")
		patterns := drawPatterns(rt)
		whole, part := compare.Diff(d.input(t, given...)), compare.Diff(selected(t, d.input(t, given...), patterns))
		may := sent(whole.Applicable())
		for what := range sent(part.Applicable()) {
			if !may[what] {
				rt.Fatalf("%s is added by selecting %s:\nwhole:\n%s\npart:\n%s\n%s",
					what, patterns, sketch(whole.Changes), sketch(part.Changes), d)
			}
		}
		if n := len(part.Changes) + len(part.Selected.LeftOut); n != len(whole.Changes) {
			rt.Fatalf("%d changes of %d are in the part or left out", n, len(whole.Changes))
		}
		heldByWhole := holdsOf(whole)
		now := holdsOf(part) // what needs a change that is left out is held for that, and not for what held both
		for address, holds := range heldByWhole {
			for hold := range holds {
				if stillThere(part, address) && !now[address][hold] && !now[address][string(plan.Unselected)+" "] {
					rt.Fatalf("%s of %s is released by selecting %s:\n%s\n%s",
						hold, address, patterns, sketch(part.Changes), d)
				}
			}
		}
	})
}

// holdsOf is what holds each address, as hazard and allowance.
func holdsOf(p *plan.Plan) map[resource.Address]map[string]bool {
	all := map[resource.Address]map[string]bool{}
	for i := range p.Changes {
		c := &p.Changes[i]
		all[c.Address] = map[string]bool{}
		for _, h := range c.Holds() {
			all[c.Address][string(h.Hazard)+" "+h.Allow] = true
		}
	}
	return all
}

func stillThere(p *plan.Plan, a resource.Address) bool {
	for i := range p.Changes {
		if p.Changes[i].Address == a {
			return true
		}
	}
	return false
}

// What a part does leaves no create without its parent, and a tree that is
// replaced is made again.
func TestAPartStandsAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		_, given := allowed(rt, t, d)
		p := compare.Diff(selected(t, d.input(t, given...), drawPatterns(rt)))
		in := d.input(t, given...)
		after := simulated(in.Live, p)
		for r := range after.All() {
			parent := kinds.All().Parent(r.Address)
			if in.Live.Get(r.Address) == nil && !parent.IsZero() && after.Get(parent) == nil {
				rt.Fatalf("%s is made without %s:\n%s\n%s", r.Address, parent, sketch(p.Changes), d)
			}
		}
		whole := simulated(in.Live, compare.Diff(in))
		for _, c := range p.Applicable() {
			if c.Action != plan.Replace {
				continue
			}
			for r := range whole.All() {
				if strings.HasPrefix(r.Address.Key, c.Address.Key+"/") && after.Get(r.Address) == nil {
					rt.Fatalf("%s is gone with %s and not made again:\n%s\n%s",
						r.Address, c.Address, sketch(p.Changes), d)
				}
			}
		}
	})
}
