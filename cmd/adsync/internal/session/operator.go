package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/sources/config"
	"adsync/state/branch"
)

// EnvOperator names the operator's file, as --operator does.
const EnvOperator = "ADSYNC_OPERATOR"

// OperatorFile finds the operator's file: by the flag, the environment, or in
// the user's own configuration. named says that somebody asked for it.
func OperatorFile(env *Env) (file string, named bool) {
	for _, file := range []string{env.Flags.Operator, env.Getenv(EnvOperator)} {
		if file != "" {
			return file, true
		}
	}
	dir := env.Getenv("XDG_CONFIG_HOME")
	if dir == "" && env.Getenv("HOME") != "" {
		dir = filepath.Join(env.Getenv("HOME"), ".config")
	}
	if dir == "" {
		return "", false
	}
	return filepath.Join(dir, "adsync", "operator.yaml"), false
}

// Operator reads the operator's file. One that nobody named need not be there.
func Operator(env *Env, project config.Project) (config.Operator, []diag.Problem) {
	file, named := OperatorFile(env)
	if file == "" {
		return config.Operator{}, nil
	}
	if _, err := os.Stat(file); !named && errors.Is(err, fs.ErrNotExist) {
		return config.Operator{}, nil
	}
	if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	if err := project.Outside(file); err != nil {
		return config.Operator{}, []diag.Problem{{Severity: diag.Error,
			Code: diag.BadProject, Position: diag.InFile(file), Message: "the operator's file: " + err.Error()}}
	}
	return config.ReadOperator(file, project.Account.ID)
}

// operatorKey reads the key from where the operator's file says it is.
func operatorKey(env *Env, o config.Operator) (adsapi.Secret, error) {
	if o.Key.From == "" {
		return adsapi.Secret{}, console.Configuration("no key: set %s, %s or %s, or credentials in the operator's file",
			EnvKey, EnvKeyFile, EnvKeyCommand)
	}
	key, err := SecretOf(context.Background(), env, o.Key)
	return adsapi.NewSecret(key), err
}

// Where the address of the database with the states is, before what the operator's file says.
const (
	envDatabase     = "ADSYNC_DATABASE"
	envDatabaseFile = "ADSYNC_DATABASE_FILE"
)

// databaseOf says where the address of the database with the states is, nowhere where they lie in folders.
func databaseOf(env *Env, p config.Project) (config.KeyReference, error) {
	for _, given := range []struct{ name, from string }{{envDatabase, "env"}, {envDatabaseFile, "file"}} {
		if text := env.Getenv(given.name); text != "" {
			from := config.Setting{Value: given.name}
			if given.from == "file" {
				from.Value = text
			}
			return config.KeyReference{From: given.from, Setting: from}, nil
		}
	}
	if env.Database.From != "" {
		return env.Database, nil
	}
	o, problems := Operator(env, p)
	for _, problem := range problems {
		if problem.Severity == diag.Error { // a state in a folder would be another
			return config.KeyReference{}, console.Configuration("%s: %s", problem.Position, problem.Message)
		}
	}
	return o.Database, nil
}

// Where the branch with the state is, before what the operator's file says.
const (
	envBranch           = "ADSYNC_STATE_BRANCH"
	envBranchRepository = "ADSYNC_STATE_REPOSITORY"
	envBranchToken      = "ADSYNC_STATE_TOKEN"
	envBranchKey        = "ADSYNC_STATE_KEY"
	envBranchKeyFile    = "ADSYNC_STATE_KEY_FILE"
)

// branchOf is the branch with the state of a project, nil where it lies elsewhere.
func branchOf(env *Env, p config.Project) (*branch.Branch, error) {
	o, problems := Operator(env, p)
	for _, problem := range problems {
		if problem.Severity == diag.Error { // a state in a folder would be another
			return nil, console.Configuration("%s: %s", problem.Position, problem.Message)
		}
	}
	named := o.StateBranch
	name := cmp.Or(env.Getenv(envBranch), named.Name.Value)
	switch {
	case name == "":
		return nil, nil
	case p.Account.ID == "":
		return nil, console.Configuration("the state lies on a branch, by account: want account: {id} in %s",
			config.ProjectFile)
	}
	return env.Databases.branch(p.StateFolder()+" "+name, func() (*branch.Branch, error) {
		repository, err := repositoryOf(env, p, cmp.Or(env.Getenv(envBranchRepository), named.Repository.Value))
		if err != nil {
			return nil, err
		}
		key, err := branchKey(env, named.Key)
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(p.StateFolder(), "branch")
		git := o.Git
		if !sameHost(repository, git.URL.Value) {
			git = config.Git{}
		}
		return &branch.Branch{
			Name: name, Account: p.Account.ID, Dir: dir, Key: key, Job: jobOf(env),
			Notice: func(text string) { env.Note("%s", text) },
			Repository: branch.At(gitstore.Config{
				URL: repository, Dir: filepath.Join(dir, "source"), WithoutPast: true,
				Token:   branchToken(env, named.Token, git),
				KeyFile: cmp.Or(env.Getenv(envGitKey), git.Key.Value), Passphrase: passphrase(env, git),
				Agent:      env.Getenv("SSH_AUTH_SOCK"),
				KnownHosts: cmp.Or(env.Getenv(envGitKnownHosts), git.KnownHosts.Value, ownKnownHosts(env)),
				CAFile:     cmp.Or(env.Getenv(envGitCA), git.CA.Value), Timeout: git.Timeout,
			}),
		}, nil
	})
}

// BranchOf is the branch with the state of a project, which has to be named.
func BranchOf(env *Env, p config.Project) (*branch.Branch, error) {
	b, err := branchOf(env, p)
	if err == nil && b == nil {
		err = console.Configuration("no branch is named; want it in %s, or as state: {branch: adsync/state} in the "+
			"operator's file", envBranch)
	}
	return b, err
}

// repositoryOf is the repository of the branch: the one that is named, or that the files came from.
func repositoryOf(env *Env, p config.Project, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	from := p.Folder()
	if env.Git != nil {
		from = env.Git.Flags.URL
		if from == operatorsSource {
			o, err := operatorAlone(env)
			if err != nil {
				return "", err
			}
			from = o.Git.URL.Value
		}
		if host, err := gitstore.HostOf(from); err != nil || host != "" {
			return from, nil
		}
	}
	origin, err := gitstore.OriginOf(from)
	if err != nil {
		return "", console.Configuration("the state lies on a branch, and no repository is known for it: %v; want %s, "+
			"or state: {repository: …} in the operator's file", err, envBranchRepository)
	}
	return origin, nil
}

// branchKey is the key that signs what is pushed, nil without one.
func branchKey(env *Env, named config.KeyReference) ([]byte, error) {
	for _, r := range []config.KeyReference{
		{From: "env", Setting: config.Setting{Value: envBranchKey}},
		{From: "file", Setting: config.Setting{Value: env.Getenv(envBranchKeyFile)}},
		named,
	} {
		if r.From == "" || r.Value == "" || r.From == "env" && env.Getenv(r.Value) == "" {
			continue
		}
		key, err := SecretOf(context.Background(), env, r)
		if err == nil && len(key) < branch.LeastKey {
			err = console.Configuration("the key of the state has %d characters; want at least %d, such as "+
				"`openssl rand -hex 32` prints", len(key), branch.LeastKey)
		}
		return []byte(key), err
	}
	return nil, nil
}

// branchToken finds the token that may write the branch: its own, or that of the repository of the files.
func branchToken(env *Env, named config.KeyReference, git config.Git) func(context.Context) (string, error) {
	own := config.KeyReference{From: "env", Setting: config.Setting{Value: envBranchToken}}
	if env.Getenv(envBranchToken) == "" {
		own = named
	}
	if own.From == "" {
		return gitToken(env, git)
	}
	return func(ctx context.Context) (string, error) { return SecretOf(ctx, env, own) }
}

// jobOf is where people find the job of a pipeline, "" where this is none.
func jobOf(env *Env) string {
	if run := env.Getenv("GITHUB_RUN_ID"); run != "" {
		return env.Getenv("GITHUB_SERVER_URL") + "/" + env.Getenv("GITHUB_REPOSITORY") + "/actions/runs/" + run
	}
	return cmp.Or(env.Getenv("CI_JOB_URL"), env.Getenv("BUILD_URL"))
}

// SecretOf reads what a reference leads to. Its errors name the place alone.
func SecretOf(ctx context.Context, env *Env, r config.KeyReference) (secret string, err error) {
	if env.OnSecret != nil {
		defer func() { env.OnSecret(secret) }()
	}
	where := cmp.Or(r.Position.String(), r.From)
	switch r.From {
	case "env":
		if secret := strings.TrimSpace(env.Getenv(r.Value)); secret != "" {
			return secret, nil
		}
		return "", console.Configuration("%s: %s is not set in the environment; want the key there", where, r.Value)
	case "file":
		content, err := os.ReadFile(r.Value)
		if err != nil {
			return "", console.Configuration("%s: %v", where, err)
		}
		return string(bytes.TrimSpace(content)), nil
	}
	if secret, err = commandOutput(ctx, r.Value, commandMost); err != nil {
		return "", console.Configuration("%s: the command failed: %v", where, err)
	}
	return secret, nil
}

// commandMost is how long a command that prints a secret may take: long enough for
// a person who is asked for a passphrase, and an end where nobody is.
const commandMost = 2 * time.Minute

// commandOutput is what a command of the shell prints, without white space around it.
// Its errors quote nothing of that.
func commandOutput(ctx context.Context, command string, most time.Duration) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, most,
		fmt.Errorf("no end after %s; want the secret in that time", most))
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", command)
	c.WaitDelay = time.Second // for what it began and left behind
	content, err := c.Output()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return string(bytes.TrimSpace(content)), err
}
