package main

import (
	"fmt"
	"io"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/sources"

	"github.com/spf13/cobra"
)

func (a *app) diff() *cobra.Command {
	var detailed bool
	c := &cobra.Command{
		Use:   "diff FROM TO",
		Short: "Show in what two sources differ, each a file or a folder",
		Long: "diff compares what two sources say, by " +
			"resource and attribute: workbooks, YAML and CSV files, or folders of them.\n" +
			"Of workbooks it also shows what changed in columns and sheets of your own. It asks no service.",
		RunE: func(c *cobra.Command, args []string) error { return a.runDiff(c, args, detailed) },
	}
	c.Flags().BoolVar(&detailed, "detailed-exitcode", false, "exit with 2 when there are differences")
	a.outputs(c, "text", "json")
	return c
}

func (a *app) runDiff(c *cobra.Command, args []string, detailed bool) error {
	if len(args) != 2 {
		return usage(c, fmt.Errorf("%d arguments; want two files or two folders", len(args)))
	}
	found, err := sources.Compare(c.Context(), args[0], args[1], kinds.All(), a.env(envBounds))
	if err != nil {
		return configuration("%s", diag.Printable(err.Error()))
	}
	if err := a.showDifferences(found); err != nil {
		return err
	}
	switch {
	case found.Incomplete:
		return exitWith(exitInvalid, "not everything could be compared")
	case detailed && len(found.Differences) > 0:
		return exitWith(exitPending, "")
	}
	return nil
}

func (a *app) showDifferences(found sources.Comparison) error {
	if a.flags.output == "json" {
		differences, notes := found.Differences, found.Notes
		if differences == nil {
			differences = []sources.Difference{}
		}
		if notes == nil {
			notes = []string{}
		}
		return a.printJSON(struct {
			FormatVersion int                  `json:"format_version"`
			Differences   []sources.Difference `json:"differences"`
			Notes         []string             `json:"notes"`
			Problems      []diag.Problem       `json:"problems"`
		}{formatVersion, differences, notes, listed(found.Problems)})
	}
	if err := diag.Render(a.err, found.Problems, nil); err != nil {
		return err
	}
	for _, note := range found.Notes {
		a.note("%s", diag.Printable(note))
	}
	for _, d := range found.Differences {
		if err := writeDifference(a.out, d); err != nil {
			return err
		}
	}
	if len(found.Differences) == 0 && !found.Incomplete {
		a.note("no difference")
	}
	return nil
}

func writeDifference(w io.Writer, d sources.Difference) error {
	line := d.What
	switch d.Action {
	case sources.Added:
		line = strings.TrimSpace("+ " + line + " " + d.To)
	case sources.Removed:
		line = strings.TrimSpace("- " + line + " " + d.From)
	default:
		line += ": " + diag.Becomes(d.From, d.To) + entries(d)
	}
	_, err := fmt.Fprintln(w, diag.Printable(line))
	return err
}

// entries names what a list gained and lost.
func entries(d sources.Difference) string {
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

func (a *app) textconv() *cobra.Command {
	return &cobra.Command{
		Use:   "textconv FILE",
		Short: "Write a workbook as lines of text, for git to compare",
		Long: "textconv writes one line a cell, " +
			"sorted by the rows' names, so that git diff shows what changed in a workbook:\n" +
			"    git config diff.adsync.textconv 'adsync textconv'\n" +
			"    echo '*.xlsx diff=adsync' >> .gitattributes\n" +
			"A workbook that is damaged prints its problem and exits with 0, so that git goes on.",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(c, fmt.Errorf("%d arguments; want one workbook", len(args)))
			}
			return sources.WriteText(c.Context(), a.out, args[0], kinds.All(), a.env(envBounds))
		},
	}
}
