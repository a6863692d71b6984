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

// Accounts returns the command adsync accounts.
func Accounts(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "accounts [FOLDER]",
		Short: "List the ad accounts that the credential reaches",
		Long: `List the ad accounts that the credential of the folder reaches: id, name, status, currency
and time zone. An API key reaches one. Nothing is changed.`,
		Example: "  adsync accounts\n  adsync accounts -o json",
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			return listAccounts(c.Context(), env, dir)
		},
	}
	env.Outputs(c, "text", "json")
	c.AddCommand(createAccount(env))
	return c
}

// AccountsDocument is the JSON form of accounts.
type AccountsDocument struct {
	FormatVersion int               `json:"format_version"`
	Accounts      []AccountDocument `json:"accounts"`
}

// AccountDocument is an account as the service has it.
type AccountDocument struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Status   string `json:"status"`
	Currency string `json:"currency"`
	TimeZone string `json:"timezone"`
}

func documentOf(a adsapi.Account) AccountDocument {
	return AccountDocument{a.ID, a.Name, a.Status, a.Currency, a.TimeZone}
}

func (a AccountDocument) line() string {
	return strings.Join([]string{a.ID, a.Status, a.Currency, a.TimeZone, a.Name}, "  ")
}

func listAccounts(ctx context.Context, env *session.Env, dir string) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	s := &session.Session{}
	defer s.End()
	client, err := session.DialAny(env, s, project, adsapi.Config{ReadOnly: true})
	if err != nil {
		return err
	}
	reached, err := adsapi.Accounts(ctx, client)
	if err != nil {
		return fmt.Errorf("list the accounts: %w", err)
	}
	d := AccountsDocument{console.FormatVersion, []AccountDocument{}}
	for _, a := range reached {
		d.Accounts = append(d.Accounts, documentOf(a))
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	for _, a := range d.Accounts {
		if _, err := fmt.Fprintln(env.Out, diag.Printable(a.line())); err != nil {
			return err
		}
	}
	env.Note("next: adsync init --account ID begins a project for one of them")
	return nil
}
