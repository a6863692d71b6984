package compare_test

import (
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"pgregory.net/rapid"
)

// Time alone makes a day wrong, overnight and while a row waits. That holds the
// row, and nothing else: what could go yesterday goes.
func TestADayThatHasPassedIsHeldAndStopsNothingElse(t *testing.T) {
	const (
		standing = "campaign/b#2 name=Autumn bidding_type=clicks budget.daily=20 status=active\n"
		paused   = "campaign/b name=Autumn bidding_type=clicks budget.daily=20 status=paused\n"
		fresh    = "campaign/n name=Spring bidding_type=clicks budget.daily=20 status=paused "
		group    = "\nad_group/n/g name=Group bid.max=1 status=active\n" +
			"ad/n/g/h title=Shoes body=Light target_url=https://a.example/ image=https://a.example/a.png status=active"
		window = "spend_limit_window/w#7 name=W amount=50 "
		daily  = "daily_spend_limit/d#8 amount=50 "
	)
	tests := []struct {
		name                string
		last, live, desired string // beside a campaign that is paused; live "" is last
		late                string // the words at each cell, "" of what is not late
		held, goes          string // addresses, those of fields with their names
	}{
		{name: "a new campaign that is over", desired: fresh + "end=2026-11-20" + group, late: "end is 2026-11-20, " +
			"which has passed; want 2026-11-21 or later: it is 2026-11-21 in the account's time zone",
			held: "ad/n/g/h ad_group/n/g campaign/n"},
		{name: "one that ends today has a day left",
			desired: fresh + "end=2026-11-21" + group, goes: "campaign/n ad_group/n/g ad/n/g/h"},
		{name: "one that began before starts at once", desired: fresh + "start=2026-11-01", goes: "campaign/n"},
		{name: "a live campaign may end in the past",
			last: fresh + "end=2026-12-31", desired: fresh + "end=2026-11-20", goes: "campaign/n:end"},
		{name: "a live campaign that is over stays as it is",
			last: fresh + "start=2026-10-01 end=2026-11-01", desired: fresh + "start=2026-10-01 end=2026-11-01"},
		{name: "a new range of days that began yesterday", desired: window + "start=2026-11-20 end=2026-12-31",
			late: "start is 2026-11-20", held: "spend_limit_window/w"},
		{name: "one that is over", desired: window + "start=2026-11-01 end=2026-11-20",
			late: "end is 2026-11-20 | start is 2026-11-01", held: "spend_limit_window/w"},
		{name: "one that begins today", desired: window + "start=2026-11-21 end=2026-12-31",
			goes: "spend_limit_window/w"},
		{name: "a new daily limit that begins today", desired: daily + "start=2026-11-21",
			late: "start is 2026-11-21, and that day has begun; want 2026-11-22 or later", held: "daily_spend_limit/d"},
		{name: "one that begins tomorrow", desired: daily + "start=2026-11-22", goes: "daily_spend_limit/d"},
		{name: "a range that runs stays as it is",
			last: window + "start=2026-11-01 end=2026-12-31", desired: window + "start=2026-11-01 end=2026-12-31"},
		{name: "a range that has begun begins on no other day",
			last: window + "start=2026-11-21 end=2026-12-31", desired: window + "start=2026-11-25 end=2026-12-31",
			late: "it began on 2026-11-21: the first day of what has begun stays", held: "spend_limit_window/w:start"},
		{name: "a last day that has passed", last: window + "start=2026-11-01 end=2026-12-31", desired: window +
			"start=2026-11-01 end=2026-11-20", late: "end is 2026-11-20", held: "spend_limit_window/w:end"},
		{name: "a lower amount beside it goes", last: window + "start=2026-11-01 end=2026-12-31",
			desired: "spend_limit_window/w name=V amount=40 start=2026-11-01 end=2026-11-20",
			late:    "end is 2026-11-20", held: "spend_limit_window/w:end spend_limit_window/w:name",
			goes: "spend_limit_window/w:amount"},
		{name: "a higher one waits with it", last: window + "start=2026-11-01 end=2026-12-31",
			desired: "spend_limit_window/w name=W amount=60 start=2026-11-01 end=2026-11-20",
			late:    "end is 2026-11-20", held: "spend_limit_window/w:amount spend_limit_window/w:end"},
		{name: "a day that somebody else moved on", last: window + "start=2026-11-01 end=2026-11-20",
			live: window + "start=2026-11-01 end=2026-12-31", desired: window + "start=2026-11-01 end=2026-11-20",
			late: "end is 2026-11-20", held: "spend_limit_window/w:end"},
		{name: "what has ended cannot change", last: window + "start=2026-11-01 end=2026-11-20",
			desired: "spend_limit_window/w name=V amount=40 start=2026-11-01 end=2026-11-20",
			late:    "it ended on 2026-11-20 and cannot change", held: "spend_limit_window/w"},
		{name: "nor does it go on", last: window + "start=2026-11-01 end=2026-11-20",
			live: " ", desired: window + "start=2026-11-01 end=2026-12-20",
			late: "what is over does not start again", held: "spend_limit_window/w"},
		{name: "what has ended and is gone stays as it was", last: window + "start=2026-11-01 end=2026-11-20",
			live: " ", desired: window + "start=2026-11-01 end=2026-11-20"},
		{name: "what has ended needs no removal", last: window + "start=2026-11-01 end=2026-11-20",
			desired: window + "start=2026-11-01 end=2026-11-20 status=archived"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			live := tt.last
			if tt.live != "" {
				live = tt.live
			}
			p := on(t, "2026-11-21", nil, standing+tt.last,
				paused+tt.desired, standing+live, "activates", "raises-spend", "twin")
			if len(p.Problems) > 0 {
				t.Errorf("problems %v; want none", p.Problems)
			}
			held, goes := heldLate(t, p)
			if want := inOrder(append(strings.Fields(tt.goes), "campaign/b:status")); held != tt.held || goes != want {
				t.Errorf("held are %q and %q go; want %q and %q:\n%s", held, goes, tt.held, want, sketch(p.Changes))
			}
			wordsAt(t, p.Late, tt.late)
		})
	}
}

// wordsAt wants a warning for each of the words, of which "" are none.
func wordsAt(t *testing.T, late []diag.Problem, words string) {
	t.Helper()
	var want []string
	if words != "" {
		want = strings.Split(words, " | ")
	}
	if len(late) != len(want) {
		t.Fatalf("late are %v; want %q", late, want)
	}
	for i, p := range late {
		if !strings.Contains(p.Message, want[i]) || p.Code != diag.BadDate || p.Severity != diag.Warning {
			t.Errorf("late is %v; want a warning %s with %q", p, diag.BadDate, want[i])
		}
	}
}

// heldLate names what is held for its day, which no allowance may release, and
// what goes.
func heldLate(t *testing.T, p *plan.Plan) (held, goes string) {
	t.Helper()
	var late, free []string
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.Action == plan.Record {
			continue
		}
		note := func(name string, h *plan.Hold) {
			if h == nil {
				free = append(free, name)
				return
			}
			late = append(late, name)
			if !slices.ContainsFunc((&plan.Change{Held: h}).Holds(), isLate) {
				t.Errorf("%s is held as %s, released by %q: %s; want it late", name, h.Hazard, h.Allow, h.Message)
			}
		}
		if c.Held != nil || c.Action != plan.Update {
			note(c.Address.String(), c.Held)
			continue
		}
		for j := range c.Fields {
			note(c.Address.String()+":"+c.Fields[j].Name, c.Fields[j].Held)
		}
	}
	return inOrder(late), inOrder(free)
}

func inOrder(words []string) string {
	slices.Sort(words)
	return strings.Join(words, " ")
}

// isLate reports whether a hold is for a day that has passed, and that nothing releases it.
func isLate(h plan.Hold) bool {
	return h.Hazard == plan.Late && h.Allow == "" &&
		(strings.Contains(h.Message, "nothing releases it") || strings.HasPrefix(h.Message, "held with "))
}

// Time alone makes no problem, so that it stops nothing else; what came too late is
// found, and nothing of it is sent, whatever is allowed.
func TestNothingGoesThatCameTooLate(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		d.days(rt)
		in := d.input(t, "raises-spend", "drift", "conflict",
			"adopt", "activates", "replace", "removed-by-hand", "twin", "exceeds-files")
		p := compare.Diff(in)
		for _, problem := range p.Problems {
			if problem.Code == diag.BadDate {
				rt.Fatalf("%s is a problem; want a hold:\n%s", problem, d)
			}
		}
		for _, c := range p.Changes {
			if got, want := slices.Contains(c.Hazards, plan.Late),
				tooLate(in.Desired.Get(c.Address), in.Live.Get(c.Address), &c); got != want {
				rt.Fatalf("%s has the hazard %s: %v; want %v:\n%s\n%s",
					c.Address, plan.Late, got, want, sketch([]plan.Change{c}), d)
			}
		}
		for _, c := range p.Applicable() {
			lowers := len(c.Fields) > 0 && !slices.ContainsFunc(c.Fields, func(f plan.Field) bool {
				return f.Name != "amount" || f.Phase != plan.Lower
			})
			ended := in.Live.Get(c.Address) != nil && in.Live.Get(c.Address).Value("end").Text() < moneyDay
			if tooLate(in.Desired.Get(c.Address), in.Live.Get(c.Address), &c) && (ended || !lowers) {
				rt.Fatalf("%s goes, and came too late:\n%s\n%s", c.Address, sketch([]plan.Change{c}), d)
			}
		}
	})
}

// days gives campaigns a last day, and the account a dated limit, around moneyDay.
func (d *drawn) days(t *rapid.T) {
	d.today = moneyDay
	day := rapid.SampledFrom([]string{"2026-10-01", "2026-11-20", "2026-11-21", "2026-11-22", "2026-12-31"})
	for _, side := range []*string{&d.last, &d.desired, &d.live} {
		lines := strings.SplitAfter(*side, "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "campaign/") {
				lines[i] = strings.TrimSuffix(line, "\n") + " " + some(t, "end="+day.Draw(t, "campaign's end")) + "\n"
			}
		}
		*side = strings.Join(lines, "")
		if first, last := day.Draw(t, "start"), day.Draw(t, "end"); first <= last && rapid.Bool().Draw(t, "limit") {
			*side += "spend_limit_window/w#7 amount=" + rapid.SampledFrom([]string{"40", "50", "60"}).Draw(t, "limit") +
				" start=" + first + " end=" + last + "\n"
		}
	}
}

// tooLate reports whether a change came too late for one of its days, told from what the
// files want and what is live.
func tooLate(desired, live *resource.Resource, c *plan.Change) bool {
	before := func(r *resource.Resource, name string) bool {
		return r.Value(name).IsSet() && r.Value(name).Text() < moneyDay
	}
	makes := c.Action == plan.Create || c.Action == plan.Replace &&
		len(c.Fields) > 0 && c.Fields[0].Phase == plan.Creates
	limit := c.Address.Kind == kinds.SpendLimitWindow
	changes := func(name string) bool { return !desired.Value(name).Equal(live.Value(name)) }
	switch {
	case desired == nil || c.Action == plan.Archive || len(c.Fields) == 0:
		return false
	case makes && c.Address.Kind == kinds.Campaign:
		return before(desired, "end")
	case !limit:
		return false
	case makes:
		return before(desired, "start") || before(desired, "end")
	case live == nil || before(live, "end"):
		return true
	}
	return changes("end") && before(desired, "end") ||
		changes("start") && (before(desired, "start") || live.Value("start").Text() <= moneyDay)
}
