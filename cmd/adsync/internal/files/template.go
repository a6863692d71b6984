package files

import (
	"io"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/sources/workbook"

	"github.com/spf13/cobra"
)

// Template returns the command adsync template.
func Template(env *session.Env) *cobra.Command {
	var out string
	var force bool
	c := &cobra.Command{
		Use:     "template [FOLDER]",
		Short:   "Write an empty workbook to fill in",
		Example: `  adsync template --out campaigns.xlsx`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			project, problems := session.ReadProject(env, dir)
			if err := session.Invalid(env, session.Loaded{Project: project}, problems); err != nil {
				return err
			}
			return writeOut(env, c, outFile(out, force), func(w io.Writer) error {
				return workbook.WriteTemplate(w, session.Schemas(), project.Account)
			})
		},
	}
	c.Flags().StringVar(&out, "out", "", "file to write (default: standard output)")
	console.ForceFlag(c, &force)
	env.Outputs(c, "xlsx")
	return c
}
