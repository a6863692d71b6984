package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resultcopy"

	"github.com/google/renameio/v2"
)

// command is what a hook runs.
const command = "adsync hooks run"

// script is the hook that adsync writes; written is the line by which it is known.
const (
	written = "# Written by adsync hooks install; adsync hooks uninstall takes it away."
	script  = `#!/bin/sh
` + written + `
command -v adsync >/dev/null || {
	echo 'adsync is not found in PATH, and this commit wants it: install it, or take away' "$0" >&2
	exit 1
}
exec ` + command + "\n"
)

// runs finds the command in a hook or a configuration, where it is no comment.
var runs = pattern.Of(`(?m)^[^#\n]*` + command)

// drivers are what git is told to run for workbooks.
var drivers = []struct{ key, value string }{
	{"diff.adsync.textconv", "adsync textconv"},
	{"merge.adsync.driver", "adsync merge %O %A %B --path %P"},
}

// install sets up what is missing. The hook comes last: what keeps it away keeps nothing else away.
func (r *repository) install(ctx context.Context, env *session.Env) error {
	for _, d := range drivers {
		said, err := r.configure(ctx, d.key, d.value)
		if err != nil {
			return err
		}
		fmt.Fprintf(env.Out, "git config %s: %s\n", d.key, said)
	}
	said, err := r.addAttributes(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, ".gitattributes: %s\n", said)
	if said, err = r.addHook(ctx); err != nil {
		return err
	}
	fmt.Fprintln(env.Out, said)
	projects, err := r.names(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard",
		"--", ":(glob)**/adsync.yaml")
	if err == nil && len(projects) == 0 {
		env.Note("there is no adsync.yaml here yet: the hook validates the folders that have one")
	}
	return err
}

// configure sets a value of this clone where none is set; another one stays.
func (r *repository) configure(ctx context.Context, key, value string) (string, error) {
	have, err := r.configured(ctx, "--get", key)
	switch {
	case err != nil:
		return "", err
	case have == value:
		return "is set already", nil
	case have != "":
		return fmt.Sprintf("is %q, and stays", diag.Printable(have)), nil
	}
	_, err = r.git(ctx, nil, "config", "--local", key, value)
	return "set to " + value, err
}

// attributes are those of workbooks.
var attributes = []string{"diff", "merge"}

// addAttributes adds what .gitattributes does not say of workbooks; what it says stays.
func (r *repository) addAttributes(ctx context.Context) (string, error) {
	// Those of this user alone do not count: the file is for everybody.
	fields, err := r.names(ctx, append([]string{"-c", "core.attributesFile=" + os.DevNull,
		"check-attr", "-z"}, append(slices.Clone(attributes), "--", "workbook.xlsx")...)...)
	if err != nil {
		return "", err
	}
	line, other := "*.xlsx", ""
	for at := 0; at+2 < len(fields); at += 3 {
		switch name, value := fields[at+1], fields[at+2]; value {
		case "unspecified":
			line += " " + name + "=adsync"
		case "adsync":
		default:
			other += fmt.Sprintf("says %s: %s of *.xlsx, which stays; ", name, diag.Printable(value))
		}
	}
	switch {
	case other != "":
		return other + "want *.xlsx diff=adsync merge=adsync behind that line", nil
	case line == "*.xlsx":
		return "has *.xlsx already", nil
	}
	return "added " + line + "; commit it for everybody", appendLine(filepath.Join(r.top, ".gitattributes"), line)
}

// appendLine adds a line to a file, which need not be there; its other lines stay as they are.
func appendLine(name, line string) error {
	content, mode := []byte{}, fs.FileMode(0o644)
	about, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return console.Configuration("%v", err)
	case !about.Mode().IsRegular():
		return console.Configuration("%s is no plain file, and git does not read it; want one", console.NameOf(name))
	default:
		mode = about.Mode().Perm()
		if content, err = os.ReadFile(name); err != nil {
			return console.Configuration("%v", err)
		}
	}
	more := resultcopy.LinesMissing(string(content), []string{line})
	if bytes.Contains(content, []byte("\r\n")) {
		more = strings.ReplaceAll(more, "\n", "\r\n")
	}
	if err := renameio.WriteFile(name, append(content, more...), mode); err != nil {
		return console.Configuration("%v", err)
	}
	return nil
}

// addHook writes the hook where none is, and says what there is now. An error says what to add where
// the hook is another's.
func (r *repository) addHook(ctx context.Context) (string, error) {
	name, content, err := r.hook(ctx)
	if err != nil {
		return "", err
	}
	shown := r.shown(name)
	if runs.Match(content) {
		if string(content) == script || !isOurs(content) {
			return shown + ": is there already", nil
		}
	} else if m, found := r.manager(name); found {
		if m.runs {
			return fmt.Sprintf("%s: %s runs it already", r.shown(m.file), m.name), nil
		}
		return "", console.Configuration("%s keeps the hooks of this repository, and no hook was written; "+
			"want in %s:\n%s", m.name, r.shown(m.file), m.lines)
	} else if content != nil {
		return "", console.Configuration("%s is there, and adsync did not write it; "+
			"want the line %q in it", shown, command)
	} else if scope, err := r.hooksOfOthers(ctx); err != nil {
		return "", err
	} else if scope != "" {
		return "", console.Configuration("core.hooksPath of git's %s configuration has the hooks of "+
			"every repository in one folder, and no hook was written; want the line %q in %s", scope, command, shown)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", console.Configuration("%v", err)
	}
	if err := renameio.WriteFile(name, []byte(script), 0o755); err != nil {
		return "", console.Configuration("%v", err)
	}
	return shown + ": written", nil
}

func isOurs(hook []byte) bool { return bytes.Contains(hook, []byte(written)) }

// hook is the file of the pre-commit hook that git runs, and what is in it: nil where there is none.
func (r *repository) hook(ctx context.Context) (name string, content []byte, err error) {
	if name, err = r.line(ctx, "rev-parse", "--git-path", "hooks/pre-commit"); err != nil {
		return "", nil, err
	}
	if name = filepath.FromSlash(name); !filepath.IsAbs(name) {
		name = filepath.Join(r.top, name)
	}
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return name, nil, nil
	}
	if content, err = os.ReadFile(name); err != nil {
		return name, nil, console.Configuration("%v", err)
	}
	return name, append([]byte{}, content...), nil
}

// hooksOfOthers names the configuration that has core.hooksPath, where that is not this clone's.
func (r *repository) hooksOfOthers(ctx context.Context) (scope string, err error) {
	said, err := r.configured(ctx, "--show-scope", "--get", "core.hooksPath")
	scope, _, _ = strings.Cut(said, "\t")
	if scope == "global" || scope == "system" {
		return scope, err
	}
	return "", err
}

// shown is a file as messages name it: from the top of the work tree where it lies there.
func (r *repository) shown(name string) string {
	if below, err := filepath.Rel(r.top, name); err == nil && filepath.IsLocal(below) {
		name = below
	}
	return console.NameOf(name)
}

// uninstall takes away what is as install wrote it.
func (r *repository) uninstall(ctx context.Context, env *session.Env) error {
	name, content, err := r.hook(ctx)
	if err != nil {
		return err
	}
	switch {
	case content == nil:
		fmt.Fprintf(env.Out, "%s: is not there\n", r.shown(name))
	case !isOurs(content):
		fmt.Fprintf(env.Out, "%s: adsync did not write it, and it stays\n", r.shown(name))
	default:
		if err := os.Remove(name); err != nil {
			return console.Configuration("%v", err)
		}
		fmt.Fprintf(env.Out, "%s: removed\n", r.shown(name))
	}
	for _, d := range drivers {
		have, err := r.configured(ctx, "--local", "--get", d.key)
		if err != nil {
			return err
		}
		if have != d.value {
			continue
		}
		if _, err := r.git(ctx, nil, "config", "--local", "--unset", d.key); err != nil {
			return err
		}
		fmt.Fprintf(env.Out, "git config %s: removed\n", d.key)
	}
	fmt.Fprintln(env.Out, ".gitattributes: stays, for everybody else")
	return nil
}
