package ops

import (
	"io"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/runview"

	"github.com/spf13/cobra"
)

// showFlags are those of show.
type showFlags struct {
	full  bool
	file  string
	force bool
}

// Show returns the command adsync show.
func Show(env *session.Env) *cobra.Command {
	var f showFlags
	c := &cobra.Command{
		Use:   "show RUN [FOLDER]",
		Short: "Show what became of every change of a run, at its row, with the values before and after",
		Long: `Show the report of a run: what happened to spend, what became of every change at
its row, why, and with --full each value before and after. RUN is last, a name such
as run-000042, or its number. Of a run that was killed it shows what a later run
found. The service is not asked.`,
		ValidArgsFunction: runs.CompleteRuns(env),
		Example: `  adsync show last
  adsync show run-000001 --full`,
		RunE: func(c *cobra.Command, args []string) error {
			name, dir, err := runs.RunArguments(c, args)
			if err != nil {
				return err
			}
			return runShow(env, c, name, dir, f)
		},
	}
	c.Flags().BoolVar(&f.full, "full", false, "list every change and field, however many there are")
	c.Flags().StringVar(&f.file, "output-file", "", "file for the output, instead of standard output")
	console.ForceFlag(c, &f.force)
	session.FromGit(env, c, false)
	env.Outputs(c, runs.ReportFormNames()...)
	return c
}

func runShow(env *session.Env, c *cobra.Command, name, dir string, f showFlags) error {
	kept, err := runs.Kept(c.Context(), env, dir)
	if err != nil {
		return err
	}
	defer kept.End()
	d, err := kept.Document(c.Context(), name)
	if err != nil {
		return err
	}
	write := runs.ReportForms[env.Flags.Output]
	if write == nil {
		write = func(w io.Writer, d *runs.ReportDocument) error {
			return runview.WriteText(w, session.Schemas(), d, runview.TextOptions{
				Color: w == env.Out && env.Colorful(), Width: console.WidthOf(w), Full: f.full, Header: true,
			})
		}
	}
	if f.file == "" {
		return write(env.Out, d)
	}
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	file, err := runs.OutputFile(session.Loaded{Project: project}, "--output-file", f.file, f.force)
	if err != nil {
		return err
	}
	return file.Write(func(w io.Writer) error { return write(w, d) })
}
