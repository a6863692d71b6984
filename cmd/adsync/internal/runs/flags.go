package runs

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/commits"

	"github.com/spf13/cobra"
)

// BaseFlag is that of plan, for pull requests.
func BaseFlag(c *cobra.Command, revision *string) {
	c.Flags().StringVar(revision, "base", "", "tell what changes "+
		"because of the commits since this git revision, such as origin/main, from what is pending without them")
}

// SinceBase compares the plan with that of the files as they were where HEAD
// left the revision, for the same account as it was read.
func SinceBase(ctx context.Context, env *session.Env, l session.Loaded, view *reconcile.View, revision string) error {
	if revision == "" {
		return nil
	}
	at, err := commits.ReadBase(l.Project, ctx, revision)
	if err != nil {
		return console.Configuration("--base: %v", err)
	}
	defer at.Close()
	base := plan.Base{Revision: diag.Printable(revision), Commit: at.Commit}
	before := session.LoadRead(ctx, env, at.Project, at.Problems)
	if n := len(before.Desired.Problems); diag.HasErrors(before.Desired.Problems) {
		env.Note("--base: the files at %.12s have %s; everything counts as a consequence of the change",
			at.Commit, diag.Plural(n, "problem"))
		view.Plan.Since(base, nil)
		return nil
	}
	view.Plan.Since(base, view.Without(before.Desired.Snapshot))
	return nil
}

// refreshModes are what --refresh takes.
var refreshModes = []string{"auto", "full", "incremental"}

// RefreshFlag says how the account is read.
type RefreshFlag struct{ mode string }

func (f *RefreshFlag) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.mode, "refresh", "auto", "how the account is read: full; incremental, "+
		"what its audit log says was changed, and all of it once a day; auto, incremental with --unattended alone")
	console.Completes(c, "refresh", refreshModes...)
}

func (f *RefreshFlag) check() error {
	if f.mode != "" && !slices.Contains(refreshModes, f.mode) {
		return console.Configuration("--refresh is %q; want %s", f.mode, strings.Join(refreshModes, ", "))
	}
	return nil
}

// incremental reports whether the audit log is asked first.
func (f *RefreshFlag) incremental(unattended bool) bool {
	return f.mode == "incremental" || f.mode == "auto" && unattended
}

// noteReading says how the account was read, where that was a choice.
func noteReading(env *session.Env, r reconcile.Reading) {
	switch {
	case !r.Whole:
		env.Note("the account was read by its audit log: %s anew; --refresh full reads everything",
			diag.Plural(r.Changed, "resource"))
	case r.Why != "":
		env.Note("the account was read in full: %s", diag.Printable(r.Why))
	}
}

// SelectFlags narrow a plan to a part of the account.
type SelectFlags struct {
	Target  []string
	Exclude []string
}

func (f *SelectFlags) Register(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.Target, "target", nil, "plan only what this names: "+
		"a kind, an address, a glob such as campaign/spring-*/**, or @FILE with one of them a line (repeatable)")
	c.Flags().StringArrayVar(&f.Exclude, "exclude", nil, "leave out what this names, as --target does (repeatable)")
}

// selection reads the patterns of both flags.
func (f *SelectFlags) selection() (plan.Selection, error) {
	target, err := patternsOf("--target", f.Target)
	if err != nil {
		return plan.Selection{}, err
	}
	exclude, err := patternsOf("--exclude", f.Exclude)
	return plan.Selection{Target: target, Exclude: exclude}, err
}

func patternsOf(flag string, texts []string) ([]plan.Pattern, error) {
	var patterns []plan.Pattern
	for _, text := range texts {
		if file, ok := strings.CutPrefix(text, "@"); ok {
			listed, err := patternsIn(flag, file)
			if err != nil {
				return nil, err
			}
			patterns = append(patterns, listed...)
			continue
		}
		p, err := plan.ParsePattern(text, diag.Position{})
		if err != nil {
			return nil, console.Configuration("%s: %v", flag, err)
		}
		patterns = append(patterns, p)
	}
	return patterns, nil
}

// patternsIn reads a file with a pattern a line. Blank lines, and what follows
// a # at the start of a line or after a space, say nothing.
func patternsIn(flag, file string) ([]plan.Pattern, error) {
	content, err := readPatterns(file)
	if err != nil {
		return nil, console.Configuration("%s: %v", flag, err)
	}
	var patterns []plan.Pattern
	for i, line := range strings.Split(strings.TrimPrefix(string(content), "\ufeff"), "\n") {
		text, _, _ := strings.Cut(" "+strings.ReplaceAll(line, "\t", " "), " #")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		at := diag.At(file, i+1, 0)
		p, err := plan.ParsePattern(text, at)
		if err != nil {
			return nil, console.Configuration("%s: %s: %v", flag, at, err)
		}
		patterns = append(patterns, p)
	}
	if len(patterns) == 0 {
		return nil, console.Configuration("%s: %s has no pattern; want one a line", flag, diag.Printable(file))
	}
	return patterns, nil
}

const maxPatternBytes = 1 << 20

// readPatterns reads a file of patterns up to a size that no list has: a device
// never ends.
func readPatterns(file string) ([]byte, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	content, err := io.ReadAll(io.LimitReader(in, maxPatternBytes+1))
	if err == nil && len(content) > maxPatternBytes {
		return nil, fmt.Errorf("%s is over 1 MiB; want a list of patterns, one a line", diag.Printable(file))
	}
	return content, err
}

// Again returns the flags as a command that repeats them has them.
func (f *SelectFlags) Again() string {
	var parts strings.Builder
	for _, flag := range []struct {
		name   string
		values []string
	}{{"target", f.Target}, {"exclude", f.Exclude}} {
		for _, v := range flag.values {
			parts.WriteString(" --" + flag.name + " " + console.Quoted(v))
		}
	}
	return parts.String()
}
