package daemoncmd

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/pulls"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/gitstore"
	"adsync/sources/attach"
	"adsync/sources/bounded"
	"adsync/sources/commits"
	"adsync/sources/config"
)

// followedBranch is a source whose files are those of a commit.
type followedBranch struct {
	env    *session.Env
	config config.DaemonAccount
	// where the commit is that was read last, for who only looks; never changed
	read atomic.Pointer[session.GitSource]
	tip  atomic.Pointer[string] // what the branch named when it was fetched last; nil: it was not
	at   string                 // the commit that is checked out, and that of a pull request
	// the pull request that the account has before the branch; nil: it never has
	before  func() (*pulls.Ahead, error)
	isAhead atomic.Bool                       // it has one
	desk    *pulls.Desk                       // knows whether it is merged or closed; nil: nobody does
	took    func(commit, before string) error // is told of a commit that somebody accepted, before it is gone on with
}

func newFollowedBranch(env *session.Env, config config.DaemonAccount, shared *gitstore.Shared) *followedBranch {
	g := config.Git
	env.Git = &session.GitSource{
		Shared: shared, Named: &g,
		Flags: session.GitFlags{URL: g.URL.Value, Ref: g.Ref.Value, Path: g.Path.Value, State: config.State},
	}
	return &followedBranch{env: env, config: config}
}

// name is the address without credentials, and the branch.
func (b *followedBranch) name() string { return branchName(b.config.Git) }

func branchName(g config.Git) string {
	host, err := gitstore.HostOf(g.URL.Value)
	if err != nil {
		host = "git"
	}
	url := g.URL.Value
	if _, rest, has := strings.Cut(url, "@"); has {
		url = rest
	}
	if !strings.Contains(url, host) {
		url = host
	}
	return strings.TrimSpace(url + " " + g.Ref.Value)
}

func (b *followedBranch) stateFolder() string { return filepath.Join(b.config.State, "state") }

// files fetches the branch, and checks its commit out where it is another.
func (b *followedBranch) files(ctx context.Context, request daemon.Request) (f folderAt, err error) {
	g := b.env.Git
	ahead, err := b.aheadBy() // the branch is read after it: then it has what is no more ahead
	if err != nil {
		return f, err
	}
	if slices.ContainsFunc(request.Triggers, renewing) {
		g.Shared.Renew()
	}
	daemon.Away(ctx, b.config.Git.Timeout, func() { err = session.FetchRevision(ctx, b.env) })
	r := g.Revision
	b.tip.Store(&r.Tip)
	f.revision = daemon.Revision{
		Commit: r.Commit, Branch: shortRef(r.Ref), Author: r.Author, Subject: r.Subject, Time: r.At,
	}
	if gitstore.ClassOf(err) == gitstore.Held && session.Accepted(request.Accept, r.Commit) {
		if err = b.took(r.Commit, r.Accepted); err == nil {
			err = g.Store.Accept(ctx, r)
		}
	}
	if gitstore.ClassOf(err) == gitstore.Held {
		waits := daemon.Rewritten{Revision: f.revision, Before: r.Accepted, Movement: string(r.Movement)}
		return f, &heldCommit{console.ExitWith(console.ExitRefused, fmt.Sprintf("%v; nothing "+
			"is sent until somebody accepts it: adsync reconcile --accept-commit %.12s", err, r.Commit)), waits}
	}
	if err != nil {
		return f, session.GitExit(err)
	}
	at := r.Commit
	if ahead != nil && b.at != at+" "+ahead.Head {
		if ahead, err = b.confirmed(ctx, ahead); err != nil {
			return f, err
		}
	}
	if ahead != nil {
		at += " " + ahead.Head
	}
	if g.Checkout == nil || b.at != at {
		if g.Checkout != nil {
			g.Checkout.Close()
			g.Checkout = nil
		}
		if err := b.checkOut(ctx, ahead); err != nil {
			return f, err
		}
		b.at = at
	}
	f.dir = g.Checkout.Project.Root
	return f, nil
}

// aheadBy returns the pull request that the account has before the branch; nil where there is none.
func (b *followedBranch) aheadBy() (*pulls.Ahead, error) {
	if b.before == nil {
		return nil, nil
	}
	ahead, err := b.before()
	if ref := b.config.Git.Ref.Value; err == nil && ahead != nil && ref != "" && shortRef(ref) != ahead.Branch {
		ahead = nil // another branch is followed by now
	}
	b.isAhead.Store(err == nil && ahead != nil)
	return ahead, err
}

// confirmed returns the pull request that the account has before the branch where the forge says so still, nil where it
// is merged or closed. Who begins anew, or finds the branch moved, does not know what came of it meanwhile.
func (b *followedBranch) confirmed(ctx context.Context, a *pulls.Ahead) (*pulls.Ahead, error) {
	g := b.env.Git
	in := func(commit string) bool { // what is not here yet is not in it
		is, err := pulls.Contains(ctx, g.Store, g.Revision.Commit, commit)
		return err == nil && is
	}
	if in(a.Head) { // by a merge
		return a, nil
	}
	is, err := false, errors.New("pull requests are not answered")
	if b.desk != nil {
		daemon.Away(ctx, b.config.Git.Timeout, func() { is, err = a.IsAhead(ctx, b.desk, in) })
	}
	if err != nil && ctx.Err() == nil {
		err = console.ExitWith(console.ExitUnavailable, fmt.Sprintf("the forge does not say whether pull request %d, "+
			"which the account has before the branch, is merged or closed; nothing is sent until it does: %v",
			a.Number, err))
	}
	b.isAhead.Store(err != nil || is)
	if err != nil || !is {
		return nil, err
	}
	return a, nil
}

// checkOut reads the commit that was fetched, with the pull request that the account has before it.
func (b *followedBranch) checkOut(ctx context.Context, ahead *pulls.Ahead) (err error) {
	g := b.env.Git
	read := &session.GitSource{
		Flags: g.Flags, Named: g.Named, Shared: g.Shared,
		Author: g.Author, Store: g.Store, Revision: g.Revision, Home: g.Home,
	}
	if ahead == nil {
		err = session.CheckOut(ctx, b.env)
	} else {
		daemon.Away(ctx, b.config.Git.Timeout, func() { err = ahead.CheckOut(ctx, b.env) })
	}
	if err == nil || ahead != nil { // who waits for the merge to be read would else wait for good
		b.read.Store(read)
	}
	return err
}

// heldCommit is the error of a commit that waits to be accepted.
type heldCommit struct {
	*console.Exit
	waits daemon.Rewritten
}

func (h *heldCommit) Unwrap() error { return h.Exit }

// still: a commit does not change.
func (b *followedBranch) still(context.Context, folderAt, string, []string) (bool, error) {
	return true, nil
}

// moved: a commit stays as it is. That another came is seen by the next run.
func (b *followedBranch) moved(string) bool { return false }

// atCommit has the commit that was read last, in a folder of its own: a run may read
// another meanwhile.
func (b *followedBranch) atCommit(ctx context.Context) (env *session.Env, dir string, done func(), err error) {
	read := b.read.Load()
	if read == nil {
		return nil, "", nil, daemon.ErrNoLook
	}
	for range 2 { // a fetch beside it may put what is stored together anew
		at, own := *read, *b.env
		own.Git = &at
		if err = session.CheckOut(ctx, &own); err == nil {
			return &own, at.Checkout.Project.Root, at.End, nil
		}
	}
	return nil, "", nil, err
}

// picture reads a picture of the commit that was read last, without writing the commit out. One that lies in a workbook
// is read by others.
func (b *followedBranch) picture(inWorkbook reading) reading {
	return func(ctx context.Context, where string) ([]byte, error) {
		read := b.read.Load()
		if _, _, stored := attach.StoredIn(where); stored || read == nil || b.isAhead.Load() {
			return inWorkbook(ctx, where)
		}
		end, err := read.Store.Reading(ctx)
		if err != nil {
			return nil, err
		}
		defer end()
		at := config.Commit{Repository: read.Store.Dir(), Hash: read.Revision.Commit}
		_, content, err := commits.ReadFirst(at, []string{path.Join(read.Store.SubPath(), where)},
			bounded.Defaults().AttachedBytes)
		return content, err
	}
}

// reading reads a picture that the last plan found somewhere.
type reading = func(ctx context.Context, where string) ([]byte, error)

// newest has the commit the branch is at by now, in a folder of its own.
func (b *followedBranch) newest(ctx context.Context) (env *session.Env, dir string, done func(), err error) {
	if env, dir, done, err = b.ahead(ctx); env != nil || err != nil {
		return env, dir, done, err
	}
	return b.atCommit(ctx)
}

// ahead reads the commit the branch is at by now, where it is another than the one that
// was read last. The store is one of its own: the run beside it may push.
func (b *followedBranch) ahead(ctx context.Context) (env *session.Env, dir string, done func(), err error) {
	read := b.read.Load()
	if read == nil || b.isAhead.Load() { // what the branch says otherwise may be what it does not say yet
		return nil, "", nil, nil
	}
	at, own := *read, *b.env
	own.Git, own.OnNote = &at, nil // the run that goes on with it says so
	at.Shared.Renew()
	config, _, err := session.GitConfig(&own, at.Flags)
	if err != nil {
		return nil, "", nil, err
	}
	if at.Store, err = gitstore.Open(config); err != nil {
		return nil, "", nil, err
	}
	at.Revision, err = at.Store.Fetch(ctx)
	if err != nil || at.Revision.Commit == read.Revision.Commit {
		return nil, "", nil, err
	}
	if err := session.CheckOut(ctx, &own); err != nil {
		return nil, "", nil, err
	}
	return &own, at.Checkout.Project.Root, at.End, nil
}

// renewing reports whether somebody may know of a commit that no list had before.
func renewing(t daemon.Trigger) bool {
	return t == daemon.Push || t == daemon.Asked || t == daemon.Approved || t == daemon.Continued
}

func shortRef(ref string) string {
	for _, prefix := range []string{"refs/heads/", "refs/tags/"} {
		if rest, is := strings.CutPrefix(ref, prefix); is {
			return rest
		}
	}
	return ref
}
