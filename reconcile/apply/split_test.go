package apply

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	_ "adsync/internal/testing/drawn"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"

	"pgregory.net/rapid"
)

// shape is an account to create: trees of campaigns with ad groups with ads, or
// updates, which are trees of one.
type shape struct {
	campaigns, groups, ads int
	bytes                  int // of an ad group's operation
}

func (s shape) size() int { return 1 + s.groups*(1+s.ads) }

// units are the creates of a shape as operations of about the real size.
func (s shape) units() []wire.Batch {
	var units []wire.Batch
	for c := range s.campaigns {
		campaign := resource.Address{Kind: kinds.Campaign, Key: fmt.Sprintf("c%04d", c)}
		unit := wire.Batch{sized(campaign, 200)}
		for g := range s.groups {
			group := campaign.Down(kinds.AdGroup, fmt.Sprintf("g%04d", g))
			unit = append(unit, sized(group, max(s.bytes, 200)))
			for a := range s.ads {
				unit = append(unit, sized(group.Down(kinds.Ad, fmt.Sprintf("a%04d", a)), 400))
			}
		}
		units = append(units, unit)
	}
	return units
}

func sized(address resource.Address, bytes int) wire.Packed {
	return wire.Packed{
		Part: wire.Part{Change: &plan.Change{Address: address, Action: plan.Create}, Create: true},
		ID:   address.String(), Key: address.String(), JSON: json.RawMessage(`"` + strings.Repeat("x", bytes-2) + `"`),
	}
}

// bound is the least number of jobs any packing needs, found without packing:
// whole trees where a job holds one, else all operations with a parent for each
// job that goes on with a tree; and never fewer than the bytes take.
func (s shape) bound() int {
	perGroup := max(s.bytes, 200) + 1 + s.ads*401
	tree := 201 + s.groups*perGroup
	if s.size() <= 1000 && tree <= 16<<20-256 {
		inJob := min(1000/s.size(), (16<<20-256)/tree)
		return above(s.campaigns, inJob)
	}
	if s.groups > 1 {
		groups := min(999/(1+s.ads), (16<<20-256-201)/perGroup)
		operations := s.campaigns * (s.groups*(1+s.ads) + above(s.groups, groups))
		return max(above(operations, 1000), above(s.campaigns*s.groups, groups))
	}
	return s.campaigns * above(s.ads, 998)
}

func above(n, d int) int { return (n + d - 1) / d }

// newTestRun returns a run without a service.
func newTestRun(view *View) *Run {
	e, polls := &env.Env{Schemas: kinds.All()}, &send.PollEstimator{}
	read := live.New(e, &live.Memory{}, false, false)
	return join(&run{Env: e, view: view}, read, send.New(e, polls, read), polls)
}

// packs returns the jobs of a shape, those that repeat parents with them.
func (s shape) packs() (jobs []wire.Batch, c creation) {
	r := newTestRun(nil)
	r.preflighting.packTrees(&c, s.units())
	return slices.Concat(c.jobs, wire.Pack(c.tails, r.jobRoom())), c
}

var shapes = []struct {
	name string
	shape
	jobs, repeated int
}{
	{"5,000 × 1 × 1", shape{5000, 1, 1, 0}, 16, 0},
	{"50 × 100 × 1", shape{50, 100, 1, 0}, 13, 0},
	{"1,000 × 5 × 1", shape{1000, 5, 1, 0}, 12, 0},
	{"1 × 5,000 × 1", shape{1, 5000, 1, 0}, 11, 10},
	{"1 × 1 × 5,000", shape{1, 1, 5000, 0}, 6, 10}, // two parents in each of five jobs
	{"10 × 500 × 1", shape{10, 500, 1, 0}, 11, 10},
	{"500 × 10 × 1 with 60 hints each", shape{500, 10, 1, 60 * 80}, 11, 0},
	{"200 × 1 × 1 with 2,000 long hints", shape{200, 1, 1, 400 << 10}, 5, 0},
	{"1 × 100 × 1 with 2,000 long hints", shape{1, 100, 1, 400 << 10}, 3, 2},
	{"15,000 updates", shape{15000, 0, 0, 0}, 15, 0},
}

// performance.md: jobs are exactly as few as the limits allow.
func TestJobsAreAtTheLowerBound(t *testing.T) {
	for _, row := range shapes {
		jobs, c := row.packs()
		repeated := 0
		for _, p := range slices.Concat(jobs...) {
			if p.Repeat {
				repeated++
			}
		}
		t.Logf("%-36s %2d jobs, bound %2d, ratio %.2f, %d creates repeated",
			row.name, len(jobs), row.bound(), float64(len(jobs))/float64(row.bound()), repeated)
		if len(jobs) != row.jobs || row.bound() != row.jobs || repeated != row.repeated || len(c.singles) != 0 {
			t.Errorf("%s: %d jobs, bound %d, %d creates "+
				"repeated, %d left to single requests; want %d jobs, %d repeated and none left",
				row.name, len(jobs), row.bound(), repeated, len(c.singles), row.jobs, row.repeated)
		}
	}
}

// B15, B16: however a tree is cut, every piece obeys the limits, parents stand
// before their children, only what is torn is repeated and only after it was
// made, and nothing is lost or made twice.
func TestCutTreesObeyEveryLimit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := shape{1, rapid.IntRange(0, 12).Draw(rt, "groups"),
			rapid.IntRange(0, 12).Draw(rt, "ads"), rapid.SampledFrom([]int{200, 2000}).Draw(rt, "bytes")}
		r := wire.Room{Operations: rapid.IntRange(1, 30).Draw(rt, "operations a job"),
			Bytes: wire.BodyOverhead + rapid.IntRange(500, 20000).Draw(rt, "bytes a job")}
		tree := s.units()[0]
		pieces, left := wire.Split(tree, kinds.All().Parent, r)
		made := map[string]bool{}
		for i, piece := range pieces {
			if len(piece) > r.Operations || piece.Bytes() > r.Bytes {
				rt.Fatalf("piece %d has %d operations and %d bytes; want at most %v", i, len(piece), piece.Bytes(), r)
			}
			inPiece := map[resource.Address]bool{}
			before := maps.Clone(made)
			for _, p := range piece {
				address := p.Part.Change.Address
				if parent := kinds.All().Parent(address); !parent.IsZero() && !inPiece[parent] {
					rt.Fatalf("piece %d has %s without its parent before it", i, address)
				}
				if p.Repeat != before[p.ID] || made[p.ID] && !p.Repeat {
					rt.Fatalf("piece %d has %s, repeat %v, made before %v", i, address, p.Repeat, before[p.ID])
				}
				inPiece[address], made[p.ID] = true, true
			}
			if i > 0 && !slices.ContainsFunc(piece, func(p wire.Packed) bool { return !p.Repeat }) {
				rt.Fatalf("piece %d only repeats", i)
			}
		}
		for _, p := range left {
			if made[p.ID] {
				rt.Fatalf("%s is made and left over", p.ID)
			}
			made[p.ID] = true
		}
		if len(made) != len(tree) {
			rt.Fatalf("%d of %d operations came out", len(made), len(tree))
		}
	})
}

// BenchmarkPack prints jobs, bound and their ratio beside the time.
func BenchmarkPack(b *testing.B) {
	for _, row := range shapes {
		b.Run(strings.ReplaceAll(row.name, " ", ""), func(b *testing.B) {
			units := row.units()
			jobs := 0
			for b.Loop() {
				var c creation
				r := newTestRun(nil)
				r.preflighting.packTrees(&c, units)
				jobs = len(c.jobs) + len(wire.Pack(c.tails, r.jobRoom()))
			}
			b.ReportMetric(float64(jobs), "jobs")
			b.ReportMetric(float64(row.bound()), "bound")
			b.ReportMetric(float64(jobs)/float64(row.bound()), "jobs/bound")
		})
	}
}
