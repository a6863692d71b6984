package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
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
		return sources.Operator{}, []diag.Problem{{Severity: diag.Error, Code: diag.BadProject, Position: diag.InFile(file), Message: "the operator's file: " + err.Error()}}
	}
	return sources.ReadOperator(file, project.Account.ID)
}

// operatorKey reads the key from where the operator's file says it is.
func (a *app) operatorKey(o sources.Operator) (adsapi.Secret, error) {
	where := o.Key.Position.String()
	switch o.Key.From {
	case "env":
		if key := strings.TrimSpace(a.env(o.Key.Value)); key != "" {
			return adsapi.NewSecret(key), nil
		}
		return adsapi.Secret{}, configuration("%s: %s is not set in the environment; want the key there", where, o.Key.Value)
	case "file":
		content, err := os.ReadFile(o.Key.Value)
		if err != nil {
			return adsapi.Secret{}, configuration("%s: %v", where, err)
		}
		return adsapi.NewSecret(string(bytes.TrimSpace(content))), nil
	case "command":
		content, err := exec.Command("sh", "-c", o.Key.Value).Output()
		if err != nil {
			return adsapi.Secret{}, configuration("%s: the command failed: %v", where, err)
		}
		return adsapi.NewSecret(string(bytes.TrimSpace(content))), nil
	}
	return adsapi.Secret{}, configuration("no key: set %s, %s or %s, or credentials in the operator's file", envKey, envKeyFile, envKeyCommand)
}
