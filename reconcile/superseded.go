package reconcile

import (
	"context"
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// supersededWhy says why a part is not sent any more: newer files, of which the agent
// heard while it applies these, say otherwise of its resource, or of a new one above
// it. What only lowers possible spend goes all the same, unless it cannot be taken
// back: the newer files may ask for less still, and the next run is not there yet.
func (r *parts) supersededWhy(p part) string {
	if r.Superseded == nil || r.forecast != nil || r.lowersForNow(p) {
		return ""
	}
	if why := r.Superseded(p.change.Address); why != "" {
		return why
	}
	for above := r.Schemas.Parent(p.change.Address); !above.IsZero(); above = r.Schemas.Parent(above) {
		if c := r.byAddr[above]; c != nil && isNew(c) && r.Superseded(above) != "" {
			return r.Superseded(above)
		}
	}
	return ""
}

// lowersForNow reports whether a part lowers possible spend and ends nothing.
func (r *parts) lowersForNow(p part) bool {
	schema := r.Schemas.Of(p.change.Address.Kind)
	removal := schema.RemovalAttribute()
	ends := func(f plan.Field) bool {
		return f.Phase != plan.Lower || removal != nil && f.Name == removal.Name && f.Desired.Text() == schema.Removal
	}
	return len(p.fields) > 0 && !slices.ContainsFunc(p.fields, ends)
}

// withoutSuperseded drops parts that newer files take back.
func (r *parts) withoutSuperseded(parts []part) []part {
	if r.Superseded == nil {
		return parts
	}
	var left []part
	for _, p := range parts {
		if why := r.supersededWhy(p); why != "" {
			r.skip(p.change.Address, why)
			continue
		}
		left = append(left, p)
	}
	return left
}

// runWithoutSuperseded runs a job, when its turn has come, without what newer files take
// back. Its key was never sent, and so is free for other bytes.
func (r *jobs) runWithoutSuperseded(ctx context.Context, step state.Step, b batch, own turn) ([]opOutcome, error) {
	var kept batch
	var outcomes []opOutcome
	for _, p := range b {
		if why := r.supersededWhy(p.part); why != "" && !p.repeat {
			outcomes = append(outcomes, opOutcome{
				Address: p.part.change.Address, ResourceID: r.ids[p.part.change.Address],
				Outcome: state.OutcomeSkipped, Code: string(diag.OperationSkipped), Message: why,
			})
			continue
		}
		kept = append(kept, p)
	}
	if len(outcomes) == 0 {
		return r.runJob(ctx, step, b, own)
	}
	if !slices.ContainsFunc(kept, func(p packed) bool { return !p.repeat }) {
		return outcomes, nil
	}
	body, err := kept.body(false)
	if err != nil {
		return outcomes, fmt.Errorf("encode a job: %w", err)
	}
	step.Body, step.Operations = body, r.operationsOf(kept)
	sent, err := r.runJob(ctx, step, kept, own)
	return append(outcomes, sent...), err
}

// Supersedes compares what two versions of the files say of a resource.
func Supersedes(newer, files *resource.Snapshot, address resource.Address) bool {
	a, b := newer.Get(address), files.Get(address)
	if a == nil || b == nil {
		return a != b
	}
	return !slices.EqualFunc(a.Attributes, b.Attributes, func(x, y resource.Named) bool {
		return x.Name == y.Name && x.Value.Equal(y.Value)
	})
}
