package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// root is the command tree. Every subcommand has a file of its own.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "adsync",
		Short: "Keep an ad account equal to files",
		Long: "adsync reads campaigns, ad groups and ads from YAML files and workbooks, compares them with " +
			"the account and with what it applied last,\nshows a plan, and applies it with a result for every row.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usage(c, err) })
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		a.command = c.CommandPath()
		return a.checkBounds()
	}
	root.PersistentFlags().StringVar(&a.flags.color, "color", "auto", "colour: auto, always or never")
	completes(root, "color", "auto", "always", "never")
	root.PersistentFlags().BoolVarP(&a.flags.quiet, "quiet", "q", false, "no notes and no progress on standard error")
	root.PersistentFlags().StringVar(&a.flags.operator, "operator", "", "the operator's file: service, "+
		"key, ceilings, allowances (default ADSYNC_OPERATOR, then adsync/operator.yaml in your configuration)")
	root.AddCommand(a.initialise(), a.doctor(), a.audit(),
		a.insights(), a.validate(), a.fix(), a.format(), a.plan(), a.apply(), a.revert(), a.history(), a.show(),
		a.importing(), a.adopt(), a.drift(), a.status(), a.suspend(), a.forget(), a.pauseAll(), a.reconcileNow(),
		a.resume(), a.resolve(), a.unlock(), a.export(), a.template(), a.convert(), a.diff(), a.textconv(),
		a.merge(), a.schema(), a.policyCommand(), a.emulator(), a.daemonCommand(), a.version(), a.explain())
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	version := root.Flags().Bool("version", false, "print the version, as the command of that name does")
	root.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) > 0:
			return usage(c, fmt.Errorf("unknown command %q", args[0]))
		case *version:
			return a.printVersion()
		}
		return c.Help()
	}
	root.Args = cobra.ArbitraryArgs
	return root
}

// usage is an error of the command line.
func usage(c *cobra.Command, err error) error {
	return exitWith(exitUsage, fmt.Sprintf("%s; see %s --help", err, c.CommandPath()))
}

// configuration is an error of the environment or the project file.
func configuration(format string, args ...any) error {
	return exitWith(exitUsage, fmt.Sprintf(format, args...))
}

// outputs gives a command its -o flag and checks it before the command runs.
func (c *console) outputs(cmd *cobra.Command, formats ...string) {
	output := cmd.Flags().StringP("output", "o", formats[0], "output: "+orList(formats))
	completes(cmd, "output", formats...)
	inner := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.flags.output = *output
		if !slices.Contains(formats, c.flags.output) {
			return usage(cmd, fmt.Errorf("--output is %q; want %s", c.flags.output, orList(formats)))
		}
		return inner(cmd, args)
	}
}

// completes has the shell offer the values of a flag.
func completes(c *cobra.Command, flag string, values ...string) {
	offer := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	if err := c.RegisterFlagCompletionFunc(flag, offer); err != nil {
		panic("no completion for --" + flag + ": " + err.Error()) // the flag is not there
	}
}

func orList(words []string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	last := len(words) - 1
	list := words[0]
	for _, w := range words[1:last] {
		list += ", " + w
	}
	return list + " or " + words[last]
}

// folder takes the one optional argument of a command: the project's folder or
// its adsync.yaml.
func folder(c *cobra.Command, args []string) (string, error) {
	switch len(args) {
	case 0:
		return ".", nil
	case 1:
		return args[0], nil
	}
	return "", usage(c, fmt.Errorf("%d arguments; want one folder at most", len(args)))
}
