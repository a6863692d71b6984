package compare_test

import (
	"strings"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/drafting"
)

// simulated returns what would be live after the applicable part of a plan, with a
// made-up id for what it creates. It changes neither argument.
func simulated(live *resource.Snapshot, p *plan.Plan) *resource.Snapshot {
	after := &resource.Snapshot{}
	for r := range live.All() {
		after.Add(r)
	}
	kinds := map[resource.Kind]*drafting.Kind{}
	for _, s := range p.Schemas {
		kinds[s.Kind] = drafting.Describe(s)
	}
	for c := range p.EachApplicable() {
		simulateChange(after, kinds[c.Address.Kind], c)
	}
	return after
}

func simulateChange(live *resource.Snapshot, k *drafting.Kind, c plan.Change) {
	before := live.Get(c.Address)
	switch c.Action {
	case plan.Record, plan.Forget:
		return
	case plan.Create, plan.Replace:
		if before != nil { // what was there stays archived, under another address
			removeTree(live, c.Address)
		}
		before = &resource.Resource{Address: c.Address, ID: "simulated:" + c.Address.String()}
	}
	if c.Action == plan.Archive && k.Schema.Deletes() {
		live.Remove(c.Address)
		return
	}
	live.Put(k.Overlay(before, c.Fields, plan.EveryField))
}

// removeTree takes out a resource and what lies beneath it.
func removeTree(s *resource.Snapshot, top resource.Address) {
	for _, a := range s.Addresses() {
		if a == top || strings.HasPrefix(a.Key, top.Key+"/") {
			s.Remove(a)
		}
	}
}
