package main

import (
	"io"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"

	"github.com/spf13/cobra"
)

// schemas are the kinds of this program.
func schemas() resource.Schemas { return kinds.All() }

func (a *app) template() *cobra.Command {
	var out string
	var force bool
	c := &cobra.Command{
		Use:   "template [FOLDER]",
		Short: "Write an empty workbook to fill in",
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := folder(c, args)
			if err != nil {
				return err
			}
			project, problems := a.readProject(dir)
			if err := a.invalid(loaded{project: project}, problems); err != nil {
				return err
			}
			return a.writeOut(c, outFile(out, force), func(w io.Writer) error {
				return sources.WriteTemplate(w, schemas(), project.Account)
			})
		},
	}
	c.Flags().StringVar(&out, "out", "", "file to write (default: standard output)")
	forceFlag(c, &force)
	a.outputs(c, "xlsx")
	return c
}
