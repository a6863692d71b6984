package sources

import (
	"fmt"
	"strconv"
	"time"

	"adsync/internal/diag"

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
	Position diag.Position
}

// NotifyTopics are the words of on.
var NotifyTopics = []string{"credentials", "failed", "held", "suspended", "resumed", "recovered", "drift", "applied"}

// readNotify reads a list of places.
func readNotify(w *walker, node *yaml.Node) []Notify {
	if node.Kind != yaml.SequenceNode {
		w.report(node, diag.BadProject, "notify is "+shapeOf(node)+"; want a list", "for example - slack: {url: {env: SLACK_URL}}")
		return nil
	}
	var all []Notify
	for _, entry := range node.Content {
		n := Notify{Position: w.at(entry)}
		problems := len(w.problems)
		n.read(w, entry)
		if len(w.problems) == problems {
			all = append(all, n)
		}
	}
	return all
}

func (n *Notify) read(w *walker, node *yaml.Node) {
	forms := 0
	form := func(name string, fields map[string]func(*yaml.Node)) func(*yaml.Node) {
		return func(node *yaml.Node) {
			forms++
			n.Form = name
			w.fields(node, "notify."+name, fields)
		}
	}
	key := func(to *KeyReference, where, example string) func(*yaml.Node) {
		return func(node *yaml.Node) { to.read(w, node, "notify."+where, example) }
	}
	text := func(to *string, where string) func(*yaml.Node) {
		return func(node *yaml.Node) { *to = w.setting(node, "notify."+where).Value }
	}
	w.fields(node, "notify", map[string]func(*yaml.Node){
		"webhook": form("webhook", map[string]func(*yaml.Node){"url": key(&n.URL, "webhook.url", "HOOK_URL"), "key": key(&n.Key, "webhook.key", "HOOK_KEY")}),
		"slack":   form("slack", map[string]func(*yaml.Node){"url": key(&n.URL, "slack.url", "SLACK_URL")}),
		"teams":   form("teams", map[string]func(*yaml.Node){"url": key(&n.URL, "teams.url", "TEAMS_URL")}),
		"email": form("email", map[string]func(*yaml.Node){
			"host": text(&n.Host, "email.host"), "port": func(node *yaml.Node) { n.Port = w.port(node) },
			"tls":  func(node *yaml.Node) { n.TLS = w.choice(node, "notify.email.tls", "starttls", "tls").Value },
			"user": text(&n.User, "email.user"), "password": key(&n.Password, "email.password", "MAIL_PASSWORD"), "from": text(&n.From, "email.from"),
			"to": func(node *yaml.Node) {
				for _, s := range w.settings(node, "notify.email.to") {
					n.To = append(n.To, s.Value)
				}
			},
		}),
		"on": func(node *yaml.Node) {
			if node.Kind != yaml.SequenceNode {
				w.report(node, diag.BadProject, "notify.on is "+shapeOf(node)+"; want a list", "")
				return
			}
			for _, one := range node.Content {
				n.On = append(n.On, w.choice(one, "notify.on", NotifyTopics...))
			}
		},
		"remind": func(node *yaml.Node) { w.duration(node, "notify.remind", &n.Remind, time.Minute, 30*24*time.Hour) },
	})
	if node.Kind == yaml.MappingNode && forms != 1 {
		w.report(node, diag.BadProject, fmt.Sprintf("an entry of notify names %d places; want one of webhook, slack, teams and email", forms), "")
	}
	if n.Form == "email" && n.TLS == "" {
		n.TLS = "starttls"
	}
}

func (w *walker) port(node *yaml.Node) int {
	value := w.setting(node, "notify.email.port").Value
	port, err := strconv.ParseUint(value, 10, 16)
	if err != nil || port == 0 {
		w.report(node, diag.BadProject, fmt.Sprintf("notify.email.port is %q; want a port, such as 587", value), "")
	}
	return int(port)
}
