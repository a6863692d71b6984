package access

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/login"

	"github.com/spf13/cobra"
)

// loginFlags are those of login.
type loginFlags struct {
	noBrowser bool
	port      int
	wait      time.Duration
}

// Login returns the command adsync login.
func Login(env *session.Env) *cobra.Command {
	var f loginFlags
	c := &cobra.Command{
		Use:   "login [FOLDER]",
		Short: "Log in at the service, in the place of an API key",
		Long: `Log in at the service: print the address at which you let adsync in, open it in a browser
where there is one, and wait for the answer on a port of this machine. The operator's file
says how, under credentials: {oauth: …}. The tokens go to a file that you alone may read,
or to the keyring of the system, and are renewed when they end; they are never shown.

A login may not read the audit log or make API keys: plans then read the whole account each
time, and do not say who changed what. On a machine without a browser give --no-browser and
--port, and forward that port: ssh -L 8085:127.0.0.1:8085 HOST.`,
		Example: "  adsync login\n  adsync login --no-browser --port 8085",
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			if f.port < 0 || f.port > 65535 || f.wait <= 0 {
				return console.Usage(c, errors.New("want a --port from 0 to 65535, and a --wait such as 5m"))
			}
			return runLogin(c.Context(), env, dir, f)
		},
	}
	c.Flags().BoolVar(&f.noBrowser, "no-browser", false, "only print the address")
	c.Flags().IntVar(&f.port, "port", 0, "port of this machine for the answer (default: a free one)")
	c.Flags().DurationVar(&f.wait, "wait", 5*time.Minute, "how long to wait for the answer")
	env.Outputs(c, "text", "json")
	return c
}

// LoginDocument is the JSON form of login and logout. It has no token in it.
type LoginDocument struct {
	FormatVersion int       `json:"format_version"`
	Kept          string    `json:"kept"`              // where the tokens are, or were
	Scopes        []string  `json:"scopes"`            // that were granted; none after logout
	Expires       time.Time `json:"expires,omitzero"`  // of the token in use; absent where it is not known
	Renewed       bool      `json:"renewed"`           // it can be renewed without a person
	Revoked       bool      `json:"revoked,omitempty"` // logout has revoked it at the service
}

func runLogin(ctx context.Context, env *session.Env, dir string, f loginFlags) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	l, err := session.LoginOf(env, project)
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeoutCause(ctx, f.wait, console.ExitWith(console.ExitPermission,
		fmt.Sprintf("no answer came within %s; nobody is logged in", f.wait)))
	defer cancel()
	t, err := l.Ask(waiting, f.port, func(address string) { show(env, address, f.noBrowser) })
	if refused := (*login.RefusedError)(nil); errors.As(err, &refused) {
		return console.ExitWith(console.ExitPermission, fmt.Sprintf("nobody is logged in: %v", err))
	}
	if err != nil {
		return err
	}
	if err := l.Keeps(ctx, t); err != nil {
		return fmt.Errorf("keep the tokens: %w", err)
	}
	if !session.UsesLogin(env, project) {
		env.Note("an API key counts before the login: %s", session.KeyPlace(env, project))
	}
	if t.Refresh.Reveal() == "" {
		env.Note("the login ends with its token, as it was granted nothing to renew it by (scope offline_access)")
	}
	d := LoginDocument{FormatVersion: console.FormatVersion, Kept: l.Keep.String(), Scopes: t.Scopes,
		Expires: t.Expires, Renewed: t.Refresh.Reveal() != ""}
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	_, err = fmt.Fprintf(env.Out, "Logged in, with the scopes %s; the tokens are in %s.\n",
		diag.Printable(strings.Join(t.Scopes, " ")), diag.Printable(d.Kept))
	return err
}

// show prints the address, and opens it where there is a screen.
func show(env *session.Env, address string, only bool) {
	fmt.Fprintf(env.Err, "Open this address, and let adsync in:\n\n  %s\n\n", diag.Printable(address))
	screen := runtime.GOOS == "darwin" || env.Getenv("DISPLAY") != "" || env.Getenv("WAYLAND_DISPLAY") != ""
	if only || !screen {
		return
	}
	open, err := console.Browser()
	if err == nil {
		err = open(address)
	}
	if err != nil {
		env.Note("no browser was opened: %v", err)
	}
}

// Logout returns the command adsync logout.
func Logout(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "logout [FOLDER]",
		Short: "Forget the tokens of a login, and revoke them",
		Long: `Forget the tokens of a login. Where the operator's file has a revoke_url they are revoked
at the service first; elsewhere revoke the access by hand, where the service lists what you
have let in.`,
		Example: "  adsync logout",
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			return runLogout(c.Context(), env, dir)
		},
	}
	env.Outputs(c, "text", "json")
	return c
}

func runLogout(ctx context.Context, env *session.Env, dir string) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	l, err := session.LoginOf(env, project)
	if err != nil {
		return err
	}
	revoked, err := l.Forget(ctx)
	if err != nil {
		return console.ExitWith(console.ExitUnavailable, err.Error())
	}
	if !revoked {
		env.Note("nothing was revoked at the service; where it lists what you have let in, take adsync away")
	}
	d := LoginDocument{FormatVersion: console.FormatVersion, Kept: l.Keep.String(), Scopes: []string{},
		Revoked: revoked}
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	_, err = fmt.Fprintf(env.Out, "The tokens are no longer in %s.\n", diag.Printable(d.Kept))
	return err
}
