package files

import (
	"fmt"
	"io"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/sources/diff"

	"github.com/spf13/cobra"
)

// Diff returns the command adsync diff.
func Diff(env *session.Env) *cobra.Command {
	var detailed bool
	c := &cobra.Command{
		Use:   "diff FROM TO",
		Short: "Show in what two sources differ, each a file or a folder",
		Long: "diff compares what two sources say, by " +
			"resource and attribute: workbooks, YAML and CSV files, or folders of them.\n" +
			"Of workbooks it also shows what changed in columns and sheets of your own. It asks no service.",
		Example: `  adsync diff former.xlsx winter.xlsx`,
		RunE:    func(c *cobra.Command, args []string) error { return runDiff(env, c, args, detailed) },
	}
	c.Flags().BoolVar(&detailed, "detailed-exitcode", false, "exit with 2 when there are differences")
	env.Outputs(c, "text", "json")
	return c
}

func runDiff(env *session.Env, c *cobra.Command, args []string, detailed bool) error {
	if len(args) != 2 {
		return console.Usage(c, fmt.Errorf("%d arguments; want two files or two folders", len(args)))
	}
	found, err := diff.Compare(c.Context(), args[0], args[1], kinds.All(), env.Getenv(session.EnvBounds))
	if err != nil {
		return console.Configuration("%s", diag.Printable(err.Error()))
	}
	if err := showDifferences(env, found); err != nil {
		return err
	}
	switch {
	case found.Incomplete:
		return console.ExitWith(console.ExitInvalid, "not everything could be compared")
	case detailed && len(found.Differences) > 0:
		return console.ExitWith(console.ExitPending, "")
	}
	return nil
}

// diffDocument is the JSON form of diff.
type diffDocument struct {
	FormatVersion int               `json:"format_version"`
	Differences   []diff.Difference `json:"differences"`
	Notes         []string          `json:"notes"`
	Problems      []diag.Problem    `json:"problems"`
}

func showDifferences(env *session.Env, found diff.Comparison) error {
	if env.Flags.Output == "json" {
		differences, notes := found.Differences, found.Notes
		if differences == nil {
			differences = []diff.Difference{}
		}
		if notes == nil {
			notes = []string{}
		}
		return env.PrintJSON(diffDocument{console.FormatVersion, differences, notes, session.Listed(found.Problems)})
	}
	if err := diag.Render(env.Err, found.Problems, nil); err != nil {
		return err
	}
	for _, note := range found.Notes {
		env.Note("%s", diag.Printable(note))
	}
	for _, d := range found.Differences {
		if err := writeDifference(env.Out, d); err != nil {
			return err
		}
	}
	if len(found.Differences) == 0 && !found.Incomplete {
		env.Note("no difference")
	}
	return nil
}

func writeDifference(w io.Writer, d diff.Difference) error {
	line := d.What
	switch d.Action {
	case diff.Added:
		line = strings.TrimSpace("+ " + line + " " + d.To)
	case diff.Removed:
		line = strings.TrimSpace("- " + line + " " + d.From)
	default:
		line += ": " + diag.Becomes(d.From, d.To) + entries(d)
	}
	_, err := fmt.Fprintln(w, diag.Printable(line))
	return err
}

// entries names what a list gained and lost.
func entries(d diff.Difference) string {
	var parts []string
	for _, item := range d.Added {
		parts = append(parts, diag.Gained(`"`+diag.Printable(item)+`"`))
	}
	for _, item := range d.Removed {
		parts = append(parts, diag.Lost(`"`+diag.Printable(item)+`"`))
	}
	switch {
	case len(parts) > 0:
		return " [" + strings.Join(parts, " ") + "]"
	case d.From == d.To:
		return " [another order]"
	}
	return ""
}

// Textconv returns the command adsync textconv.
func Textconv(env *session.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "textconv FILE",
		Short: "Write a workbook as lines of text, for git to compare",
		Long: "textconv writes one line a cell, " +
			"sorted by the rows' names, so that git diff shows what changed in a workbook:\n" +
			"    git config diff.adsync.textconv 'adsync textconv'\n" +
			"    echo '*.xlsx diff=adsync' >> .gitattributes\n" +
			"A workbook that is damaged prints its problem and exits with 0, so that git goes on.",
		Example: `  adsync textconv winter.xlsx`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Usage(c, fmt.Errorf("%d arguments; want one workbook", len(args)))
			}
			return diff.WriteText(c.Context(), env.Out, args[0], kinds.All(), env.Getenv(session.EnvBounds))
		},
	}
}
