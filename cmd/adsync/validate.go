package main

import (
	"errors"
	"fmt"

	"adsync/internal/diag"
	"adsync/sources"

	"github.com/spf13/cobra"
)

func (a *app) validate() *cobra.Command {
	var watching, online, force bool
	var marked string
	c := &cobra.Command{
		Use:   "validate [FOLDER|FILE]",
		Short: "Check the files: without the service, or with --online by asking it",
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case watching && online:
				return usage(c, errors.New("--watch and --online exclude each other"))
			case watching && marked != "":
				return usage(c, errors.New("--watch and --marked exclude each other"))
			case watching:
				return a.watchFiles(c, args)
			}
			return a.runValidate(c, args, online, marking{to: marked, force: force})
		},
	}
	c.Flags().BoolVar(&online,
		"online", false, "also have the service validate what apply would send; nothing is changed")
	markedFlag(c, &marked)
	forceFlag(c, &force)
	c.Flags().BoolVar(&watching, "watch", false, "check again whenever a file changes, until interrupted")
	a.fromGit(c, false)
	a.outputs(c, "text", "json")
	return c
}

// validation is the JSON form of what validate found.
type validation struct {
	FormatVersion int               `json:"format_version"`
	Sources       []sources.Source  `json:"sources"`
	Members       []sources.Members `json:"members"`
	Unread        []diag.Unread     `json:"unread"` // columns and sheets with values that are not read
	Resources     int               `json:"resources"`
	Problems      []diag.Problem    `json:"problems"`
	Online        *onlineCheck      `json:"online,omitempty"` // with --online, where the files are whole
	Error         string            `json:"error,omitempty"`
}

func (a *app) runValidate(c *cobra.Command, args []string, online bool, marked marking) error {
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	var l loaded
	if sourceFile(dir) {
		l = a.loadFile(c.Context(), dir)
	} else {
		l = a.load(c.Context(), dir)
	}
	var checked *onlineCheck
	var failure error
	switch {
	case !online:
		l = a.warnLate(c.Context(), l)
	case !diag.HasErrors(l.desired.Problems):
		checked, l.desired.Problems, failure = a.checkOnline(c, l)
	}
	if err := a.markProblems(l, marked); err != nil {
		return errors.Join(failure, err)
	}
	return a.showValidation(l, checked, failure)
}

func (a *app) showValidation(l loaded, checked *onlineCheck, failure error) error {
	if a.flags.output == "json" {
		document := validation{formatVersion, listedSources(l.desired.Sources),
			append([]sources.Members{}, l.desired.Members...), append([]diag.Unread{}, l.desired.Unread...),
			l.desired.Snapshot.Len(), listed(l.desired.Problems), checked, coded(failure)}
		if err := errors.Join(a.printJSON(document), failure); err != nil {
			return err
		}
		return a.invalid(l, l.desired.Problems)
	}
	if failure != nil {
		return failure
	}
	for _, s := range l.desired.Sources {
		fmt.Fprintf(a.out, "%s: %s read, %d used, %d ignored, %d failed\n",
			diag.Printable(s.File), plural(s.Rows.Read, "row"), s.Rows.Used, s.Rows.Ignored, s.Rows.Failed)
	}
	for _, line := range diag.UnreadLines(l.desired.Unread) {
		fmt.Fprintln(a.out, line)
	}
	for _, m := range l.desired.Members {
		fmt.Fprintf(a.out, "%s, %s of %s: %s read, %d used, %d blank, %d twice, %d left out\n",
			diag.Printable(m.File), m.Identifier, m.Address,
			plural(m.Rows.Read, "line"), m.Rows.Used, m.Rows.Blank, m.Rows.Duplicate, m.Rows.Rejected)
	}
	if err := a.invalid(l, l.desired.Problems); err != nil {
		return err
	}
	if checked != nil {
		fmt.Fprintln(a.out, checked)
	}
	fmt.Fprintf(a.out, "%s, %s\n", plural(l.desired.Snapshot.Len(), "resource"), problemCount(l.desired.Problems))
	return nil
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
