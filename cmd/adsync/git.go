package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/internal/orders"
	"adsync/sources"

	"github.com/spf13/cobra"
)

// gitFlags say which commit a command reads in place of a folder. They are the
// operator's: nothing that is watched names an address.
type gitFlags struct {
	url, ref, path string
	state          string
	accept         string
}

// gitSource is the commit a command reads.
type gitSource struct {
	flags    gitFlags
	author   gitstore.Author // of what is pushed
	store    *gitstore.Store
	revision gitstore.Revision
	checkout *sources.Checkout
	failure  error        // why there is none
	held     error        // why an apply refuses it until it is accepted; nil where it does not
	home     string       // folder of the state
	named    *sources.Git // where the daemon's configuration names it; nil otherwise
}

// operatorsSource stands for the repository that the operator's file names.
const operatorsSource = "operator"

// fromGit lets a command read a commit. One that changes the account holds
// where history was rewritten, until that commit is accepted by name.
func (a *app) fromGit(c *cobra.Command, changes bool) {
	var f gitFlags
	c.Flags().StringVar(&f.url, "git",
		"", "read a git repository and no folder: its address, or operator for the one the operator's file names")
	c.Flags().StringVar(&f.ref,
		"ref", "", "branch, tag or full commit to read, with --git (default the branch its HEAD names)")
	c.Flags().StringVar(&f.path, "path", "", "folder of the project in the repository, with --git")
	c.Flags().StringVar(&f.state,
		"state", "", "folder of adsync's own state, with --git (default below adsync/git in your state folder)")
	if changes {
		c.Flags().StringVar(&f.accept, "accept-commit",
			"", "go on with this commit although the branch went back or was rewritten, with --git")
	}
	inner := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if f.url == "" && f != (gitFlags{}) {
			return usage(c, errors.New("--ref, --path, --state and --accept-commit go with --git"))
		}
		if f.url == "" {
			return inner(c, args)
		}
		if folder, err := folder(c, args); err == nil && folder != "." {
			if about, err := os.Stat(folder); err == nil && about.IsDir() {
				return usage(c, errors.New("a folder and --git exclude each other"))
			}
		}
		a.git = &gitSource{flags: f}
		defer a.git.end()
		a.git.failure = a.fetch(c.Context(), changes)
		return inner(c, args)
	}
}

func (g *gitSource) end() {
	if g.checkout != nil {
		g.checkout.Close()
	}
}

// words are the flags that name the same commit's source again.
func (g *gitSource) words() string {
	text := " --git " + quoted(g.flags.url)
	for _, flag := range []struct{ name, value string }{{"ref", g.flags.ref},
		{"path", g.flags.path}, {"state", g.flags.state}} {
		if flag.value != "" {
			text += " --" + flag.name + " " + quoted(flag.value)
		}
	}
	return text
}

// fetch gets the commit and reads its project.
func (a *app) fetch(ctx context.Context, changes bool) error {
	err := a.fetchRevision(ctx)
	if gitstore.ClassOf(err) == gitstore.Held {
		err = a.heldHistory(ctx, changes, err)
	}
	if err != nil {
		return gitExit(err)
	}
	return a.checkOut(ctx)
}

// fetchRevision brings the store up to what the remote has now.
func (a *app) fetchRevision(ctx context.Context) error {
	g := a.git
	if g.store == nil {
		config, home, err := a.gitConfig(g.flags)
		if err != nil {
			return err
		}
		store, err := gitstore.Open(config)
		if err != nil {
			return err
		}
		if err := a.operatorOutside(store.Address()); err != nil {
			return err
		}
		g.store, g.home = store, home
	}
	revision, err := g.store.Fetch(ctx)
	if revision.Commit != "" {
		g.revision = revision
	}
	return err
}

// checkOut reads the project of the commit that was fetched.
func (a *app) checkOut(ctx context.Context) (err error) {
	g := a.git
	at := sources.Commit{Repository: g.store.Dir(), Path: g.store.SubPath(), Hash: g.revision.Commit}
	if g.checkout, err = sources.ReadCommit(ctx, at, g.home, a.env(envBounds)); err != nil {
		return unreadCommit(fmt.Errorf("read commit %.12s: %w", g.revision.Commit, err))
	}
	a.note("%s of %s, %s: %.12s by %s, %q", g.revision.Ref,
		g.store.Address(), within(g.store.SubPath()), g.revision.Commit, g.revision.Author, g.revision.Subject)
	return nil
}

// unreadCommit tells whose matter it is that a commit could not be written out and read.
func unreadCommit(err error) error {
	switch {
	case errors.Is(err, sources.ErrBeyondBounds):
		return exitWith(exitInvalid, err.Error())
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return exitWith(exitUnavailable, err.Error()+"; want space in the folder of temporary files, "+os.TempDir())
	case errors.Is(err, fs.ErrPermission):
		return exitWith(exitUsage, err.Error()+
			"; want a folder of temporary files that can be written to, as TMPDIR names it")
	}
	return err
}

// within says where in the repository positions begin.
func within(path string) string {
	if path == "." {
		return "its top"
	}
	return diag.Printable(path) + "/"
}

// heldHistory shows what a rewritten history would do, and goes on with it only
// where its commit is given.
func (a *app) heldHistory(ctx context.Context, changes bool, held error) error {
	r := a.git.revision
	if given := a.git.flags.accept; len(given) >= 12 && strings.HasPrefix(r.Commit, given) {
		if err := noteAccepted(orders.Folder(a.git.home), daemon.Acceptance{Commit: r.Commit,
			Before: r.Accepted, By: a.person(), Time: time.Now().UTC()}); err != nil {
			return configuration("who accepts %.12s cannot be written down: %v", r.Commit, err)
		}
		return a.git.store.Accept(ctx, r)
	}
	if changes {
		return exitWith(exitRefused, fmt.Sprintf("%v; nothing was changed; to go on with it: %s%s --accept-commit %.12s",
			held, a.command, a.git.words(), r.Commit))
	}
	if a.note("%v", held); a.flags.quiet { // it is no note
		fmt.Fprintln(a.err, held)
	}
	a.git.held = held
	return nil
}

// heldProblem is what a plan says in every form of history that was rewritten.
func (g *gitSource) heldProblem() diag.Problem {
	return diag.Problem{
		Severity: diag.Warning, Code: diag.HistoryHeld, Message: g.held.Error() +
			"; until then nothing of this plan is applied", Hint: "to go on with it: adsync apply" + g.accepting(),
	}
}

// accepting is the flag an apply needs for a commit that is held.
func (g *gitSource) accepting() string {
	if g == nil || g.held == nil {
		return ""
	}
	return fmt.Sprintf(" --accept-commit %.12s", g.revision.Commit)
}

// gitExits are the exit codes of the classes of gitstore.
var gitExits = map[gitstore.Class]int{
	gitstore.Configuration: exitUsage, gitstore.Input: exitInvalid,
	gitstore.Credentials: exitPermission, gitstore.Transient: exitUnavailable, gitstore.Held: exitRefused,
}

func gitExit(err error) error {
	if code, known := gitExits[gitstore.ClassOf(err)]; known && !errors.Is(err, context.Canceled) {
		return &gitFailure{exitWith(code, "git: "+err.Error()), err}
	}
	return err
}

// gitFailure is what a command ends with, and the error of the store it came of.
type gitFailure struct {
	*exit
	cause error
}

func (f *gitFailure) Unwrap() []error { return []error{f.exit, f.cause} }

// The environment of --git. Each goes before what the operator's file says.
const (
	envGitToken        = "ADSYNC_GIT_TOKEN"
	envGitTokenFile    = "ADSYNC_GIT_TOKEN_FILE"
	envGitTokenCommand = "ADSYNC_GIT_TOKEN_COMMAND"
	envGitKey          = "ADSYNC_GIT_SSH_KEY"
	envGitPassphrase   = "ADSYNC_GIT_SSH_PASSPHRASE"
	envGitKnownHosts   = "ADSYNC_GIT_KNOWN_HOSTS"
	envGitCA           = "ADSYNC_GIT_CA"
	envGitSigners      = "ADSYNC_GIT_SIGNERS"
)

// gitConfig joins the flags, the environment and the operator's file. The
// credentials of the file go to the host it names and to no other.
func (a *app) gitConfig(f gitFlags) (c gitstore.Config, home string, err error) {
	o, err := a.operatorAlone()
	if err != nil {
		return c, "", err
	}
	named := o.Git
	if a.git.named != nil {
		named = *a.git.named
	}
	if f.url == operatorsSource {
		if named.URL.Value == "" {
			return c,
				"", configuration("--git operator: the operator's file names no repository; want git: {url: …} there")
		}
		f = gitFlags{
			url: named.URL.Value, ref: cmp.Or(f.ref, named.Ref.Value),
			path: cmp.Or(f.path, named.Path.Value), state: f.state,
		}
	} else if !sameHost(f.url, named.URL.Value) {
		named = sources.Git{}
	}
	if home = f.state; home == "" {
		if home, err = a.stateHome(f.url, f.path); err != nil {
			return c, "", err
		}
	}
	if home, err = filepath.Abs(home); err != nil {
		return c, "", err
	}
	c = gitstore.Config{
		URL: f.url, Ref: f.ref, SubPath: f.path, Dir: filepath.Join(home, "source"),
		Token: a.gitToken(named), KeyFile: cmp.Or(a.env(envGitKey), named.Key.Value),
		Passphrase: a.passphrase(named), Agent: a.env("SSH_AUTH_SOCK"),
		KnownHosts: cmp.Or(a.env(envGitKnownHosts), named.KnownHosts.Value, a.ownKnownHosts()),
		CAFile:     cmp.Or(a.env(envGitCA), named.CA.Value),
		Signers:    cmp.Or(a.env(envGitSigners), named.Signers.Value), Timeout: named.Timeout,
	}
	if named.Author.Value != "" {
		a.git.author, err = author(named.Author.Value)
	}
	return c, filepath.Join(home, "state"), err
}

// operatorOutside refuses an operator's file within a repository on this machine:
// whoever commits there would say what adsync may do.
func (a *app) operatorOutside(repository string) error {
	file, _ := a.operatorFile()
	if _, err := os.Stat(file); err != nil || !filepath.IsAbs(repository) {
		return nil
	}
	if err := (sources.Project{Root: repository}).Outside(file); err != nil {
		return configuration("the operator's file %s: %v", diag.Printable(file), err)
	}
	return nil
}

func sameHost(url, other string) bool {
	if other == "" {
		return false
	}
	a, err := gitstore.HostOf(url)
	b, otherErr := gitstore.HostOf(other)
	return err == nil && otherErr == nil && a == b
}

// operatorAlone reads what the operator's file says for all accounts: which one
// it is stands in files that are still to be fetched.
func (a *app) operatorAlone() (sources.Operator, error) {
	file, named := a.operatorFile()
	if file == "" {
		return sources.Operator{}, nil
	}
	if _, err := os.Stat(file); err != nil && !named {
		return sources.Operator{}, nil
	}
	o, problems := sources.ReadOperator(file, "")
	if diag.HasErrors(problems) {
		a.showProblems(sources.Project{}, problems)
		return o, exitWith(exitInvalid, counted(problems)+"; nothing was changed")
	}
	return o, nil
}

// stateHome is the folder for one project of one repository.
func (a *app) stateHome(url, path string) (string, error) {
	top := a.env("XDG_STATE_HOME")
	if top == "" && a.env("HOME") != "" {
		top = filepath.Join(a.env("HOME"), ".local", "state")
	}
	if top == "" {
		return "", configuration("there is no folder for the state: HOME is not set; want --state")
	}
	name := sha256.Sum256(fmt.Appendf(nil, "%q %q", url, filepath.ToSlash(filepath.Clean(path))))
	return filepath.Join(top, "adsync", "git", fmt.Sprintf("%x", name[:8])), nil
}

func (a *app) ownKnownHosts() string {
	file := filepath.Join(a.env("HOME"), ".ssh", "known_hosts")
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// gitToken finds the token where it is said to be, each time it is needed.
func (a *app) gitToken(named sources.Git) func(context.Context) (string, error) {
	for _, r := range []sources.KeyReference{
		{From: "env", Setting: sources.Setting{Value: envGitToken}},
		{From: "file", Setting: sources.Setting{Value: a.env(envGitTokenFile)}},
		{From: "command", Setting: sources.Setting{Value: a.env(envGitTokenCommand)}},
		named.Token,
	} {
		if r.From != "" && r.Value != "" && (r.From != "env" || a.env(r.Value) != "" || r == named.Token) {
			return func(ctx context.Context) (string, error) { return a.secretOf(ctx, r) }
		}
	}
	return nil
}

func (a *app) passphrase(named sources.Git) func(context.Context) (string, error) {
	r := named.Passphrase
	if a.env(envGitPassphrase) != "" {
		r = sources.KeyReference{From: "env", Setting: sources.Setting{Value: envGitPassphrase}}
	}
	if r.From == "" {
		return nil
	}
	return func(ctx context.Context) (string, error) { return a.secretOf(ctx, r) }
}
