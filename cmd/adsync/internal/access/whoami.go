package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/sources/config"

	"github.com/spf13/cobra"
)

// Whoami returns the command adsync whoami.
func Whoami(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "whoami [FOLDER]",
		Short: "Show by which credential the service is asked, who that is, and what it reaches",
		Long: `Show by which credential the service is asked and where it comes from, the account it
opens, and what that account has: each list is asked for once. Of a login it shows the user
and the scopes too. Nothing is changed, and the credential itself is never shown.`,
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
	Kind    string    `json:"kind"`             // api_key or login
	From    string    `json:"from"`             // where it comes from
	Scopes  []string  `json:"scopes,omitempty"` // of a login
	Expires time.Time `json:"expires,omitzero"` // of a login's token, which is renewed before
	MayNot  []string  `json:"may_not"`          // commands that the service does not take it for
}

func runWhoami(ctx context.Context, env *session.Env, dir string) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	d := WhoamiDocument{
		FormatVersion: console.FormatVersion,
		Credential: CredentialDocument{
			Kind: "api_key", From: session.KeyPlace(env, project), MayNot: []string{"accounts create"},
		},
		Has: []string{}, Without: []string{},
	}
	s := &session.Session{}
	defer s.End()
	dial := session.Dial
	if session.UsesLogin(env, project) && project.Account.ID == "" {
		dial = session.DialAny
	}
	client, err := dial(env, s, project, adsapi.Config{ReadOnly: true})
	if err != nil {
		return err
	}
	if session.UsesLogin(env, project) {
		err = d.askLogin(ctx, env, project, client)
	}
	if err == nil && (d.User == "" || project.Account.ID != "") {
		err = d.ask(ctx, client)
	}
	if err != nil {
		return fmt.Errorf("ask the service who this is: %w", err)
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	_, err = fmt.Fprint(env.Out, d.text())
	return err
}

// askLogin asks whose login it is, which the service does not say of a key (interface, part 5).
func (d *WhoamiDocument) askLogin(ctx context.Context, env *session.Env, p config.Project,
	client *adsapi.Client) error {
	answer, err := client.Get(ctx, "/me", nil)
	if err != nil {
		return err
	}
	var me struct {
		ID string `json:"id"` // not published: docs/develop/assumptions.md
	}
	if err := json.Unmarshal(answer, &me); err != nil || me.ID == "" {
		return errors.New("the answer of GET /me has no id")
	}
	l, err := session.LoginOf(env, p)
	if err != nil {
		return err
	}
	held, err := l.Held()
	d.User = me.ID
	d.Credential = CredentialDocument{"login", l.Keep.String(), held.Scopes, held.Expires,
		[]string{"audit", "keys create"}}
	return err
}

// ask asks what the credential opens and what that has.
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
	if d.Credential.Kind == "login" {
		line("credential", "a login, kept in %s", d.Credential.From)
		line("scopes", "%s", strings.Join(d.Credential.Scopes, " "))
		line("user", "%s", d.User)
	} else {
		line("credential", "an API key, %s", d.Credential.From)
		line("user", "not told: the service says it of a login alone")
	}
	line("may not", "%s", strings.Join(d.Credential.MayNot, ", "))
	if d.Account == nil {
		line("account", "none is named; adsync accounts lists those that it reaches")
		return b.String()
	}
	line("account", "%s", d.Account.line())
	line("has", "%s", strings.Join(d.Has, ", "))
	if len(d.Without) > 0 {
		line("has not", "%s", strings.Join(d.Without, ", "))
	}
	return b.String()
}
