package hooks

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/diag"
)

// repository is a git repository with a work tree. It is asked by git itself, which knows what a
// configuration, a linked work tree or an index of a commit in progress comes to.
type repository struct {
	top    string // of the work tree
	prefix string // slash path from there to the folder that was named, "" at the top
	index  string // an index in the place of its own, "" for that
}

func open(ctx context.Context, dir string) (*repository, error) {
	asked := &repository{top: dir}
	bare, err := asked.line(ctx, "rev-parse", "--is-bare-repository")
	if err != nil {
		return nil, err
	}
	if bare == "true" {
		return nil, console.Configuration("%s is in a bare repository; "+
			"want a clone with a work tree", console.NameOf(dir))
	}
	top, err := asked.line(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	prefix, err := asked.line(ctx, "rev-parse", "--show-prefix")
	return &repository{top: filepath.FromSlash(top), prefix: strings.TrimSuffix(prefix, "/")}, err
}

// git runs a command of git at the top of the work tree and returns what it prints.
func (r *repository) git(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir, c.Stdin = r.top, bytes.NewReader(input)
	if r.index != "" {
		c.Env = append(os.Environ(), "GIT_INDEX_FILE="+r.index)
	}
	var says bytes.Buffer
	c.Stderr = &says
	out, err := c.Output()
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, exec.ErrNotFound):
		return nil, console.Configuration("git is not found in PATH; want it installed")
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return out, &refusal{console.Configuration("git %s: %v: %s", args[0], err,
		diag.Printable(strings.Join(strings.Fields(says.String()), " "))), err}
}

// refusal is an error of git as it is printed, and how git ended.
type refusal struct {
	error
	ended error
}

func (r *refusal) Unwrap() []error { return []error{r.error, r.ended} }

// line is what a command of git prints, without the end of its line.
func (r *repository) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.git(ctx, nil, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// configured is a value of git's configuration, "" where it is not set.
func (r *repository) configured(ctx context.Context, args ...string) (string, error) {
	value, err := r.line(ctx, append([]string{"config"}, args...)...)
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == 1 {
		return "", nil
	}
	return value, err
}

// names are the names that a command of git prints with -z.
func (r *repository) names(ctx context.Context, args ...string) ([]string, error) {
	out, err := r.git(ctx, nil, args...)
	text := strings.TrimSuffix(string(out), "\x00")
	if err != nil || text == "" {
		return nil, err
	}
	return strings.Split(text, "\x00"), nil
}
