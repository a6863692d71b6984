package apply

import (
	"context"
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// EndOf is the key under which the end of a yes is kept that was not used: what it
// agreed to was done from another value, or by another yes.
func EndOf(key string) string { return "end " + key }

// usingStore notes the use of consents with the step that carries what was agreed to.
// A step that sets a field to what a yes names ends that yes, used or not: else the yes
// would let the same change go once more when the former value comes back.
type usingStore struct {
	state.Store
	agreed map[string][]plan.Agreed // by address
	given  map[string][]givenPart   // by address; of fields
}

// givenPart is a part that somebody agreed to, whether this plan needs it or not.
type givenPart struct {
	*plan.Part
	hazard plan.Hazard
}

// using has a run note which consents its steps use.
func (r *run) using() {
	if len(r.view.Input.Consents) == 0 {
		return
	}
	s := &usingStore{r.Store, map[string][]plan.Agreed{}, map[string][]givenPart{}}
	for i := range r.view.Input.Consents {
		k := &r.view.Input.Consents[i]
		for j := range k.Parts {
			if p := &k.Parts[j]; p.Field != "" {
				s.given[p.Address] = append(s.given[p.Address], givenPart{p, k.Hazard})
			}
		}
	}
	for _, a := range r.view.Plan.Consented {
		for _, p := range a.Parts {
			one := a
			one.Parts = []plan.Part{p}
			s.agreed[p.Address] = append(s.agreed[p.Address], one)
		}
	}
	r.Store = s
}

// Begin journals steps, and with each the use of what was agreed to of it.
func (s *usingStore) Begin(ctx context.Context, steps ...state.Step) error {
	return s.Store.Begin(ctx, s.withUses(steps)...)
}

// Announce tells of steps, and with each of that use.
func (s *usingStore) Announce(ctx context.Context, steps ...state.Step) error {
	return s.Store.Announce(ctx, s.withUses(steps)...)
}

func (s *usingStore) withUses(steps []state.Step) []state.Step {
	steps = slices.Clone(steps)
	for i := range steps {
		step := &steps[i]
		for _, o := range step.Operations {
			step.Uses = append(step.Uses, s.uses(o.Address, func(p *plan.Part) bool { return p.Carries(o.Set) })...)
			for _, g := range s.given[o.Address.String()] {
				if g.Carries(o.Set) {
					step.Uses = append(step.Uses, EndOf(g.Key(g.hazard)))
				}
			}
		}
		slices.Sort(step.Uses)
		step.Uses = slices.Compact(step.Uses)
	}
	return steps
}

// Record records, and with it the use of what was agreed to and asks nothing of the
// service.
func (s *usingStore) Record(ctx context.Context, applied []state.Applied) error {
	applied = slices.Clone(applied)
	for i := range applied {
		a := &applied[i]
		a.Uses = s.uses(a.Address, func(p *plan.Part) bool { return p.Field == "" })
	}
	return s.Store.Record(ctx, applied)
}

func (s *usingStore) uses(at resource.Address, carries func(*plan.Part) bool) (keys []string) {
	for _, a := range s.agreed[at.String()] {
		if carries(&a.Parts[0]) {
			keys = append(keys, a.Parts[0].Key(a.Hazard))
		}
	}
	return keys
}
