package compare_test

import (
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"pgregory.net/rapid"
)

// limits are what a policy can be tightened in, each with values from loose to
// tight.
var limits = []struct {
	name  string
	loose []int64
	of    func(*plan.Policy) *int64
}{
	{"budget, hold above", []int64{400, 150, 120, 100}, func(p *plan.Policy) *int64 { return &p.Budget.HoldAbove }},
	{"budget, refuse from", []int64{600, 500, 300, 150}, func(p *plan.Policy) *int64 { return &p.Budget.RefuseFrom }},
	{"bid, hold above", []int64{1000, 130, 110}, func(p *plan.Policy) *int64 { return &p.Bid.HoldAbove }},
	{"bid, refuse from", []int64{1000, 300, 150}, func(p *plan.Policy) *int64 { return &p.Bid.RefuseFrom }},
	{"bid share", []int64{90, 10, 1}, func(p *plan.Policy) *int64 { return &p.BidShare }},
	{"most a day", []int64{1000e6, 30e6, 12e6}, func(p *plan.Policy) *int64 { return &p.MaxDailyBudget }},
	{"most in all", []int64{1000e6, 30e6, 12e6}, func(p *plan.Policy) *int64 { return &p.MaxLifetimeBudget }},
	{"highest bid", []int64{1000e6, 2e6, 1e6}, func(p *plan.Policy) *int64 { return &p.MaxBid }},
	{"archives in percent", []int64{100, 10, 0}, func(p *plan.Policy) *int64 { return &p.ArchivePercent }},
	{"archives", []int64{50, 5, 1}, func(p *plan.Policy) *int64 { return &p.ArchiveCount }},
	{"updates", []int64{100, 30, 0}, func(p *plan.Policy) *int64 { return &p.UpdatePercent }},
	{"updates from", []int64{10, 2, 0}, func(p *plan.Policy) *int64 { return &p.UpdateFrom }},
	{"exposure", []int64{1000, 25, 0}, func(p *plan.Policy) *int64 { return &p.ExposurePercent }},
	{"max_daily_exposure", []int64{10000e6, 100e6, 20e6}, func(p *plan.Policy) *int64 { return &p.MaxDailyExposure }},
}

// drawLimits returns two policies that differ in one limit or one switch.
func drawLimits(t *rapid.T, loose plan.Policy) (plan.Policy, plan.Policy, string) {
	for _, l := range limits {
		*l.of(&loose) = rapid.SampledFrom(l.loose).Draw(t, l.name)
	}
	tight := loose
	which := rapid.IntRange(0, len(limits)+2).Draw(t, "which")
	switch which {
	case len(limits):
		tight.Unattended = true
		return loose, tight, "unattended"
	case len(limits) + 1:
		tight.Frozen = []plan.Freeze{{Name: "x", Until: "tomorrow"}}
		return loose, tight, "frozen"
	case len(limits) + 2:
		loose.Drift, tight.Drift = plan.Revert, plan.Report
		return loose, tight, "drift"
	}
	l := limits[which]
	i := rapid.IntRange(0, len(l.loose)-1).Draw(t, "loose")
	j := rapid.IntRange(i, len(l.loose)-1).Draw(t, "tight")
	*l.of(&loose), *l.of(&tight) = l.loose[i], l.loose[j]
	return loose, tight, l.name
}

// TestTighteningALimitNeverAddsAChange draws a world, two policies of which one
// is tighter in one thing, and some allowances: what the tighter one lets pass,
// the looser one lets pass too, attribute by attribute.
func TestTighteningALimitNeverAddsAChange(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, rapid.Bool().Draw(rt, "switches"))
		loose, tight, name := drawLimits(rt, d.policy)
		allow := rapid.SliceOfDistinct(rapid.SampledFrom([]string{
			"raises-spend", "raises-spend=20/day", "raises-spend=campaign/a=60", "archives", "archives=1",
			"updates=1", "exposure=10/day", "exposure=90/day", "drift", "adopt", "replace", "conflict",
		}), func(s string) string { return s }).Draw(rt, "allow")
		recent := plan.Recent{}
		if rapid.Bool().Draw(rt, "recent") {
			recent = plan.Recent{
				Levels: []int64{0, 8e6, 30e6}, Amounts: []plan.Earlier{{Address: resource.Address{Kind: kinds.Campaign,
					Key: "a"}, Attribute: "budget.daily", Micros: 8e6}},
			}
		}
		planned := func(p plan.Policy) *plan.Plan {
			in := d.input(t, allow...)
			in.Policy, in.Recent = p, recent
			return compare.Diff(in)
		}
		free, bound := planned(loose), planned(tight)
		may := sent(free.Applicable())
		for what := range sent(bound.Applicable()) {
			if !may[what] {
				rt.Fatalf("tightening %q, with %q, adds %s\nloose:\n%s\ntight:\n%s\n%s",
					name, allow, what, sketch(free.Changes), sketch(bound.Changes), d)
			}
		}
	})
}
