package files

import (
	"cmp"
	"errors"
	"fmt"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/sources"
	"adsync/sources/attach"

	"github.com/spf13/cobra"
)

// Validate returns the command adsync validate.
func Validate(env *session.Env) *cobra.Command {
	var watching, online, force bool
	var marked string
	c := &cobra.Command{
		Use:   "validate [FOLDER|FILE]",
		Short: "Check the files: without the service, or with --online by asking it",
		Example: `  adsync validate
  adsync validate --online --marked copies`,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case watching && online:
				return console.Usage(c, errors.New("--watch and --online exclude each other"))
			case watching && marked != "":
				return console.Usage(c, errors.New("--watch and --marked exclude each other"))
			case watching:
				return watchFiles(env, c, args)
			}
			return runValidate(env, c, args, online, runs.Marking{To: marked, Force: force})
		},
	}
	c.Flags().BoolVar(&env.DraftsCount, "drafts", false, "check workbooks that are drafts as if they were ready")
	c.Flags().BoolVar(&online,
		"online", false, "also have the service validate what apply would send; nothing is changed")
	runs.MarkedFlag(c, &marked)
	console.ForceFlag(c, &force)
	c.Flags().BoolVar(&watching, "watch", false, "check again whenever a file changes, until interrupted")
	session.FromGit(env, c, false)
	env.Outputs(c, "text", "json", "sarif")
	return c
}

// validation is the JSON form of what validate found.
type validation struct {
	FormatVersion int               `json:"format_version"`
	Sources       []sources.Source  `json:"sources"`
	Members       []attach.Members  `json:"members"`
	Unread        []diag.Unread     `json:"unread"` // columns and sheets with values that are not read
	Resources     int               `json:"resources"`
	Problems      []diag.Problem    `json:"problems"`
	Online        *runs.OnlineCheck `json:"online,omitempty"` // with --online, where the files are whole
	Error         string            `json:"error,omitempty"`
}

func runValidate(env *session.Env, c *cobra.Command, args []string, online bool, marked runs.Marking) error {
	dir, err := console.Folder(c, args)
	if err != nil {
		return err
	}
	var l session.Loaded
	if session.SourceFile(dir) {
		l = session.LoadFile(c.Context(), env, dir)
	} else {
		l = session.Load(c.Context(), env, dir)
	}
	var checked *runs.OnlineCheck
	var failure error
	switch {
	case !online:
		l = runs.WarnLate(c.Context(), env, l)
	case !diag.HasErrors(l.Desired.Problems):
		checked, l.Desired.Problems, failure = runs.CheckOnline(env, c, l)
	}
	if err := runs.MarkProblems(env, l, marked); err != nil {
		return errors.Join(failure, err)
	}
	return showValidation(env, l, checked, failure)
}

func showValidation(env *session.Env, l session.Loaded, checked *runs.OnlineCheck, failure error) error {
	if env.Flags.Output == "json" {
		document := validation{console.FormatVersion, listedSources(l.Desired.Sources),
			append([]attach.Members{}, l.Desired.Members...), append([]diag.Unread{}, l.Desired.Unread...),
			l.Desired.Snapshot.Len(), session.Listed(l.Desired.Problems), checked, console.Coded(failure)}
		if err := errors.Join(env.PrintJSON(document), failure); err != nil {
			return err
		}
		return session.Invalid(env, l, l.Desired.Problems)
	}
	if env.Flags.Output == "sarif" {
		said := cmp.Or(failure, l.Failure)
		return errors.Join(runs.WriteSARIF(env, l, env.Out, l.Desired.Problems, console.Coded(said)),
			failure, session.Invalid(env, l, l.Desired.Problems))
	}
	if failure != nil {
		return failure
	}
	for _, s := range l.Desired.Sources {
		fmt.Fprintf(env.Out, "%s: %s read, %d used, %d ignored, %d failed\n",
			diag.Printable(s.File), diag.Plural(s.Rows.Read, "row"), s.Rows.Used, s.Rows.Ignored, s.Rows.Failed)
	}
	for _, line := range diag.UnreadLines(l.Desired.Unread) {
		fmt.Fprintln(env.Out, line)
	}
	for _, m := range l.Desired.Members {
		fmt.Fprintf(env.Out, "%s, %s of %s: %s read, %d used, %d blank, %d twice, %d left out\n",
			diag.Printable(m.File), m.Identifier, m.Address,
			diag.Plural(m.Rows.Read, "line"), m.Rows.Used, m.Rows.Blank, m.Rows.Duplicate, m.Rows.Rejected)
	}
	if err := session.Invalid(env, l, l.Desired.Problems); err != nil {
		return err
	}
	if checked != nil {
		fmt.Fprintln(env.Out, checked)
	}
	fmt.Fprintf(env.Out, "%s, %s\n", diag.Plural(l.Desired.Snapshot.Len(), "resource"),
		console.ProblemCount(l.Desired.Problems))
	return nil
}

func listedSources(read []sources.Source) []sources.Source {
	if read == nil {
		return []sources.Source{}
	}
	return read
}
