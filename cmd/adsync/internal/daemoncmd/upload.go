package daemoncmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/authors"
	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/pulls"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/downloads"
	"adsync/internal/gitstore"
	"adsync/internal/orders"
	"adsync/internal/runview"
	"adsync/internal/words/catalogue"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/attach"
	"adsync/sources/tidy"
	"adsync/sources/tree"
)

// commit sends a dropped file to the branch for uploads, or to one of its own with a pull request, as the account's
// files are by now. Who and when stand in the commit. The branch that is read is never written to.
func (k *previewer) commit(ctx context.Context, h daemon.Handed) (c daemon.Committed, err error) {
	env, dir, done, err := k.newest(ctx)
	if err != nil {
		return c, notPushed(err)
	}
	defer done()
	_, name, view, err := k.checked(ctx, env, dir, h)
	if errors.Is(err, daemon.ErrMoved) {
		r := env.Git.Revision
		return c, fmt.Errorf("%w; %s", err, catalogue.Say("failed.moved-by", "commit", fmt.Sprintf("%.12s", r.Commit),
			"subject", diag.Printable(strconv.Quote(r.Subject)), "author", diag.Printable(r.Author)))
	}
	if err != nil {
		return c, err
	}
	c, err = k.push(ctx, env, name, view.Hash(), h)
	if c.Commit != "" { // it is there also where no pull request is
		k.noteSent(name, h)
	}
	return c, err
}

// checked plans a file once more as the account's others are by now: without a problem, and in the place of the file
// that it took when it was looked at.
func (k *previewer) checked(ctx context.Context, env *session.Env, dir string,
	h daemon.Handed) (l session.Loaded, name string, view *reconcile.View, err error) {
	l, name, base, err := k.with(ctx, env, dir, h.File, h.Content)
	if err != nil {
		return l, "", nil, err
	}
	if base != h.Base {
		return l, "", nil, daemon.ErrMoved
	}
	problems := l.Desired.Problems
	if !diag.HasErrors(problems) {
		if view, _, err = k.plan(ctx, env, l); err != nil {
			return l, "", nil, notNow(ctx, err)
		}
		problems = view.Plan.Problems
	}
	if diag.HasErrors(problems) {
		return l, "", nil, fmt.Errorf("%w: %s", daemon.ErrNotValid, firstProblem(problems))
	}
	return l, name, view, nil
}

// save puts a dropped file into the folder, in the place of the one it was looked at for, which stays beside it. The
// next run plans and guards it as whatever people save.
func (k *previewer) save(ctx context.Context, h daemon.Handed) (c daemon.Committed, err error) {
	env, dir, done, err := k.open(ctx)
	if err != nil {
		return c, err
	}
	defer done()
	l, name, view, err := k.checked(ctx, env, dir, h)
	if errors.Is(err, daemon.ErrMoved) {
		return c, fmt.Errorf("%w; %s", err, catalogue.Say("failed.look-again"))
	}
	if err != nil {
		return c, err
	}
	c.Path = name
	if c.Same = h.Base == sumOf(h.Content); c.Same {
		return c, nil
	}
	err = k.note(orders.Ordered{Time: h.Time, Order: orders.Send, By: h.By, From: h.From, Reason: h.Note, Of: name})
	if err != nil {
		return c, fmt.Errorf("note who sends it: %w", err)
	}
	authored := k.authored(ctx, env, l, name, view, h)
	k.worker.copies.writing.Lock()
	defer k.worker.copies.writing.Unlock()
	err = k.worker.authors.Write(authored, func() (err error) {
		c.Kept, err = tidy.Put(l.Project, name, h.Base, h.Content, env.Clock.OrSystem().Now())
		return err
	})
	if err != nil {
		return c, fmt.Errorf("%w: %s: %s", daemon.ErrNotWritten, diag.Printable(name), diag.Printable(err.Error()))
	}
	k.noteSent(name, h)
	return c, nil
}

// authored is what a file changes of those that are there, and who has it do so; nil where no policy asks for it, and
// where nobody can tell.
func (k *previewer) authored(ctx context.Context, env *session.Env, l session.Loaded, name string,
	view *reconcile.View, h daemon.Handed) *authors.Order {
	g := session.Govern(env, l.Project, l.Schemas, time.Now())
	if h.Who == nil || len(g.Policy.NotAuthor) == 0 {
		return nil
	}
	var former []byte
	var err error
	if h.Base != "" {
		former, err = os.ReadFile(filepath.Join(l.Project.Root, filepath.FromSlash(name)))
	}
	_, contents, failed := sourcesBeside(l, h.File)
	if err != nil || failed != nil || h.Base != "" && sumOf(former) != h.Base {
		return nil
	}
	if h.Base != "" {
		contents[name] = former
	}
	before := sources.LoadContents(ctx, l.Project, l.Schemas, contents) // a draft as if it was ready, as the other
	return &authors.Order{Who: *h.Who, Before: &before, After: &l.Desired, Root: l.Project.Root,
		Files: map[string]string{name: sumOf(h.Content)}, Asks: view.Plan.FindAsks(),
		Lineage: view.State.Lineage, Serial: view.State.Serial}
}

func notPushed(err error) error { return fmt.Errorf("%w: %w", daemon.ErrNotPushed, err) }

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
	if g.Store, err = gitstore.Open(config); err != nil { // the account's own is its run's
		return c, notPushed(err)
	}
	c.Path = path.Join(g.Store.SubPath(), name)
	by := cmp.Or(strings.Trim(pulls.WithoutMarks(h.By), " ."), "somebody")
	message := uploadMessage(c.Path, g.Revision.Commit, hash, h)
	if into := k.own.Into(env); into != "" {
		return k.send(ctx, env, c, pulls.Sent{
			Uploads: k.uploads, Into: into, Path: c.Path, Content: h.Content, By: by, Who: h.Who, Note: h.Note,
			Message: message,
		})
	}
	pushed, err := runs.Push(ctx, env, gitstore.Answer{
		Branch: k.uploads, Base: g.Revision.Commit, Files: map[string][]byte{c.Path: h.Content},
		Message: message, By: by,
	})
	if err != nil {
		return c, notPushed(err)
	}
	c.Branch, c.Commit, c.Same = pushed.Branch, pushed.Commit, pushed.Same
	return c, nil
}

// send pushes a file to a branch of its own, and has a pull request be opened of it.
func (k *previewer) send(ctx context.Context, env *session.Env, c daemon.Committed,
	s pulls.Sent) (daemon.Committed, error) {
	pushed, pull, err := k.own.Send(ctx, env, s)
	c.Branch, c.Commit, c.Same = pushed.Branch, pushed.Commit, pushed.Same
	switch {
	case err != nil && pushed.Commit == "":
		return c, notPushed(err)
	case err != nil:
		return c, fmt.Errorf("%w; %s", daemon.ErrNotOpened, catalogue.Say("failed.pushed-to", "branch", pushed.Branch,
			"commit", fmt.Sprintf("%.12s", pushed.Commit), "why", console.OneLine(err)))
	}
	c.Pull = &daemon.PullRequest{Number: pull.Number, Address: runview.Page(pull.Address), Into: s.Into}
	k.sent()
	return c, nil
}

// files are the slash paths of the account's own files, as they were read last.
func (k *previewer) files(ctx context.Context) (names []string, err error) {
	err = k.inTree(ctx, func(t *tree.Tree) error {
		names = t.List().Files
		return nil
	})
	return names, err
}

// file is one of them, and notes who has it. Nothing else that lies there is read.
func (k *previewer) file(ctx context.Context, name, who string) (content []byte, err error) {
	err = k.inTree(ctx, func(t *tree.Tree) error {
		if !slices.Contains(t.List().Files, name) {
			return daemon.ErrNoFile
		}
		content, err = t.Root.ReadFile(filepath.FromSlash(name))
		return err
	})
	if err == nil && who != "" {
		if err := k.downloads.Note(who, name, content, time.Now()); err != nil {
			k.worker.env.Note("who downloaded a file is not noted, so that nobody will know what theirs began as: %s",
				console.OneLine(err))
		}
	}
	return content, err
}

// noteSent notes that what is there by now is what somebody sent. What was merged is not: they have another.
func (k *previewer) noteSent(name string, h daemon.Handed) {
	if h.Began == "" {
		return
	}
	err := k.downloads.Sent(downloads.Version{Who: h.Holder, File: name, Sum: h.Began}, sumOf(h.Content))
	if err != nil {
		k.worker.env.Note("who sent a file is not noted; to their next it will look as somebody else's: %s",
			console.OneLine(err))
	}
}

// picture is one of the account's files, or lies in one, as the last plan found it.
func (k *previewer) picture(ctx context.Context, where string) ([]byte, error) {
	env, dir, done, err := k.open(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	project, _ := session.ReadProject(env, dir)
	project.Kept = session.KeptOf(env, project)
	return attach.ReadImageFile(project, where)
}

// picturesOf is where the files have pictures, by their sums, without the contents that these are cut from.
func picturesOf(images map[string]string) map[string]string {
	pictures := make(map[string]string, len(images))
	for sum, where := range images {
		pictures[strings.Clone(sum)] = strings.Clone(where)
	}
	return pictures
}

func (k *previewer) inTree(ctx context.Context, do func(*tree.Tree) error) error {
	env, dir, done, err := k.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	project, _ := session.ReadProject(env, dir) // its problems are those of the run
	t, err := tree.Open(project)
	if err != nil {
		return err
	}
	defer t.Close()
	return do(t)
}

func uploadMessage(file, base, hash string, h daemon.Handed) string {
	text := fmt.Sprintf("Upload %s\n\n", pulls.WithoutMarks(path.Base(file)))
	if h.Note != "" {
		text += pulls.WithoutMarks(h.Note) + "\n\n"
	}
	return text + fmt.Sprintf("Uploaded-by: %s\nUploaded-at: %s\nPlan: %s\nCommit: %s\n",
		pulls.WithoutMarks(h.By), h.Time.UTC().Format(time.RFC3339), hash, base)
}
