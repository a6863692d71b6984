package session

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/eyes"
	"adsync/internal/policy"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/sources/config"
)

// chooseDrift and choosePrune take what the operator's file says, or the default,
// and what the project's says where that is tighter.
func (g *Governed) chooseDrift(operator, project config.Policy, attributes []string) {
	all, of := g.choices(policy.Drift, chosen{operator.Drift, operator.DriftOf},
		chosen{project.Drift, project.DriftOf}, attributes)
	g.Policy.Drift = plan.OnDrift(all)
	for name, value := range of {
		if g.Policy.DriftOf == nil {
			g.Policy.DriftOf = map[string]plan.OnDrift{}
		}
		g.Policy.DriftOf[name] = plan.OnDrift(value)
	}
}

func (g *Governed) choosePrune(operator, project config.Policy, kinds []string) {
	all, of := g.choices(policy.Prune, chosen{operator.Prune, operator.PruneOf},
		chosen{project.Prune, project.PruneOf}, kinds)
	g.Policy.Prune = plan.OnPrune(all)
	for name, value := range of {
		if g.Policy.PruneOf == nil {
			g.Policy.PruneOf = map[resource.Kind]plan.OnPrune{}
		}
		g.Policy.PruneOf[resource.Kind(name)] = plan.OnPrune(value)
	}
}

// chooseApprovals takes what nobody approves who wrote it.
func (g *Governed) chooseApprovals(operator, project config.Policy) {
	all, of := g.choices(policy.Approvals, chosen{operator.Approvals, operator.ApprovalsOf},
		chosen{project.Approvals, project.ApprovalsOf}, eyes.Groups())
	for _, group := range eyes.Groups() {
		if cmp.Or(of[group], all) == policy.Approvals.Values[0] {
			g.Policy.NotAuthor = append(g.Policy.NotAuthor, eyes.Of(group)...)
		}
	}
}

// chosen is what one file says of a choice: for all, and for single names.
type chosen struct {
	all config.Setting
	of  map[string]config.Setting
}

func (g *Governed) choices(c policy.Choice, operator,
	project chosen, known []string) (all string, of map[string]string) {
	all, of = g.choice(c, c.Name, operator.all, project.all).Value, map[string]string{}
	for _, name := range keysOf(operator.of, project.of) {
		ours, theirs := operator.of[name], project.of[name]
		if !slices.Contains(known, name) {
			at := cmp.Or(theirs.Position, ours.Position)
			g.Problems = append(g.Problems, diag.Problem{Severity: diag.Error, Code: diag.BadProject, Position: at,
				Message: fmt.Sprintf("%s names %q; want one of %s", c.Name, name, strings.Join(known, ", ")),
				Hint:    diag.DidYouMean(name, known)})
			continue
		}
		if ours.Value == "" {
			ours = operator.all
		}
		if theirs.Value == "" && !c.Looser(project.all.Value, cmp.Or(ours.Value, c.Default)) {
			theirs = project.all
		}
		of[name] = g.choice(c, c.Name+"."+name, ours, theirs).Value
	}
	return all, of
}

// choice takes one choice. One of the project that is looser is a problem.
func (g *Governed) choice(c policy.Choice, name string, operator, project config.Setting) config.Setting {
	takes, origin := operator, g.Origin(operator.Position)
	if operator.Value == "" {
		takes.Value, origin = c.Default, "default"
	}
	switch {
	case project.Value == "":
	case c.Looser(project.Value, takes.Value):
		g.loosens(project.Position, name, project.Value, takes.Value, origin)
	default:
		takes, origin = project, g.Origin(project.Position)
	}
	g.Values = append(g.Values, PolicyValue{
		Name: strings.TrimPrefix(name, "policy."), Value: takes.Value, Origin: origin,
	})
	return takes
}

func keysOf(one, other map[string]config.Setting) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(one)), maps.Keys(other))
	slices.Sort(names)
	return slices.Compact(names)
}

// chooseBulk takes how bulk jobs are used.
func (g *Governed) chooseBulk(project config.Bulk) {
	g.bulk.RepeatParent = g.choice(policy.RepeatParent,
		policy.RepeatParent.Name, g.Operator.Bulk.RepeatParent, project.RepeatParent)
	g.bulk.Rehearse = g.choice(policy.Rehearse, policy.Rehearse.Name, g.Operator.Bulk.Rehearse, project.Rehearse)
}

// minutes holds the project's saved_plan_minutes to the operator's.
func (g *Governed) minutes(project config.Policy) {
	ours, theirs := g.Operator.Policy.SavedPlanMinutes, project.SavedPlanMinutes
	if longer(theirs.Value, ours.Value) {
		g.loosens(theirs.Position, "policy.saved_plan_minutes", theirs.Value, ours.Value, g.Origin(ours.Position))
	}
}

func longer(minutes, most string) bool {
	n, err := strconv.Atoi(minutes)
	m, none := strconv.Atoi(most)
	return err == nil && none == nil && n > m
}

// section holds a project to naming its account where the operator's file says
// something of single accounts: without the name none of that would count.
func (g *Governed) section(project config.Project) {
	if project.Account.ID != "" || !g.Operator.ByAccount() {
		return
	}
	g.Problems = append(g.Problems, diag.Problem{
		Severity: diag.Error, Code: diag.BadProject, Position: diag.InFile("adsync.yaml"),
		Message: "no account is named, and the operator's file has a section for each account; want account.id",
		Hint: "write `account: {id: …}` with the " +
			"id the service gives the account, so that what the operator says of it holds",
	})
}
