package config

import (
	"fmt"
	"maps"
	"slices"

	"adsync/internal/diag"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// readPeople reads who is told of things, by name, each at one place; and who may what.
func readPeople(w *settingReader, node *yaml.Node, access *Access) map[string]Notify {
	if node.Kind != yaml.MappingNode {
		const hint = "for example anna: {email: anna@example.com}"
		w.Report(node, diag.BadProject, "people is "+yamlnode.ShapeOf(node)+"; want a mapping", hint)
		return nil
	}
	all := map[string]Notify{}
	for name, entry := range w.Entries(node) {
		n := Notify{Person: name.Value, Position: w.At(entry)}
		if !accountName.MatchString(n.Person) {
			message := fmt.Sprintf("a person has "+
				"the name %q; want letters, digits, points, hyphens and underscores, 64 at most", n.Person)
			w.Report(name, diag.BadProject, message, "")
		}
		readers := n.places(w)
		readers["email"] = func(node *yaml.Node) {
			if n.Form != "" {
				w.Report(node, diag.BadProject, "email and "+n.Form+" stand at one person; want one place", "")
			}
			n.Form, n.To = "email", []string{w.setting(node, "people."+n.Person+".email").Value}
		}
		for key, read := range n.times(w) {
			readers[key] = read
		}
		may := access.person(w, Setting{n.Person, w.At(name)}, readers)
		w.fields(entry, "a person", readers)
		if !may() && n.Form == "" && entry.Kind == yaml.MappingNode {
			message := fmt.Sprintf("person %q has no place and no role; "+
				"want one of email, slack, teams and webhook, or a role", n.Person)
			w.Report(entry, diag.BadProject, message, "for example "+n.Person+": {email: "+n.Person+"@example.com}")
		}
		all[n.Person] = n
	}
	return all
}

// readMail reads the server through which people get mail.
func readMail(w *settingReader, node *yaml.Node) (n Notify) {
	w.fields(node, "mail", n.mail(w, "mail"))
	if n.TLS == "" {
		n.TLS = "starttls"
	}
	return n
}

// addressed puts the places of people in the place of their names.
func (d *Daemon) addressed(w *settingReader, people map[string]Notify, server *Notify) {
	known := map[string]bool{} // entries that hold for every account are looked at once
	for i := range d.Accounts {
		a := &d.Accounts[i]
		var all []Notify
		for _, n := range a.Notify {
			if len(n.people) == 0 {
				all = append(all, n)
				continue
			}
			for _, name := range n.people {
				one, problem := d.reached(name, people, server)
				if problem != nil {
					if at := problem.Position.String(); !known[at] {
						w.Problems = append(w.Problems, *problem)
						known[at] = true
					}
					continue
				}
				one.On = n.On
				all = append(all, one)
			}
		}
		a.Notify = all
		for _, name := range slices.Sorted(maps.Keys(people)) {
			told := slices.ContainsFunc(all, func(n Notify) bool { return n.Person == name })
			if told || !d.Access.reads(name, a.Name.Value) {
				continue
			}
			if one, problem := d.reached(Setting{Value: name}, people, server); problem == nil {
				a.Also = append(a.Also, one)
			}
		}
	}
}

// reached is where a person is told.
func (d *Daemon) reached(name Setting, people map[string]Notify, server *Notify) (Notify, *diag.Problem) {
	problem := func(message, hint string) *diag.Problem {
		p := diag.Problem{
			Severity: diag.Error, Code: diag.BadProject, Position: name.Position, Message: message, Hint: hint,
		}
		return &p
	}
	one, there := people[name.Value]
	switch names := slices.Sorted(maps.Keys(people)); {
	case !there:
		message := fmt.Sprintf("to names %q, who is none of people; want a name that stands there", name.Value)
		return one, problem(message, diag.DidYouMean(name.Value, names))
	case one.Form == "":
		message := fmt.Sprintf("to names %q, who has no place; want one of email, slack, teams and webhook", name.Value)
		return one, problem(message, "for example "+name.Value+": {email: "+name.Value+"@example.com}")
	case one.Form == "email" && server == nil:
		message := fmt.Sprintf("to names %q, who is told by mail, and no mail server is named; want one", name.Value)
		return one, problem(message, "for example mail: {host: mail.example.com, from: adsync@example.com}")
	case one.Form == "email":
		one.Host, one.Port, one.TLS = server.Host, server.Port, server.TLS
		one.User, one.Password, one.From = server.User, server.Password, server.From
	}
	return one, nil
}
