package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// roleNames are what somebody may be given, the lowest first.
var roleNames = []string{"viewer", "editor", "approver", "operator"}

// Access is who may what at the daemon. Where nothing is said of it, whoever has the daemon's token may all.
type Access struct {
	People   []Person
	Machines []Machine
	Groups   map[string]Grant // what members may, by the group's name at the proxy or the provider
	Proxy    LoginProxy       // its zero value is none
	OpenID   LoginOpenID      // its zero value is none
	Passkeys Setting          // the page's address, at which passkeys log in; zero: none do
}

// IsZero reports whether nothing is said of who may what.
func (a *Access) IsZero() bool {
	return len(a.People)+len(a.Machines)+len(a.Groups) == 0 && a.Passkeys.Value == "" &&
		a.Proxy.User.Value == "" && a.OpenID.Issuer.Value == ""
}

// reads reports whether somebody has a role on an account.
func (a *Access) reads(person, account string) bool {
	return slices.ContainsFunc(a.People, func(p Person) bool {
		return p.Name.Value == person && (p.Grant.Everywhere != "" || p.Grant.On[account] != "")
	})
}

// Grant is a role on every account, "" for none, and those on accounts by name.
type Grant struct {
	Everywhere string
	On         map[string]string
	Position   diag.Position
}

// Person is somebody who can log in.
type Person struct {
	Name     Setting
	Login    Setting      // at the proxy or the provider; zero: the name
	Forge    Setting      // their login at the forge; zero: not known
	Password KeyReference // where its hash is; zero: none
	Passkeys []Setting
	Grant    Grant
}

// Machine is a program with a token of its own.
type Machine struct {
	Name  Setting
	Token KeyReference
	Ends  time.Time // day from which on it is good no more, at its midnight in UTC
	Grant Grant
}

// LoginProxy logs people in before the daemon is asked.
type LoginProxy struct {
	User, Groups Setting // headers; Groups may be zero
	Secret       KeyReference
}

// LoginOpenID is a provider of OpenID Connect that logs people in.
type LoginOpenID struct {
	Issuer, ClientID Setting
	Secret           KeyReference
	Redirect         Setting // zero: made of hosts or listen
	Scopes           []Setting
	Name, Groups     Setting // claims
	Lasts            time.Duration
}

// read reads it. What nothing is said of is what most providers do.
func (o *LoginOpenID) read(w *settingReader, node *yaml.Node) {
	*o = LoginOpenID{Scopes: []Setting{{Value: "email"}, {Value: "profile"}}, Name: Setting{Value: "email"},
		Groups: Setting{Value: "groups"}, Lasts: 8 * time.Hour}
	problems := len(w.Problems)
	const where = "login.openid."
	text := func(to *Setting, name string) func(*yaml.Node) {
		return func(n *yaml.Node) { *to = w.setting(n, where+name) }
	}
	w.fields(node, "login.openid", map[string]func(*yaml.Node){
		"issuer":        text(&o.Issuer, "issuer"),
		"client_id":     text(&o.ClientID, "client_id"),
		"client_secret": func(n *yaml.Node) { o.Secret.read(w, n, where+"client_secret", "OPENID_SECRET") },
		"redirect":      text(&o.Redirect, "redirect"),
		"scopes":        func(n *yaml.Node) { o.Scopes = w.settings(n, where+"scopes") },
		"name_claim":    text(&o.Name, "name_claim"),
		"groups_claim":  text(&o.Groups, "groups_claim"),
		"lasts":         func(n *yaml.Node) { w.duration(n, where+"lasts", &o.Lasts, time.Minute, 30*days) },
	})
	if len(w.Problems) == problems && (o.Issuer.Value == "" || o.ClientID.Value == "" || o.Secret.From == "" ||
		o.Name.Value == "") {
		w.Report(node, diag.BadProject, "login.openid lacks something; want issuer, client_id and client_secret",
			"for example openid: {issuer: https://login.example.com, client_id: adsync, "+
				"client_secret: {file: openid.secret}}")
	}
}

// everyAccount is the name of all accounts among roles.
const everyAccount = "*"

const roleExample = `for example role: approver, or role: {"*": viewer, shop: approver}`

// grant reads a role for all accounts, or one for each that is named.
func (w *settingReader) grant(node *yaml.Node, where string) (g Grant) {
	g.Position = w.At(node)
	if node.Kind != yaml.MappingNode {
		g.Everywhere = w.role(node, where)
		return g
	}
	g.On = map[string]string{}
	for name, entry := range w.Entries(node) {
		role := w.role(entry, where+"."+name.Value)
		if name.Value == everyAccount {
			g.Everywhere = role
			continue
		}
		g.On[name.Value] = role
	}
	if len(g.On) == 0 && g.Everywhere == "" {
		w.Report(node, diag.BadProject, where+" names no account; want one role or more", roleExample)
	}
	return g
}

func (w *settingReader) role(node *yaml.Node, where string) string {
	return w.choice(node, where, roleNames...).Value
}

// person reads what somebody may beside where they are told of things, which readPeople reads.
func (a *Access) person(w *settingReader, name Setting, readers map[string]func(*yaml.Node)) (said func() bool) {
	p := Person{Name: name}
	where := "people." + name.Value
	readers["login"] = func(n *yaml.Node) { p.Login = w.setting(n, where+".login") }
	readers["password"] = func(n *yaml.Node) { p.Password.read(w, n, where+".password", "ANNA_PASSWORD_HASH") }
	readers["passkeys"] = func(n *yaml.Node) { p.Passkeys = w.settings(n, where+".passkeys") }
	readers["role"] = func(n *yaml.Node) { p.Grant = w.grant(n, where+".role") }
	readers["forge"] = func(n *yaml.Node) {
		p.Forge = w.setting(n, where+".forge")
		for _, other := range a.People {
			if p.Forge.Value != "" && strings.EqualFold(other.Forge.Value, p.Forge.Value) {
				w.Report(n, diag.BadProject, fmt.Sprintf("%s.forge is %q, which is %s, too; want one person's login",
					where, p.Forge.Value, other.Name.Value), "")
			}
		}
	}
	return func() bool {
		switch {
		case p.Grant.Position == (diag.Position{}) &&
			(p.Password.From != "" || p.Login.Value+p.Forge.Value != "" || len(p.Passkeys) > 0):
			w.Problems = append(w.Problems, diag.Problem{
				Severity: diag.Error, Code: diag.BadProject, Position: name.Position, Hint: roleExample,
				Message: fmt.Sprintf("person %q has a login and no role; want what they may", name.Value)})
		case p.Grant.Position == (diag.Position{}):
			return false
		}
		if p.Login.Value == "" {
			p.Login = name
		}
		a.People = append(a.People, p)
		return true
	}
}

// machines reads tokens, each of one program.
func (a *Access) machines(w *settingReader, node *yaml.Node) {
	const example = "for example nightly: {token: {env: NIGHTLY_TOKEN}, role: viewer, ends: 2027-06-30}"
	if node.Kind != yaml.MappingNode {
		w.Report(node, diag.BadProject, "tokens is "+yamlnode.ShapeOf(node)+"; want a mapping", example)
		return
	}
	for name, entry := range w.Entries(node) {
		m := Machine{Name: Setting{name.Value, w.At(name)}}
		where, problems := "tokens."+name.Value, len(w.Problems)
		w.fields(entry, "a token", map[string]func(*yaml.Node){
			"token": func(n *yaml.Node) { m.Token.read(w, n, where+".token", "NIGHTLY_TOKEN") },
			"role":  func(n *yaml.Node) { m.Grant = w.grant(n, where+".role") },
			"ends":  func(n *yaml.Node) { m.Ends = w.day(n, where+".ends") },
		})
		switch {
		case len(w.Problems) > problems:
		case !accountName.MatchString(name.Value):
			w.Report(name, diag.BadProject, fmt.Sprintf("a token has the name %q; want letters, digits, points, "+
				"hyphens and underscores, 64 at most", name.Value), "")
		case m.Token.From == "" || m.Grant.Position == (diag.Position{}) || m.Ends.IsZero():
			w.Report(entry, diag.BadProject,
				fmt.Sprintf("token %q lacks something; want where it is, its role and its end", name.Value), example)
		default:
			a.Machines = append(a.Machines, m)
		}
	}
}

// day reads a day, as 2027-06-30.
func (w *settingReader) day(node *yaml.Node, where string) time.Time {
	value := w.setting(node, where).Value
	day, err := time.Parse(time.DateOnly, value)
	if err != nil && value != "" {
		w.Report(node, diag.BadProject, fmt.Sprintf("%s is %q; want a day such as 2027-06-30", where, value), "")
	}
	return day
}

// headerName is what a header may be called.
var headerName = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9-]*$`)

// login reads who proves who people are.
func (a *Access) login(w *settingReader, node *yaml.Node) {
	const example = "for example login: {proxy: {user: X-User, secret: {file: /run/secrets/proxy}}}"
	problems := len(w.Problems)
	header := func(into *Setting, where string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			if *into = w.setting(n, where); into.Value != "" && !headerName.MatchString(into.Value) {
				w.Report(n, diag.BadProject, fmt.Sprintf("%s is %q; want the name of a header", where, into.Value), "")
			}
		}
	}
	w.fields(node, "login", map[string]func(*yaml.Node){
		"proxy": func(n *yaml.Node) {
			w.fields(n, "login.proxy", map[string]func(*yaml.Node){
				"user":   header(&a.Proxy.User, "login.proxy.user"),
				"groups": header(&a.Proxy.Groups, "login.proxy.groups"),
				"secret": func(n *yaml.Node) { a.Proxy.Secret.read(w, n, "login.proxy.secret", "PROXY_SECRET") },
			})
		},
		"openid":   func(n *yaml.Node) { a.OpenID.read(w, n) },
		"passkeys": func(n *yaml.Node) { a.Passkeys = w.setting(n, "login.passkeys") },
		"groups": func(n *yaml.Node) {
			a.Groups = map[string]Grant{}
			if n.Kind != yaml.MappingNode {
				w.Report(n, diag.BadProject, "login.groups is "+yamlnode.ShapeOf(n)+"; want a mapping",
					"for example groups: {ads-buyers: editor}")
				return
			}
			for name, entry := range w.Entries(n) {
				a.Groups[name.Value] = w.grant(entry, "login.groups."+name.Value)
			}
		},
	})
	proxies := a.Proxy.User.Value != "" || a.Proxy.Groups.Value != "" || a.Proxy.Secret.From != ""
	switch {
	case len(w.Problems) > problems:
	case !proxies && a.OpenID.Issuer.Value == "" && a.Passkeys.Value == "":
		w.Report(node, diag.BadProject, "login has none of proxy, openid and passkeys; want what proves who people are",
			example)
	case proxies && (a.Proxy.User.Value == "" || a.Proxy.Secret.From == ""):
		w.Report(node, diag.BadProject,
			"login.proxy lacks something; want the header that names people, and where the proxy's secret is", example)
	case len(a.Groups) > 0 && a.Proxy.Groups.Value == "" && a.OpenID.Issuer.Value == "":
		const message = "login.groups gives roles, and no header lists groups; want login.proxy.groups"
		w.Report(node, diag.BadProject, message, "")
	}
}

// allowed checks who may what against the rest of the configuration.
func (d *Daemon) allowed(w *settingReader) {
	if d.Access.IsZero() {
		return
	}
	var accounts []string
	for _, a := range d.Accounts {
		accounts = append(accounts, a.Name.Value)
	}
	problem := func(at diag.Position, hint, format string, args ...any) {
		w.Problems = append(w.Problems, diag.Problem{Severity: diag.Error, Code: diag.BadProject,
			Position: at, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	if d.Token.From != "" {
		problem(d.Token.Position, "give each program a token of its own in tokens, and people a role in people",
			"token lets in whoever has it, under any name, and roles say who may what; want one of them")
	}
	if d.UserHeader.Value != "" {
		problem(d.UserHeader.Position, "for example login: {proxy: {user: "+d.UserHeader.Value+
			", secret: {file: /run/secrets/proxy}}}", "user_header names people without proof; want login.proxy")
	}
	if d.Access.Proxy.User.Value != "" && !d.BehindProxy {
		problem(d.Access.Proxy.User.Position, "",
			"login.proxy takes the word of a proxy, and behind_proxy is not true; want both")
	}
	if o := d.Access.OpenID; o.Issuer.Value != "" && len(d.Access.People)+len(d.Access.Groups) == 0 {
		problem(o.Issuer.Position, "for example login: {groups: {ads-buyers: editor}}",
			"login.openid logs people in, and none has a role; want people or login.groups")
	}
	names, logins := map[string]bool{}, map[string]string{}
	grants := []Grant{}
	for _, p := range d.Access.People {
		if len(p.Passkeys) > 0 && d.Access.Passkeys.Value == "" {
			problem(p.Passkeys[0].Position, "for example login: {passkeys: https://ads.example.com}",
				"person %q has passkeys, and login.passkeys does not say at which address they log in", p.Name.Value)
		}
		names[strings.ToLower(p.Name.Value)] = true
		login := strings.ToLower(p.Login.Value)
		if before, twice := logins[login]; twice {
			problem(p.Login.Position, "", "login %q is of %q, too; want it for one of them", p.Login.Value, before)
		}
		logins[login] = p.Name.Value
		grants = append(grants, p.Grant)
	}
	for _, p := range d.Access.People {
		if who, is := logins[strings.ToLower(p.Name.Value)]; is && who != p.Name.Value {
			problem(p.Name.Position, "", "%q is the login of %q, too; want another name", p.Name.Value, who)
		}
	}
	for _, m := range d.Access.Machines {
		if _, is := logins[strings.ToLower(m.Name.Value)]; is || names[strings.ToLower(m.Name.Value)] {
			problem(m.Name.Position, "", "token %q is called as a person is; want another name", m.Name.Value)
		}
		grants = append(grants, m.Grant)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Access.Groups)) {
		grants = append(grants, d.Access.Groups[name])
	}
	for _, g := range grants {
		for _, name := range slices.Sorted(maps.Keys(g.On)) {
			if !slices.Contains(accounts, name) {
				problem(g.Position, diag.DidYouMean(name, accounts),
					"a role is on account %q, which is none of accounts; want one that stands there", name)
			}
		}
	}
}
