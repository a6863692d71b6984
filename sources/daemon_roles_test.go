package sources_test

import (
	"strings"
	"testing"
	"time"
)

const accountsOfRoles = "\naccounts: [{name: shop, folder: shop}, {name: hats, folder: hats}]\n"

func TestRolesOfTheConfiguration(t *testing.T) {
	d, problems := readDaemon(t, `
people:
  anna: {role: approver, login: Anna@example.com, email: anna@example.com}
  ben: {role: {shop: editor, "*": viewer}, password: {file: ben.hash}}
  told: {slack: {url: {env: CHAT}}}
tokens:
  nightly: {token: {env: NIGHTLY}, role: viewer, ends: 2027-06-30}
behind_proxy: true
login:
  proxy: {user: x-user, groups: x-groups, secret: {file: proxy}}
  openid:
    issuer: https://login.example.com
    client_id: adsync
    client_secret: {env: OPENID}
    scopes: [email, groups]
    name_claim: sub
    lasts: 2h
  groups: {ads-leads: {hats: approver}}
`+accountsOfRoles)
	if problems != "" {
		t.Fatal(problems)
	}
	a := d.Access
	if len(a.People) != 2 || len(a.Machines) != 1 {
		t.Fatalf("%+v", a)
	}
	for _, row := range []struct{ what, is, want string }{
		{"anna's role", a.People[0].Grant.Everywhere, "approver"},
		{"anna's login", a.People[0].Login.Value, "Anna@example.com"},
		{"ben's role everywhere", a.People[1].Grant.Everywhere, "viewer"},
		{"ben's role on shop", a.People[1].Grant.On["shop"], "editor"},
		{"ben's login", a.People[1].Login.Value, "ben"},
		{"where ben's hash is", a.People[1].Password.From, "file"},
		{"the role of the token", a.Machines[0].Grant.Everywhere, "viewer"},
		{"its end", a.Machines[0].Ends.Format(time.DateTime), "2027-06-30 00:00:00"},
		{"the header of people", a.Proxy.User.Value, "x-user"},
		{"the header of groups", a.Proxy.Groups.Value, "x-groups"},
		{"the provider", a.OpenID.Issuer.Value, "https://login.example.com"},
		{"what the daemon is called there", a.OpenID.ClientID.Value, "adsync"},
		{"where the client's secret is", a.OpenID.Secret.Value, "OPENID"},
		{"what is asked for", a.OpenID.Scopes[1].Value, "groups"},
		{"the claim of a name", a.OpenID.Name.Value, "sub"},
		{"the claim of groups, of which nothing is said", a.OpenID.Groups.Value, "groups"},
		{"how long a session lasts", a.OpenID.Lasts.String(), "2h0m0s"},
		{"the role of a group", a.Groups["ads-leads"].On["hats"], "approver"},
	} {
		if row.is != row.want {
			t.Errorf("%s is %q; want %q", row.what, row.is, row.want)
		}
	}
	if d, _ := readDaemon(t, "people: {anna: {email: a@example.com}}\n"+accountsOfRoles); !d.Access.IsZero() {
		t.Errorf("somebody who is only told of things makes %+v", d.Access)
	}
}

// TestWrongRoles: each is a problem that says what is there and what is wanted.
func TestWrongRoles(t *testing.T) {
	const proxy = "login: {proxy: {user: X-User, secret: {env: S}}"
	for _, row := range []struct{ name, text, want string }{
		{"a role nobody knows", "people: {anna: {role: boss}}", `people.anna.role is "boss"; want viewer, editor`},
		{"a role on no account", "people: {anna: {role: {}}}", "people.anna.role names no account"},
		{"a role on an unknown account", "people: {anna: {role: {shops: viewer}}}",
			`a role is on account "shops", which is none of accounts`},
		{"a list of roles", "people: {anna: {role: [viewer]}}", "people.anna.role is a list; want a text"},
		{"a password without a role", "people: {anna: {password: {env: P}}}", `person "anna" has a login and no role`},
		{"a login without a role", "people: {anna: {login: a@b.example, email: a@b.example}}",
			`person "anna" has a login and no role`},
		{"a login at the forge without a role", "people: {anna: {forge: anna-gh, email: a@b.example}}",
			`person "anna" has a login and no role`},
		{"a login at the forge of two", "people: {anna: {role: viewer, forge: gh}, ben: {role: viewer, forge: GH}}",
			`people.ben.forge is "GH", which is anna, too; want one person's login`},
		{"a password in the file", "people: {anna: {role: viewer, password: hunter2}}",
			"people.anna.password holds something else than where the key is"},
		{"neither a place nor a role", "people: {anna: {remind: 2h}}", `person "anna" has no place and no role`},
		{"somebody without a place is told", "people: {anna: {role: viewer}}\nnotify: [{to: [anna]}]",
			`to names "anna", who has no place`},
		{"one login twice",
			"people: {anna: {role: viewer, login: A@b.example}, ben: {role: viewer, login: a@b.example}}",
			`login "a@b.example" is of "anna", too`},
		{"a name that is another's login",
			"people: {anna: {role: viewer, login: ben}, ben: {role: viewer, login: b}}",
			`"ben" is the login of "anna", too`},
		{"a token called as a person", "people: {anna: {role: viewer}}\n" +
			"tokens: {Anna: {token: {env: T}, role: viewer, ends: 2027-01-01}}", `token "Anna" is called as a person is`},
		{"a token without an end", "tokens: {a: {token: {env: T}, role: viewer}}", `token "a" lacks something`},
		{"a token without a role", "tokens: {a: {token: {env: T}, ends: 2027-01-01}}", `token "a" lacks something`},
		{"a token's end that is no day", "tokens: {a: {token: {env: T}, role: viewer, ends: soon}}",
			`tokens.a.ends is "soon"; want a day`},
		{"a token of everybody beside roles", "token: {env: T}\npeople: {anna: {role: viewer}}",
			"token lets in whoever has it"},
		{"names without proof beside roles", "behind_proxy: true\nuser_header: X-User\npeople: {anna: {role: viewer}}",
			"user_header names people without proof; want login.proxy"},
		{"a proxy without a secret", "behind_proxy: true\nlogin: {proxy: {user: X-User}}",
			"login.proxy lacks something"},
		{"a proxy in front of nothing", proxy + "}", "behind_proxy is not true"},
		{"a header with a space", "login: {proxy: {user: X User, secret: {env: S}}}",
			`login.proxy.user is "X User"; want the name of a header`},
		{"a login of nobody", "login: {groups: {a: viewer}}", "login has none of proxy, openid and passkeys"},
		{"a provider without a secret", "login: {openid: {issuer: https://a.example, client_id: adsync}}",
			"login.openid lacks something; want issuer, client_id and client_secret"},
		{"a secret in the file", "login: {openid: {issuer: https://a.example, client_id: a, client_secret: s3cret}}",
			"login.openid.client_secret holds something else than where the key is"},
		{"passkeys of no page", "people: {anna: {role: viewer, passkeys: [passkey1.x]}}",
			`person "anna" has passkeys, and login.passkeys does not say`},
		{"passkeys without a role", "login: {passkeys: https://a.example}\npeople: {anna: {passkeys: [passkey1.x]}}",
			`person "anna" has a login and no role`},
		{"a provider of nobody", "login: {openid: {issuer: https://a.example, client_id: a, client_secret: {env: S}}}",
			"login.openid logs people in, and none has a role"},
		{"sessions without an end", "login: {openid: {issuer: https://a.example, client_id: a, " +
			"client_secret: {env: S}, lasts: 9000h}}", `login.openid.lasts is "9000h"; want a time from`},
		{"groups that no header lists", "behind_proxy: true\n" + proxy + ", groups: {a: viewer}}",
			"no header lists groups"},
	} {
		if _, problems := readDaemon(t, row.text+accountsOfRoles); !strings.Contains(problems, row.want) {
			t.Errorf("%s: %q; want %q", row.name, problems, row.want)
		}
	}
}

// Of people who are told of nothing in an account, those can be told of what concerns them who have a role there and a
// place.
func TestWhoCanBeToldOfWhatConcernsThem(t *testing.T) {
	d, problems := readDaemon(t, `
people:
  anna: {role: viewer, email: anna@example.com}
  ben: {role: {shop: editor}, email: ben@example.com}
  cleo: {email: cleo@example.com}
  dora: {role: viewer, login: dora@example.com}
  erik: {role: viewer, email: erik@example.com}
mail: {host: mail.example.com, from: adsync@example.com}
notify: [{to: [erik]}]
`+accountsOfRoles)
	if problems != "" {
		t.Fatal(problems)
	}
	for i, want := range []string{"anna ben", "anna"} {
		var names []string
		for _, n := range d.Accounts[i].Also {
			names = append(names, n.Person)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q; want %q", d.Accounts[i].Name.Value, got, want)
		}
	}
}
