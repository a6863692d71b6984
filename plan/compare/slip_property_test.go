package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	_ "adsync/internal/testing/drawn"
	"adsync/plan"
	"adsync/plan/compare"

	"pgregory.net/rapid"
)

// slips are two columns, budgets and landing pages, as they were applied and as
// hands have left them, and rows that are new.
type slips struct {
	budgets, pages       []string // were
	newBudgets, newPages []string // are now; the rest of the rows is new
	names                []string // of new campaigns
}

func drawSlips(t *rapid.T) *slips {
	var s slips
	n := rapid.IntRange(3, 14).Draw(t, "rows")
	for range n {
		s.budgets = append(s.budgets,
			rapid.SampledFrom(list("10 20 21 22 30 40 50 51 52 80 100 1000 5000")).Draw(t, "budget"))
		s.pages = append(s.pages, rapid.SampledFrom(list("a b c d e f g h i j k l m n p1 p2 p3")).Draw(t, "page"))
	}
	s.newBudgets, s.newPages = slices.Clone(s.budgets), slices.Clone(s.pages)
	for range rapid.IntRange(1, 3).Draw(t, "slips") {
		s.newBudgets = slip(t, s.newBudgets, func(i int) string { return fmt.Sprint(50 + i) })
		s.newPages = slip(t, s.newPages, func(i int) string { return fmt.Sprintf("p%d", i+1) })
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "new") {
		s.newBudgets = append(s.newBudgets,
			rapid.SampledFrom([]string{fmt.Sprint(60 + i), "50", "50000000"}).Draw(t, "new budget"))
		s.names = append(s.names, rapid.SampledFrom(list("Spring_launch "+
			"Spring_lanuch Spring-Launch Summer_sale Autumn_1")).Draw(t, "name")+strings.Repeat(".", i))
	}
	return &s
}

// slip is one slip of the hand in a column.
func slip(t *rapid.T, column []string, counted func(int) string) []string {
	next := slices.Clone(column)
	from := rapid.IntRange(0, len(next)-1).Draw(t, "from")
	to := rapid.IntRange(from, len(next)-1).Draw(t, "to")
	switch rapid.IntRange(0, 4).Draw(t, "slip") {
	case 0:
		return rapid.Permutation(next).Draw(t, "shuffled")
	case 1:
		copy(next[from:], next[from+1:])
	case 2:
		for i := from; i <= to; i++ {
			next[i] = counted(i - from)
		}
	case 3:
		for i := from; i <= to; i++ {
			next[i] = next[from]
		}
	case 4:
		next[from] += "00"
	}
	return next
}

func (s *slips) tables() (was, now table) {
	was = append(fill("campaign/c%d status=active budget.daily=%s", s.budgets...),
		fill("ad/c/g/a%d target_url=https://a.example/%s", s.pages...)...)
	for i, amount := range s.newBudgets {
		row := fmt.Sprintf("campaign/c%d status=active budget.daily=%s", i+1, amount)
		if fresh := i - len(s.budgets); fresh >= 0 {
			row += " bidding_type=clicks name=" + s.names[fresh]
		}
		now = append(now, row)
	}
	return was, append(now, fill("ad/c/g/a%d target_url=https://a.example/%s", s.newPages...)...)
}

// sheets puts every kind on a sheet of its own, from the second row on.
func (rows table) sheets(t testing.TB) *resource.Snapshot {
	s := rows.typed(t)
	line := map[resource.Kind]int{}
	for _, text := range rows {
		name, _, _ := strings.Cut(text, " ")
		address, _ := resource.ParseAddress(name)
		line[address.Kind]++
		r := s.Get(address)
		for i := range r.Attributes {
			v := &r.Attributes[i].Value
			v.Position = v.Position.Origin().At(line[address.Kind]+1, v.Position.Column())
		}
	}
	return s
}

func (s *slips) input(t testing.TB, allow ...string) plan.Input {
	was, now := s.tables()
	return plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Allow: allowances(t, allow...),
		Last: was.applied(t), Desired: now.sheets(t), Live: was.applied(t)}
}

// again plans once more after what a plan lets pass was applied.
func again(in plan.Input, p *plan.Plan) *plan.Plan {
	in.Last, in.Live = recorded(in.Last, p.Applicable()), simulated(in.Live, p)
	return compare.Diff(in)
}

func TestWhatASlipHoldsStaysHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSlips(rt)
		p := compare.Diff(s.input(t))
		if second := again(s.input(t), p); !second.Empty() {
			rt.Fatalf("the second plan applies what the first held:\n%s\nfirst:\n%s\n%s\nsecond:\n%s",
				sketch(second.Applicable()), sketch(p.Changes), told(p), told(second))
		}
	})
}

func TestEverySlipCanBeAllowed(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSlips(rt)
		var given []string
		p := compare.Diff(s.input(t))
		for wanted := strings.Fields(asked(p)); len(wanted) > 0; wanted = strings.Fields(asked(p)) {
			slices.Sort(wanted)
			if slices.ContainsFunc(wanted, func(w string) bool { return slices.Contains(given, w) }) {
				rt.Fatalf("%v is given, and %v is asked for:\n%s", given, wanted, sketch(p.Changes))
			}
			given = append(given, slices.Compact(wanted)...)
			p = compare.Diff(s.input(t, given...))
		}
		if second := again(s.input(t, given...), p); !second.Empty() || len(second.Changes) > 0 {
			rt.Fatalf("with everything allowed the second plan is %s", sketch(second.Changes))
		}
	})
}

func TestDecreasesAndPausesPassEverySlipButAShuffle(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSlips(rt)
		in := s.input(t)
		for r := range in.Desired.All() {
			if rapid.Bool().Draw(rt, "paused") && in.Last.Get(r.Address) != nil {
				r.Set("status", resource.Text("paused"))
			}
		}
		for r := range in.Last.All() {
			r.Set("status", resource.Text("active"))
			in.Live.Get(r.Address).Set("status", resource.Text("active"))
		}
		for _, c := range compare.Diff(in).Changes {
			if c.Held != nil && c.Action != plan.Create {
				rt.Fatalf("%s is held whole: %s", c.Address, held(c.Held))
			}
			for _, f := range c.Fields {
				if f.Phase == plan.Lower && f.Held != nil && (f.Name == "status" || f.Held.Hazard != plan.Shifted) {
					rt.Fatalf("%s of %s is held: %s", f.Name, c.Address, held(f.Held))
				}
			}
		}
	})
}

func TestAShuffledColumnIsAlwaysFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := count("p%da", rapid.IntRange(10, 30).Draw(rt, "rows"))
		shuffled := rapid.Permutation(values).Draw(rt, "shuffled")
		moved := 0
		for i := range values {
			if values[i] != shuffled[i] {
				moved++
			}
		}
		if moved*100 <= len(values)*30 {
			rt.Skip("too little was moved")
		}
		p := retyped(t, fill(adURL, values...), fill(adURL, shuffled...))
		if len(p.SuspiciousEdits) == 0 || p.SuspiciousEdits[0].Hazard != plan.Shifted ||
			p.SuspiciousEdits[0].Held != moved || !p.Empty() {
			rt.Fatalf("%d of %d moved, and the plan says %q", moved, len(values), told(p))
		}
	})
}

func TestAccidentsDoNotDependOnTheOrderOfResources(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		in := drawSlips(rt).input(t)
		first := compare.Diff(in)
		in.Desired, in.Last, in.Live = mixed(rt, in.Desired), mixed(rt, in.Last), mixed(rt, in.Live)
		if second := compare.Diff(in); first.Hash() != second.Hash() {
			rt.Fatalf("plans differ:\n%s\n%s", told(first), told(second))
		}
	})
}

// mixed returns a snapshot that was filled in another order.
func mixed(t *rapid.T, s *resource.Snapshot) *resource.Snapshot {
	other := &resource.Snapshot{}
	for _, a := range rapid.Permutation(s.Addresses()).Draw(t, "order") {
		other.Add(s.Get(a))
	}
	return other
}

func TestFewerAllowancesNeverLetMoreOfASlipPass(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSlips(rt)
		given := strings.Fields(asked(compare.Diff(s.input(t))))
		slices.Sort(given)
		given = slices.Compact(given)
		if len(given) == 0 {
			rt.Skip("nothing is held")
		}
		all := compare.Diff(s.input(t, given...))
		kept := rapid.SliceOfDistinct(rapid.SampledFrom(given), rapid.ID).Draw(rt, "kept")
		may := sent(all.Applicable())
		for what := range sent(compare.Diff(s.input(t, kept...)).Applicable()) {
			if !may[what] {
				rt.Fatalf("%s passes with %v, and not with %v", what, kept, given)
			}
		}
	})
}
