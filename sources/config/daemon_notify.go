package config

import (
	"fmt"
	"strconv"
	"time"

	"adsync/internal/diag"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Notify is one place to which the daemon tells what changed in an account. It
// holds no secret itself.
type Notify struct {
	Form     string       // webhook, slack, teams or email
	URL      KeyReference // of webhook, slack and teams: who knows it may write there
	Key      KeyReference // of webhook: what it is signed with
	Host     string       // of email
	Port     int          // 0 where nothing is said
	TLS      string       // starttls or tls
	User     string
	Password KeyReference
	From     string
	To       []string
	On       []Setting // what is told; none: the usual
	Remind   time.Duration
	Quiet    Quiet
	Person   string // who reads it, as people names them; "" of a place
	Position diag.Position

	people []Setting // who else it is for, before they are looked up
}

// Quiet is a time of each day in which only what is urgent is told: since midnight, in
// the time zone of the account. The zero Quiet is never.
type Quiet struct{ From, To time.Duration }

// NotifyTopics are the words of on.
var NotifyTopics = []string{"credentials", "failed",
	"other_writer", "review", "held", "comment", "suspended", "resumed", "paused", "spend", "recovered", "drift",
	"applied"}

// readNotify reads a list of places.
func readNotify(w *settingReader, node *yaml.Node) []Notify {
	if node.Kind != yaml.SequenceNode {
		w.Report(node, diag.BadProject, "notify is "+yamlnode.ShapeOf(node)+"; want a list",
			"for example - slack: {url: {env: SLACK_URL}}")
		return nil
	}
	var all []Notify
	for _, entry := range node.Content {
		n := Notify{Position: w.At(entry)}
		problems := len(w.Problems)
		n.read(w, entry)
		if len(w.Problems) == problems {
			all = append(all, n)
		}
	}
	return all
}

func (n *Notify) read(w *settingReader, node *yaml.Node) {
	readers := n.places(w)
	readers["to"] = func(node *yaml.Node) { n.people = w.settings(node, "notify.to") }
	readers["on"] = func(node *yaml.Node) {
		if node.Kind != yaml.SequenceNode {
			w.Report(node, diag.BadProject, "notify.on is "+yamlnode.ShapeOf(node)+"; want a list", "")
			return
		}
		for _, one := range node.Content {
			n.On = append(n.On, w.choice(one, "notify.on", NotifyTopics...))
		}
	}
	for name, read := range n.times(w) {
		readers[name] = read
	}
	w.fields(node, "notify", readers)
	forms := n.Form != ""
	switch {
	case node.Kind != yaml.MappingNode:
	case forms && len(n.people) > 0:
		w.Report(node, diag.BadProject, "an entry of notify names a place and people; want one of both", "")
	case !forms && len(n.people) == 0:
		const message = "an entry of notify names no " +
			"place; want one of webhook, slack, teams and email, or people in to"
		w.Report(node, diag.BadProject, message, "")
	case !forms && (n.Remind != 0 || n.Quiet != Quiet{}):
		const message = "an entry of notify for people has remind or quiet; want it at each of them"
		w.Report(node, diag.BadProject, message, "")
	}
}

// places read where one is told. A second place in an entry is a problem of it.
func (n *Notify) places(w *settingReader) map[string]func(*yaml.Node) {
	form := func(name string, read func(*yaml.Node)) func(*yaml.Node) {
		return func(node *yaml.Node) {
			if n.Form != "" {
				message := fmt.Sprintf("%s and %s stand in one entry; want one place an entry", n.Form, name)
				w.Report(node, diag.BadProject, message, "")
			}
			n.Form = name
			read(node)
		}
	}
	key := func(to *KeyReference, where, example string) func(*yaml.Node) {
		return func(node *yaml.Node) { to.read(w, node, where, example) }
	}
	fields := func(name string, readers map[string]func(*yaml.Node)) func(*yaml.Node) {
		return form(name, func(node *yaml.Node) { w.fields(node, "notify."+name, readers) })
	}
	mail := n.mail(w, "notify.email")
	mail["to"] = func(node *yaml.Node) {
		for _, s := range w.settings(node, "notify.email.to") {
			n.To = append(n.To, s.Value)
		}
	}
	readMail := func(node *yaml.Node) {
		w.fields(node, "notify.email", mail)
		if n.TLS == "" {
			n.TLS = "starttls"
		}
	}
	return map[string]func(*yaml.Node){
		"webhook": fields("webhook", map[string]func(*yaml.Node){
			"url": key(&n.URL, "notify.webhook.url", "HOOK_URL"), "key": key(&n.Key, "notify.webhook.key", "HOOK_KEY"),
		}),
		"slack": fields("slack", map[string]func(*yaml.Node){"url": key(&n.URL, "notify.slack.url", "SLACK_URL")}),
		"teams": fields("teams", map[string]func(*yaml.Node){"url": key(&n.URL, "notify.teams.url", "TEAMS_URL")}),
		"email": form("email", readMail),
	}
}

// mail reads a server that takes mail.
func (n *Notify) mail(w *settingReader, where string) map[string]func(*yaml.Node) {
	text := func(to *string, name string) func(*yaml.Node) {
		return func(node *yaml.Node) { *to = w.setting(node, where+"."+name).Value }
	}
	return map[string]func(*yaml.Node){
		"host": text(&n.Host, "host"), "port": func(node *yaml.Node) { n.Port = w.port(node, where+".port") },
		"tls":  func(node *yaml.Node) { n.TLS = w.choice(node, where+".tls", "starttls", "tls").Value },
		"user": text(&n.User, "user"), "from": text(&n.From, "from"),
		"password": func(node *yaml.Node) { n.Password.read(w, node, where+".password", "MAIL_PASSWORD") },
	}
}

// times read when one is told.
func (n *Notify) times(w *settingReader) map[string]func(*yaml.Node) {
	return map[string]func(*yaml.Node){
		"remind": func(node *yaml.Node) { w.duration(node, "notify.remind", &n.Remind, time.Minute, 30*24*time.Hour) },
		"quiet":  func(node *yaml.Node) { n.Quiet = w.quiet(node) },
	}
}

func (w *settingReader) quiet(node *yaml.Node) (q Quiet) {
	problems := len(w.Problems)
	w.fields(node, "quiet", map[string]func(*yaml.Node){
		"from": func(n *yaml.Node) { q.From = w.timeOfDay(n, "quiet.from") },
		"to":   func(n *yaml.Node) { q.To = w.timeOfDay(n, "quiet.to") },
	})
	if q.From == q.To && len(w.Problems) == problems {
		w.Report(node, diag.BadProject, "quiet has no from and to that differ; want both",
			`for example quiet: {from: "20:00", to: "07:30"}`)
	}
	return q
}

func (w *settingReader) timeOfDay(node *yaml.Node, where string) time.Duration {
	value := w.setting(node, where).Value
	at, err := time.Parse("15:04", value)
	if err != nil {
		w.Report(node, diag.BadProject, fmt.Sprintf("%s is %q; want a time of the day", where, value),
			`for example "20:00"`)
	}
	return time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
}

func (w *settingReader) port(node *yaml.Node, where string) int {
	value := w.setting(node, where).Value
	port, err := strconv.ParseUint(value, 10, 16)
	if err != nil || port == 0 {
		w.Report(node, diag.BadProject, fmt.Sprintf("%s is %q; want a port, such as 587", where, value), "")
	}
	return int(port)
}
