package main

import (
	"fmt"

	"adsync/cmd/adsync/internal/access"
	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/daemoncmd"
	"adsync/cmd/adsync/internal/events"
	"adsync/cmd/adsync/internal/files"
	"adsync/cmd/adsync/internal/hooks"
	"adsync/cmd/adsync/internal/jobs"
	"adsync/cmd/adsync/internal/logins"
	"adsync/cmd/adsync/internal/ops"
	"adsync/cmd/adsync/internal/people"
	"adsync/cmd/adsync/internal/planning"
	"adsync/cmd/adsync/internal/reports"
	"adsync/cmd/adsync/internal/session"
	"adsync/cmd/adsync/internal/states"

	"github.com/spf13/cobra"
)

// root is the command tree. Every subcommand has a file of its own.
func root(env *session.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "adsync",
		Short: "Keep an ad account equal to files",
		Long: "adsync reads campaigns, ad groups and ads from YAML files and workbooks, compares them with " +
			"the account and with what it applied last,\nshows a plan, and applies it with a result for every row.",
		Example:       "  adsync validate\n  adsync plan\n  adsync apply --yes",
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
		ops.Insights(env), reports.Command(env), access.Accounts(env), access.Keys(env), access.Whoami(env),
		events.Conversions(env, ops.Converted(env)), people.Audience(env),
		access.Login(env), access.Logout(env),
		ops.Hotels(env), ops.Locations(env), files.Validate(env),
		files.Fix(env), files.Fmt(env), ops.Preview(env),
		planning.Plan(env), planning.Apply(env), planning.Revert(env), ops.History(env), ops.Show(env),
		files.Import(env), planning.Adopt(env), planning.Drift(env),
		ops.Status(env), ops.Suspend(env), ops.Forget(env), ops.PauseAll(env), ops.Reconcile(env),
		planning.Resume(env), planning.Resolve(env), ops.Unlock(env), states.Command(env),
		jobs.Command(env), logins.HashPassword(env),
		ops.Review(env),
		files.Export(env), files.Template(env), files.Convert(env), files.Diff(env), files.Textconv(env),
		files.Merge(env), hooks.Command(env), files.Schema(env), ops.Policy(env),
		emulatorCommand(env), demoCommand(env), daemoncmd.Command(env), version(env), ops.Explain(env))
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Example = "  adsync help plan"
		case "completion":
			for _, shell := range c.Commands() {
				shell.Example = "  adsync completion " + shell.Name()
			}
		}
	}
	version := root.Flags().Bool("version", false, "print the version, as the command of that name does")
	root.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) > 0:
			return console.Usage(c, fmt.Errorf("unknown command %q", args[0]))
		case *version:
			return printVersion(env)
		}
		return c.Help()
	}
	root.Args = cobra.ArbitraryArgs
	return root
}
