package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/resultcopy"
	"adsync/internal/yamlfmt"
	"adsync/sources/config"
	"adsync/state"

	"github.com/spf13/cobra"
)

// initFlags say whose account a new project is for, where the service is not asked.
type initFlags struct {
	account, currency, timezone string
	emulator                    bool
}

// Init returns the command adsync init.
func Init(env *session.Env) *cobra.Command {
	var f initFlags
	c := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Begin a project: write adsync.yaml for the account the key opens",
		Long: `Begin a project: write adsync.yaml, which says whose account the files of the folder
are for. The service is asked which account the key opens, unless --account says it. By a
login --account is needed, and the service is asked for its currency and time zone.
With --emulator the project is for the service on this machine, to try things with no
account. A folder that has an adsync.yaml is left as it is. Nothing is changed at the
service.`,
		Example: `  adsync init --emulator shop
  adsync init --account adacct_0123 --currency EUR --timezone Europe/Paris shop`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			if f.account == "" && f.currency+f.timezone != "" && !f.emulator {
				return console.Usage(c, errors.New("--currency and --timezone go with --account"))
			}
			return runInit(c.Context(), env, dir, f)
		},
	}
	c.Flags().StringVar(&f.account, "account", "", "id of the account (default: the one the key opens)")
	c.Flags().StringVar(&f.currency, "currency", "", "currency of the account, such as EUR, with --account")
	c.Flags().StringVar(&f.timezone, "timezone", "", "time zone of the account, such as Europe/Paris, with --account")
	c.Flags().BoolVar(&f.emulator, "emulator", false, "for the service on this machine, with no account")
	return c
}

func runInit(ctx context.Context, env *session.Env, dir string, f initFlags) error {
	name := filepath.Join(dir, "adsync.yaml")
	if _, err := os.Lstat(name); err == nil {
		return console.Configuration("%s is there already; want a folder without one", name)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return console.Configuration("%v", err)
	}
	account, err := accountFor(ctx, env, dir, f)
	if err != nil {
		return err
	}
	if err := writeProject(name, projectText(account, f.emulator)); err != nil {
		return console.Configuration("%s: %v", name, err)
	}
	if err := ignoreOwn(dir); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(env.Out, "%s is for account %s\n", name, account.ID); err != nil {
		return err
	}
	from := session.From(env, dir)
	env.Note("next: adsync import%s takes over what the account has; adsync template "+
		"--out campaigns.xlsx%s is an empty workbook; adsync doctor%s looks whether all is well", from, from, from)
	return nil
}

// accountFor asks the service which account the key opens, where nobody said it.
func accountFor(ctx context.Context, env *session.Env, dir string, f initFlags) (state.Account, error) {
	if f.emulator {
		f.account, f.currency, f.timezone = cmp.Or(f.account, "adacct_emulator"),
			cmp.Or(f.currency, "USD"), cmp.Or(f.timezone, "America/New_York")
	}
	project := config.Project{Root: dir}
	if session.UsesLogin(env, project) && !f.emulator {
		if f.account == "" {
			return state.Account{}, console.Configuration("a login may reach several accounts; " +
				"want --account ID, one of those that adsync accounts lists")
		}
		project.Account.ID = f.account
	}
	if f.account != "" && (project.Account.ID == "" || f.currency != "" && f.timezone != "") {
		return state.Account{ID: f.account, Currency: f.currency, TimeZone: f.timezone}, nil
	}
	s := &session.Session{}
	defer s.End()
	client, err := session.Dial(env, s, project, adsapi.Config{ReadOnly: true})
	if err != nil {
		return state.Account{}, err
	}
	live, err := client.Account(ctx)
	if err != nil {
		return state.Account{}, fmt.Errorf("ask which account the key opens: %w", err)
	}
	if live.ID == "" {
		return state.Account{}, console.Configuration("the service " +
			"does not say the id of the account; want it as --account, with --currency and --timezone")
	}
	return state.Account{ID: live.ID, Currency: live.Currency, TimeZone: live.TimeZone}, nil
}

// projectText is a new adsync.yaml.
func projectText(account state.Account, emulated bool) string {
	var b strings.Builder
	b.WriteString("# The project: whose account the files of this folder are for.\naccount:\n")
	for _, v := range []struct{ key, value string }{{"id", account.ID},
		{"currency", account.Currency}, {"timezone", account.TimeZone}} {
		if v.value != "" {
			fmt.Fprintf(&b, "  %s: %s\n", v.key, yamlfmt.Scalar(v.value, false))
		}
	}
	if emulated {
		b.WriteString("service: emulator   # runs the service in this process, kept in .adsync/\n")
	}
	return b.String()
}

// writeProject writes an adsync.yaml that adsync reads without a problem, or none.
func writeProject(name, text string) error {
	draft, err := os.MkdirTemp("", "adsync")
	if err != nil {
		return err
	}
	defer os.RemoveAll(draft)
	write := func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	if err := console.WriteFile(filepath.Join(draft, filepath.Base(name)), write); err != nil {
		return err
	}
	_, problems := config.ReadProject(draft)
	var all []error
	for _, p := range problems {
		all = append(all, errors.New(p.Message))
	}
	if len(all) > 0 {
		return errors.Join(all...)
	}
	return console.NewFile{Flag: "init", Name: name, Never: true}.Write(write)
}

// ignored are the lines of .gitignore that keep out of git what adsync writes beside the
// files: its own record, and copies with results.
var ignored = []string{".adsync/", resultcopy.Ignored}

// ignoreOwn adds the lines that .gitignore does not have yet; every other stays.
func ignoreOwn(dir string) error {
	name := filepath.Join(dir, ".gitignore")
	content, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return console.Configuration("%v", err)
	}
	text := resultcopy.LinesMissing(string(content), ignored)
	if text == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return console.Configuration("%v", err)
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return console.Configuration("%s: %v", name, err)
	}
	return nil
}
