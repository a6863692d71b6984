package access

import (
	"context"
	"fmt"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/diag"

	"github.com/spf13/cobra"
)

// Whoami returns the command adsync whoami.
func Whoami(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "whoami [FOLDER]",
		Short: "Show by which credential the service is asked, who that is, and what it reaches",
		Long: `Show by which credential the service is asked and where it comes from, the account it
opens, and what that account has: each list is asked for once. Nothing is changed, and the
credential itself is never shown.`,
		Example: "  adsync whoami\n  adsync whoami -o json",
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			return runWhoami(c.Context(), env, dir)
		},
	}
	env.Outputs(c, "text", "json")
	return c
}

// WhoamiDocument is the JSON form of whoami.
type WhoamiDocument struct {
	FormatVersion int                `json:"format_version"`
	Credential    CredentialDocument `json:"credential"`
	User          string             `json:"user,omitempty"`    // its id for this application; absent by an API key
	Account       *AccountDocument   `json:"account,omitempty"` // absent where none is named
	Has           []string           `json:"has"`               // lists that the account and the credential have
	Without       []string           `json:"without"`           // lists that one of them has not
}

// CredentialDocument says by what the service is asked, and nothing of it.
type CredentialDocument struct {
	Kind string `json:"kind"` // api_key
	From string `json:"from"` // where it comes from
}

func runWhoami(ctx context.Context, env *session.Env, dir string) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	s := &session.Session{}
	defer s.End()
	client, err := session.Dial(env, s, project, adsapi.Config{ReadOnly: true})
	if err != nil {
		return err
	}
	d := WhoamiDocument{
		FormatVersion: console.FormatVersion,
		Credential:    CredentialDocument{"api_key", session.KeyPlace(env, project)},
		Has:           []string{}, Without: []string{},
	}
	if err := d.ask(ctx, client); err != nil {
		return fmt.Errorf("ask the service who this is: %w", err)
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	_, err = fmt.Fprint(env.Out, d.text())
	return err
}

// ask asks who it is, what it opens and what that has. An API key is nobody's: the service says the
// user of a login alone (interface, part 5).
func (d *WhoamiDocument) ask(ctx context.Context, client *adsapi.Client) error {
	account, err := client.Account(ctx)
	if err != nil {
		return err
	}
	d.Account = new(documentOf(account))
	has, without, err := session.Features(ctx, client)
	d.Has, d.Without = append(d.Has, has...), append(d.Without, without...)
	return err
}

func (d *WhoamiDocument) text() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, diag.Printable(fmt.Sprintf(format, args...)))
	}
	line("credential", "an API key, %s", d.Credential.From)
	line("user", "not told: the service says it of a login alone")
	line("account", "%s", d.Account.line())
	line("has", "%s", strings.Join(d.Has, ", "))
	if len(d.Without) > 0 {
		line("has not", "%s", strings.Join(d.Without, ", "))
	}
	return b.String()
}
