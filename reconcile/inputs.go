package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/reconcile/apply"
	"adsync/reconcile/env"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"
)

// inputs reads from the state what a plan is made from beside the record.
type inputs struct {
	*env.Env
}

func newInputs(env *env.Env) *inputs { return &inputs{Env: env} }

// clockSlip is how far the clocks of this machine and of the service may be apart
// for a freeze window to be told open or closed.
const clockSlip = 5 * time.Minute

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

// withWindows returns a policy in which every freeze window is open where the clocks are
// apart: which of the two is right nobody knows (faults.md, invariant 33).
func (a *inputs) withWindows(p plan.Policy) plan.Policy {
	ahead := a.Service.Ahead().Round(time.Second)
	if !p.Windows || ahead.Abs() <= clockSlip {
		return p
	}
	key := "guard.clock-ahead"
	if ahead < 0 {
		key = "guard.clock-behind"
	}
	p.Frozen = append(slices.Clone(p.Frozen),
		plan.Freeze{Reason: catalogue.Fill(key, "time", ahead.Abs().String())})
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
			attribute, _ := a.Schemas.Of(c.Address.Kind).Attribute(f.Name)
			if uploaded == nil {
				files, err := a.Store.Files(ctx)
				if err != nil {
					return nil, fmt.Errorf("read the uploaded images: %w", err)
				}
				uploaded = files
			}
			if uploaded[wire.UploadName(attribute, f.Desired)] == "" {
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

// recent returns what adsync did to spend within the last day.
func (a *inputs) recent(ctx context.Context) (plan.Recent, error) {
	moves, err := a.Store.Moves(ctx, a.Now().Add(-env.Day))
	if err != nil {
		return plan.Recent{}, fmt.Errorf("read what was raised within a day: %w", err)
	}
	var recent plan.Recent
	known := map[state.Amount]bool{}
	for _, m := range moves {
		recent.Levels = append(recent.Levels, m.Before, m.After)
		for _, amount := range m.Amounts {
			name := state.Amount{Address: amount.Address, Attribute: amount.Attribute}
			if !known[name] {
				known[name] = true
				recent.Amounts = append(recent.Amounts, plan.Earlier(amount))
			}
		}
	}
	return recent, nil
}

// credits returns what applies of the last day left for the rest of their plans.
func (a *inputs) credits(ctx context.Context) (recorded []state.Credit, credits []plan.Credit, err error) {
	recorded, err = a.Store.Credits(ctx, a.Now().Add(-env.Day))
	if err != nil {
		return nil, nil, fmt.Errorf("read what applies left for the rest of their plans: %w", err)
	}
	for _, c := range recorded {
		credit := plan.Credit{Run: c.Run, Lost: c.Lost, Desired: c.Desired, Last: c.Last, Live: c.Live}
		for _, s := range c.Shown {
			credit.Shown = append(credit.Shown, plan.Shown(s))
		}
		credits = append(credits, credit)
	}
	return recorded, credits, nil
}

// rename has the record follow the keys, before anything is sent under them. What
// an operation of unknown outcome is about keeps its key in the record until that is
// decided: nothing is sent to it before.
func (a *inputs) rename(ctx context.Context, renamed []plan.Renamed, undecided []send.Undecided) error {
	var addresses []state.Renamed
	for _, r := range renamed {
		waits := slices.ContainsFunc(undecided, func(u send.Undecided) bool {
			return u.Operation.Address == r.From || u.Operation.Address == r.To
		})
		if !waits {
			addresses = append(addresses, state.Renamed{From: r.From, To: r.To})
		}
	}
	if len(addresses) == 0 {
		return nil
	}
	return a.Store.Rename(ctx, addresses)
}

func (a *inputs) recordStarted(ctx context.Context, view *apply.View) error {
	if len(view.Started) == 0 {
		return nil
	}
	return a.Store.Record(ctx, view.Started)
}

// Consent is a consent, and the state of the account it was given to.
type Consent struct {
	plan.Consent
	Lineage string // of the state the plan was made from
	Serial  int64  // of that state; what was used later is used
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
			if key := p.Key(k.Hazard); Spent(used, key, k.Serial) {
				if used[key] > k.Serial {
					one.Begun[p.Address] = true
				}
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

// Spent reports whether a part was done since a serial of the state, by whomever's yes: used is as state.Store.Used has
// it, and key as plan.Part.Key.
func Spent(used map[string]int64, key string, serial int64) bool {
	return used[key] > serial || used[apply.EndOf(key)] > serial
}
