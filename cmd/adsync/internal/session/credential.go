package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/adsapi"
	"adsync/internal/direct"
	"adsync/internal/login"
	"adsync/sources/config"
)

// key reads the API key from the environment, from a file, or from a command's
// standard output.
func key(env *Env, p config.Project) (adsapi.Secret, error) {
	if emulated(env, p) {
		return adsapi.NewSecret(EmulatorKey), nil
	}
	if key := strings.TrimSpace(env.Getenv(EnvKey)); key != "" {
		return adsapi.NewSecret(key), nil
	}
	if file := env.Getenv(EnvKeyFile); file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return adsapi.Secret{}, console.Configuration("%s: %v", EnvKeyFile, err)
		}
		return adsapi.NewSecret(string(bytes.TrimSpace(content))), nil
	}
	if command := env.Getenv(EnvKeyCommand); command != "" {
		key, err := commandOutput(context.Background(), command, commandMost)
		if err != nil {
			return adsapi.Secret{}, console.Configuration("%s failed: %v", EnvKeyCommand, err)
		}
		return adsapi.NewSecret(key), nil
	}
	o, _ := Operator(env, p)
	return operatorKey(env, o)
}

// keyNames are where the environment says a key may be; each counts before the operator's file.
var keyNames = []string{EnvKey, EnvKeyFile, EnvKeyCommand}

// UsesLogin reports whether the service is asked by a login: the operator's file says how to log in, and
// no key counts before it.
func UsesLogin(env *Env, p config.Project) bool {
	for _, name := range keyNames {
		if strings.TrimSpace(env.Getenv(name)) != "" {
			return false
		}
	}
	o, _ := Operator(env, p) // its problems were said when the project was loaded
	return o.OAuth.ClientID.Value != "" && !emulated(env, p)
}

// LoginOf is the login that the operator's file describes, whether or not anybody has logged in.
func LoginOf(env *Env, p config.Project) (*login.Login, error) {
	o, problems := Operator(env, p)
	if err := Invalid(env, Loaded{Project: p}, problems); err != nil {
		return nil, err
	}
	at := o.OAuth
	if at.ClientID.Value == "" {
		return nil, console.Configuration("nothing says how to log in; want credentials: {oauth: {authorize_url: …, " +
			"token_url: …, client_id: …}} in the operator's file")
	}
	server := login.Server{
		AuthorizeURL: at.AuthorizeURL.Value, TokenURL: at.TokenURL.Value, RevokeURL: at.RevokeURL.Value,
		ClientID: at.ClientID.Value,
	}
	for _, scope := range at.Scopes {
		server.Scopes = append(server.Scopes, scope.Value)
	}
	keep, err := keeperOf(env, p, at, server)
	if err != nil {
		return nil, err
	}
	c := env.Clock.OrSystem()
	l, err := login.New(login.Config{
		Server: server, Keep: keep, Transport: env.Backing.Transport, Now: c.Now, Sleep: c.Sleep,
		OnSecret: env.OnSecret,
	})
	if err != nil {
		return nil, console.Configuration("%s: credentials.oauth: %v", at.ClientID.Position, err)
	}
	return l, nil
}

// keeperOf finds where tokens are kept: as the operator's file says, or in the user's own state folder.
func keeperOf(env *Env, p config.Project, at config.OAuth, server login.Server) (login.Keeper, error) {
	if name := at.Tokens.Value; name != "" && name != config.InKeyring {
		if err := p.Outside(filepath.Dir(name)); errors.Is(err, config.ErrWatched) {
			return login.Keeper{}, console.Configuration("%s: tokens: %s lies in the folder of the project; "+
				"want it where nobody commits it", at.Tokens.Position, name)
		}
		return login.InFile(name), nil
	}
	home := env.Getenv("XDG_STATE_HOME")
	if home == "" && env.Getenv("HOME") != "" {
		home = filepath.Join(env.Getenv("HOME"), ".local", "state")
	}
	if home == "" {
		return login.Keeper{}, console.Configuration("%s: there is no HOME to keep the tokens of a login in; "+
			"want tokens: FILE beside client_id", at.ClientID.Position)
	}
	name := filepath.Join(home, "adsync", "login-"+server.Mark()+".json")
	if at.Tokens.Value == config.InKeyring {
		return login.InKeyring(name), nil
	}
	return login.InFile(name), nil
}

// useLogin has a client ask by a login. What the login may not do is refused before anything is sent.
func useLogin(env *Env, p config.Project, cfg *adsapi.Config, any bool) error {
	l, err := LoginOf(env, p)
	if err != nil {
		return err
	}
	held, err := l.Held()
	if errors.As(err, new(*login.NeededError)) {
		return console.ExitWith(console.ExitPermission, err.Error())
	}
	if err != nil {
		return console.Configuration("read the login: %v", err)
	}
	wanted := []string{direct.ScopeRead, direct.ScopeWrite}
	if cfg.ReadOnly {
		wanted = wanted[:1]
	}
	if lacks := held.Lacks(wanted...); len(lacks) > 0 {
		return console.ExitWith(console.ExitPermission, fmt.Sprintf("the login has no scope %s, which this needs; "+
			"put it among scopes of credentials.oauth and log in again: adsync login", strings.Join(lacks, " ")))
	}
	if !any {
		if cfg.Account = p.Account.ID; cfg.Account == "" {
			return console.Configuration("a login reaches accounts by their ids; want account: {id: …} in " +
				"adsync.yaml: adsync accounts lists them, and adsync init --account ID writes it")
		}
	}
	cfg.Tokens = func(ctx context.Context, refused adsapi.Secret) (adsapi.Secret, error) {
		token, err := l.Token(ctx, refused)
		if errors.As(err, new(*login.NeededError)) || errors.As(err, new(*login.RefusedError)) {
			return token, fmt.Errorf("%w: %w", adsapi.ErrUnauthorized, err)
		}
		return token, err
	}
	return nil
}

// KeyPlace returns where the credential comes from, and nothing of it.
func KeyPlace(env *Env, p config.Project) string {
	if emulated(env, p) {
		return "none is needed for the emulator in this process"
	}
	for _, name := range keyNames {
		if strings.TrimSpace(env.Getenv(name)) != "" {
			return "from " + name
		}
	}
	o, _ := Operator(env, p)
	if l, err := LoginOf(env, p); o.OAuth.ClientID.Value != "" && err == nil {
		return "a login, kept in " + l.Keep.String()
	}
	return fmt.Sprintf("from %s of the operator's file", o.Key.From)
}
