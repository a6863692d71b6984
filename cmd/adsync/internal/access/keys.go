package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/cmd/adsync/internal/verbs"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/direct"
	"adsync/internal/newkey"
	"adsync/sources/config"

	"github.com/spf13/cobra"
)

// Keys returns the command adsync keys.
func Keys(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "keys",
		Short: "Make API keys of the account",
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(createKey(env))
	return c
}

// keyFlags are those of keys create.
type keyFlags struct {
	name   string
	out    string
	rotate bool
	yes    bool
}

func createKey(env *session.Env) *cobra.Command {
	var f keyFlags
	c := &cobra.Command{
		Use:   "create [FOLDER]",
		Short: "Make an API key of the account and write it to a file",
		Long: `Make an API key of the account and write it to a file that you alone may read. The
service shows a key once; it is never printed, logged or kept in adsync's state. You are
asked first, or say --yes; the history has who made which key, and when.

With --rotate the new key takes the place of the one in use: it is made, tried, and put in
one step into the file that credentials of the operator's file, or ADSYNC_API_KEY_FILE,
name. Until then the old key stays in use. The service has no call that revokes a key:
revoke the old one by hand, where keys are managed. Where the answer is lost a key may
exist that nobody holds; that is said, and it is to be revoked by hand too.`,
		Example: "  adsync keys create --name daemon " +
			"--out daemon.key --yes\n  adsync keys create --name daemon --rotate --yes",
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			switch {
			case strings.TrimSpace(f.name) == "" || len(f.name) > 255:
				return console.Usage(c, fmt.Errorf("--name is %q; "+
					"want what the key is for, in 1 to 255 characters", f.name))
			case f.rotate == (f.out != ""):
				return console.Usage(c, errors.New("want one of --out FILE and --rotate"))
			}
			return runCreateKey(c.Context(), env, dir, f)
		},
	}
	c.Flags().StringVar(&f.name, "name", "adsync", "what the key is called at the service")
	c.Flags().StringVar(&f.out, "out", "", "the file the key is written to; one that is there is left")
	c.Flags().BoolVar(&f.rotate, "rotate", false, "put the new key in place of the one in use")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	env.Outputs(c, "text", "json")
	return c
}

// KeyDocument is the JSON form of keys create. It has no key in it.
type KeyDocument struct {
	FormatVersion int    `json:"format_version"`
	Name          string `json:"name"`
	ID            string `json:"id"` // of the key in the audit log
	File          string `json:"file"`
	Rotated       bool   `json:"rotated"` // the file held another key, which is to be revoked
}

func runCreateKey(ctx context.Context, env *session.Env, dir string, f keyFlags) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	if f.rotate {
		if f.out, err = keyFile(env, project); err != nil {
			return err
		}
	} else if err := (console.NewFile{Flag: "--out", Name: f.out, Never: true}).Free(); err != nil {
		return err
	}
	d, err := verbs.Open(ctx, env, project, direct.Named("keys create"))
	if err != nil {
		return err
	}
	defer d.End()
	question := fmt.Sprintf("A key called %q of this account is made and written to %s.",
		diag.Printable(f.name), diag.Printable(f.out))
	if err := d.Consent(ctx, f.yes, question); err != nil {
		return err
	}
	k := verbs.NewKey{Sort: "key", Name: f.name, Out: f.out, Replace: f.rotate,
		Ask: func(ctx context.Context) (adsapi.Record, error) { return askForKey(ctx, d, f.name) }}
	if f.rotate {
		k.Try = func(made newkey.Made) error { return tryKey(ctx, env, project, made) }
	}
	made, err := d.MakeKey(ctx, k)
	if err != nil {
		return err
	}
	return tellKey(env, f, made)
}

// keyFile returns the file whose key is in use.
func keyFile(env *session.Env, p config.Project) (string, error) {
	o, problems := session.Operator(env, p)
	name := env.Getenv(session.EnvKeyFile)
	if name == "" && o.Key.From == "file" && !diag.HasErrors(problems) {
		name = o.Key.Value
	}
	if name == "" || env.Getenv(session.EnvKey) != "" {
		return "", console.Configuration("the key in use is in no file that adsync may replace; want --out FILE, "+
			"and the new key where %s or credentials of the operator's file take it from", session.EnvKey)
	}
	if about, err := os.Lstat(name); err != nil || !about.Mode().IsRegular() {
		return "", console.Configuration("%s is no plain file; want --out FILE", diag.Printable(name))
	}
	return name, nil
}

// nameFields are those that may hold the name of a key, likeliest first: the body is not in the
// interface, and its clients differ (docs/develop/assumptions.md).
var nameFields = []string{"key_name", "name"}

// askForKey asks by one field after the other, as long as the service surely made no key.
func askForKey(ctx context.Context, d *verbs.Direct, name string) (answer adsapi.Record, err error) {
	for _, field := range nameFields {
		body, wrong := json.Marshal(map[string]string{field: name})
		if wrong != nil {
			return answer, errors.Join(direct.ErrNotDone, wrong)
		}
		answer, err = d.Client.Send(ctx, adsapi.Mutation{Path: d.Verb.Path, Body: body})
		refusal, is := errors.AsType[*adsapi.Error](err)
		if !is || refusal.Applied() != adsapi.Never || refusal.Status != 400 && refusal.Status != 422 {
			return answer, err
		}
	}
	return answer, err
}

// tryKey reads the account by the new key, which must be the one of the files.
func tryKey(ctx context.Context, env *session.Env, p config.Project, made newkey.Made) error {
	s := &session.Session{}
	defer s.End()
	client, err := session.Dial(env, s, p, adsapi.Config{ReadOnly: true, Key: made.Key})
	if err != nil {
		return err
	}
	account, err := client.Account(ctx)
	if err != nil {
		return fmt.Errorf("the new key does not work: %w", err)
	}
	if want := p.Account.ID; want != "" && account.ID != want {
		return fmt.Errorf("the new key opens account %q; want %q", account.ID, want)
	}
	return nil
}

func tellKey(env *session.Env, f keyFlags, made newkey.Made) error {
	if f.rotate {
		env.Note("the new key works, and is in use from now on; revoke the one that %s held before, by hand where "+
			"keys are managed: adsync history has those that adsync made", diag.Printable(f.out))
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(KeyDocument{console.FormatVersion, f.name, made.ID, f.out, f.rotate})
	}
	id := ""
	if made.ID != "" {
		id = " (" + diag.Printable(made.ID) + " in the audit log)"
	}
	_, err := fmt.Fprintf(env.Out, "The key %q%s is in %s, which you alone may read.\n",
		diag.Printable(f.name), id, diag.Printable(f.out))
	return err
}
