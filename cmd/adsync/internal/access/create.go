package access

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/cmd/adsync/internal/verbs"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/direct"

	"github.com/spf13/cobra"
)

// sessionBody is what a creation session is asked for by.
// Neither it nor the answer is published (docs/develop/assumptions.md).
type sessionBody struct {
	Name     string `json:"account_name"`
	Currency string `json:"currency_code,omitempty"`
	TimeZone string `json:"timezone,omitempty"`
}

// createFlags are those of accounts create.
type createFlags struct {
	body sessionBody
	wait time.Duration
	yes  bool
}

func createAccount(env *session.Env) *cobra.Command {
	var f createFlags
	c := &cobra.Command{
		Use:   "create [FOLDER]",
		Short: "Start the creation of an ad account, and wait for it",
		Long: `Start the creation of an ad account: the service answers with an address at which you end
it, and adsync waits until the account shows among those that the login reaches. It takes
a login of an authorized partner; an API key may not. You are asked first, or say --yes.
The folder is where the history is kept. Ended early, the address stays good for as long
as the service says; adsync accounts shows the account once it is there.`,
		Example: "  adsync accounts create --name 'Shoe shop' --currency EUR --timezone Europe/Paris --yes",
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			if strings.TrimSpace(f.body.Name) == "" || f.wait < 0 {
				return console.Usage(c, errors.New("want --name, and a --wait such as 15m, or 0 not to wait"))
			}
			return runCreateAccount(c.Context(), env, dir, f)
		},
	}
	c.Flags().StringVar(&f.body.Name, "name", "", "what the account is called")
	c.Flags().StringVar(&f.body.Currency, "currency", "", "its currency, such as EUR")
	c.Flags().StringVar(&f.body.TimeZone, "timezone", "", "its time zone, such as Europe/Paris")
	c.Flags().DurationVar(&f.wait, "wait", 15*time.Minute, "how long to wait for the account; 0 does not wait")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	env.Outputs(c, "text", "json")
	return c
}

// CreatedDocument is the JSON form of accounts create.
type CreatedDocument struct {
	FormatVersion int              `json:"format_version"`
	Address       string           `json:"address"`           // where a person ends the creation; "" where it is not said
	Account       *AccountDocument `json:"account,omitempty"` // absent where it was not waited for, or did not come
}

func runCreateAccount(ctx context.Context, env *session.Env, dir string, f createFlags) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	d, err := verbs.Open(ctx, env, project, direct.Named("accounts create"))
	if err != nil {
		return err
	}
	defer d.End()
	before, err := adsapi.Accounts(ctx, d.Client.Reader())
	if err != nil {
		return fmt.Errorf("list the accounts, to know the new one: %w", err)
	}
	question := fmt.Sprintf("The creation of an ad account called %q is started.", diag.Printable(f.body.Name))
	if err := d.Consent(ctx, f.yes, question); err != nil {
		return err
	}
	created := CreatedDocument{FormatVersion: console.FormatVersion}
	if created.Address, err = startSession(ctx, d, f.body); err != nil {
		return err
	}
	if created.Address == "" {
		env.Note("the answer shows no address in url; end the creation in the ad manager")
	} else {
		fmt.Fprintf(env.Err, "End the creation here:\n\n  %s\n\n", diag.Printable(created.Address))
	}
	if f.wait > 0 {
		if created.Account, err = awaitAccount(ctx, env, d, before, f.wait); err != nil {
			return err
		}
	}
	return tellCreated(env, created)
}

// startSession starts the session, under a key by which it goes again at most once.
func startSession(ctx context.Context, d *verbs.Direct, body sessionBody) (address string, err error) {
	err = d.Do(ctx, fmt.Sprintf("%q", body.Name), func(ctx context.Context) (string, error) {
		text, err := json.Marshal(body)
		if err != nil {
			return "", errors.Join(direct.ErrNotDone, err)
		}
		answer, err := d.Client.Send(ctx, adsapi.Mutation{Path: d.Verb.Path, Key: rand.Text(), Body: text})
		if err != nil {
			return "", err
		}
		var session struct {
			URL string `json:"url"`
		}
		_ = json.Unmarshal(answer.JSON, &session) // what it shows else is not published
		address = session.URL
		return answer.ID, nil
	})
	return address, err
}

// lookPause is how long is waited between looks for the account.
const lookPause = 5 * time.Second

// awaitAccount waits for an account that was not there before.
func awaitAccount(ctx context.Context, env *session.Env, d *verbs.Direct, before []adsapi.Account,
	most time.Duration) (*AccountDocument, error) {
	c := env.Clock.OrSystem()
	for end := c.Now().Add(most); ; {
		now, err := adsapi.Accounts(ctx, d.Client.Reader())
		if err != nil {
			return nil, fmt.Errorf("the creation was started; look for its account: %w", err)
		}
		for _, a := range now {
			if !slices.ContainsFunc(before, func(b adsapi.Account) bool { return a.ID == b.ID }) {
				return new(documentOf(a)), nil
			}
		}
		if c.Now().Add(lookPause).After(end) {
			return nil, console.ExitWith(console.ExitUnknown, fmt.Sprintf("the creation was started, and no account "+
				"came within %s; end it at its address, then adsync accounts shows the account", most))
		}
		if err := c.Sleep(ctx, lookPause); err != nil {
			return nil, err
		}
	}
}

func tellCreated(env *session.Env, d CreatedDocument) error {
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	if d.Account == nil {
		_, err := fmt.Fprintln(env.Out, "The creation was started; adsync accounts shows the account later.")
		return err
	}
	if _, err := fmt.Fprintln(env.Out, diag.Printable(d.Account.line())); err != nil {
		return err
	}
	env.Note("next: adsync init --account %s begins a project for it", diag.Printable(d.Account.ID))
	return nil
}
