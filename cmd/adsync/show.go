package main

import (
	"io"

	"adsync/internal/runview"

	"github.com/spf13/cobra"
)

// showFlags are those of show.
type showFlags struct {
	full  bool
	file  string
	force bool
}

func (a *app) show() *cobra.Command {
	var f showFlags
	c := &cobra.Command{
		Use:   "show RUN [FOLDER]",
		Short: "Show what became of every change of a run, at its row, with the values before and after",
		Long: `Show the report of a run: what happened to spend, what became of every change at
its row, why, and with --full each value before and after. RUN is last, a name such
as run-000042, or its number. Of a run that was killed it shows what a later run
found. The service is not asked.`,
		ValidArgsFunction: a.completeRuns(),
		RunE: func(c *cobra.Command, args []string) error {
			name, dir, err := runArguments(c, args)
			if err != nil {
				return err
			}
			return a.runShow(c, name, dir, f)
		},
	}
	c.Flags().BoolVar(&f.full, "full", false, "list every change and field, however many there are")
	c.Flags().StringVar(&f.file, "output-file", "", "file for the output, instead of standard output")
	forceFlag(c, &f.force)
	a.fromGit(c, false)
	a.outputs(c, reportFormNames()...)
	return c
}

func (a *app) runShow(c *cobra.Command, name, dir string, f showFlags) error {
	kept, err := a.kept(c.Context(), dir)
	if err != nil {
		return err
	}
	defer kept.end()
	d, err := kept.document(c.Context(), name)
	if err != nil {
		return err
	}
	write := reportForms[a.flags.output]
	if write == nil {
		write = func(w io.Writer, d *reportDocument) error {
			return runview.WriteText(w, schemas(), d, runview.TextOptions{
				Color: w == a.out && a.colorful(), Width: widthOf(w), Full: f.full, Header: true,
			})
		}
	}
	if f.file == "" {
		return write(a.out, d)
	}
	project, err := a.projectOf(dir)
	if err != nil {
		return err
	}
	file, err := outputFile(loaded{project: project}, "--output-file", f.file, f.force)
	if err != nil {
		return err
	}
	return file.write(func(w io.Writer) error { return write(w, d) })
}
