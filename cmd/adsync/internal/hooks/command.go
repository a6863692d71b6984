package hooks

import (
	"fmt"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"

	"github.com/spf13/cobra"
)

// Command returns the group adsync hooks.
func Command(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "hooks",
		Short: "Have git validate before a commit, and compare and merge workbooks",
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(installing(env), uninstalling(env), running(env))
	return c
}

func installing(env *session.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "install [FOLDER]",
		Short: "Set up the git repository of a folder: pre-commit hook, diff and merge of workbooks",
		Long: `Set up the git repository that FOLDER is in:
- a pre-commit hook, which runs adsync hooks run;
- diff.adsync.textconv and merge.adsync.driver in the configuration of this clone;
- *.xlsx diff=adsync merge=adsync in .gitattributes at its top, which is for everybody: commit it.
What is there already stays as it is, and each thing done is printed. A pre-commit hook that adsync
did not write, and one that husky, pre-commit or lefthook keep, is not touched: the last line says
what to add to it, and the exit code is 4 until that is done.`,
		Example: `  adsync hooks install`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			r, err := open(c.Context(), dir)
			if err != nil {
				return err
			}
			return r.install(c.Context(), env)
		},
	}
}

func uninstalling(env *session.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall [FOLDER]",
		Short: "Take away what adsync hooks install set up in this clone",
		Long: `Take away the pre-commit hook and the configuration of git that adsync hooks install wrote in the
repository that FOLDER is in. .gitattributes stays: it is everybody's.`,
		Example: `  adsync hooks uninstall`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			r, err := open(c.Context(), dir)
			if err != nil {
				return err
			}
			return r.uninstall(c.Context(), env)
		},
	}
}

func running(env *session.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "run [FILE…]",
		Short: "Validate what is staged, as the pre-commit hook does",
		Long: `Validate each project, a folder with an adsync.yaml, of which something is staged, and each that a
FILE is in. Read is what is staged, not what the work tree has, and beside it what git ignores, such
as a list of people. The service is not asked. Positions begin at the top of the repository.`,
		Example: `  adsync hooks run
  adsync hooks run spring.yaml`,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := open(c.Context(), ".")
			if err != nil {
				return err
			}
			invalid, err := r.validate(c.Context(), env, args)
			if err != nil || len(invalid) == 0 {
				return err
			}
			return console.ExitWith(console.ExitInvalid,
				fmt.Sprintf("what is staged is not valid: %s", console.OrList(invalid)))
		},
	}
}
