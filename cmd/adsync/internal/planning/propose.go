package planning

import (
	"context"
	"fmt"
	"path"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/sources/tidy"
)

// Propose pushes the files with what is live in them to a branch that begins at
// the commit that was read, ready for a pull request. Nothing is recorded: once
// it is merged, the next apply finds both sides alike.
func Propose(ctx context.Context, env *session.Env,
	l session.Loaded, d DriftDocument, picked bool, planHash string) error {
	take := takeOver(l, d, picked)
	if len(take.accepted) == 0 && len(take.problems) == 0 {
		env.Note("no drift; nothing to propose")
		return nil
	}
	rewrites, problems, err := tidy.AcceptAll(l.Project,
		ctx, session.Schemas(), allDesired(ctx, env, l), take.accepted)
	if err != nil {
		return console.Configuration("%v; nothing was pushed", err)
	}
	if problems = append(take.problems, problems...); len(problems) > 0 {
		session.ShowProblems(env, l.Project, problems)
		return console.ExitWith(console.ExitInvalid, console.Counted(problems)+"; nothing was pushed")
	}
	files := map[string][]byte{}
	for _, r := range rewrites {
		files[path.Join(env.Git.Store.SubPath(), r.File)] = r.After
	}
	account := d.Account.Account.ID
	return runs.Push(ctx, env, gitstore.Answer{
		Branch: fmt.Sprintf("adsync/drift-%s-%.12s", runs.RefWord(account), planHash),
		Base:   env.Git.Revision.Commit, Files: files,
		Message: fmt.Sprintf("Take over %s from the service\n\nAccount: %s\nPlan: %s\nCommit: %s\n",
			diag.Plural(len(take.accepted), "value"), account, planHash, env.Git.Revision.Commit),
	})
}
