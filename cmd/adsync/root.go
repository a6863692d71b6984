package main

import (
	"fmt"

	"adsync/cmd/adsync/internal/access"
	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/daemoncmd"
	"adsync/cmd/adsync/internal/events"
	"adsync/cmd/adsync/internal/files"
	"adsync/cmd/adsync/internal/ops"
	"adsync/cmd/adsync/internal/planning"
	"adsync/cmd/adsync/internal/session"

	"github.com/spf13/cobra"
)

// root is the command tree. Every subcommand has a file of its own.
func root(env *session.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "adsync",
		Short: "Keep an ad account equal to files",
		Long: "adsync reads campaigns, ad groups and ads from YAML files and workbooks, compares them with " +
			"the account and with what it applied last,\nshows a plan, and applies it with a result for every row.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return console.Usage(c, err) })
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		env.Command = c.CommandPath()
		return session.CheckBounds(env)
	}
	root.PersistentFlags().StringVar(&env.Flags.Color, "color", "auto", "colour: auto, always or never")
	console.Completes(root, "color", "auto", "always", "never")
	root.PersistentFlags().BoolVarP(&env.Flags.Quiet, "quiet", "q", false, "no notes and no progress on standard error")
	root.PersistentFlags().StringVar(&env.Flags.Operator, "operator", "", "the operator's file: service, "+
		"key, ceilings, allowances (default ADSYNC_OPERATOR, then adsync/operator.yaml in your configuration)")
	root.AddCommand(files.Init(env), ops.Doctor(env), ops.Audit(env),
		events.Conversions(env),
