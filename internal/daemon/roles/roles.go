// Package roles says who may do what at the daemon: viewers read, editors send files and stop
// spend, approvers let it go on, operators may all.
//
// It refuses to believe a name: somebody is who a proxy, a provider or a password proved, and a
// program is called as its token is, whatever it says of itself. Its one invariant: who is not
// named has no role (faults.md X13).
//
// roles.go has roles and who has them, token.go what proves a program, password.go what proves
// a person.
package roles

import (
	"slices"
	"strings"
	"time"
)

// Role is what somebody may do on an account. A higher one may all that a lower one may.
type Role int

// The roles.
const (
	None     Role = iota
	Viewer        // reads all that the page and the API show
	Editor        // sends files, undoes in files, has an account looked at, pauses and suspends
	Approver      // approves what is held, goes on after a pause, resumes
	Operator      // accepts history that was rewritten
)

// Names are the roles that can be given, the lowest first.
var Names = []string{"viewer", "editor", "approver", "operator"}

func (r Role) String() string {
	if r <= None || int(r) > len(Names) {
		return "none"
	}
	return Names[r-1]
}

// Of returns the role of a name, None where it has none.
func Of(name string) Role { return Role(slices.Index(Names, name) + 1) }

// Grant is the role somebody has on every account, and on those where it is a higher one.
type Grant struct {
	Everywhere Role
	On         map[string]Role
}

// Role returns the role on an account.
func (g Grant) Role(account string) Role { return max(g.Everywhere, g.On[account]) }

// Highest returns the highest role on any account.
func (g Grant) Highest() Role {
	highest := g.Everywhere
	for _, role := range g.On {
		highest = max(highest, role)
	}
	return highest
}

// Seen returns the accounts that may be read, by name; nil for every account there is.
func (g Grant) Seen() []string {
	if g.Everywhere >= Viewer {
		return nil
	}
	names := []string{}
	for name, role := range g.On {
		if role >= Viewer {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// With returns both grants: on each account the higher role counts.
func (g Grant) With(other Grant) Grant {
	both := Grant{Everywhere: max(g.Everywhere, other.Everywhere), On: map[string]Role{}}
	for _, one := range []Grant{g, other} {
		for name, role := range one.On {
			both.On[name] = max(both.On[name], role)
		}
	}
	return both
}

// Person is somebody who can log in.
type Person struct {
	Name     string // under which orders are recorded
	Login    string // as a proxy or a provider calls them
	Forge    string // their login there; "" where it is not known
	Password string // what HashPassword made of it; "": no password logs them in
	Passkeys []string
	Grant    Grant
}

// Machine is a program, and the one token that it sends.
type Machine struct {
	Name  string
	Token Token
	Ends  time.Time // from when on it is good no more; zero: never
	Grant Grant
}

// Rules are who may what. They do not change: a configuration that is read again makes others.
type Rules struct {
	People   []Person
	Machines []Machine
	Groups   map[string]Grant // what members of a group of the proxy or the provider may
	Proxy    Proxy
}

// Proxy is what logs people in before the daemon is asked. Its zero value is none.
type Proxy struct {
	User   string // header that names who asks
	Groups string // header that lists their groups, between commas; "": none are taken
	Secret Token  // what the proxy alone knows, and sends along
}

// Passwords reports whether anybody logs in by a password.
func (r *Rules) Passwords() bool {
	return slices.ContainsFunc(r.People, func(p Person) bool { return p.Password != "" })
}

// Machine returns whose token a text is; false where it is nobody's. An ended one is returned as well.
func (r *Rules) Machine(text string) (Machine, bool) {
	var found Machine
	known := false
	for _, m := range r.Machines { // all of them: how long it takes says nothing of which
		if m.Token.Is(text) {
			found, known = m, true
		}
	}
	return found, known
}

// Named returns the person of a name, who may be gone since they logged in.
func (r *Rules) Named(name string) (Person, bool) {
	at := slices.IndexFunc(r.People, func(p Person) bool { return p.Name == name })
	if at < 0 {
		return Person{}, false
	}
	return r.People[at], true
}

// Proven returns the person whom a proxy or a provider calls so, with what their groups may. Somebody who stands
// nowhere is called by their login and may what their groups may.
func (r *Rules) Proven(login string, groups []string) Person {
	person := Person{Name: login, Login: login}
	at := slices.IndexFunc(r.People, func(p Person) bool { return p.Login != "" && sameLogin(p.Login, login) })
	switch {
	case at >= 0:
		person = r.People[at]
	case r.isName(login):
		return person // and not the one of that name
	}
	for _, group := range groups {
		person.Grant = person.Grant.With(r.Groups[group])
	}
	return person
}

// isName reports whether a person or a program is called so.
func (r *Rules) isName(login string) bool {
	return slices.ContainsFunc(r.People, func(p Person) bool { return sameLogin(p.Name, login) }) ||
		slices.ContainsFunc(r.Machines, func(m Machine) bool { return sameLogin(m.Name, login) })
}

// sameLogin compares logins as mail servers and providers do: letters of ASCII in either case, and no others alike.
func sameLogin(a, b string) bool { return lower(a) == lower(b) }

func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}
