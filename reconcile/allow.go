package reconcile

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/plan"
)

// Bound is an allowance for the one plan that has the hash without it.
type Bound struct {
	Plan  string // "" for what a refusal holds, in whatever plan: the allowance names that refusal
	Allow plan.Allowance
	By    string // who gave it
}

// bind computes the plan, and computes it again with the allowances that are
// bound to it. by are those who gave them.
func (d *Desired) bind(input *plan.Input, finish func(*plan.Plan)) (computed *plan.Plan, by []string) {
	computed = d.compute(*input, finish)
	if len(d.Bound) == 0 {
		return computed, nil
	}
	hash := computed.Hash()
	for _, b := range d.Bound {
		if b.Plan == hash || b.Plan == "" && b.Allow.Hazard == plan.WasRefused && asks(computed, b.Allow) {
			input.Allow = append(slices.Clone(input.Allow), b.Allow)
			if b.By != "" && !slices.Contains(by, b.By) {
				by = append(by, b.By)
			}
		}
	}
	return d.compute(*input, finish), by
}

// asks says that a plan holds something for this very allowance.
func asks(p *plan.Plan, a plan.Allowance) bool {
	text := a.String()
	for i := range p.Changes {
		if slices.ContainsFunc(p.Changes[i].Holds(), func(h plan.Hold) bool { return h.Allow == text }) {
			return true
		}
	}
	return false
}

// compute finishes the plan, and adds the allowances of this plan that
// released nothing: a typing error looks like consent.
func (d *Desired) compute(input plan.Input, finish func(*plan.Plan)) *plan.Plan {
	computed := plan.Diff(input)
	finish(computed)
	for _, a := range computed.Unused {
		if slices.Contains(d.Allow, a) {
			computed.Problems = append(computed.Problems, diag.Problem{Severity: diag.Warning, Code: diag.AllowsNothing,
				Message: fmt.Sprintf("the allowance %s released nothing; want one that the plan asks for", a)})
		}
	}
	return computed
}
