package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"

	"adsync/internal/daemon"
	"adsync/internal/gitstore"
	"adsync/sources"
)

// followedBranch is a source whose files are those of a commit.
type followedBranch struct {
	app    *app
	config sources.DaemonAccount
	// where the commit is that was read last, for who only looks; never changed
	read atomic.Pointer[gitSource]
	at   string                            // the commit that is checked out
	took func(commit, before string) error // is told of a commit that somebody accepted, before it is gone on with
}

func newFollowedBranch(a *app, config sources.DaemonAccount) *followedBranch {
	g := config.Git
	a.git = &gitSource{
		named: &g, flags: gitFlags{url: g.URL.Value, ref: g.Ref.Value, path: g.Path.Value, state: config.State},
	}
	return &followedBranch{app: a, config: config}
}

// name is the address without credentials, and the branch.
func (b *followedBranch) name() string {
	host, err := gitstore.HostOf(b.config.Git.URL.Value)
	if err != nil {
		host = "git"
	}
	url := b.config.Git.URL.Value
	if _, rest, has := strings.Cut(url, "@"); has {
		url = rest
	}
	if !strings.Contains(url, host) {
		url = host
	}
	return strings.TrimSpace(url + " " + b.config.Git.Ref.Value)
}

func (b *followedBranch) stateFolder() string { return filepath.Join(b.config.State, "state") }

// files fetches the branch, and checks its commit out where it is another.
func (b *followedBranch) files(ctx context.Context, accepts []string) (f files, err error) {
	g := b.app.git
	daemon.Away(ctx, b.config.Git.Timeout, func() { err = b.app.fetchRevision(ctx) })
	r := g.revision
	f.revision = daemon.Revision{
		Commit: r.Commit, Branch: shortRef(r.Ref), Author: r.Author, Subject: r.Subject, Time: r.At,
	}
	if gitstore.ClassOf(err) == gitstore.Held && accepted(accepts, r.Commit) {
		if err = b.took(r.Commit, r.Accepted); err == nil {
			err = g.store.Accept(ctx, r)
		}
	}
	if gitstore.ClassOf(err) == gitstore.Held {
		waits := daemon.Rewritten{Revision: f.revision, Before: r.Accepted, Movement: string(r.Movement)}
		return f, &heldCommit{exitWith(exitRefused, fmt.Sprintf("%v; nothing "+
			"is sent until somebody accepts it: adsync reconcile --accept-commit %.12s", err, r.Commit)), waits}
	}
	if err != nil {
		return f, gitExit(err)
	}
	if g.checkout == nil || b.at != r.Commit {
		if g.checkout != nil {
			g.checkout.Close()
			g.checkout = nil
		}
		if err := b.app.checkOut(ctx); err != nil {
			return f, err
		}
		b.at = r.Commit
		b.read.Store(&gitSource{
			flags: g.flags, named: g.named, author: g.author, store: g.store, revision: r, home: g.home,
		})
	}
	f.dir = g.checkout.Project.Root
	return f, nil
}

// heldCommit is the error of a commit that waits to be accepted.
type heldCommit struct {
	*exit
	waits daemon.Rewritten
}

func (h *heldCommit) Unwrap() error { return h.exit }

// still: a commit does not change.
func (b *followedBranch) still(context.Context, files, string, []string) (bool, error) {
	return true, nil
}

// atCommit has the commit that was read last, in a folder of its own: a run may read
// another meanwhile.
func (b *followedBranch) atCommit(ctx context.Context) (a *app, dir string, done func(), err error) {
	read := b.read.Load()
	if read == nil {
		return nil, "", nil, daemon.ErrNoLook
	}
	for range 2 { // a fetch beside it may put what is stored together anew
		at, own := *read, *b.app
		own.git = &at
		if err = own.checkOut(ctx); err == nil {
			return &own, at.checkout.Project.Root, at.end, nil
		}
	}
	return nil, "", nil, err
}

// ahead reads the commit the branch is at by now, where it is another than the one that
// was read last. The store is one of its own: the run beside it may push.
func (b *followedBranch) ahead(ctx context.Context) (a *app, dir string, done func(), err error) {
	read := b.read.Load()
	if read == nil {
		return nil, "", nil, nil
	}
	at, own := *read, *b.app
	own.git, own.told = &at, nil // the run that goes on with it says so
	config, _, err := own.gitConfig(at.flags)
	if err != nil {
		return nil, "", nil, err
	}
	if at.store, err = gitstore.Open(config); err != nil {
		return nil, "", nil, err
	}
	at.revision, err = at.store.Fetch(ctx)
	if err != nil || at.revision.Commit == read.revision.Commit {
		return nil, "", nil, err
	}
	if err := own.checkOut(ctx); err != nil {
		return nil, "", nil, err
	}
	return &own, at.checkout.Project.Root, at.end, nil
}

func shortRef(ref string) string {
	for _, prefix := range []string{"refs/heads/", "refs/tags/"} {
		if rest, is := strings.CutPrefix(ref, prefix); is {
			return rest
		}
	}
	return ref
}

// accepted says that somebody accepted a commit by name.
func accepted(accepts []string, commit string) bool {
	for _, given := range accepts {
		if len(given) >= 12 && strings.HasPrefix(commit, given) {
			return true
		}
	}
	return false
}
