package files

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/sources/tidy"

	"github.com/spf13/cobra"
)

// fixFlags are those of fix.
type fixFlags struct {
	out   string
	write bool
	force bool
}

// Fix returns the command adsync fix.
func Fix(env *session.Env) *cobra.Command {
	var f fixFlags
	c := &cobra.Command{
		Use:   "fix [FILE|FOLDER]",
		Short: "Put right what is wrong in the files and has one reading",
		Long: `Put right what is wrong in the files and has one reading only: days such as
1 Dec 2026, misspelt headers and keys with one near name and values that fit,
curly quotes and dashes in choices and keys, direction marks and other characters
nobody sees in names and addresses, UTF-16, tabs for indentation, a row or
resource that is written twice to the letter.

What could be read two ways stays: 01/02/2026, a nearest word for a choice, a
comma in an amount. So does what ads say. Only where a problem is reported
something is changed; a file without one stays as it is.

Each repair is printed with its place, what was there, what it is now and why.
Without --out or --write nothing is written, and the exit code is 2 where there is
something to repair. What stays wrong is printed as by validate, with exit code 3.`,
		Example: `  adsync fix
  adsync fix --write`,
		RunE: func(c *cobra.Command, args []string) error { return runFix(env, c, args, f) },
	}
	c.Flags().StringVar(&f.out, "out", "", "file, or for a folder a folder, to write copies of the repaired files to")
	c.Flags().BoolVar(&f.write, "write", false, "replace the files themselves")
	console.ForceFlag(c, &f.force)
	env.Outputs(c, "text", "json")
	return c
}

// fixDocument is the JSON form of fix.
type fixDocument struct {
	FormatVersion int            `json:"format_version"`
	Fixes         []tidy.Fix     `json:"fixes"`
	Written       []string       `json:"written"` // files, as they are called now
	Problems      []diag.Problem `json:"problems"`
}

func runFix(env *session.Env, c *cobra.Command, args []string, f fixFlags) error {
	switch {
	case len(args) > 1:
		return console.Usage(c, fmt.Errorf("%d arguments; want one file or folder at most", len(args)))
	case f.write && f.out != "":
		return console.Usage(c, fmt.Errorf("--write and --out are both given; want one of them"))
	}
	selections, err := runs.Selected(args)
	if err != nil {
		return err
	}
	s := selections[0]
	s.Files = slices.DeleteFunc(s.Files, func(name string) bool {
		return !tidy.Fixes(name) || name == s.Project.File
	})
	if len(s.Files) == 0 {
		return console.Usage(c, fmt.Errorf("no file is there that fix knows; want .yaml, .yml, .xlsx, .csv or .tsv"))
	}
	fixed, err := tidy.FixAll(s.Project, c.Context(), session.Schemas(), s.Files)
	if err != nil {
		return console.Configuration("%v", err)
	}
	if len(args) == 1 && !runs.IsFolder(args[0]) {
		fixed.Problems = slices.DeleteFunc(fixed.Problems, func(p diag.Problem) bool {
			return p.Position.File() != s.Files[0]
		})
	}
	written, err := writeFixed(s, fixed, f, len(args) == 1 && !runs.IsFolder(args[0]))
	if err != nil {
		return err
	}
	return showFixed(env, fixed, written, f)
}

// writeFixed writes what --out or --write ask for, and gives the files' names.
func writeFixed(s runs.Selection, fixed tidy.Fixed, f fixFlags, one bool) ([]string, error) {
	written := []string{}
	copies := map[string][]byte{}
	for _, r := range fixed.Rewrites {
		switch {
		case !r.Changes() || f.out == "" && !f.write:
			continue
		case !f.write:
			copies[r.File] = r.After
			continue
		}
		target := filepath.Join(s.Project.Root, filepath.FromSlash(r.File))
		if err := tidy.Save(s.Project, r); err != nil {
			return written, console.Configuration("%s: not written: %v", console.NameOf(target), err)
		}
		written = append(written, console.Shorter(target))
	}
	if len(copies) == 0 {
		return written, nil
	}
	return writeFixedCopies(s, copies, f, one)
}

// writeFixedCopies writes repaired copies: of a folder into a folder, of one file
// into a file.
func writeFixedCopies(s runs.Selection, copies map[string][]byte, f fixFlags, one bool) ([]string, error) {
	if inside, err := console.Below(s.Project.Root, filepath.Dir(f.out)); err != nil || inside != "" {
		return nil, console.Configuration("--out: a copy " +
			"in the project's folder would be a source, too; want another folder, or --write")
	}
	to := destination{root: f.out, folder: ".", force: f.force}
	if one {
		to.root = filepath.Dir(f.out)
		for _, content := range copies {
			copies = map[string][]byte{filepath.Base(f.out): content}
		}
	}
	if _, err := to.write(copies); err != nil {
		return nil, err
	}
	var written []string
	for _, name := range slices.Sorted(maps.Keys(copies)) {
		written = append(written, console.Shorter(filepath.Join(to.root, filepath.FromSlash(name))))
	}
	return written, nil
}

func showFixed(env *session.Env, fixed tidy.Fixed, written []string, f fixFlags) error {
	all := []tidy.Fix{}
	for _, r := range fixed.Rewrites {
		all = append(all, r.Fixes...)
	}
	if env.Flags.Output == "json" {
		if err := env.PrintJSON(fixDocument{console.FormatVersion,
			all, written, session.Listed(fixed.Problems)}); err != nil {
			return err
		}
	} else {
		printFixes(env.Out, all)
		if err := diag.Render(env.Err, fixed.Problems, fixed.Line); err != nil {
			return err
		}
	}
	for _, name := range written {
		env.Note("%s written", diag.Printable(name))
	}
	switch {
	case diag.HasErrors(fixed.Problems):
		return console.ExitWith(console.ExitInvalid, console.Counted(fixed.Problems)+" left")
	case len(all) > 0 && len(written) == 0:
		env.Note("nothing was written; use --write, or --out for copies")
		return console.ExitWith(console.ExitPending, "")
	case len(all) == 0:
		env.Note("nothing to put right")
	}
	return nil
}

// printFixes prints a line a repair; of a row that is dropped, one for each cell.
func printFixes(w io.Writer, fixes []tidy.Fix) {
	for _, f := range fixes {
		is := "dropped"
		if f.Is != "" {
			is = shown(f.Is)
		}
		fmt.Fprintf(w, "%s: %s (%s)\n", f.Position, diag.Becomes(shown(f.Was), is), f.Why)
	}
}

func shown(text string) string {
	return `"` + diag.Printable(strings.ReplaceAll(text, "\n", " ")) + `"`
}
