package sources

import (
	"fmt"
	"net/url"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/config"
)

// checkDomain refuses a landing page at a domain that the project does not list
// (fault H21).
func (c *checker) checkDomain(e *entry, a *resource.Attribute, v resource.Value) {
	if a.Type != resource.TypeURL || len(c.tree.Project.Domains) == 0 {
		return
	}
	u, err := url.Parse(v.Text())
	if err != nil {
		return // refused where it was read
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	var listed []string
	for _, d := range c.tree.Project.Domains {
		if host == d.Value || strings.HasSuffix(host, "."+d.Value) {
			return
		}
		listed = append(listed, d.Value)
	}
	c.report(e, v.Position, resource.Finding{
		Code: diag.ForeignDomain,
		Message: fmt.Sprintf("%s is at %q, which the domains of %s (%s) do not hold; want %s, or what lies beneath",
			a.Name, diag.Printable(host), config.ProjectFile,
			c.tree.Project.Domains[0].Position, strings.Join(listed, ", ")),
		Hint: diag.DidYouMean(host, listed),
	})
}
