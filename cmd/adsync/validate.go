package main

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/sources"

	"github.com/spf13/cobra"
)

func (a *app) validate() *cobra.Command {
	var watching bool
	c := &cobra.Command{
		Use:   "validate [FOLDER]",
		Short: "Check the files, without the service",
		RunE: func(c *cobra.Command, args []string) error {
			if watching {
				return a.watchFiles(c, args)
			}
			return a.runValidate(c, args)
		},
	}
	c.Flags().BoolVar(&watching, "watch", false, "check again whenever a file changes, until interrupted")
	a.outputs(c, "text", "json")
	return c
}

// validation is the JSON form of what validate found.
type validation struct {
	FormatVersion int              `json:"format_version"`
	Sources       []sources.Source `json:"sources"`
	Resources     int              `json:"resources"`
	Problems      []diag.Problem   `json:"problems"`
}

func (a *app) runValidate(c *cobra.Command, args []string) error {
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	l := a.load(c.Context(), dir)
	if a.flags.output == "json" {
		if err := a.printJSON(validation{formatVersion, listedSources(l.desired.Sources), l.desired.Snapshot.Len(), listed(l.desired.Problems)}); err != nil {
			return err
		}
		return a.invalid(l, l.desired.Problems)
	}
	for _, s := range l.desired.Sources {
		fmt.Fprintf(a.out, "%s: %d rows read, %d used, %d ignored, %d failed\n", diag.Printable(s.File), s.Rows.Read, s.Rows.Used, s.Rows.Ignored, s.Rows.Failed)
	}
	if err := a.invalid(l, l.desired.Problems); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s, %s\n", plural(l.desired.Snapshot.Len(), "resource"), problemCount(l.desired.Problems))
	return nil
}

// watchFiles validates at once and after every change of what the files say.
func (a *app) watchFiles(c *cobra.Command, args []string) error {
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	seen := ""
	return a.watch(c.Context(), dir, func() {
		l := a.load(c.Context(), dir)
		now := l.desired.Hash + problemCount(l.desired.Problems)
		if now == seen || c.Context().Err() != nil {
			return
		}
		seen = now
		if err := a.runValidate(c, args); err != nil {
			a.note("adsync: %v", err)
		}
	})
}

func problemCount(problems []diag.Problem) string {
	if len(problems) == 0 {
		return "no problems"
	}
	return counted(problems)
}

func listedSources(read []sources.Source) []sources.Source {
	if read == nil {
		return []sources.Source{}
	}
	return read
}
