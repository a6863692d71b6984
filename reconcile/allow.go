package reconcile

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/plan"
	"adsync/plan/compare"
)

// Bound is an allowance for the one plan that has the hash without it.
type Bound struct {
	Plan  string // "" for what a refusal holds, in whatever plan: the allowance names that refusal
	Allow plan.Allowance
	By    string // who gave it
}

// bind computes the plan, and computes it again with the allowances that are
// bound to it. by are those who gave them, and those whose consents it rests on.
func (d *Desired) bind(input *plan.Input, finish func(*plan.Plan)) (computed *plan.Plan, by []string) {
	computed = d.compute(*input, finish)
	if len(d.Bound) == 0 {
		return computed, consentedBy(computed)
	}
	hashes := []string{computed.Hash()}
	if len(input.Consents) > 0 { // who reads the plan elsewhere sees it without
		without := *input
		without.Consents = nil
		hashes = append(hashes, d.compute(without, finish).Hash())
	}
	for _, b := range d.Bound {
		if slices.Contains(hashes, b.Plan) || b.Plan == "" &&
			b.Allow.Hazard == plan.WasRefused && asks(computed, b.Allow) {
			input.Allow = append(slices.Clone(input.Allow), b.Allow)
			if b.By != "" && !slices.Contains(by, b.By) {
				by = append(by, b.By)
			}
		}
	}
	computed = d.compute(*input, finish)
	for _, one := range consentedBy(computed) {
		if !slices.Contains(by, one) {
			by = append(by, one)
		}
	}
	return computed, by
}

// asks reports whether a plan holds something for this very allowance.
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
	computed := compare.Diff(input)
	finish(computed)
	for _, a := range computed.Unused {
		if slices.Contains(d.Allow, a) {
			computed.Problems = append(computed.Problems, diag.Problem{Severity: diag.Warning, Code: diag.AllowsNothing,
				Message: fmt.Sprintf("the allowance %s released nothing; want one that the plan asks for", a)})
		}
	}
	return computed
}
