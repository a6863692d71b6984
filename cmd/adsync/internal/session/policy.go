package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/direct"
	"adsync/internal/policy"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/config"
)

// Governed is the policy that holds, and where each value of it comes from.
type Governed struct {
	Policy   plan.Policy
	Values   []PolicyValue
	Standing []plan.Allowance  // of the operator's file, still good
	Bound    []reconcile.Bound // of the operator's file, each for one plan
	Operator config.Operator
	Stops    bool        // one row that is not valid stops all
	bulk     config.Bulk // with a word for each setting
	publish  config.Setting
	Problems []diag.Problem
	Thaws    time.Time // when the first of the open freeze windows ends; zero where none is open
}

// PolicyValue is one value of the policy as policy show prints it.
type PolicyValue struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"` // default, a file and line, a variable, or a flag
	Help   string `json:"help,omitempty"`
}

// limitOf finds each limit in the policy of a plan.
var limitOf = map[string]func(*plan.Policy) *int64{
	"approval_expires":    func(p *plan.Policy) *int64 { return &p.ApprovalExpires },
	"archives.count":      func(p *plan.Policy) *int64 { return &p.ArchiveCount },
	"archives.percent":    func(p *plan.Policy) *int64 { return &p.ArchivePercent },
	"bid.hold_above":      func(p *plan.Policy) *int64 { return &p.Bid.HoldAbove },
	"bid.refuse_from":     func(p *plan.Policy) *int64 { return &p.Bid.RefuseFrom },
	"bid.share":           func(p *plan.Policy) *int64 { return &p.BidShare },
	"budget.hold_above":   func(p *plan.Policy) *int64 { return &p.Budget.HoldAbove },
	"budget.refuse_from":  func(p *plan.Policy) *int64 { return &p.Budget.RefuseFrom },
	"exposure.percent":    func(p *plan.Policy) *int64 { return &p.ExposurePercent },
	"max_bid":             func(p *plan.Policy) *int64 { return &p.MaxBid },
	"max_daily_budget":    func(p *plan.Policy) *int64 { return &p.MaxDailyBudget },
	"max_daily_exposure":  func(p *plan.Policy) *int64 { return &p.MaxDailyExposure },
	"max_lifetime_budget": func(p *plan.Policy) *int64 { return &p.MaxLifetimeBudget },
	"people.from":         func(p *plan.Policy) *int64 { return &p.PeopleFrom },
	"people.percent":      func(p *plan.Policy) *int64 { return &p.PeoplePercent },
	"shrink.from":         func(p *plan.Policy) *int64 { return &p.ShrinkFrom },
	"shrink.percent":      func(p *plan.Policy) *int64 { return &p.ShrinkPercent },
	"updates.from":        func(p *plan.Policy) *int64 { return &p.UpdateFrom },
	"updates.percent":     func(p *plan.Policy) *int64 { return &p.UpdatePercent },
}

// Govern joins the defaults, the operator's file and the project's. The project
// may only tighten.
func Govern(env *Env, project config.Project, schemas resource.Schemas, now time.Time) Governed {
	o, problems := Operator(env, project)
	g := Governed{Policy: plan.DefaultPolicy(), Operator: o, Problems: problems}
	for _, s := range policy.Settings() {
		g.limit(s, project.Policy)
	}
	g.chooseDrift(o.Policy, project.Policy, attributeNames(schemas))
	g.choosePrune(o.Policy, project.Policy, kindNames(schemas))
	g.chooseApprovals(o.Policy, project.Policy)
	g.Stops = g.choice(policy.Invalid, policy.Invalid.Name, o.Policy.Invalid, project.Policy.Invalid).Value == "stop"
	g.publish = g.choice(policy.Publish, policy.Publish.Name, o.Publish, project.Publish)
	g.chooseBulk(project.Bulk)
	g.minutes(project.Policy)
	g.section(project)
	g.freeze(slices.Concat(o.Policy.Freeze, project.Policy.Freeze), now)
	g.allowances(project, now)
	slices.SortStableFunc(g.Values, func(a, b PolicyValue) int { return strings.Compare(a.Name, b.Name) })
	return g
}

// limit takes the value of one limit.
func (g *Governed) limit(s policy.Setting, project config.Policy) {
	at := limitOf[s.Name](&g.Policy)
	origin, watched := "default", true
	for _, v := range g.Operator.Policy.Limits {
		if v.Setting.Name == s.Name {
			*at, origin, watched = v.Number, g.Origin(v.Position), false
		}
	}
	for _, v := range project.Limits {
		switch {
		case v.Setting.Name != s.Name:
		case s.Looser(v.Number, *at):
			g.loosens(v.Position, "policy."+s.Name, s.Format(v.Number), s.Format(*at), origin)
		default:
			*at, origin = v.Number, g.Origin(v.Position)
		}
	}
	if s.Enables {
		g.Policy.CeilingWatched = watched && *at > 0
	}
	g.Values = append(g.Values, PolicyValue{s.Name, s.Format(*at), origin, s.Help})
}

// loosens is the problem of a watched file that would let pass more (X11).
func (g *Governed) loosens(at diag.Position, name, have, bound, origin string) {
	g.Problems = append(g.Problems, diag.Problem{
		Severity: diag.Error, Code: diag.BadProject, Position: at,
		Message: fmt.Sprintf("%s is %s, looser than %s (%s); want that or less", name, have, bound, origin),
		Hint: fmt.Sprintf("a file that is reviewed with the campaigns may tighten a guard; %s may loosen it",
			g.operatorsFile()),
	})
}

// operatorsFile names the operator's file for people.
func (g *Governed) operatorsFile() string {
	if g.Operator.File == "" {
		return "the operator's file"
	}
	return "the operator's file, " + g.Operator.File + ","
}

// Origin writes a position short: the operator's file by its name.
func (g *Governed) Origin(p diag.Position) string {
	name := p.File()
	if p.File() == g.Operator.File {
		name = filepath.Base(name)
	}
	return fmt.Sprintf("%s:%d", name, p.Line())
}

func attributeNames(schemas resource.Schemas) []string {
	var names []string
	for _, s := range schemas {
		for _, a := range s.Attributes {
			names = append(names, a.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func kindNames(schemas resource.Schemas) []string {
	var names []string
	for _, s := range schemas {
		names = append(names, string(s.Kind))
	}
	return names
}

// freeze finds the windows that are open. A deny beats every allowance, so both
// files' windows hold.
func (g *Governed) freeze(windows []policy.Window, now time.Time) {
	g.Policy.Windows = len(windows) > 0
	for _, w := range windows {
		until, open, err := w.OpenAt(now)
		value := PolicyValue{
			Name: "freeze", Value: fmt.Sprintf("%s: %s for %s, %s", w.Name, w.Cron, w.For, w.Zone),
			Origin: g.Origin(w.Position),
		}
		switch {
		case err != nil:
			g.Problems = append(g.Problems, diag.Problem{
				Severity: diag.Error, Code: diag.BadProject, Position: w.Position, Message: err.Error(),
			})
		case open:
			g.Policy.Frozen = append(g.Policy.Frozen, plan.Freeze{
				Name: w.Name, Until: until.Format("2006-01-02 15:04 MST"), Reason: w.Reason,
			})
			value.Value += "; open until " + until.Format("2006-01-02 15:04 MST")
			if g.Thaws.IsZero() || until.Before(g.Thaws) {
				g.Thaws = until
			}
		}
		g.Values = append(g.Values, value)
	}
}

// farthestEast is the zone whose days begin first. An allowance of an account
// whose files name no time zone ends there: leaving it out makes none last longer.
var farthestEast = time.FixedZone("", 14*60*60)

// allowances takes those of the operator's file that still hold. The last day is
// inclusive, in the account's time zone.
func (g *Governed) allowances(project config.Project, now time.Time) {
	env, err := project.Env()
	if err != nil {
		return // the project's own problem, said at its line
	}
	today := lastDay(project, env.Zone, now)
	for _, s := range g.Operator.Allow {
		var allowance plan.Allowance
		verb := strings.HasPrefix(s.Allow, direct.AllowancePrefix)
		if verb {
			if err = direct.CheckAllowance(s.Allow); err == nil && s.Plan != "" {
				err = fmt.Errorf("allowance %s is for plan %q, and is of no plan; want until, a last day",
					s.Allow, s.Plan)
			}
		} else {
			allowance, err = plan.ParseAllowance(s.Allow)
		}
		value := PolicyValue{
			Name: "allow", Value: s.Allow + "; " + s.Owner + ": " + s.Reason, Origin: g.Origin(s.Position),
		}
		switch {
		case err != nil:
			g.Problems = append(g.Problems, diag.Problem{
				Severity: diag.Error, Code: diag.BadProject, Position: s.Position, Message: err.Error(),
			})
			continue
		case s.Until != "" && today > s.Until:
			value.Value += "; ended " + s.Until
			g.Problems = append(g.Problems,
				diag.Problem{Severity: diag.Warning, Code: diag.BadProject, Position: s.Position,
					Message: fmt.Sprintf("the allowance %s of %s "+
						"ended on %s and is not used; want it taken out, or another last day",
						s.Allow, s.Owner, s.Until)})
		case verb:
			value.Value += "; until " + s.Until
		case s.Plan != "":
			value.Value += "; for plan " + s.Plan
			g.Bound = append(g.Bound, reconcile.Bound{Plan: s.Plan, Allow: allowance})
		default:
			value.Value += "; until " + s.Until
			g.Standing = append(g.Standing, allowance)
		}
		g.Values = append(g.Values, value)
	}
}

// lastDay is the day that allowances are good on, in the account's time zone.
func lastDay(project config.Project, zone *time.Location, now time.Time) string {
	if project.Account.TimeZone == "" {
		zone = farthestEast
	}
	return now.In(zone).Format(time.DateOnly)
}

// Allowed returns whose allowance of the operator's file a direct verb may go on: "" where none is
// good. One that is for a plan is none.
func Allowed(env *Env, project config.Project, word string, now time.Time) string {
	of, err := project.Env()
	o, problems := Operator(env, project)
	if err != nil || diag.HasErrors(problems) {
		return ""
	}
	for _, s := range o.Allow {
		if s.Allow == word && s.Plan == "" && lastDay(project, of.Zone, now) <= s.Until {
			return s.Owner
		}
	}
	return ""
}
