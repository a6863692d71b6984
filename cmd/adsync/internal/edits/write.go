package edits

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/authors"
	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/pulls"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/internal/runview"
	"adsync/internal/words/catalogue"
	"adsync/sources"
	"adsync/sources/tidy"
)

// Edit writes a draft where it is still what was shown: into the files of a folder, of which each former one stays
// beside it; or to a branch.
func (d *Desk) Edit(ctx context.Context, o daemon.EditOrder) (e daemon.Edited, err error) {
	env, dir, done, err := d.Open(ctx)
	if err != nil {
		return e, err
	}
	defer done()
	f, err := d.find(ctx, env, dir, o.Edit)
	switch {
	case err != nil:
		return e, err
	case len(f.Values) == 0:
		return e, daemon.ErrNoEdit
	case f.digest() != o.Digest:
		return e, daemon.ErrEditMoved
	case d.Git && d.Uploads == "":
		return e, daemon.ErrNoUploads
	}
	err = d.Note(orders.Ordered{Time: o.Time, Order: orderOf(o), By: o.By, From: o.From,
		Reason: o.Reason, Of: about(o)})
	if err != nil {
		return e, fmt.Errorf("note who ordered it: %w", err)
	}
	if d.Git {
		return d.send(ctx, env, f, o)
	}
	authored := d.authored(ctx, env, f, o)
	d.Files.Lock()
	defer d.Files.Unlock()
	err = d.Authors.Write(authored, func() (err error) {
		e, err = f.save(env.Clock.OrSystem().Now())
		return err
	})
	return e, err
}

// authored is what an edit changes of the files, and who has it do so; nil where no policy asks for it, and where
// nobody can tell.
func (d *Desk) authored(ctx context.Context, env *session.Env, f *found, o daemon.EditOrder) *authors.Order {
	g := session.Govern(env, f.loaded.Project, f.loaded.Schemas, o.Time)
	if o.Who == nil || len(g.Policy.NotAuthor) == 0 {
		return nil
	}
	l, files, contents := f.loaded, map[string]string{}, map[string][]byte{}
	for _, w := range f.Rewrites {
		files[w.File], contents[w.File] = fmt.Sprintf("%x", sha256.Sum256(w.After)), w.After
	}
	var err error
	if l.Desired, err = sources.LoadJoined(l.Project, ctx, l.Schemas, contents); err != nil {
		return nil
	}
	view, err := d.View(ctx, env, l, nil)
	if err != nil {
		return nil
	}
	return &authors.Order{Who: *o.Who, Before: &f.loaded.Desired, After: &l.Desired, Root: l.Project.Root,
		Files: files,
		Asks:  view.Plan.FindAsks(), Lineage: view.State.Lineage, Serial: view.State.Serial}
}

func orderOf(o daemon.EditOrder) orders.Order {
	if o.Run == "" {
		return orders.TakeTheirs
	}
	return orders.Undo
}

// about is what an order is about: a run, a resource, or the one in the other.
func about(o daemon.EditOrder) string {
	if o.Run == "" || o.Of == "" {
		return o.Run + o.Of
	}
	return o.Of + " in " + o.Run
}

// title says what an order does.
func title(o daemon.EditOrder) string {
	if o.Run == "" {
		return "Take over what is live of " + pulls.WithoutMarks(o.Of)
	}
	return "Undo " + pulls.WithoutMarks(about(o))
}

// save writes the files of a folder.
func (f *found) save(now time.Time) (e daemon.Edited, err error) {
	e.Kept, err = tidy.SaveAll(f.loaded.Project, f.Rewrites, now)
	for _, w := range f.Rewrites[:min(len(e.Kept), len(f.Rewrites))] {
		e.Files = append(e.Files, w.File)
	}
	if err != nil {
		err = fmt.Errorf("%w: %s", daemon.ErrNotWritten, diag.Printable(err.Error()))
		if len(e.Files) > 0 {
			err = fmt.Errorf("%w; %s", err, catalogue.Say("failed.written", "files", strings.Join(e.Files, ", ")))
		}
	}
	return e, err
}

// send pushes the files to a branch of this order, with a pull request where one can be opened.
func (d *Desk) send(ctx context.Context, env *session.Env, f *found, o daemon.EditOrder) (e daemon.Edited, err error) {
	env.Git.Store = nil // the account's own is its run's
	if err := session.OpenStore(env); err != nil {
		return e, fmt.Errorf("%w: %w", daemon.ErrNotPushed, err)
	}
	by := cmp.Or(strings.Trim(pulls.WithoutMarks(o.By), " ."), "somebody")
	sent := pulls.Edited{Uploads: d.Uploads, Of: strings.TrimSpace(o.Run + " " + o.Of), Title: title(o),
		Files: map[string][]byte{}, By: by, Who: o.Who, Note: o.Reason, Message: f.message(env, o)}
	for _, w := range f.Rewrites {
		e.Files = append(e.Files, w.File)
		sent.Files[path.Join(env.Git.Store.SubPath(), w.File)] = w.After
	}
	into := d.Own.Into(env)
	if into == "" {
		pushed, err := runs.Push(ctx, env, sent.Answer(f.loaded.Project.Account.ID, env.Git.Revision.Commit))
		if err != nil {
			return daemon.Edited{}, fmt.Errorf("%w: %w", daemon.ErrNotPushed, err)
		}
		e.Branch, e.Commit, e.Same = pushed.Branch, pushed.Commit, pushed.Same
		return e, nil
	}
	pushed, pull, err := d.Own.SendEdit(ctx, env, sent, into)
	e.Branch, e.Commit, e.Same = pushed.Branch, pushed.Commit, pushed.Same
	switch {
	case err != nil && pushed.Commit == "":
		return daemon.Edited{}, fmt.Errorf("%w: %w", daemon.ErrNotPushed, err)
	case err != nil:
		return e, fmt.Errorf("%w; %s", daemon.ErrNotOpened, catalogue.Say("failed.pushed-to", "branch", pushed.Branch,
			"commit", fmt.Sprintf("%.12s", pushed.Commit), "why", console.OneLine(err)))
	}
	e.Pull = &daemon.PullRequest{Number: pull.Number, Address: runview.Page(pull.Address), Into: into}
	d.Sent()
	return e, nil
}

// message is that of the commit.
func (f *found) message(env *session.Env, o daemon.EditOrder) string {
	text := title(o) + "\n\n"
	if o.Reason != "" {
		text += pulls.WithoutMarks(o.Reason) + "\n\n"
	}
	if o.Run != "" {
		text += "Run: " + o.Run + "\n"
	}
	return text + fmt.Sprintf("Ordered-by: %s\nOrdered-at: %s\nCommit: %s\n",
		pulls.WithoutMarks(o.By), o.Time.UTC().Format(time.RFC3339), env.Git.Revision.Commit)
}
