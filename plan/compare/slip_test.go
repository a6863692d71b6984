package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/plan"
	"adsync/plan/compare"

	"github.com/google/go-cmp/cmp"
)

const (
	adURL    = "ad/c/g/a%d target_url=https://a.example/%s"
	adTitle  = "ad/c/g/a%d title=%s"
	adName   = "ad/c/g/a%d name=%s"
	budget   = "campaign/c%d budget.daily=%s"
	lastDay  = "campaign/c%d end=%s"
	bid      = "ad_group/c/g%d bid.max=%s"
	fullName = "campaign/c%d name=%s"
)

// suspicious edit is a row of the tables below: what somebody made of a column, and
// what the plan says of it.
type accident struct {
	name     string
	form     string
	was, now []string
	want     string // the accidents, a line each; "" where the plan is silent
}

func (a *accident) check(t *testing.T) {
	t.Helper()
	if d := cmp.Diff(a.want, told(retyped(t, fill(a.form, a.was...), fill(a.form, a.now...)))); d != "" {
		t.Errorf("accidents (-want +got):\n%s", d)
	}
}

func checkAll(t *testing.T, tests []accident) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, tt.check)
	}
}

func list(s string) []string { return strings.Fields(s) }

func TestH5AColumnThatStandsBesideOtherRows(t *testing.T) {
	checkAll(t, []accident{
		{
			name: "sorted alone", form: adURL, was: list("mud sand rock snow road"),
			now: list("mud road rock sand snow"),
			want: "shifted: target_url of 3 of 5 ads in " +
				"q4.xlsx:Ads!E is what another one had; was the column sorted without the others, or a cell deleted?" +
				" | E3 now says what E6 said | E5 now says what E3 said | E6 now says what E5 said | 3 held, shifted",
		},
		{
			name: "a cell deleted, the rest moved up",
			form: adURL, was: list("mud sand rock snow road"), now: list("mud rock snow road road"),
			want: "shifted: target_url of 2 of " +
				"5 ads in q4.xlsx:Ads!E is what another one had | E3 now says what E4 said | E4 now says what E5 said",
		},
		{
			name: "five rows that slid are enough in a long column",
			form: adURL, was: count("p%da", 40), now: slid(count("p%da", 40), 33),
			want: "shifted: target_url of 6 of 40 ads in q4.xlsx:Ads!E " +
				"is what another one had; was the column sorted without the others, or a cell deleted?" +
				" | E35 now says what E36 said | " +
				"E36 now says what E37 said | E37 now says what E38 said | 7 held, shifted",
		},
		{
			name: "budgets shuffled, the lowered ones too",
			form: budget, was: list("10 20 30 40 50"), now: list("50 10 40 20 30"),
			want: "shifted: budget.daily of 5 of 5 campaigns in q4.xlsx:Campaigns!D " +
				"is what another one had; was the column sorted without the others, or a cell deleted?" +
				" | D2 now says what D6 said | D3 now says what D2 said | D4 now says what D5 said | 5 held, shifted",
		},
		{
			name: "budgets of which there are few, shuffled",
			form: budget, was: list("10 20 10 20 30 30"), now: list("20 10 30 30 10 20"),
			want: "shifted: budget.daily of 6 of 6 campaigns in q4.xlsx:Campaigns!D " +
				"is what another one had; was the column sorted without the others, or a cell deleted?" +
				" | D2 10.00 → 20.00 | D3 20.00 → 10.00 | D4 10.00 → 30.00 | 6 held, shifted",
		},
		{
			name: "two that swapped are shown", form: adURL, was: list("mud sand rock"), now: list("sand mud rock"),
			want: "shifted: target_url of 2 of " +
				"3 ads in q4.xlsx:Ads!E is what another one had | E2 now says what E3 said | E3 now says what E2 said",
		},
		{
			name: "four budgets that went round are shown",
			form: budget, was: list("10 20 30 40"), now: list("20 30 40 10"),
			want: "shifted: budget.daily of 4 of 4 campaigns in q4.xlsx:Campaigns!D is what " +
				"another one had | D2 now says what D3 said | D3 now says what D4 said | D4 now says what D5 said",
		},
		{name: "values that other rows keep", form: adURL,
			was: list("mud sand rock mud sand rock"), now: list("sand rock mud mud sand rock")},
		{name: "every budget a step higher", form: budget,
			was: list("10 20 30 40 50 60"), now: list("20 30 40 50 60 70")},
		{name: "tiers raised alike", form: budget, was: list("10 10 20 20 50 50"), now: list("20 20 50 50 80 80")},
		{name: "a week later", form: lastDay, was: list("2026-12-01 2026-12-15 2026-12-08 2026-12-22 2026-12-29"),
			now: list("2026-12-08 2026-12-22 2026-12-15 2026-12-29 2027-01-05")},
		{name: "landing pages exchanged between two groups",
			form: adURL, was: list("a a a b b b"), now: list("b b b a a a")},
		{name: "one takes over what another gave up",
			form: adURL, was: list("mud sand rock"), now: list("sand lake rock")},
	})
}

// slid is a column in which the cell at index from was deleted.
func slid(values []string, from int) []string {
	return append(slices.Delete(slices.Clone(values), from, from+1), "new")
}

func TestH16ASeriesDraggedDown(t *testing.T) {
	checkAll(t, []accident{
		{
			name: "budgets, from a cell that kept its value",
			form: budget, was: list("50 40 30 30 45"), now: list("50 51 52 53 54"),
			want: "series: budget.daily of 5 campaigns in q4.xlsx:Campaigns!D counts up by 1.00 from D2 " +
				"to D6; was a cell dragged down? | D2 says 50.00 | D3 says 51.00 | D4 says 52.00 | 4 held, series",
		},
		{
			name: "lowered ones pass", form: budget, was: list("50 80 40 30 45"), now: list("50 51 52 53 54"),
			want: "series: budget.daily of 5 campaigns in q4.xlsx:Campaigns!D counts up by 1.00 from D2 " +
				"to D6; was a cell dragged down? | D2 says 50.00 | D3 says 51.00 | D4 says 52.00 | 3 held, series",
		},
		{
			name: "mostly lowered ones are shown", form: budget, was: list("60 70 80 90"), now: list("50 51 52 53"),
			want: "",
		},
		{
			name: "lowered from what did not count", form: budget, was: list("60 90 80 95"), now: list("50 51 52 53"),
			want: "series: budget.daily of 4 campaigns in q4.xlsx:Campaigns!D counts " +
				"up by 1.00 from D2 to D5; was a cell dragged down? | D2 says 50.00 | D3 says 51.00 | D4 says 52.00",
		},
		{
			name: "landing pages", form: adURL, was: list("mud sand rock snow"), now: list("p1 p2 p3 p4"),
			want: "series: target_url of 4 ads " +
				"in q4.xlsx:Ads!E counts up by 1 from E2 to E5; was a cell dragged down?" +
				" | E2 says https://a.example/p1 " +
				"| E3 says https://a.example/p2 | E4 says https://a.example/p3 | 4 held, series",
		},
		{
			name: "days", form: lastDay, was: list("2026-12-30 2026-12-24 2026-12-31 2026-11-01"),
			now: list("2026-12-30 2026-12-31 2027-01-01 2027-01-02"),
			want: "series: end of 4 campaigns in q4.xlsx:Campaigns!G counts up by 1 from G2 to G5; was a cell " +
				"dragged down? | G2 says 2026-12-30 | G3 says 2026-12-31 | G4 says 2027-01-01 | 3 held, series",
		},
		{
			name: "names are shown", form: adName, was: list("Mud Sand Rock Snow"), now: list("Ad_1 Ad_2 Ad_3 Ad_4"),
			want: `series: name of 4 ads in q4.xlsx:Ads!A counts ` +
				`up by 1 from A2 to A5; was a cell dragged down? | A2 says "Ad 1" | A3 says "Ad 2" | A4 says "Ad 3"`,
		},
		{name: "what counted before", form: budget, was: list("100 110 120 130 140"), now: list("110 121 132 143 154")},
		{name: "three rows", form: budget, was: list("50 40 30"), now: list("51 52 53")},
		{name: "campaigns a week apart", form: lastDay, was: list("2026-12-01 2026-12-02 2026-12-01 2026-12-09"),
			now: list("2026-12-08 2026-12-15 2026-12-22 2026-12-29")},
		{name: "one row completes a ladder", form: budget, was: list("10 20 30 39 50"), now: list("10 20 30 40 50")},
		{name: "rows apart", form: budget, was: list("50 50 40 40 30 30 20"), now: list("50 50 51 51 52 52 53")},
	})
}

func TestH16NewBudgetsThatCreepUp(t *testing.T) {
	fresh := func(amounts string) table {
		return fill("campaign/c%d budget.daily=%s name=Spring bidding_type=clicks", list(amounts)...)
	}
	p := retyped(t, nil, fresh("50 51 52 53 54"))
	want := "series: budget.daily of 5 campaigns in q4.xlsx:Campaigns!D counts up by 1.00 " +
		"from D2 to D6; was a cell dragged down? | D2 says 50.00 | D3 says 51.00 | D4 says 52.00 | 5 held, series"
	if d := cmp.Diff(want, told(p)); d != "" || !p.Empty() {
		t.Errorf("accidents (-want +got), and nothing is created:\n%s\n%s", d, sketch(p.Applicable()))
	}
	for _, amounts := range []string{"50 51 52 53", "10 20 30 40 50", "50 50 50 50 50"} {
		if p := retyped(t, nil, fresh(amounts)); told(p) != "" {
			t.Errorf("new budgets %s: %s; want nothing", amounts, told(p))
		}
	}
}

func TestOneValueOverManyRows(t *testing.T) {
	checkAll(t, []accident{
		{
			name: "a landing page", form: adURL, was: list("mud sand rock snow road wood"),
			now: list("mud sale sale sale sale sale"),
			want: "mass-edit: target_url of 5 of " +
				"6 ads in q4.xlsx:Ads!E is now https://a.example/sale; they had 5 different ones" +
				" | E3 said https://a.example/sand " +
				"| E4 said https://a.example/rock | E5 said https://a.example/snow | 5 held, mass-edit",
		},
		{
			name: "a budget, which lowered some", form: budget,
			was: list("45 90 30 40 35 44"), now: list("50 50 50 50 50 50"),
			want: "mass-edit: budget.daily of 5 of 6 campaigns in q4.xlsx:Campaigns!D is now " +
				"50.00; they had 5 different ones | D2 said 45.00 | D4 said 30.00 | D5 said 40.00 | 5 held, mass-edit",
		},
		{
			name: "bids and texts are shown", form: adTitle,
			was: list("Mud Sand Rock Snow Road"), now: list("Sale Sale Sale Sale Sale"),
			want: `mass-edit: title of 5 of 5 ads in q4.xlsx:Ads!C ` +
				`is now "Sale"; they had 5 different ones | C2 said "Mud" | C3 said "Sand" | C4 said "Rock"`,
		},
		{name: "budgets brought down to one", form: budget, was: list("60 70 80 90 55"), now: list("50 50 50 50 50")},
		{name: "a tier", form: budget, was: list("40 40 45 45 40 45"), now: list("50 50 50 50 50 50")},
		{name: "four rows", form: adURL, was: list("mud sand rock snow"), now: list("sale sale sale sale")},
		{name: "one last day for all", form: lastDay, was: list("2026-12-01 2026-12-05 " +
			"2026-12-09 2026-12-24 2026-12-30"), now: list("2026-12-31 2026-12-31 2026-12-31 2026-12-31 2026-12-31")},
	})
}

func TestTheSameReplacementInManyRows(t *testing.T) {
	checkAll(t, []accident{
		{
			name: "a word", form: adTitle,
			was: list("Summer_shoes Shoes_for_Summer Summer_in_Summer Summer! Rain Early_Summer"),
			now: list("Winter_shoes Shoes_for_Winter Winter_in_Winter Winter! Rain Early_Winter"),
			want: `mass-edit: "Summer" → "Winter" ` +
				`in title of 5 of 6 ads in q4.xlsx:Ads!C | C2 "Summer shoes" → "Winter ` +
				`shoes" | C3 "Shoes for Summer" → "Shoes for Winter" | C4 "Summer in Summer" → "Winter in Winter"`,
		},
		{
			name: "a part of words", form: adTitle,
			was: list("Summershoes Summerhats Summerbags Summerhits Summersale"),
			now: list("Wintershoes Winterhats Winterbags Winterhits Wintersale"),
			want: `mass-edit: "Summ" → "Wint" in title of 5 of 5 ads in q4.xlsx:Ads!C ` +
				`| C2 "Summershoes" → "Wintershoes" | C3 "Summerhats" → "Winterhats" | C4 "Summerbags" → "Winterbags"`,
		},
		{
			name: "an end", form: adTitle, was: list("Shoes Hats Bags Socks Boots"),
			now: list("Shoes_now Hats_now Bags_now Socks_now Boots_now"),
			want: `mass-edit: " now" put after title of 5 of ` +
				`5 ads in q4.xlsx:Ads!C | C2 "Shoes" → "Shoes now" | C3 "Hats" → "Hats now" | C4 "Bags" → "Bags now"`,
		},
		{
			name: "taken out", form: adTitle, was: list("Old_shoes Old_hats Old_bags Old_socks Old_boots"),
			now: list("shoes hats bags socks boots"),
			want: `mass-edit: "Old " taken out of title of 5 of 5 ` +
				`ads in q4.xlsx:Ads!C | C2 "Old shoes" → "shoes" | C3 "Old hats" → "hats" | C4 "Old bags" → "bags"`,
		},
		{
			name: "two of them", form: adTitle,
			was: list("Red_a1x Red_b1x Red_c1x Red_d1x Red_e1x Big_f1x Big_g1x Big_h1x Big_i1x Big_j1x"),
			now: list("Blue_a1x Blue_b1x Blue_c1x Blue_d1x Blue_e1x Tiny_f1x Tiny_g1x Tiny_h1x Tiny_i1x Tiny_j1x"),
			want: `mass-edit: "Big" → "Tiny" in title of 5 of 10 ads in q4.xlsx:Ads!C ` +
				`| C7 "Big f1x" → "Tiny f1x" | C8 "Big g1x" → "Tiny g1x" | C9 "Big h1x" → "Tiny h1x"` + "\n" +
				`mass-edit: "Red" → "Blue" in title of 5 of 10 ads in q4.xlsx:Ads!C ` +
				`| C2 "Red a1x" → "Blue a1x" | C3 "Red b1x" → "Blue b1x" | C4 "Red c1x" → "Blue c1x"`,
		},
		{name: "every text its own", form: adTitle, was: list("Shoes Hats Bags Socks Boots Gloves"),
			now: list("Schuhe Taschen Muetzen Socken Stiefel Handschuhe")},
		{name: "four rows", form: adTitle, was: list("Red_a Red_b Red_c Red_d"),
			now: list("Blue_a Blue_b Blue_c Blue_d")},
	})
}

func TestHTTPSEverywhereIsShownAndPasses(t *testing.T) {
	now := fill("ad/c/g/a%d target_url=https://a.example/%s", count("p%da", 20)...)
	was := fill("ad/c/g/a%d target_url=http://a.example/%s", count("p%da", 20)...)
	p := retyped(t, was, now, "updates=20")
	if want := `mass-edit: "http" → "https" in target_url ` +
		`of 20 of 20 ads in q4.xlsx:Ads!E | E2 http`; !strings.HasPrefix(told(p), want) {
		t.Errorf("accidents are %s; want %s…", told(p), want)
	}
	if got := len(p.Applicable()); got != 20 || asked(p) != "" {
		t.Errorf("%d of 20 changes pass, and %q is asked for", got, asked(p))
	}
}

func TestH2MicrosCentsAndUnits(t *testing.T) {
	tests := []struct{ form, was, now, want string }{
		{budget, "50", "50000000", "scale: budget.daily of 1 campaign in q4.xlsx:Campaigns!D " +
			"is 1,000,000 times what it was; were micros typed as units? | D2 50.00 → 50000000.00 | 1 held, scale"},
		{budget, "50", "5000", "scale: budget.daily of 1 campaign in q4.xlsx:Campaigns!D " +
			"is 100 times what it was; were cents typed as units? | D2 50.00 → 5000.00 | 1 held, scale"},
		{budget, "5000", "5", "scale: budget.daily of 1 campaign " +
			"in q4.xlsx:Campaigns!D is 1/1,000 of what it was; were units typed as thousandths? | D2 5000.00 → 5.00"},
		{bid, "50", "0.00005", "scale: bid.max of 1 ad group in " +
			"q4.xlsx:Ad groups!C is 1/1,000,000 of what it was; were units typed as micros? | C2 50.00 → 0.00005"},
		{budget, "50", "5000.01", ""},
		{budget, "50", "500", ""},
	}
	for _, tt := range tests {
		t.Run(tt.was+" to "+tt.now, func(t *testing.T) {
			if d := cmp.Diff(tt.want, told(retyped(t, fill(tt.form, tt.was), fill(tt.form, tt.now)))); d != "" {
				t.Errorf("accidents (-want +got):\n%s", d)
			}
		})
	}
}

func TestH2AnInheritedAmountIsLookedAtToo(t *testing.T) {
	was, now := fill(budget, "50", "50", "50", "50", "50"),
		fill(budget, "5000", "5000", "5000", "5000", "5000", "50000000")
	now[5] += " name=Spring bidding_type=clicks"
	in := plan.Input{
		Schemas: kinds.All(), Policy: plan.DefaultPolicy(),
		Last: was.applied(t), Desired: now.typed(t), Live: was.applied(t),
	}
	for r := range in.Desired.All() {
		v := r.Value("budget.daily")
		r.Set("budget.daily", v.At(diag.At("defaults.yaml", 3, 10)))
	}
	p := compare.Diff(in)
	if got := told(p); !strings.Contains(got, "of 5 campaigns in defaults.yaml is 100 times what it was") ||
		!strings.Contains(got, "of 1 new campaign in defaults.yaml is 1,000 times") || !p.Empty() {
		t.Errorf("accidents are %s; want a factor and an outlier, and nothing applied", got)
	}
}

func TestTheVeryAmountAllowsAScale(t *testing.T) {
	was, now := fill(budget, "50"), fill(budget, "5000")
	if got := asked(retyped(t, was, now)); got != "scale=campaign/c1 raises-spend=campaign/c1=5000.00" {
		t.Errorf("a hundredfold budget asks for %q", got)
	}
	if got := asked(retyped(t, was, now, "raises-spend=campaign/c1=5000")); got != "" {
		t.Errorf("with the very amount it asks for %q still; want nothing", got)
	}
	if got := asked(retyped(t, was, now, "scale")); got != "raises-spend=campaign/c1=5000.00" {
		t.Errorf("with the hazard it asks for %q; want the amount", got)
	}
}

func TestH2ANewAmountFarFromAllOthers(t *testing.T) {
	was := fill(budget, "50", "60", "40", "55", "45")
	add := func(amount string) table {
		return append(slices.Clone(was), "campaign/new name=Spring bidding_type=clicks budget.daily="+amount,
			"ad_group/new/r name=Runners")
	}
	p := retyped(t, was, add("50000"))
	want := "scale: budget.daily of 1 new campaign in q4.xlsx:Campaigns!D is 1,000 times or more above " +
		"50.00, the median of the 5 there are; is it in units of the currency? | D7 says 50000.00 | 1 held, scale"
	if d := cmp.Diff(want, told(p)); d != "" || !p.Empty() {
		t.Errorf("accidents (-want +got), and the tree is held whole:\n%s\n%s", d, sketch(p.Applicable()))
	}
	if got := len(retyped(t, was, add("50000"), "scale=campaign/new",
		"raises-spend=campaign/new=50000").Applicable()); got != 2 {
		t.Errorf("allowed, %d changes pass; want the campaign and its ad group", got)
	}
	if got := told(retyped(t, was, add("49999"))); got != "" {
		t.Errorf("a little less: %s; want nothing", got)
	}
	if got := told(retyped(t, was[:4],
		append(slices.Clone(was[:4]), "campaign/new name=Spring bidding_type=clicks budget.daily=50000"))); got != "" {
		t.Errorf("beside four: %s; want nothing", got)
	}
}

func TestH17ManyActivatedAtOnce(t *testing.T) {
	form := "campaign/c%d status=%s"
	status := func(active, paused int) table {
		return fill(form, slices.Concat(slices.Repeat([]string{"active"}, active),
			slices.Repeat([]string{"paused"}, paused))...)
	}
	p := retyped(t, status(0, 20), status(10, 10))
	want := "activates: 10 of 20 campaigns would be " +
		"activated at once in q4.xlsx:Campaigns!B | B2 | B3 | B4 | 10 held, activates"
	if d := cmp.Diff(want, told(p)); d != "" || !p.Empty() {
		t.Errorf("accidents (-want +got), and none is activated:\n%s\n%s", d, sketch(p.Applicable()))
	}
	for _, tt := range []struct{ was, now table }{
		{status(0, 30), status(9, 21)},  // nine
		{status(0, 40), status(12, 28)}, // 30 %
		{status(20, 0), status(0, 20)},  // a pause
	} {
		if p := retyped(t, tt.was, tt.now); told(p) != "" || asked(p) != "" {
			t.Errorf("accidents are %s; want none", told(p))
		}
	}
}

func TestAccidentsOfManyFilesNameThem(t *testing.T) {
	was := fill(adTitle, "Red_a", "Red_b", "Red_c", "Red_d", "Red_e")
	in := plan.Input{
		Last: was.applied(t), Live: was.applied(t),
		Desired: fill(adTitle, "Blue_a", "Blue_b", "Blue_c", "Blue_d", "Blue_e").typed(t),
	}
	in.Schemas, in.Policy = kinds.All(), plan.DefaultPolicy()
	n := 0
	for r := range in.Desired.All() {
		n++
		v := &r.Attributes[0].Value
		v.Position = diag.At(fmt.Sprintf("%c.yaml", 'a'+n%2), v.Position.Line(), 3)
	}
	want := `mass-edit: "Red" → "Blue" in title ` +
		`of 5 of 5 ads | a.yaml:3:3 "Red b" → "Blue b" | a.yaml:5:3 "Red d" → "Blue d" | b.yaml:2:3 "Red a" → "Blue a"`
	if d := cmp.Diff(want, told(compare.Diff(in))); d != "" {
		t.Errorf("accidents (-want +got):\n%s", d)
	}
}
