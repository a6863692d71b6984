package reconcile

import (
	"context"
	"slices"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// Consent is a consent, and the state of the account it was given to.
type Consent struct {
	plan.Consent
	Lineage string // of the state the plan was made from
	Serial  int64  // of that state; what was used later is used
}

// consents returns what is left of those that were given: of each the parts that were
// not done since they were shown, by this yes or by another.
func (a *inputs) consents(ctx context.Context, given []Consent) (left []plan.Consent, err error) {
	if len(given) == 0 {
		return nil, nil
	}
	used, err := a.Store.Used(ctx)
	if err != nil {
		return nil, err
	}
	lineage := a.Store.Header().Lineage
	for _, k := range given {
		if k.Lineage != lineage {
			continue
		}
		one := k.Consent
		one.Parts, one.Begun = nil, map[string]bool{}
		for _, p := range k.Parts {
			switch key := p.Key(k.Hazard); {
			case used[key] > k.Serial:
				one.Begun[p.Address] = true
				continue
			case used[endOf(key)] > k.Serial:
				continue
			}
			one.Parts = append(one.Parts, p)
		}
		if len(one.Parts) > 0 {
			left = append(left, one)
		}
	}
	return left, nil
}

// consentedBy names who agreed to something of the plan.
func consentedBy(p *plan.Plan) (by []string) {
	for _, a := range p.Consented {
		if a.By != "" && !slices.Contains(by, a.By) {
			by = append(by, a.By)
		}
	}
	return by
}

// endOf is the key under which the end of a yes is kept that was not used: what it
// agreed to was done from another value, or by another yes.
func endOf(key string) string { return "end " + key }

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
	if len(r.view.input.Consents) == 0 {
		return
	}
	s := &usingStore{r.Store, map[string][]plan.Agreed{}, map[string][]givenPart{}}
	for i := range r.view.input.Consents {
		k := &r.view.input.Consents[i]
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
	steps = slices.Clone(steps)
	for i := range steps {
		step := &steps[i]
		for _, o := range step.Operations {
			step.Uses = append(step.Uses, s.uses(o.Address, func(p *plan.Part) bool { return p.Carries(o.Set) })...)
			for _, g := range s.given[o.Address.String()] {
				if g.Carries(o.Set) {
					step.Uses = append(step.Uses, endOf(g.Key(g.hazard)))
				}
			}
		}
		slices.Sort(step.Uses)
		step.Uses = slices.Compact(step.Uses)
	}
	return s.Store.Begin(ctx, steps...)
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
