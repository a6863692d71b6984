package console

import (
	"fmt"

	"github.com/spf13/cobra"
)

// Usage is an error of the command line.
func Usage(c *cobra.Command, err error) error {
	return ExitWith(ExitUsage, fmt.Sprintf("%s; see %s --help", err, c.CommandPath()))
}

// Configuration is an error of the environment or the project file.
func Configuration(format string, args ...any) error {
	return ExitWith(ExitUsage, fmt.Sprintf(format, args...))
}

// Completes has the shell offer the values of a flag.
func Completes(c *cobra.Command, flag string, values ...string) {
	offer := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	if err := c.RegisterFlagCompletionFunc(flag, offer); err != nil {
		panic("no completion for --" + flag + ": " + err.Error()) // the flag is not there
	}
}

// Folder takes the one optional argument of a command: the project's folder or
// its adsync.yaml.
func Folder(c *cobra.Command, args []string) (string, error) {
	switch len(args) {
	case 0:
		return ".", nil
	case 1:
		return args[0], nil
	}
	return "", Usage(c, fmt.Errorf("%d arguments; want one folder at most", len(args)))
}
