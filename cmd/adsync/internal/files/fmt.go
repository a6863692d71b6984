package files

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/sources/config"
	"adsync/sources/tidy"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
)

// formatFlags are those of fmt.
type formatFlags struct{ check, diff bool }

// Fmt returns the command adsync fmt.
func Fmt(env *session.Env) *cobra.Command {
	var f formatFlags
	c := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "Put files in order without changing what they say",
		Long: `Put files in order: the keys of YAML in the order the kinds have them, indented
by two, with quotes only where they are needed. Every comment stays, and blank
lines between documents and groups. In workbooks and CSV files choices and
countries in their own words, days and amounts typed as text as such, texts
without space around them; no other cell, format or formula is touched.

A PATH is a file, or a folder whose sources and adsync.yaml are meant; without
one, the current folder. Nothing a file says is changed: it is read before and
after, and stays as it is where the two differ. A file that does not parse is
reported and left. Line breaks of Windows are kept.

Prints the names of the files that change. With --check or --diff nothing is
written, and the exit code is 2 where something would be.`,
		Example: `  adsync fmt --check
  adsync fmt spring.yaml`,
		RunE: func(c *cobra.Command, args []string) error { return runFormat(env, c, args, f) },
	}
	c.Flags().BoolVar(&f.check, "check", false, "write nothing; exit with 2 where a file would change")
	c.Flags().BoolVar(&f.diff, "diff", false, "write nothing; print what would change")
	return c
}

func runFormat(env *session.Env, c *cobra.Command, args []string, f formatFlags) error {
	selections, err := runs.Selected(args)
	if err != nil {
		return err
	}
	if err := formatsAll(c, args); err != nil {
		return err
	}
	changed, unwritten := 0, 0
	var problems []diag.Problem
	for _, s := range selections {
		rewrites, err := tidy.FormatAll(s.Project, c.Context(), session.Schemas(), s.Files)
		if err != nil {
			return console.Configuration("%v", err)
		}
		problems = append(problems, s.Problems...)
		session.ShowProblems(env, s.Project, s.Problems)
		for _, r := range rewrites {
			problems = append(problems, r.Problems...)
			session.ShowProblems(env, s.Project, r.Problems)
			if !r.Changes() {
				continue
			}
			changed++
			if !formatted(env, s.Project, r, f) {
				unwritten++
			}
		}
	}
	return formatDone(env, f, changed, unwritten, problems)
}

// formatsAll refuses files that are named and of no format fmt knows.
func formatsAll(c *cobra.Command, args []string) error {
	for _, arg := range args {
		if !runs.IsFolder(arg) && !tidy.Formats(arg) {
			return console.Usage(c, fmt.Errorf("%s is of no "+
				"format fmt knows; want .yaml, .yml, .xlsx, .csv or .tsv", arg))
		}
	}
	return nil
}

// formatted shows or writes one file, and says whether that could be done.
func formatted(env *session.Env, p config.Project, r tidy.Rewrite, f formatFlags) bool {
	name := diag.Printable(console.Shorter(filepath.Join(p.Root, filepath.FromSlash(r.File))))
	if f.diff {
		showDiff(env, name, r)
		return true
	}
	if !f.check {
		if err := tidy.Save(p, r); err != nil {
			fmt.Fprintf(env.Err, "adsync: %s: not written: %s\n", name, diag.Printable(err.Error()))
			return false
		}
	}
	fmt.Fprintln(env.Out, name)
	return true
}

// showDiff prints the lines of a text that change, and the cells of a table.
func showDiff(env *session.Env, name string, r tidy.Rewrite) {
	for _, fix := range r.Fixes {
		fmt.Fprintf(env.Out, "%s: %s\n", fix.Position, diag.Becomes(strconv.Quote(fix.Was), strconv.Quote(fix.Is)))
	}
	if len(r.Fixes) == 0 {
		fmt.Fprint(env.Out, printableLines(string(diff.Diff(name, r.Before, name+" in order", r.After))))
	}
}

// printableLines keeps a file's text from moving the cursor or reordering lines.
func printableLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.ReplaceAll(diag.Printable(strings.ReplaceAll(strings.TrimSuffix(line, "\n"),
			"\t", "    ")), `\r`, ""))
		b.WriteByte('\n')
	}
	return b.String()
}

func formatDone(env *session.Env, f formatFlags, changed, unwritten int, problems []diag.Problem) error {
	switch {
	case diag.HasErrors(problems):
		return console.ExitWith(console.ExitInvalid, console.Counted(problems)+"; what has them was left as it is")
	case unwritten > 0:
		return console.ExitWith(console.ExitUsage, "")
	case changed > 0 && (f.check || f.diff):
		return console.ExitWith(console.ExitPending, "")
	case changed == 0:
		env.Note("every file is in order")
	}
	return nil
}
