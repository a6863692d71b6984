package main

import (
	"fmt"
	"runtime"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"

	"github.com/spf13/cobra"
)

func version(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: `  adsync version`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if env.Flags.Output == "json" {
				return env.PrintJSON(console.VersionDocument{FormatVersion: console.FormatVersion,
					Version: console.Release, Commit: console.Commit(), Go: runtime.Version()})
			}
			return printVersion(env)
		},
	}
	env.Outputs(c, "text", "json")
	return c
}

func printVersion(env *session.Env) error {
	_, err := fmt.Fprintf(env.Out, "adsync %s %s %s\n", console.Release, console.Commit(), runtime.Version())
	return err
}
