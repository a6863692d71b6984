package kinds

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/resource"
	"adsync/internal/testing/golden"
)

const routesPage = "../../docs/develop/routes.md"

// Every attribute of every kind has a route when it is made and when it changes,
// or says why it has none; docs/develop/routes.md is that table.
func TestEveryAttributeHasARoute(t *testing.T) {
	var page strings.Builder
	page.WriteString(routesHead)
	for _, s := range All() {
		fmt.Fprintf(&page, "\n## %s\n\n| attribute | when it is made | when it changes |\n|---|---|---|\n", s.Title)
		for i := range s.Attributes {
			a := &s.Attributes[i]
			create, change := s.CreateRoutes(a), s.UpdateRoutes(a)
			for _, routes := range [][]resource.Route{create, change} {
				if len(routes) == 0 {
					t.Errorf("%s.%s has no route, and no reason for none", s.Kind, a.Name)
				}
				for _, r := range routes {
					if r.When == "" || strings.HasPrefix(r.When, ";") {
						t.Errorf("%s.%s goes by %s: %q; want when, or why", s.Kind, a.Name, r.Way, r.When)
					}
				}
			}
			fmt.Fprintf(&page, "| `%s` | %s | %s |\n", a.Name, routesText(create), routesText(change))
		}
	}
	golden.File(t, routesPage, []byte(page.String()))
}

func routesText(routes []resource.Route) string {
	texts := make([]string, len(routes))
	for i, r := range routes {
		texts[i] = fmt.Sprintf("**%s** %s", r.Way, r.When)
	}
	return strings.Join(texts, "; else ")
}

const routesHead = `# Routes

How each value reaches the service: when its resource is made, and when it changes. Of several ways the first that can
be taken is. This page is made from the descriptions of the kinds, and a test holds that each value goes so, in
` + "`plan --requests`" + ` and in an apply (` + "`reconcile/routes_test.go`" + `).

- **bulk**: an operation of a bulk job, with the name of the input field. A create goes in a job where all of its values
  can, and its parent is created in the same job.
- **follow-up**: an update after the create, for what its operation could not say.
- **single**: a request of its own: for a resource beneath a parent that is there already, for what jobs cannot say, and
  everywhere where the account has no bulk jobs.
- **upload**: a file is sent first, once.
- **none**: never sent, and why.

` + "`adsync plan --requests`" + ` shows the requests an apply would send, and why something goes alone. In ` + "`adsync.yaml`" + `, ` + "`bulk:`" + `
says how jobs are used: ` + "`repeat_parent: auto`" + ` lets new trees larger than a job go on in further jobs that repeat their
parents, after one branch was tried; ` + "`never`" + ` sends the rest alone. ` + "`rehearse: auto`" + ` has the service validate one job
before the first change: all creates where it holds them, else one tree of every shape; ` + "`always`" + ` validates all, ` + "`never`" + `
none; the operator's file alone can say ` + "`never`" + ` here. What an account can do is asked once a day, and again when the
service says otherwise.
`
