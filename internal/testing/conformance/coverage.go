package conformance

import (
	"adsync/internal/testing/conformance/rules"
	"fmt"
	"slices"
	"strings"
)

// Coverage is which rows are about each rule, and which hold each endpoint to an
// answer that is no refusal.
type Coverage struct {
	OfRule     map[string][]Row
	OfEndpoint map[string][]Row
	// Unknown are ids that rows name and no rule has.
	Unknown []string
}

// Cover works the coverage of rows out.
func Cover(rows []Row) Coverage {
	c := Coverage{OfRule: map[string][]Row{}, OfEndpoint: map[string][]Row{}}
	for _, row := range rows {
		for _, id := range strings.Fields(row.Rules) {
			if !slices.ContainsFunc(rules.All, func(r rules.Rule) bool { return r.ID == id }) {
				c.Unknown = append(c.Unknown, id)
			}
			c.OfRule[id] = append(c.OfRule[id], row)
		}
		for _, e := range rules.Endpoints {
			if slices.ContainsFunc(row.Steps(), func(s Step) bool { return s.holds(e) }) {
				c.OfEndpoint[e.Name()] = append(c.OfEndpoint[e.Name()], row)
			}
		}
	}
	return c
}

// holds reports whether the step wants a success of the endpoint.
func (s Step) holds(e rules.Endpoint) bool {
	if s.Want == nil || !e.Takes(s.Method, s.Path) {
		return false
	}
	return slices.Contains(s.Want.Statuses, 200) || slices.Contains(s.Want.Statuses, 202)
}

// Page is the coverage as a page of documentation: each endpoint and rule with
// the rows that are about it.
func Page(rows []Row) string {
	c := Cover(rows)
	var b strings.Builder
	fmt.Fprintf(&b, pageTop, len(rules.Endpoints), len(rules.All), len(rows))
	b.WriteString("\n## Endpoints\n\n| endpoint | rows | the first of them |\n|---|---|---|\n")
	for _, e := range rules.Endpoints {
		name := "`" + e.Name() + "`"
		if e.Addition() {
			name += " (addition)"
		}
		of := c.OfEndpoint[e.Name()]
		fmt.Fprintf(&b, "| %s | %d | %s |\n", name, len(of), names(of[:min(1, len(of))]))
	}
	section := ""
	for _, r := range rules.All {
		if part, _, _ := strings.Cut(r.ID, "."); part != section {
			section = part
			fmt.Fprintf(&b, "\n## %s\n\n| rule | what it says | rows |\n|---|---|---|\n", titles[part])
		}
		about := names(c.OfRule[r.ID])
		if r.Silent != "" {
			about = "none: " + r.Silent
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.ID, cell(r.Text), about)
	}
	return b.String()
}

const pageTop = `# The service, rule by rule

%d endpoints, %d rules, %d rows. Each row is a request and what must come back; it is run against the emulator by
` + "`go test ./internal/testing/conformance`" + `, and against a service elsewhere on request (see the package's documentation).
This page is written by that test with -update; it fails when a rule or an endpoint has no row.
`

var titles = map[string]string{
	"1": "Part 1: conventions", "2": "Part 2: resources and their fields",
	"3": "Part 3: states and transitions", "4": "Part 4: endpoints",
	"5": "Part 5: authentication", "6": "Part 6: events",
	"7": "Part 7: errors", "8": "Part 8: limits", "9": "Part 9: versioning", "facts": "Published additions",
}

func names(rows []Row) string {
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = cell(row.Name)
	}
	return strings.Join(all, "; ")
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
