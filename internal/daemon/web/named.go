package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"adsync/internal/daemon/passkey"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/web/loggedin"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/words/catalogue"
)

// proxyHeader holds what proves that a request went through the proxy that logs people in.
const proxyHeader = "X-Adsync-Proxy"

// named finds out who sent a request where the configuration names who may what.
func (d *door) named(r *http.Request) (*caller, *problem) {
	c, rules := &caller{}, d.rules()
	if given, ok := bearerOf(r); ok {
		m, known := rules.Machine(given)
		if p := d.check(r, known); p != nil {
			return nil, p
		}
		if !m.Ends.IsZero() && !d.Now().Before(m.Ends) {
			return nil, &problem{http.StatusUnauthorized, "token", catalogue.Say("problem.token-ended",
				"name", shown.Name(m.Name), "day", m.Ends.Format("2006-01-02"))}
		}
		c.name, c.grant, c.known, c.machine = m.Name, m.Grant, true, true
		return c, nil
	}
	if sent := r.Header.Values(proxyHeader); rules.Proxy.User != "" && len(sent) > 0 {
		if p := d.proxied(r, c, rules, sent); p != nil || c.known {
			return c, p
		}
	}
	if kept, cookie := d.session(r, c); cookie != "" {
		if p, ok := d.personOf(rules, kept); ok {
			c.name, c.grant, c.known, c.session = p.Name, p.Grant, true, sessionOf(p.Name, cookie)
		}
	}
	return c, nil
}

// proxied takes the word of the proxy for who somebody is. Their session proves where a form comes from, and nothing
// else.
func (d *door) proxied(r *http.Request, c *caller, rules *roles.Rules, secret []string) *problem {
	if p := d.check(r, len(secret) == 1 && rules.Proxy.Secret.Is(secret[0])); p != nil {
		if p.code == "token" {
			p.message = catalogue.Say("problem.proxy")
		}
		return p
	}
	users := r.Header.Values(rules.Proxy.User)
	if len(users) == 0 || len(users) == 1 && users[0] == "" {
		return nil // nobody is logged in there; a password may prove who it is
	}
	if login := users[0]; len(users) > 1 || shown.Name(login) != login {
		return &problem{http.StatusForbidden, "no_name",
			catalogue.Say("problem.proxy-several")}
	}
	var groups []string
	if rules.Proxy.Groups != "" {
		for _, list := range r.Header.Values(rules.Proxy.Groups) {
			for group := range strings.SplitSeq(list, ",") {
				groups = append(groups, strings.TrimSpace(group))
			}
		}
	}
	p := rules.Proven(users[0], groups)
	c.name, c.grant, c.known, c.proxied = p.Name, p.Grant, true, true
	if kept, cookie := d.session(r, c); kept.How == loggedin.ByProxy && kept.Name == p.Name {
		c.session = sessionOf(p.Name, cookie)
	}
	return nil
}

// proofOf is what is kept of a password: another ends its sessions.
func proofOf(p roles.Person) string {
	sum := sha256.Sum256([]byte(p.Password))
	return hex.EncodeToString(sum[:8])
}

// personOf returns whose a session is, where what proved it is the same still. A proxy proves it with each request:
// its session counts for nothing else.
func (o *Options) personOf(rules *roles.Rules, s loggedin.Session) (roles.Person, bool) {
	switch {
	case s.How == loggedin.ByPassword:
		p, is := rules.Named(s.Name)
		return p, is && p.Password != "" && proofOf(p) == s.Proof
	case s.How == loggedin.ByPasskey:
		p, is := rules.Named(s.Name)
		return p, is && o.Passkeys != nil && slices.ContainsFunc(p.Passkeys,
			func(line string) bool { return passkey.Proof(line) == s.Proof })
	case s.How == loggedin.ByOpenID && o.OpenID != nil && s.Proof == o.OpenID.Mark():
		return rules.Proven(s.Login, s.Groups), true
	}
	return roles.Person{}, false
}

// proves looks at what somebody typed into the form: few at once, as each takes time and memory.
func (d *door) proves(r *http.Request, name, password string) (roles.Person, *problem) {
	if d.throttle.wait(d.from(r), d.Now()) > 0 {
		return roles.Person{}, d.check(r, false)
	}
	select {
	case d.proving <- struct{}{}:
		defer func() { <-d.proving }()
	case <-r.Context().Done():
		return roles.Person{}, &problem{http.StatusServiceUnavailable, "not_now", catalogue.Say("problem.broken-off")}
	}
	p, right := d.rules().ByPassword(name, password)
	if problem := d.check(r, right); problem != nil {
		if problem.code == "token" {
			problem.message = catalogue.Say("problem.password")
		}
		return p, problem
	}
	return p, nil
}

// provingMost is how many passwords are looked at side by side.
const provingMost = 2
