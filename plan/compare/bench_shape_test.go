package compare_test

import (
	"fmt"
	"math"
	"runtime"
	"syscall"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

// shape is how many campaigns an account has, of how many ad groups, of how many ads.
type shape struct{ campaigns, groups, ads int }

func (s shape) String() string { return fmt.Sprintf("%d×%d×%d", s.campaigns, s.groups, s.ads) }

func (s shape) resources() int { return s.campaigns * (1 + s.groups*(1+s.ads)) }

// snapshot is an account of the shape, each resource like those of account.
func (s shape) snapshot(bound bool) *resource.Snapshot {
	model := account(1, bound)
	all := resource.NewSnapshot(s.resources())
	add := func(a, like resource.Address) {
		r := *model.Get(like)
		r.Address, r.Attributes = a, append(resource.Attributes(nil), r.Attributes...)
		r.Set("name", resource.Text("Name of "+a.Key))
		r.Position = diag.At("a.yaml", all.Len()+1, 0)
		if bound {
			r.ID = a.String()
		}
		all.Add(&r)
	}
	for i := range s.campaigns {
		c := resource.Address{Kind: kinds.Campaign, Key: fmt.Sprintf("c%d", i)}
		add(c, resource.Address{Kind: kinds.Campaign, Key: "c0"})
		for j := range s.groups {
			g := c.Down(kinds.AdGroup, fmt.Sprintf("g%d", j))
			add(g, resource.Address{Kind: kinds.AdGroup, Key: "c0/g"})
			for k := range s.ads {
				add(g.Down(kinds.Ad, fmt.Sprintf("a%d", k)), resource.Address{Kind: kinds.Ad, Key: "c0/g/a"})
			}
		}
	}
	return all
}

// edits are what is different between the files and the account.
var edits = []struct {
	name string
	made func(shape) plan.Input
}{
	{"in sync", func(s shape) plan.Input { return s.edited(0) }},
	{"1 in 100 edited", func(s shape) plan.Input { return s.edited(100) }},
	{"all created", func(s shape) plan.Input { return input(nil, s.snapshot(false), nil) }},
	{"all updated", func(s shape) plan.Input { return s.edited(1) }},
}

// edited is an account with other text in one of each so many resources, and
// other amounts where they have one; 0 edits none.
func (s shape) edited(each int) plan.Input {
	last, desired := s.snapshot(true), s.snapshot(false)
	for i, a := range desired.Addresses() {
		if each == 0 || i%each != 0 {
			continue
		}
		r := desired.Get(a)
		r.Set("tracking", resource.Text("a=1"))
		for _, name := range []string{"budget.daily", "bid.max"} {
			if micros, ok := r.Value(name).Number(); ok {
				r.Set(name, resource.Number(micros+micros/10))
			}
		}
	}
	return input(last, desired, last)
}

// unbound returns the resources of a snapshot as a refresh does: by ids alone.
func unbound(all *resource.Snapshot) []*resource.Resource {
	var live []*resource.Resource
	schemas := kinds.All()
	for r := range all.All() {
		own := *r
		if parent := schemas.Parent(r.Address); !parent.IsZero() {
			own.ParentID = parent.String()
		}
		own.Address = resource.Address{Kind: r.Address.Kind}
		live = append(live, &own)
	}
	return live
}

// planned binds what is live and compares.
func planned(in plan.Input, live []*resource.Resource) *plan.Plan {
	in.Live, _ = plan.Identify(in.Schemas, in.Last, in.Desired, live)
	return compare.Diff(in)
}

// BenchmarkPlan is a plan from loaded snapshots, which are sorted. cpu-ms/op is
// its processor time, which other work on the machine moves less than the clock.
func BenchmarkPlan(b *testing.B) {
	for _, s := range []shape{{5000, 1, 1}, {50, 100, 2}, {1, 5000, 2}, {50000, 1, 1}} {
		for _, edit := range edits {
			b.Run(s.String()+"/"+edit.name, func(b *testing.B) {
				in := edit.made(s)
				live := unbound(in.Live)
				b.ReportAllocs()
				before, rounds := processorTime(b), 0
				for b.Loop() {
					planned(in, live)
					rounds++
				}
				spent := float64((processorTime(b) - before).Nanoseconds()) / float64(rounds)
				b.ReportMetric(spent/1e6, "cpu-ms/op")
				b.ReportMetric(spent/float64(s.resources()), "cpu-ns/resource")
			})
		}
	}
}

// BenchmarkPlanGrowth reports by which power of the number of resources
// processor time grows, from 5,000×1×1 to 50,000×1×1; the goal is at most 1.1.
// Ten small plans stand against a large one, so that both leave as much garbage.
// The walk is the least a plan can do with these snapshots, and grows as memory
// lets it: the small account nearly fits the caches, the large one does not.
func BenchmarkPlanGrowth(b *testing.B) {
	few, many := shape{5000, 1, 1}, shape{50000, 1, 1}
	for _, edit := range edits {
		b.Run(edit.name, func(b *testing.B) {
			small, large := edit.made(few), edit.made(many)
			liveSmall, liveLarge := unbound(small.Live), unbound(large.Live)
			var planSmall, planLarge, walkSmall, walkLarge time.Duration
			for b.Loop() {
				planSmall = shorter(planSmall, timed(b, 10, func() { planned(small, liveSmall) }))
				planLarge = shorter(planLarge, timed(b, 1, func() { planned(large, liveLarge) }))
				walkSmall = shorter(walkSmall, timed(b, 100, func() { walked(small, liveSmall) }))
				walkLarge = shorter(walkLarge, timed(b, 10, func() { walked(large, liveLarge) }))
			}
			b.ReportMetric(exponent(planSmall, planLarge), "exponent")
			b.ReportMetric(exponent(walkSmall, walkLarge), "walk-exponent")
			b.ReportMetric(float64(planSmall)/10/1e6, "small-ms")
			b.ReportMetric(float64(planLarge)/1e6, "large-ms")
			b.ReportMetric(float64(planLarge)*10/float64(walkLarge), "walks")
		})
	}
}

// exponent is the power by which time grows from ten times the work in small
// pieces to the same work in one.
func exponent(tenSmall, large time.Duration) float64 {
	return 1 + math.Log10(float64(large)/float64(tenSmall))
}

// walked visits every resource and compares every value of the files with those
// beside it in the other two snapshots, which are built alike. It counts those
// that are equal.
func walked(in plan.Input, live []*resource.Resource) int {
	equal, others := 0, [][]*resource.Resource{in.Last.Ordered(), live}
	for i, r := range in.Desired.Ordered() {
		for j := range r.Attributes {
			if r.Attributes[j].Value.IsNull() {
				continue
			}
			for _, other := range others {
				if i < len(other) && j < len(other[i].Attributes) &&
					r.Attributes[j].Value.Equal(other[i].Attributes[j].Value) {
					equal++
				}
			}
		}
	}
	return equal
}

// shorter returns the shorter of two times, of which one may not be known yet.
func shorter(known, other time.Duration) time.Duration {
	if known == 0 {
		return other
	}
	return min(known, other)
}

// timed returns the processor time of so many rounds, with no garbage of others.
func timed(t testing.TB, rounds int, do func()) time.Duration {
	t.Helper()
	runtime.GC()
	before := processorTime(t)
	for range rounds {
		do()
	}
	return processorTime(t) - before
}

// processorTime is what this process has used of it so far, all of its threads.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
