package reconcile

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// inputs reads from the state what a plan is made from beside the record.
type inputs struct {
	*Env
}

// refusedBefore returns what the service refused for good, for the plan to hold or
// to mention (design.md section 7: a daemon does not send the same refusal every
// minute).
func (a *inputs) refusedBefore(ctx context.Context) (map[resource.Address]plan.Refused, error) {
	blocked, err := a.Store.Blocked(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what the service refused: %w", err)
	}
	refused := make(map[resource.Address]plan.Refused, len(blocked))
	for address, b := range blocked {
		refused[address] = plan.Refused{
			Basis: b.InputHash, Code: b.Code, Message: b.Message,
			Since: b.Since.In(a.Zone).Format("2006-01-02 15:04 MST"), Asked: b.Asked,
		}
	}
	return refused, nil
}

// recordRefused puts into quarantine what this run was refused for good, and lets
// out what was applied since or is not what it was.
func (r *reporting) recordRefused(ctx context.Context) error {
	known, err := r.Store.Blocked(ctx)
	if err != nil {
		return fmt.Errorf("read what the service refused: %w", err)
	}
	var refused, block []state.Blocked
	var release []resource.Address
	still := map[resource.Address]bool{}
	for address := range known {
		s := r.progressOf[address]
		still[address] = s == nil || s.outcome != state.OutcomeApplied || s.pending > 0
	}
	for _, c := range r.changes {
		if s := r.progressOf[c.Address]; s.outcome == state.OutcomeFailed && s.final {
			still[c.Address] = true
			refused = append(refused, state.Blocked{Address: c.Address, Code: s.code, Message: s.message})
		}
	}
	for _, b := range refused {
		block = append(block, r.quarantined(b, known[b.Address], still))
	}
	for address, b := range known {
		if !still[address] || b.InputHash != r.basis(address, still) {
			release = append(release, address)
		}
	}
	if len(release) > 0 {
		if err := r.Store.Unblock(ctx, release); err != nil {
			return fmt.Errorf("record what is no longer refused: %w", err)
		}
	}
	if len(block) == 0 {
		return nil
	}
	if err := r.Store.Block(ctx, block); err != nil {
		return fmt.Errorf("record what the service refused: %w", err)
	}
	return nil
}

// quarantined keeps since when, where the very same was refused before.
func (r *reporting) quarantined(b, before state.Blocked, refused map[resource.Address]bool) state.Blocked {
	b.InputHash, b.Since, b.Run, b.Asked = r.basis(b.Address, refused), r.now().Truncate(time.Second), r.id, r.id
	if before.InputHash == b.InputHash {
		b.Since, b.Run = before.Since, before.Run
	}
	return b
}

// basis is what a refusal of this run rests on: the plan's files and live values,
// and its parent as the run leaves it.
func (r *reporting) basis(address resource.Address, refused map[resource.Address]bool) string {
	desired, live, parent := r.view.input.Desired, r.view.input.Live, r.Schemas.Parent(address)
	return plan.Basis(desired.Get(address), live.Get(address),
		plan.Above(r.Schemas.Of(parent.Kind), desired.Get(parent), r.left(parent), refused[parent]))
}

// left is a resource as the run leaves it, as far as it wrote it.
func (r *reporting) left(at resource.Address) *resource.Resource {
	live, s := r.view.input.Live.Get(at), r.progressOf[at]
	if s == nil || len(s.written) == 0 {
		return live
	}
	after := &resource.Resource{Address: at, ID: r.ids[at]}
	if live != nil {
		after.Attributes = slices.Clone(live.Attributes)
	}
	for _, n := range s.written {
		after.Set(n.Name, n.Value)
	}
	return after
}

// withWindows returns a policy in which every freeze window is open where the clocks are
// apart: which of the two is right nobody knows (faults.md, invariant 33).
func (a *inputs) withWindows(p plan.Policy) plan.Policy {
	ahead := a.Service.Ahead().Round(time.Second)
	if !p.Windows || ahead.Abs() <= clockSlip {
		return p
	}
	way := "ahead of"
	if ahead < 0 {
		way = "behind"
	}
	p.Frozen = append(slices.Clone(p.Frozen), plan.Freeze{Reason: fmt.Sprintf(
		"the clock of this machine is %s %s the service's, so that a freeze window may be open: set the clock",
		ahead.Abs(), way)})
	return p
}

// missingImages are the images a plan would send that nobody can: named by
// their content, which no file of the folder has and adsync never uploaded.
func (a *inputs) missingImages(ctx context.Context, p *plan.Plan) ([]diag.Problem, error) {
	var problems []diag.Problem
	var uploaded map[string]string
	for i := range p.Changes {
		c := &p.Changes[i]
		for _, f := range c.Fields {
			if c.Held != nil || f.Held != nil || f.Cause == plan.SentAlong || !a.byContentAlone(c, f) {
				continue
			}
			if uploaded == nil {
				files, err := a.Store.Files(ctx)
				if err != nil {
					return nil, fmt.Errorf("read the uploaded images: %w", err)
				}
				uploaded = files
			}
			if uploaded[f.Desired.Text()] == "" {
				problems = append(problems, diag.Problem{
					Severity: diag.Error, Code: diag.NoImageFile,
					Position: f.Desired.Position, Address: c.Address.String(),
					Message: fmt.Sprintf("%s of %s is named by "+
						"its content, which no file has and adsync has not uploaded; want the file", f.Name, c.Address),
					Hint: "save the picture in the folder and write its path",
				})
			}
		}
	}
	return problems, nil
}

func (a *inputs) byContentAlone(c *plan.Change, f plan.Field) bool {
	attribute, known := a.Schemas.Of(c.Address.Kind).Attribute(f.Name)
	return known && attribute.Wire.Codec == resource.FileID &&
		strings.HasPrefix(f.Desired.Text(), "sha256:") && f.Desired.Written() == f.Desired.Text()
}

// clockSlip is how far the clocks of this machine and of the service may be apart
// for a freeze window to be told open or closed.
const clockSlip = 5 * time.Minute
