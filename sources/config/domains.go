package config

import (
	"fmt"
	"strconv"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/yamlnode"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// DomainName is a domain as an address writes it: letters of other scripts in
// their xn-- form.
var DomainName = pattern.Of(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)

func (p *Project) readDomains(w *settingReader, node *yaml.Node) {
	for _, d := range w.settings(node, "domains") {
		if !DomainName.MatchString(d.Value) {
			w.Problems = append(w.Problems, bounded.ProblemAt(d.Position, resource.Finding{
				Code: diag.BadProject, Message: fmt.Sprintf("domains has "+
					"%q; want a domain such as shop.example, in small letters", d.Value),
				Hint: "what lies beneath a domain is allowed with it, and there is no path and no port"}))
			continue
		}
		p.Domains = append(p.Domains, d)
	}
	if node.Kind == yaml.SequenceNode && len(node.Content) == 0 {
		w.Report(node, diag.BadProject, "domains names none; want a list of domains",
			"leave domains out to allow every one")
	}
}

// LimitedKinds are those an account may have a number of (interface, part 8).
var LimitedKinds = []resource.Kind{"campaign", "ad_group", "ad"}

var wholeNumber = pattern.Of(`^[1-9][0-9]{0,8}$`)

// readLimits reads how many of a kind an account may have that is not self-serve.
func (p *Project) readLimits(w *settingReader, node *yaml.Node) {
	readers := map[string]func(*yaml.Node){}
	for _, kind := range LimitedKinds {
		readers[string(kind)] = func(n *yaml.Node) {
			if n.Kind != yaml.ScalarNode || !wholeNumber.MatchString(n.Value) {
				w.Report(n, diag.BadProject,
					fmt.Sprintf("account.limits.%s is %s; want a whole number such as 20000",
						kind, yamlnode.ShapeOf(n)), "")
				return
			}
			most, _ := strconv.Atoi(n.Value) // nine digits at most
			if p.Limits == nil {
				p.Limits = map[resource.Kind]int{}
			}
			p.Limits[kind] = most
		}
	}
	w.fields(node, "account.limits", readers)
}
