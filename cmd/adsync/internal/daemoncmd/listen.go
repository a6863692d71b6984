package daemoncmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/logins"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/sessions"
	"adsync/internal/daemon/web"
	"adsync/internal/daemon/web/metrics"
	"adsync/internal/orders"
	"adsync/internal/secret"
	"adsync/internal/webhook"
	"adsync/sources/config"
)

// Where the daemon's token is, unless its configuration says so.
const (
	EnvDaemonToken        = "ADSYNC_DAEMON_TOKEN"
	EnvDaemonTokenFile    = "ADSYNC_DAEMON_TOKEN_FILE"
	EnvDaemonTokenCommand = "ADSYNC_DAEMON_TOKEN_COMMAND"
)

// DefaultListen is where the daemon listens unless told otherwise.
const DefaultListen = web.DefaultListen

// sessionsName is the file of who is logged in, in the folder of the states of accounts.
const sessionsName = ".sessions.json"

// listenNowhere is the address of a daemon that does not listen.
const listenNowhere = "none"

// page is what the daemon shows to the network: page, API, metrics and webhooks. A
// nil server listens nowhere.
type page struct {
	config   config.Daemon // it was made of
	server   *web.Server
	listener net.Listener
	hooks    atomic.Pointer[webhook.Receiver]
	rules    atomic.Pointer[roles.Rules] // who may what; nil where the token says so
	log      *slog.Logger
}

// checkPage says what keeps the daemon from listening, before anything runs.
func (d *daemonRun) checkPage(ctx context.Context, settings config.Daemon) error {
	if d.flags.once || settings.Listen.Value == listenNowhere {
		return nil
	}
	options, err := d.pageOptions(ctx, settings)
	if err != nil {
		return err
	}
	if err := options.Check(); err != nil {
		return console.Configuration("%v", err)
	}
	return nil
}

func (d *daemonRun) pageOptions(ctx context.Context, settings config.Daemon) (o web.Options, err error) {
	o = web.Options{
		Listen:      cmp.Or(settings.Listen.Value, web.DefaultListen),
		BehindProxy: settings.BehindProxy, UserHeader: settings.UserHeader.Value,
		Pprof: settings.Pprof, Schemas: session.Schemas(),
		Version: console.Release, Log: d.log, Looks: settings.Keep.Uploads,
	}
	for _, host := range settings.Hosts {
		o.Hosts = append(o.Hosts, host.Value)
	}
	if rules, err := logins.Rules(ctx, d.env, settings.Access); err != nil {
		return o, err
	} else if rules != nil {
		o.Rules = func() *roles.Rules { return rules }
	}
	root := rootOf(settings)
	if settings.BehindProxy && len(settings.Hosts) == 0 { // its name is not known
		root = ""
	}
	if o.OpenID, err = logins.OpenID(ctx, d.env, settings.Access, root); err != nil {
		return o, err
	}
	if o.Passkeys, err = logins.Passkeys(settings.Access); err != nil {
		return o, err
	}
	if o.Token, err = daemonToken(ctx, d.env, settings.Token); err != nil {
		return o, err
	}
	if settings.Cert.Value != "" {
		if o.TLS, err = web.ReadTLS(settings.Cert.Value, settings.Key.Value, d.renewed); err != nil {
			return o, console.Configuration("tls: %v", err)
		}
	}
	return o, nil
}

// renewed says that a certificate was renewed and cannot be used.
func (d *daemonRun) renewed(err error) {
	d.log.Error("the certificate was renewed and is not taken; the one before is shown until it ends", "error", err)
}

// secret reads what a reference of the configuration leads to.
func (d *daemonRun) secret(r config.KeyReference) (string, error) {
	text, err := session.SecretOf(context.Background(), d.env, r)
	d.secrets.add(text)
	return text, err
}

// listen opens the listener.
func (d *daemonRun) listen(ctx context.Context, settings config.Daemon, counts *metrics.Counts) (*page, error) {
	p := &page{config: settings, log: d.log}
	if d.flags.once || settings.Listen.Value == listenNowhere {
		return p, nil
	}
	options, err := d.pageOptions(ctx, settings)
	if err != nil {
		return nil, err
	}
	if options.Rules != nil {
		p.rules.Store(options.Rules())
		options.Rules = p.rules.Load
	}
	options.Metrics, options.Alive, options.Hooks = counts, d.hub.Alive, p
	switch {
	case d.sharing != nil:
		options.Sessions = d.sharing.server.Sessions()
	case settings.State != "":
		if options.Sessions, err = sessions.Open(filepath.Join(settings.State, sessionsName), time.Now); err != nil {
			d.log.Warn("who was logged in cannot be read; they log in again", "error", err)
		}
	}
	server, err := web.New(options, d.desk)
	if err != nil {
		return nil, console.Configuration("%v", err)
	}
	p.listener, err = server.Bind()
	switch {
	case err != nil && settings.Listen.Value == "": // nobody asked for it
		d.log.Warn("nobody is answered: listen names another address, or none", "error", err)
		return p, nil
	case err != nil:
		return nil, console.Configuration("listen: %v", err)
	}
	p.server = server
	d.log.Info("the daemon answers", "address", p.address(),
		"tls", options.TLS != nil, "orders", options.Rules != nil || !options.Token.IsZero())
	return p, nil
}

func (p *page) serve(ctx context.Context) {
	if p.server == nil {
		return
	}
	if err := p.server.Serve(ctx, p.listener); err != nil {
		p.log.Error("the page is not served any more", "error", err)
	}
}

func (p *page) address() string {
	if p.listener == nil {
		return listenNowhere
	}
	return p.listener.Addr().String()
}

// pageOf is where people find an account; "" where that leads nowhere.
func (d *daemonRun) pageOf(settings config.Daemon, account string) string {
	root := rootOf(settings)
	if root == "" || d.flags.once {
		return ""
	}
	return root + (&url.URL{Path: "/accounts/" + account}).EscapedPath()
}

// rootOf is where people find the page: under the first name the daemon is known by, else where it listens; "" where
// that leads nowhere.
func rootOf(settings config.Daemon) string {
	listen := cmp.Or(settings.Listen.Value, web.DefaultListen)
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "0" { // nowhere, or nobody knows where
		return ""
	}
	u := url.URL{Scheme: "http", Host: listen}
	if settings.BehindProxy || settings.Cert.Value != "" {
		u.Scheme = "https"
	}
	switch ip := net.ParseIP(host); {
	case len(settings.Hosts) > 0 && settings.BehindProxy: // its port is the proxy's
		u.Host = settings.Hosts[0].Value
	case len(settings.Hosts) > 0:
		u.Host = net.JoinHostPort(settings.Hosts[0].Value, port)
	case host == "" || ip != nil && ip.IsUnspecified(): // every address, and none that a person could open
		return ""
	}
	return u.String()
}

// moved names what a configuration says otherwise than the one the daemon began with,
// of that which is taken over by a restart alone.
func (p *page) moved(settings config.Daemon) (names []string) {
	hosts := func(c config.Daemon) (all []string) {
		for _, h := range c.Hosts {
			all = append(all, h.Value)
		}
		return all
	}
	then, now := p.config, settings
	for _, one := range []struct {
		name string
		same bool
	}{
		{"listen", then.Listen.Value == now.Listen.Value},
		{"token", then.Token.From == now.Token.From && then.Token.Value == now.Token.Value},
		{"tls", then.Cert.Value == now.Cert.Value && then.Key.Value == now.Key.Value},
		{"behind_proxy", then.BehindProxy == now.BehindProxy},
		{"people, tokens or login", then.Access.IsZero() == now.Access.IsZero()},
		{"login.openid", sameOpenID(then.Access.OpenID, now.Access.OpenID)},
		{"login.passkeys", then.Access.Passkeys.Value == now.Access.Passkeys.Value},
		{"user_header", then.UserHeader.Value == now.UserHeader.Value},
		{"hosts", slices.Equal(hosts(then), hosts(now))},
		{"pprof", then.Pprof == now.Pprof},
		{"places", then.Places == now.Places},
		{"keep", then.Keep == now.Keep},
		{"database", then.Database.From == now.Database.From && then.Database.Value == now.Database.Value},
		{"address", then.Address.Value == now.Address.Value},
		{"alive", then.Alive.Every == now.Alive.Every &&
			then.Alive.URL.From == now.Alive.URL.From && then.Alive.URL.Value == now.Alive.URL.Value},
	} {
		if !one.same {
			names = append(names, one.name)
		}
	}
	return names
}

// sameOpenID reports whether two say the same, wherever it stands.
func sameOpenID(a, b config.LoginOpenID) bool {
	scopes := func(o config.LoginOpenID) (all []string) {
		for _, s := range o.Scopes {
			all = append(all, s.Value)
		}
		return all
	}
	return a.Issuer.Value == b.Issuer.Value && a.ClientID.Value == b.ClientID.Value &&
		a.Secret.From == b.Secret.From && a.Secret.Value == b.Secret.Value && a.Redirect.Value == b.Redirect.Value &&
		a.Name.Value == b.Name.Value && a.Groups.Value == b.Groups.Value && a.Lasts == b.Lasts &&
		slices.Equal(scopes(a), scopes(b))
}

// allow takes over who may what. Whether anything says so stays as the daemon began.
func (p *page) allow(ctx context.Context, env *session.Env, settings config.Daemon) error {
	rules, err := logins.Rules(ctx, env, settings.Access)
	if err == nil && rules != nil && p.rules.Load() != nil {
		p.rules.Store(rules)
	}
	return err
}

// ServeHTTP takes pushes for the accounts there are now.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if hooks := p.hooks.Load(); hooks != nil {
		hooks.ServeHTTP(w, r)
		return
	}
	http.NotFound(w, r)
}

// wakeFor has pushes wake the accounts that want it. One whose secret is not good has
// no webhook, and keeps no other from its own.
func (p *page) wakeFor(
	settings config.Daemon, wake func(account string), read func(config.KeyReference) (string, error)) error {
	if p.server == nil {
		return nil
	}
	hooks, failures := map[string]webhook.Hook{}, []error{}
	for _, a := range settings.Accounts {
		if a.Webhook.From == "" {
			continue
		}
		text, err := read(a.Webhook)
		if err == nil {
			err = webhook.CheckSecret(secret.New(text))
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", a.Name.Value, err))
			continue
		}
		hooks[a.Name.Value] = webhook.Hook{Secret: secret.New(text), Branch: a.Git.Ref.Value}
	}
	receiver, err := webhook.New(hooks, wake, time.Now, p.log)
	if err == nil {
		p.hooks.Store(receiver)
	}
	return errors.Join(append(failures, err)...)
}

// pushed has an account looked at whose branch was pushed to, whichever daemon works on it.
func pushed(desk daemon.Desk, log *slog.Logger) func(account string) {
	return func(account string) {
		err := desk.Wake(context.Background(), account, daemon.Push, orders.Ask{})
		if err != nil && !errors.Is(err, daemon.ErrNoAccount) { // one that is gone by now needs no waking
			log.Error("a push cannot be told to the daemon of the account", "account", account, "error", err)
		}
	}
}

// daemonToken reads the token from where the configuration or the environment
// says it is. None is no error: then nobody gives orders.
func daemonToken(ctx context.Context, env *session.Env, r config.KeyReference) (roles.Token, error) {
	for from, name := range map[string]string{
		"env": EnvDaemonToken, "file": EnvDaemonTokenFile, "command": EnvDaemonTokenCommand,
	} {
		value := env.Getenv(name)
		if r.From != "" || value == "" {
			continue
		}
		if from == "env" {
			value = name
		}
		r = config.KeyReference{From: from, Setting: config.Setting{Value: value}}
	}
	if r.From == "" {
		return roles.Token{}, nil
	}
	text, err := session.SecretOf(ctx, env, r)
	if err != nil {
		return roles.Token{}, fmt.Errorf("the daemon's token: %w", err)
	}
	token, err := roles.NewToken(text)
	if err != nil {
		return roles.Token{}, console.Configuration("%v", err)
	}
	return token, nil
}
