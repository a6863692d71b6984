// Package logins has who may what at the daemon as its configuration says it, and the command that makes the hash of
// a password.
//
// It refuses to guess: a secret that cannot be read, or that two have, is an error, and the rules before stay. It
// shows no password and keeps none.
package logins

import (
	"context"
	"fmt"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon/passkey"
	"adsync/internal/daemon/roles"
	"adsync/sources/config"
)

// Rules returns who may what; nil where the configuration says nothing of it.
func Rules(ctx context.Context, env *session.Env, a config.Access) (*roles.Rules, error) {
	if a.IsZero() {
		return nil, nil
	}
	r := &roles.Rules{Groups: map[string]roles.Grant{},
		Proxy: roles.Proxy{User: a.Proxy.User.Value, Groups: a.Proxy.Groups.Value}}
	var tokens []roles.Token
	token := func(from config.KeyReference, whose string) (roles.Token, error) {
		text, err := session.SecretOf(ctx, env, from)
		if err != nil {
			return roles.Token{}, err
		}
		t, err := roles.NewToken(text)
		if err != nil {
			return t, console.Configuration("%s: %s: %v", from.Position, whose, err)
		}
		for _, other := range tokens {
			if t.Same(other) {
				return t, console.Configuration("%s: %s is of somebody else, too; want one that was drawn for it alone",
					from.Position, whose)
			}
		}
		tokens = append(tokens, t)
		return t, nil
	}
	keys := map[string]string{} // whose each passkey is
	for _, p := range a.People {
		person := roles.Person{Name: p.Name.Value, Login: p.Login.Value, Forge: p.Forge.Value,
			Grant: grantOf(p.Grant)}
		if p.Password.From != "" {
			hash, err := session.SecretOf(ctx, env, p.Password)
			if err == nil {
				err = roles.CheckHash(hash)
			}
			if err != nil {
				return nil, console.Configuration("%s: the password of %s: %v", p.Password.Position, p.Name.Value, err)
			}
			person.Password = hash
		}
		for _, one := range p.Passkeys {
			if err := passkey.Check(one.Value); err != nil {
				return nil, console.Configuration("%s: a passkey of %s: %v", one.Position, p.Name.Value, err)
			}
			if whose, twice := keys[one.Value]; twice {
				return nil, console.Configuration("%s: a passkey of %s is of %s, too; want it for one of them",
					one.Position, p.Name.Value, whose)
			}
			keys[one.Value] = p.Name.Value
			person.Passkeys = append(person.Passkeys, one.Value)
		}
		r.People = append(r.People, person)
	}
	for _, m := range a.Machines {
		t, err := token(m.Token, fmt.Sprintf("token %q", m.Name.Value))
		if err != nil {
			return nil, err
		}
		r.Machines = append(r.Machines,
			roles.Machine{Name: m.Name.Value, Token: t, Ends: m.Ends, Grant: grantOf(m.Grant)})
	}
	for name, g := range a.Groups {
		r.Groups[name] = grantOf(g)
	}
	var err error
	if a.Proxy.User.Value != "" {
		r.Proxy.Secret, err = token(a.Proxy.Secret, "what proves the proxy")
	}
	return r, err
}

func grantOf(g config.Grant) roles.Grant {
	grant := roles.Grant{Everywhere: roles.Of(g.Everywhere), On: map[string]roles.Role{}}
	for name, role := range g.On {
		grant.On[name] = roles.Of(role)
	}
	return grant
}
