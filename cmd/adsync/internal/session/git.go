package session

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

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/sources/commits"
	"adsync/sources/config"
	"adsync/state"

	"github.com/spf13/cobra"
)

// GitFlags say which commit a command reads in place of a folder. They are the
// operator's: nothing that is watched names an address.
type GitFlags struct {
	URL, Ref, Path string
	State          string
	accept         string
}

// GitSource is the commit a command reads.
type GitSource struct {
	Flags    GitFlags
	Author   gitstore.Author // of what is pushed
	Store    *gitstore.Store
	Revision gitstore.Revision
	Checkout *commits.Checkout
	failure  error            // why there is none
	Held     error            // why an apply refuses it until it is accepted; nil where it does not
	Home     string           // folder of the state
	Shared   *gitstore.Shared // with other accounts of the daemon; nil otherwise
	Named    *config.Git      // where the daemon's configuration names it; nil otherwise
}

// operatorsSource stands for the repository that the operator's file names.
const operatorsSource = "operator"

// FromGit lets a command read a commit. One that changes the account holds
// where history was rewritten, until that commit is accepted by name.
func FromGit(env *Env, c *cobra.Command, changes bool) {
	var f GitFlags
	c.Flags().StringVar(&f.URL, "git",
		"", "read a git repository and no folder: its address, or operator for the one the operator's file names")
	c.Flags().StringVar(&f.Ref,
		"ref", "", "branch, tag or full commit to read, with --git (default the branch its HEAD names)")
	c.Flags().StringVar(&f.Path, "path", "", "folder of the project in the repository, with --git")
	c.Flags().StringVar(&f.State,
		"state", "", "folder of adsync's own state, with --git (default below adsync/git in your state folder)")
	if changes {
		c.Flags().StringVar(&f.accept, "accept-commit",
			"", "go on with this commit although the branch went back or was rewritten, with --git")
	}
	inner := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if f.URL == "" && f != (GitFlags{}) {
			return console.Usage(c, errors.New("--ref, --path, --state and --accept-commit go with --git"))
		}
		if f.URL == "" {
			return inner(c, args)
		}
		if folder, err := console.Folder(c, args); err == nil && folder != "." {
			if about, err := os.Stat(folder); err == nil && about.IsDir() {
				return console.Usage(c, errors.New("a folder and --git exclude each other"))
			}
		}
		env.Git = &GitSource{Flags: f}
		defer env.Git.End()
		env.Git.failure = fetch(c.Context(), env, changes)
		return inner(c, args)
	}
}

func (g *GitSource) End() {
	if g.Checkout != nil {
		g.Checkout.Close()
	}
}

// Words are the flags that name the same commit's source again.
func (g *GitSource) Words() string {
	text := " --git " + console.Quoted(g.Flags.URL)
	for _, flag := range []struct{ name, value string }{{"ref", g.Flags.Ref},
		{"path", g.Flags.Path}, {"state", g.Flags.State}} {
		if flag.value != "" {
			text += " --" + flag.name + " " + console.Quoted(flag.value)
		}
	}
	return text
}

// fetch gets the commit and reads its project.
func fetch(ctx context.Context, env *Env, changes bool) error {
	err := FetchRevision(ctx, env)
	if gitstore.ClassOf(err) == gitstore.Held {
		err = heldHistory(ctx, env, changes, err)
	}
	if err == nil && env.Git.Checkout == nil {
		return CheckOut(ctx, env)
	}
	return GitExit(err)
}

// OpenStore opens the store of the repository, where it is not open.
func OpenStore(env *Env) error {
	g := env.Git
	if g.Store != nil {
		return nil
	}
	config, home, err := GitConfig(env, g.Flags)
	if err != nil {
		return err
	}
	store, err := gitstore.Open(config)
	if err != nil {
		return err
	}
	if err := operatorOutside(env, store.Address()); err != nil {
		return err
	}
	g.Store, g.Home = store, home
	return nil
}

// FetchRevision brings the store up to what the remote has now.
func FetchRevision(ctx context.Context, env *Env) error {
	if err := OpenStore(env); err != nil {
		return err
	}
	g := env.Git
	revision, err := g.Store.Fetch(ctx)
	if revision.Commit != "" {
		g.Revision = revision
	}
	return err
}

// CheckOut reads the project of the commit that was fetched.
func CheckOut(ctx context.Context, env *Env) (err error) {
	g := env.Git
	end, err := g.Store.Reading(ctx)
	if err != nil {
		return err
	}
	defer end()
	at := config.Commit{Repository: g.Store.Dir(), Path: g.Store.SubPath(), Hash: g.Revision.Commit}
	if g.Checkout, err = commits.ReadCommit(ctx, at, g.Home, env.Getenv(EnvBounds)); err != nil {
		return unreadCommit(fmt.Errorf("read commit %.12s: %w", g.Revision.Commit, err))
	}
	env.Note("%s of %s, %s: %.12s by %s, %q", g.Revision.Ref,
		g.Store.Address(), within(g.Store.SubPath()), g.Revision.Commit, g.Revision.Author, g.Revision.Subject)
	return nil
}

// unreadCommit tells whose matter it is that a commit could not be written out and read.
func unreadCommit(err error) error {
	switch {
	case errors.Is(err, commits.ErrBeyondBounds):
		return console.ExitWith(console.ExitInvalid, err.Error())
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return console.ExitWith(console.ExitUnavailable,
			err.Error()+"; want space in the folder of temporary files, "+os.TempDir())
	case errors.Is(err, fs.ErrPermission):
		return console.ExitWith(console.ExitUsage, err.Error()+
			"; want a folder of temporary files that can be written to, as TMPDIR names it")
	}
	return err
}

// within returns where in the repository positions begin.
func within(path string) string {
	if path == "." {
		return "its top"
	}
	return diag.Printable(path) + "/"
}

// heldHistory shows what a rewritten history would do, and goes on with it only
// where its commit is given.
func heldHistory(ctx context.Context, env *Env, changes bool, held error) error {
	r := env.Git.Revision
	if given := env.Git.Flags.accept; len(given) >= 12 && strings.HasPrefix(r.Commit, given) {
		if err := CheckOut(ctx, env); err != nil { // which says whose project it is
			return err
		}
		if err := noteAccepted(BesideOf(env, env.Git.Checkout.Project), daemon.Acceptance{
			Commit: r.Commit, Before: r.Accepted, By: Person(env), Time: time.Now().UTC()}); err != nil {
			return console.Configuration("who accepts %.12s cannot be written down: %v", r.Commit, err)
		}
		return env.Git.Store.Accept(ctx, r)
	}
	if changes {
		return console.ExitWith(console.ExitRefused,
			fmt.Sprintf("%v; nothing was changed; to go on with it: %s%s --accept-commit %.12s",
				held, env.Command, env.Git.Words(), r.Commit))
	}
	if env.Note("%v", held); env.Flags.Quiet { // it is no note
		fmt.Fprintln(env.Err, held)
	}
	env.Git.Held = held
	return nil
}

// HeldProblem is what a plan says in every form of history that was rewritten.
func (g *GitSource) HeldProblem() diag.Problem {
	return diag.Problem{
		Severity: diag.Warning, Code: diag.HistoryHeld, Message: g.Held.Error() +
			"; until then nothing of this plan is applied", Hint: "to go on with it: adsync apply" + g.Accepting(),
	}
}

// Accepting is the flag an apply needs for a commit that is held.
func (g *GitSource) Accepting() string {
	if g == nil || g.Held == nil {
		return ""
	}
	return fmt.Sprintf(" --accept-commit %.12s", g.Revision.Commit)
}

// gitExits are the exit codes of the classes of gitstore.
var gitExits = map[gitstore.Class]int{
	gitstore.Configuration: console.ExitUsage, gitstore.Input: console.ExitInvalid,
	gitstore.Credentials: console.ExitPermission, gitstore.Transient: console.ExitUnavailable,
	gitstore.Held: console.ExitRefused,
}

// GitExit returns an error of git with its exit code.
func GitExit(err error) error {
	if code, known := gitExits[gitstore.ClassOf(err)]; known && !errors.Is(err, context.Canceled) {
		return &gitFailure{console.ExitWith(code, "git: "+err.Error()), err}
	}
	return err
}

// gitFailure is what a command ends with, and the error of the store it came of.
type gitFailure struct {
	*console.Exit
	cause error
}

func (f *gitFailure) Unwrap() []error { return []error{f.Exit, f.cause} }

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

// GitConfig joins the flags, the environment and the operator's file. The
// credentials of the file go to the host it names and to no other.
func GitConfig(env *Env, f GitFlags) (c gitstore.Config, home string, err error) {
	o, err := operatorAlone(env)
	if err != nil {
		return c, "", err
	}
	named := o.Git
	if env.Git.Named != nil {
		named = *env.Git.Named
	}
	if f.URL == operatorsSource {
		if named.URL.Value == "" {
			return c,
				"", console.Configuration("--git operator: " +
					"the operator's file names no repository; want git: {url: …} there")
		}
		f = GitFlags{
			URL: named.URL.Value, Ref: cmp.Or(f.Ref, named.Ref.Value),
			Path: cmp.Or(f.Path, named.Path.Value), State: f.State,
		}
	} else if !sameHost(f.URL, named.URL.Value) {
		named = config.Git{}
	}
	if home = f.State; home == "" {
		if home, err = stateHome(env, f.URL, f.Path); err != nil {
			return c, "", err
		}
	}
	if home, err = filepath.Abs(home); err != nil {
		return c, "", err
	}
	c = gitstore.Config{
		URL: f.URL, Ref: f.Ref, SubPath: f.Path, Dir: filepath.Join(home, "source"), Shared: env.Git.Shared,
		Token: gitToken(env, named), KeyFile: cmp.Or(env.Getenv(envGitKey), named.Key.Value),
		Passphrase: passphrase(env, named), Agent: env.Getenv("SSH_AUTH_SOCK"),
		KnownHosts: cmp.Or(env.Getenv(envGitKnownHosts), named.KnownHosts.Value, ownKnownHosts(env)),
		CAFile:     cmp.Or(env.Getenv(envGitCA), named.CA.Value),
		Signers:    cmp.Or(env.Getenv(envGitSigners), named.Signers.Value), Timeout: named.Timeout,
	}
	if named.Author.Value != "" {
		if env.Git.Author, err = author(named.Author.Value); err != nil {
			return c, "", err
		}
	}
	from, err := databaseOf(env, config.Project{Home: filepath.Join(home, "state")})
	if err == nil && from.From != "" && !env.Direct {
		var server *state.Server
		if server, err = env.Databases.of(context.Background(), env, from); err == nil {
			c.Records = server.Beside("")
		}
	}
	return c, filepath.Join(home, "state"), err
}

// operatorOutside refuses an operator's file within a repository on this machine:
// whoever commits there would say what adsync may do.
func operatorOutside(env *Env, repository string) error {
	file, _ := OperatorFile(env)
	if _, err := os.Stat(file); err != nil || !filepath.IsAbs(repository) {
		return nil
	}
	if err := (config.Project{Root: repository}).Outside(file); err != nil {
		return console.Configuration("the operator's file %s: %v", diag.Printable(file), err)
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
func operatorAlone(env *Env) (config.Operator, error) {
	file, named := OperatorFile(env)
	if file == "" {
		return config.Operator{}, nil
	}
	if _, err := os.Stat(file); err != nil && !named {
		return config.Operator{}, nil
	}
	o, problems := config.ReadOperator(file, "")
	if diag.HasErrors(problems) {
		ShowProblems(env, config.Project{}, problems)
		return o, console.ExitWith(console.ExitInvalid, console.Counted(problems)+"; nothing was changed")
	}
	return o, nil
}

// stateHome is the folder for one project of one repository.
func stateHome(env *Env, url, path string) (string, error) {
	top := env.Getenv("XDG_STATE_HOME")
	if top == "" && env.Getenv("HOME") != "" {
		top = filepath.Join(env.Getenv("HOME"), ".local", "state")
	}
	if top == "" {
		return "", console.Configuration("there is no folder for the state: HOME is not set; want --state")
	}
	name := sha256.Sum256(fmt.Appendf(nil, "%q %q", url, filepath.ToSlash(filepath.Clean(path))))
	return filepath.Join(top, "adsync", "git", fmt.Sprintf("%x", name[:8])), nil
}

func ownKnownHosts(env *Env) string {
	file := filepath.Join(env.Getenv("HOME"), ".ssh", "known_hosts")
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// gitToken finds the token where it is said to be, each time it is needed.
func gitToken(env *Env, named config.Git) func(context.Context) (string, error) {
	for _, r := range []config.KeyReference{
		{From: "env", Setting: config.Setting{Value: envGitToken}},
		{From: "file", Setting: config.Setting{Value: env.Getenv(envGitTokenFile)}},
		{From: "command", Setting: config.Setting{Value: env.Getenv(envGitTokenCommand)}},
		named.Token,
	} {
		if r.From != "" && r.Value != "" && (r.From != "env" || env.Getenv(r.Value) != "" || r == named.Token) {
			return func(ctx context.Context) (string, error) { return SecretOf(ctx, env, r) }
		}
	}
	return nil
}

func passphrase(env *Env, named config.Git) func(context.Context) (string, error) {
	r := named.Passphrase
	if env.Getenv(envGitPassphrase) != "" {
		r = config.KeyReference{From: "env", Setting: config.Setting{Value: envGitPassphrase}}
	}
	if r.From == "" {
		return nil
	}
	return func(ctx context.Context) (string, error) { return SecretOf(ctx, env, r) }
}

// author reads "Name <address>".
func author(text string) (gitstore.Author, error) {
	name, rest, ok := strings.Cut(text, "<")
	email, after, closed := strings.Cut(rest, ">")
	by := gitstore.Author{Name: strings.TrimSpace(name), Email: strings.TrimSpace(email)}
	if !ok || !closed || after != "" || by.Name == "" || by.Email == "" || strings.ContainsAny(text, "\n\x00") {
		return by,
			console.Configuration("git.author is %q; want a name and an address such as adsync <adsync@example.com>",
				diag.Printable(text))
	}
	return by, nil
}
