package compare_test

import (
	"fmt"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

// account is n campaigns of one ad group of one ad.
func account(n int, bound bool) *resource.Snapshot {
	s := &resource.Snapshot{}
	for i := range n {
		c := fmt.Sprintf("c%d", i)
		for _, r := range []*resource.Resource{
			{Address: resource.Address{Kind: kinds.Campaign, Key: c}, Attributes: resource.Attributes{
				{Name: "bidding_type", Value: resource.Text("clicks")},
				{Name: "budget.daily", Value: resource.Number(50e6)},
				{Name: "name", Value: resource.Text("Campaign " + c)}, {Name: "status", Value: resource.Text("active")},
				{Name: "targeting.countries", Value: resource.List([]string{"CA", "US"})}}},
			{Address: resource.Address{Kind: kinds.AdGroup, Key: c + "/g"}, Attributes: resource.Attributes{
				{Name: "bid.max", Value: resource.Number(1e6)},
				{Name: "context_hints", Value: resource.List([]string{"people who run", "people who walk"})},
				{Name: "name", Value: resource.Text("Group")}, {Name: "status", Value: resource.Text("active")}}},
			{Address: resource.Address{Kind: kinds.Ad, Key: c + "/g/a"}, Attributes: resource.Attributes{
				{Name: "body", Value: resource.Text("Light")},
				{Name: "image", Value: resource.Text("https://a.example/a.png")},
				{Name: "name", Value: resource.Text("Hero")}, {Name: "status", Value: resource.Text("active")},
				{Name: "target_url", Value: resource.Text("https://a.example/")},
				{Name: "title", Value: resource.Text("Shoes")}}},
		} {
			r.Position = diag.At("a.yaml", i+1, 0)
			if bound {
				r.ID = r.Address.String()
			}
			s.Add(r)
		}
	}
	return s
}

func input(last, desired, live *resource.Snapshot) plan.Input {
	return plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Last: last, Desired: desired, Live: live}
}

// A plan in which nothing changes allocates for the descriptions of the kinds,
// and next to nothing for resources.
func TestAllocationsOfAPlanWithoutChanges(t *testing.T) {
	in := func(n int) plan.Input { return input(account(n, true), account(n, false), account(n, true)) }
	few, many := in(100), in(1100)
	from := testing.AllocsPerRun(3, func() { compare.Diff(few) })
	to := testing.AllocsPerRun(3, func() { compare.Diff(many) })
	if grown := to - from; grown > 30 {
		t.Errorf("3000 resources in sync more allocate %.0f times more; want at most 30, one in a hundred", grown)
	}
}

func BenchmarkDiffInSync(b *testing.B) {
	last, desired := account(5000, true), account(5000, false)
	b.ReportAllocs()
	for b.Loop() {
		compare.Diff(input(last, desired, last))
	}
}

func BenchmarkDiffCreateAll(b *testing.B) {
	desired := account(5000, false)
	b.ReportAllocs()
	for b.Loop() {
		compare.Diff(input(nil, desired, nil))
	}
}

func BenchmarkDiffUpdateAll(b *testing.B) {
	last, desired := account(5000, true), account(5000, false)
	for r := range desired.All() {
		r.Set("tracking", resource.Text("a=1"))
	}
	b.ReportAllocs()
	for b.Loop() {
		compare.Diff(input(last, desired, last))
	}
}

func BenchmarkIdentify(b *testing.B) {
	last, desired := account(5000, true), account(5000, false)
	live := unbound(last)
	b.ReportAllocs()
	for b.Loop() {
		plan.Identify(kinds.All(), last, desired, live)
	}
}

func BenchmarkHashCreateAll(b *testing.B) {
	p := compare.Diff(input(nil, account(5000, false), nil))
	b.ReportAllocs()
	for b.Loop() {
		p.Hash()
	}
}
