package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/sources"
)

// envOperator names the operator's file, as --operator does.
const envOperator = "ADSYNC_OPERATOR"

// operatorFile finds the operator's file: by the flag, the environment, or in
// the user's own configuration. named says that somebody asked for it.
func (a *app) operatorFile() (file string, named bool) {
	for _, file := range []string{a.flags.operator, a.env(envOperator)} {
		if file != "" {
			return file, true
		}
	}
	dir := a.env("XDG_CONFIG_HOME")
	if dir == "" && a.env("HOME") != "" {
		dir = filepath.Join(a.env("HOME"), ".config")
	}
	if dir == "" {
		return "", false
	}
	return filepath.Join(dir, "adsync", "operator.yaml"), false
}

// operator reads the operator's file. One that nobody named need not be there.
func (a *app) operator(project sources.Project) (sources.Operator, []diag.Problem) {
	file, named := a.operatorFile()
	if file == "" {
		return sources.Operator{}, nil
	}
	if _, err := os.Stat(file); !named && errors.Is(err, fs.ErrNotExist) {
		return sources.Operator{}, nil
	}
	if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	if err := project.Outside(file); err != nil {
		return sources.Operator{}, []diag.Problem{{Severity: diag.Error,
			Code: diag.BadProject, Position: diag.InFile(file), Message: "the operator's file: " + err.Error()}}
	}
	return sources.ReadOperator(file, project.Account.ID)
}

// operatorKey reads the key from where the operator's file says it is.
func (a *app) operatorKey(o sources.Operator) (adsapi.Secret, error) {
	if o.Key.From == "" {
		return adsapi.Secret{}, configuration("no key: set %s, %s or %s, or credentials in the operator's file",
			envKey, envKeyFile, envKeyCommand)
	}
	key, err := a.secretOf(context.Background(), o.Key)
	return adsapi.NewSecret(key), err
}

// secretOf reads what a reference leads to. Its errors name the place alone.
func (a *app) secretOf(ctx context.Context, r sources.KeyReference) (secret string, err error) {
	if a.heard != nil {
		defer func() { a.heard(secret) }()
	}
	where := cmp.Or(r.Position.String(), r.From)
	switch r.From {
	case "env":
		if secret := strings.TrimSpace(a.env(r.Value)); secret != "" {
			return secret, nil
		}
		return "", configuration("%s: %s is not set in the environment; want the key there", where, r.Value)
	case "file":
		content, err := os.ReadFile(r.Value)
		if err != nil {
			return "", configuration("%s: %v", where, err)
		}
		return string(bytes.TrimSpace(content)), nil
	}
	if secret, err = commandOutput(ctx, r.Value, commandMost); err != nil {
		return "", configuration("%s: the command failed: %v", where, err)
	}
	return secret, nil
}
