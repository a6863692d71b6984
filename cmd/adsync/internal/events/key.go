package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/cmd/adsync/internal/verbs"
	"adsync/internal/adsapi"
	"adsync/internal/conversions"
	"adsync/internal/diag"
	"adsync/internal/direct"

	"github.com/spf13/cobra"
)

func createKey(env *session.Env) *cobra.Command {
	var dir, out string
	var yes bool
	c := &cobra.Command{
		Use:   "key NAME",
		Short: "Make a conversion API key and write it to a file",
		Long: `Make a key by which conversion events are sent, and write it to a file that you alone may
read. The service shows it once; it is never printed, logged or kept in adsync's state.
events_credentials of the operator's file names that file. Where the answer is lost a key
may exist that nobody holds: that is said, and it is to be revoked by hand.`,
		Example: "  adsync conversions key shop-server --out events.key --yes",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if n := utf8.RuneCountInString(strings.TrimSpace(args[0])); n < 3 || n > 1000 {
				return console.Usage(c, fmt.Errorf("the name has %d characters; want what the key is for, "+
					"in 3 to 1,000", n))
			}
			if out == "" {
				return console.Usage(c, errors.New("want --out FILE, which the key is written to"))
			}
			return runCreateKey(c.Context(), env, dir, args[0], out, yes)
		},
	}
	c.Flags().StringVar(&out, "out", "", "the file the key is written to; one that is there is left")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	dirFlag(c, &dir)
	env.Outputs(c, "text", "json")
	return c
}

func runCreateKey(ctx context.Context, env *session.Env, dir, name, out string, yes bool) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	if err := (console.NewFile{Flag: "--out", Name: out, Never: true}).Free(); err != nil {
		return err
	}
	d, err := verbs.Open(ctx, env, project, direct.Named("conversions key create"))
	if err != nil {
		return err
	}
	defer d.End()
	question := fmt.Sprintf("A conversion API key called %q is made and written to %s.",
		diag.Printable(name), diag.Printable(out))
	if err := d.Consent(ctx, yes, question); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return err
	}
	if _, err := d.MakeKey(ctx, verbs.NewKey{Sort: "conversion API key", Name: name, Out: out,
		Ask: func(ctx context.Context) (adsapi.Record, error) {
			return d.Client.Send(ctx, adsapi.Mutation{Path: d.Verb.Path, Body: body})
		}}); err != nil {
		return err
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(conversions.KeyDocument{FormatVersion: console.FormatVersion, Name: name, File: out})
	}
	_, err = fmt.Fprintf(env.Out, "The conversion API key %q is in %s, which you alone may read.\n",
		diag.Printable(name), diag.Printable(out))
	return err
}
