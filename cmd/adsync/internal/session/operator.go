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
	"adsync/sources/config"
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
