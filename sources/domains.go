package sources

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// domainName is a domain as an address writes it: letters of other scripts in
// their xn-- form.
var domainName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)

func (p *Project) readDomains(w *walker, node *yaml.Node) {
	for _, d := range w.settings(node, "domains") {
		if !domainName.MatchString(d.Value) {
			w.problems = append(w.problems, bounded.ProblemAt(d.Position, resource.Finding{
				Code: diag.BadProject, Message: fmt.Sprintf("domains has "+
					"%q; want a domain such as shop.example, in small letters", d.Value),
				Hint: "what lies beneath a domain is allowed with it, and there is no path and no port"}))
			continue
		}
		p.Domains = append(p.Domains, d)
	}
	if node.Kind == yaml.SequenceNode && len(node.Content) == 0 {
		w.report(node, diag.BadProject, "domains names none; want a list of domains",
			"leave domains out to allow every one")
	}
}

// checkDomain refuses a landing page at a domain that the project does not list
// (fault H21).
func (c *collection) checkDomain(e *entry, a *resource.Attribute, v resource.Value) {
	if a.Type != resource.TypeURL || len(c.tree.project.Domains) == 0 {
		return
	}
	u, err := url.Parse(v.Text())
	if err != nil {
		return // refused where it was read
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	var listed []string
	for _, d := range c.tree.project.Domains {
		if host == d.Value || strings.HasSuffix(host, "."+d.Value) {
			return
		}
		listed = append(listed, d.Value)
	}
	c.report(e, v.Position, resource.Finding{
		Code: diag.ForeignDomain,
		Message: fmt.Sprintf("%s is at %q, which the domains of %s (%s) do not hold; want %s, or what lies beneath",
			a.Name, diag.Printable(host), projectFile, c.tree.project.Domains[0].Position, strings.Join(listed, ", ")),
		Hint: diag.DidYouMean(host, listed),
	})
}

// limitedKinds are those an account may have a number of (interface, part 8).
var limitedKinds = []resource.Kind{"campaign", "ad_group", "ad"}

var wholeNumber = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)

// readLimits reads how many of a kind an account may have that is not self-serve.
func (p *Project) readLimits(w *walker, node *yaml.Node) {
	readers := map[string]func(*yaml.Node){}
	for _, kind := range limitedKinds {
		readers[string(kind)] = func(n *yaml.Node) {
			if n.Kind != yaml.ScalarNode || !wholeNumber.MatchString(n.Value) {
				w.report(n, diag.BadProject,
					fmt.Sprintf("account.limits.%s is %s; want a whole number such as 20000", kind, shapeOf(n)), "")
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
