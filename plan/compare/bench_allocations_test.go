package compare_test

import (
	"math"
	"runtime"
	"testing"

	"adsync/plan"
	"adsync/plan/compare"
)

// A plan of 15,000 resources in which nothing changes allocates for the
// descriptions of the kinds and for lists, and not for resources.
func TestAllocationsOf15000InSync(t *testing.T) {
	in := shape{5000, 1, 1}.edited(0)
	if got := testing.AllocsPerRun(3, func() { compare.Diff(in) }); got > 200 {
		t.Errorf("a plan of 15,000 resources in sync allocates %.0f times; want at most 200", got)
	}
}

// Allocations have no noise: that they grow with the account and no faster is
// held here, and that time does by BenchmarkPlanGrowth.
func TestAllocationsGrowWithTheAccount(t *testing.T) {
	few, many := shape{40, 4, 1}, shape{400, 4, 1}
	for _, edit := range edits {
		small, large := edit.made(few), edit.made(many)
		liveSmall, liveLarge := unbound(small.Live), unbound(large.Live)
		from := testing.AllocsPerRun(3, func() { planned(small, liveSmall) })
		to := testing.AllocsPerRun(3, func() { planned(large, liveLarge) })
		if exponent := math.Log10(to / from); exponent > 1.03 {
			t.Errorf("%s: ten times the resources allocate "+
				"%.0f times, before %.0f: the exponent is %.2f; want at most 1.03", edit.name, to, from, exponent)
		}
	}
}

// What a resource costs in allocations where it changes.
func TestAllocationsAChange(t *testing.T) {
	s := shape{500, 1, 1}
	for _, row := range []struct {
		name string
		in   plan.Input
		most float64 // a resource
	}{
		{"created", input(nil, s.snapshot(false), nil), 7},
		{"updated", s.edited(1), 8},
	} {
		if got := testing.AllocsPerRun(3, func() { compare.Diff(row.in) }) / float64(s.resources()); got > row.most {
			t.Errorf("%s: %.1f allocations a resource; want at most %.0f", row.name, got, row.most)
		}
	}
}

// What a resource costs in memory that is written: collecting it again is what
// makes a large plan take longer than its share.
func TestMemoryAChange(t *testing.T) {
	s := shape{500, 1, 1}
	for _, row := range []struct {
		name string
		in   plan.Input
		most uint64 // bytes a resource
	}{
		{"in sync", s.edited(0), 250},
		{"created", input(nil, s.snapshot(false), nil), 1500},
		{"updated", s.edited(1), 1600},
	} {
		if got := writtenBy(func() { compare.Diff(row.in) }) / uint64(s.resources()); got > row.most {
			t.Errorf("%s: %d bytes a resource; want at most %d", row.name, got, row.most)
		}
	}
}

// writtenBy counts the bytes of memory a plan takes, whether or not they are
// given back. What else the process does may add to one round: the least counts.
func writtenBy(do func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
