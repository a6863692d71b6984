package planning

import (
	"context"
	"fmt"
	"path"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/sources"
	"adsync/sources/tidy"
)

// runPropose pushes the files with the former values of a run to a branch that begins at the commit that was read.
// Nothing is sent to the service, nor recorded: once the branch is merged, it is planned and guarded as every change
// of the files is.
func runPropose(ctx context.Context, env *session.Env, r *reverting, name string) error {
	if err := session.Invalid(env, r.loaded, r.loaded.Desired.Problems); err != nil {
		return err
	}
	s, err := session.Connect(ctx, env, r.loaded, true)
	if err != nil {
		return err
	}
	defer s.End()
	if _, err := r.invert(ctx, env, s, name); err != nil {
		return err
	}
	if r.of.Command.Pauses() {
		return console.Configuration("%s paused without a word of the files: there is nothing to propose; "+
			"want revert without --git", r.of.Run)
	}
	former, left := r.asked()
	tellStays(env, r)
	for _, one := range left {
		env.Note("left as it is: %s", stayText(one))
	}
	if len(former) == 0 {
		env.Note("the files ask for nothing that %s applied; nothing to propose", r.of.Run)
		return nil
	}
	rewrites, problems, err := tidy.AcceptAll(r.loaded.Project,
		ctx, session.Schemas(), allDesired(ctx, env, r.loaded), former)
	if err != nil {
		return console.Configuration("%v; nothing was pushed", err)
	}
	if len(problems) > 0 {
		session.ShowProblems(env, r.loaded.Project, problems)
		return console.ExitWith(console.ExitInvalid, console.Counted(problems)+"; nothing was pushed")
	}
	hash, err := r.showProposed(ctx, env, s, rewrites)
	if err != nil {
		return err
	}
	r.tellCells(env, former)
	if r.f.planOnly {
		env.Note("nothing was pushed")
		return nil
	}
	_, err = runs.Push(ctx, env, r.answer(env, rewrites, len(former), hash))
	return err
}

// asked are the values of before, for the rows that still say what the run applied, and what of the run the files say
// otherwise.
func (r *reverting) asked() (former []tidy.Accepted, left []plan.Stay) {
	for want := range r.inverse.Desired.All() {
		applied := r.inverse.Left.Get(want.Address)
		if applied == nil {
			continue
		}
		row := r.row(want.Address)
		if row == nil {
			left = append(left, plan.Stay{Address: want.Address, Why: "no file has it any more"})
			continue
		}
		stays := func(attribute, why string, v resource.Value) {
			left = append(left, plan.Stay{Address: row.Address, Attribute: attribute,
				Why: fmt.Sprintf(why, r.spelled(row.Address, attribute, v))})
		}
		for _, n := range want.Attributes {
			said := row.Value(n.Name)
			switch {
			case said.IsAbsent() && n.Value.IsSet():
				stays(n.Name, "the files do not say it; before it was %s", n.Value)
			case plan.Same(said, n.Value): // it is as before
			case plan.Same(said, applied.Value(n.Name)):
				former = append(former, tidy.Accepted{
					Address: row.Address, Attribute: n.Name, Value: n.Value.At(diag.Position{}),
				})
			default:
				stays(n.Name, "the files say %s since", said)
			}
		}
	}
	for _, d := range r.done {
		if row := r.row(d.Address); d.Action == plan.Create && row != nil {
			left = append(left, plan.Stay{Address: row.Address,
				Why: "the run made it; its row stays, and nothing is archived or deleted"})
		}
	}
	return former, left
}

// spelled is a value as people write it.
func (r *reverting) spelled(at resource.Address, attribute string, v resource.Value) string {
	a, _ := r.loaded.Schemas.Of(at.Kind).Attribute(attribute)
	if text := a.Show(v); text != "" {
		return text
	}
	return "nothing"
}

// showProposed plans the files as they would be, and returns the hash of the plan.
func (r *reverting) showProposed(ctx context.Context, env *session.Env,
	s *session.Session, rewrites []tidy.Rewrite) (string, error) {
	contents := map[string][]byte{}
	for _, w := range rewrites {
		contents[w.File] = w.After
	}
	with, err := sources.LoadJoined(r.loaded.Project, ctx, r.loaded.Schemas, contents)
	if err != nil {
		return "", err
	}
	l := r.loaded
	l.Desired = with
	flags := r.f.PlanFlags
	flags.Target, flags.Exclude = nil, nil // they name a part of the run
	desired, err := runs.Desired(env, l, flags)
	if err != nil {
		return "", err
	}
	view, err := s.Agent.Plan(ctx, desired)
	if err != nil {
		return "", err
	}
	return view.Hash(), runs.ShowPlan(env, l, flags, s.Agent.Account, view)
}

// tellCells says where the former values are written.
func (r *reverting) tellCells(env *session.Env, former []tidy.Accepted) {
	env.Note("%s of before in your files:", diag.Plural(len(former), "value"))
	for i, one := range former {
		if i == staysShown && !r.f.Full {
			env.Note("  … and %d more; --full lists them", len(former)-i)
			return
		}
		row := r.loaded.Desired.Snapshot.Get(one.Address)
		said := row.Value(one.Attribute)
		at := said.Position
		if at.IsZero() {
			at = row.Position
		}
		env.Note("  %s", diag.Printable(fmt.Sprintf("%s: %s %s: %s → %s", at, one.Address, one.Attribute,
			r.spelled(one.Address, one.Attribute, said), r.spelled(one.Address, one.Attribute, one.Value))))
	}
}

// answer is a commit of the files with the former values.
func (r *reverting) answer(env *session.Env, rewrites []tidy.Rewrite, values int, hash string) gitstore.Answer {
	account, base := r.loaded.Project.Account.ID, env.Git.Revision.Commit
	a := gitstore.Answer{
		Branch: strings.Join([]string{"adsync/revert", runs.RefWord(account), runs.RefWord(r.of.Run), hash[:12]}, "-"),
		Base:   base, Files: map[string][]byte{},
		Message: fmt.Sprintf("Take back %s of %s\n\nAccount: %s\nRun: %s\nPlan: %s\nCommit: %s\n",
			diag.Plural(values, "value"), r.of.Run, account, r.of.Run, hash, base),
	}
	for _, w := range rewrites {
		a.Files[path.Join(env.Git.Store.SubPath(), w.File)] = w.After
	}
	return a
}
