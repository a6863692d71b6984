package events

import (
	"adsync/cmd/adsync/internal/session"

	"github.com/spf13/cobra"
)

// Conversions returns the command adsync conversions, with the one that shows figures.
func Conversions(env *session.Env, figures *cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   "conversions",
		Short: "Send conversion events, look at them, and make the key they are sent by",
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(send(env), recent(env), createKey(env), figures)
	return c
}

// dirFlag is the folder of the account's files.
func dirFlag(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "dir", ".", "folder of the account's files")
}
