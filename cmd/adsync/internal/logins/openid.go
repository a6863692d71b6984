package logins

import (
	"context"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon/openid"
	"adsync/internal/daemon/passkey"
	"adsync/internal/secret"
	"adsync/sources/config"
)

// OpenID returns the provider that logs people in; nil where the configuration names none. page is the address of the
// daemon's page, "" where that is not known: then the configuration has to say where the provider leads back to.
func OpenID(ctx context.Context, env *session.Env, a config.Access, page string) (*openid.Provider, error) {
	o := a.OpenID
	if o.Issuer.Value == "" {
		return nil, nil
	}
	text, err := session.SecretOf(ctx, env, o.Secret)
	if err != nil {
		return nil, err
	}
	c := openid.Config{Issuer: o.Issuer.Value, ClientID: o.ClientID.Value, Secret: secret.New(text),
		Redirect: o.Redirect.Value, Name: o.Name.Value, Lasts: o.Lasts, Now: time.Now}
	switch {
	case c.Redirect != "":
	case page == "":
		return nil, console.Configuration("%s: login.openid does not say where the provider leads back to, and "+
			"listen names no address that a browser can open; want hosts, or redirect: https://ads.example.com%s",
			o.Issuer.Position, openid.AnswerPath)
	default:
		c.Redirect = page + openid.AnswerPath
	}
	for _, scope := range o.Scopes {
		c.Scopes = append(c.Scopes, scope.Value)
	}
	if len(a.Groups) > 0 {
		c.Groups = o.Groups.Value
	}
	p, err := openid.New(c)
	if err != nil {
		return nil, console.Configuration("%s: login.openid: %v", o.Issuer.Position, err)
	}
	return p, nil
}

// Passkeys returns the page at which passkeys log in; nil where none do.
func Passkeys(a config.Access) (*passkey.Party, error) {
	if a.Passkeys.Value == "" {
		return nil, nil
	}
	p, err := passkey.New(a.Passkeys.Value, time.Now)
	if err != nil {
		return nil, console.Configuration("%s: login.passkeys: %v", a.Passkeys.Position, err)
	}
	return p, nil
}
