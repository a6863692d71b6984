package daemoncmd

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
)

// commit puts a dropped file on the branch for uploads, as the account's files are
// now: it has to be planned without a problem once more. Who and when stand in the
// commit. The branch that is read is never written to.
func (k *previewer) commit(ctx context.Context, h daemon.Handed) (c daemon.Committed, err error) {
	env, dir, done, err := k.open(ctx)
	if err != nil {
		return c, err
	}
	defer done()
	l, name, err := k.with(ctx, env, dir, h.File, h.Content)
	if err != nil {
		return c, err
	}
	problems, hash := l.Desired.Problems, ""
	if !diag.HasErrors(problems) {
		view, _, err := k.plan(ctx, env, l)
		if err != nil {
			return c, notNow(ctx, err)
		}
		problems, hash = view.Plan.Problems, view.Hash()
	}
	if diag.HasErrors(problems) {
		return c, fmt.Errorf("%w: %s", daemon.ErrNotValid, firstProblem(problems))
	}
	return k.push(ctx, env, name, hash, h)
}

func (k *previewer) push(ctx context.Context, env *session.Env,
	name, hash string, h daemon.Handed) (c daemon.Committed, err error) {
	g := env.Git
	if g.Revision.Ref == "refs/heads/"+k.uploads {
		return c,
			console.Configuration("uploads is %s, which is the branch that is read; want another, that somebody merges",
				k.uploads)
	}
	config, _, err := session.GitConfig(env, g.Flags)
	if err != nil {
		return c, err
	}
	store, err := gitstore.Open(config) // the account's own is its run's
	if err != nil {
		return c, fmt.Errorf("%w: %w", daemon.ErrNotPushed, err)
	}
	c = daemon.Committed{Branch: k.uploads, Path: path.Join(store.SubPath(), name)}
	pushed, err := store.Push(ctx, gitstore.Answer{
		Branch: k.uploads, Base: g.Revision.Commit,
		Files: map[string][]byte{c.Path: h.Content}, Message: uploadMessage(c.Path, g.Revision.Commit, hash, h),
		Author: gitstore.Author{
			Name:  cmp.Or(strings.Trim(withoutMarks(h.By), " ."), "somebody"),
			Email: cmp.Or(g.Author.Email, "adsync@localhost"),
		},
	})
	if err != nil {
		return c, fmt.Errorf("%w: %w", daemon.ErrNotPushed, err)
	}
	c.Commit, c.Same = pushed.Commit, pushed.Same
	return c, nil
}

func uploadMessage(file, base, hash string, h daemon.Handed) string {
	text := fmt.Sprintf("Upload %s\n\n", withoutMarks(path.Base(file)))
	if h.Note != "" {
		text += withoutMarks(h.Note) + "\n\n"
	}
	return text + fmt.Sprintf("Uploaded-by: %s\nUploaded-at: %s\nPlan: %s\nCommit: %s\n",
		withoutMarks(h.By), h.Time.UTC().Format(time.RFC3339), hash, base)
}

// withoutMarks keeps what somebody wrote of themselves in one line, and out of the
// form of a commit.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, diag.Printable(text))
}
