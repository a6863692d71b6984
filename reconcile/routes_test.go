package reconcile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/reconcile"

	"github.com/google/go-cmp/cmp"
)

// Every value goes where docs/develop/routes.md says: in an apply, and in what plan
// --requests says of it before. Each way of each attribute is taken by some row of
// routed.
func TestValuesGoByTheRoutesOfTheDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	page := readRoutes(t)
	open := map[string]bool{} // ways that no row has taken
	for _, s := range kinds.All() {
		for i := range s.Attributes {
			for phase, ways := range page[s.Title][s.Attributes[i].Name] {
				for _, way := range ways {
					if phase == creates && s.CreateCall().Path == "" {
						continue // nothing makes one
					}
					open[string(s.Kind)+" "+s.Attributes[i].Name+" "+phase+": "+way] = true
				}
			}
		}
	}
	for _, row := range routed() {
		kind, rest, _ := strings.Cut(row.attribute, " ")
		s := kinds.All().Of(resource.Kind(kind))
		a, known := s.Attribute(rest)
		if !known {
			t.Fatalf("%s is no attribute", row.attribute)
		}
		for _, phase := range []string{creates, updates} {
			if row.only != "" && row.only != phase || phase == creates && s.CreateCall().Path == "" {
				continue
			}
			ways := page[s.Title][a.Name][phase]
			at := slices.IndexFunc(ways, func(way string) bool { return strings.HasPrefix(way, "**"+row.way(ways)) })
			if at < 0 {
				t.Fatalf("%s %s: docs/develop/routes.md has no way %s of %q", row.attribute, phase, row.way(ways), ways)
			}
			delete(open, row.attribute+" "+phase+": "+ways[at])
			t.Run(strings.ReplaceAll(row.attribute, " ", ".")+" "+phase+" "+row.way(ways), func(t *testing.T) {
				row.goes(t, s, a, phase, ways[at], page[s.Title][a.Name][updates])
			})
		}
	}
	for _, way := range slices.Sorted(maps.Keys(open)) {
		t.Errorf("no row takes %s", way)
	}
}

// The two columns of docs/develop/routes.md.
const (
	creates = "made"
	updates = "changes"
)

// readRoutes reads docs/develop/routes.md: by title of a kind, attribute and column, the
// ways in their order.
func readRoutes(t *testing.T) map[string]map[string]map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../docs/develop/routes.md")
	if err != nil {
		t.Fatal(err)
	}
	page, title := map[string]map[string]map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if head, is := strings.CutPrefix(line, "## "); is {
			title = head
			page[title] = map[string]map[string][]string{}
		}
		if cells := strings.Split(line, " | "); title != "" && len(cells) == 3 && strings.HasPrefix(line, "| `") {
			name := strings.Trim(cells[0], "| `")
			page[title][name] = map[string][]string{
				creates: strings.Split(cells[1], "; else "),
				updates: strings.Split(strings.TrimSuffix(cells[2], " |"), "; else "),
			}
		}
	}
	return page
}

// goes makes the resource with the first value, or changes that to the second, and
// holds that the value went by the way, and nowhere else.
func (row route) goes(t *testing.T, s *resource.Schema, a *resource.Attribute, phase, way string, later []string) {
	w := newWorld(t, row.service(t)...)
	if row.prior != nil {
		row.prior(w)
		w.clean()
	}
	if phase == updates || row.beneath {
		row.above(w, s)
	}
	if phase == updates {
		row.write(w, s, a, row.first)
	}
	w.clean()
	row.above(w, s)
	if phase == updates {
		row.with = row.afterwards()
	}
	row.write(w, s, a, row.Value(phase))
	w.permitAll("activates", "raises-spend", "archives")
	w.agent = w.newAgent()
	said, err := w.agent.Requests(t.Context(), w.plan())
	if err != nil {
		t.Fatal(err)
	}
	g := &gone{}
	report, err := w.through(g, w.store).Apply(t.Context(), w.plan())
	if invalid := new(reconcile.InvalidError); errors.As(err, &invalid) && strings.HasPrefix(way, "**none**") {
		if len(g.sum) != 0 {
			t.Errorf("%v was sent; want nothing", g.sum)
		}
		return
	}
	if err != nil {
		t.Fatalf("apply: %v %v", err, w.plan().Plan.Problems)
	}
	for _, o := range report.Outcomes {
		if o.Outcome != "applied" && !strings.HasPrefix(way, "**none**") {
			t.Errorf("%s %s is %s %s", o.Action, o.Address, o.Outcome, o.Message)
		}
	}
	foretold, followUps := map[string]int{}, map[string]bool{}
	for _, q := range said.Requests {
		if q.Method != http.MethodGet {
			foretold[q.Method+" "+q.Path] += q.Count
			followUps[q.Method+" "+q.Path] = followUps[q.Method+" "+q.Path] || q.FollowUp
		}
	}
	if diff := cmp.Diff(foretold, g.counts()); diff != "" {
		t.Errorf("plan --requests and what was sent (-said +sent):\n%s%s", diff, shown(said))
	}
	carriers := g.carriers(s, a)
	if followUp := strings.HasPrefix(way, "**follow-up**"); !followUp {
		if want := wanted(s, a, phase, way); !slices.Equal(carriers, want) {
			t.Errorf("%s goes by %q; docs/develop/routes.md: %s, which is %q", a.Name, carriers, way, want)
		}
	} else if len(carriers) != 1 || !slices.ContainsFunc(later, func(way string) bool {
		return slices.Equal(wanted(s, a, updates, way), carriers)
	}) {
		t.Errorf("%s follows by %q; want one of %q", a.Name, carriers, later)
	} else if request, _, _ := strings.Cut(carriers[0], ": "); !followUps[request] {
		t.Errorf("plan --requests calls no %s a follow-up", request)
	}
	if strings.Contains(way, "leaving it out") && g.operations[s.Bulk.Create] != 1 {
		t.Errorf("%d %s; want one, which leaves %s out", g.operations[s.Bulk.Create], s.Bulk.Create, a.Name)
	}
	if again := w.plan().Plan; !strings.HasPrefix(way, "**none**") && len(again.Changes) != 0 {
		t.Errorf("second plan: %s", describe(again))
	}
}

var (
	bulkField = regexp.MustCompile("^\\*\\*bulk\\*\\* `([^`]+)`")
	postPath  = regexp.MustCompile(`POST (/\S+)$`)
)

// wanted is what carries a value that goes by a way, as gone tells it.
func wanted(s *resource.Schema, a *resource.Attribute, phase, way string) []string {
	operation, request := s.Bulk.Create, "POST /"+s.CreateCall().Path
	if phase == updates {
		operation, request = s.Bulk.Update, "POST /"+s.UpdateCall().Path
	}
	switch field, path := bulkField.FindStringSubmatch(way), postPath.FindStringSubmatch(way); {
	case field != nil && strings.Contains(way, "once it is uploaded"):
		return []string{"POST /upload", inJob + operation + " " + field[1]}
	case field != nil:
		return []string{inJob + operation + " " + field[1]}
	case path != nil:
		return []string{"POST " + path[1]}
	case strings.Contains(way, "membership operation"):
		return []string{"POST /uploads", "POST /" + s.Collection + "/{id}/replace"}
	case strings.Contains(way, "members file"):
		return []string{"POST /uploads", request}
	case strings.HasPrefix(way, "**upload**"):
		return []string{"POST /upload", request}
	}
	return nil
}

const inJob = "POST /bulk_mutation_jobs: "

// gone is what an apply sends that is no read.
type gone struct {
	mu         sync.Mutex
	requests   []request
	operations map[string]int // of jobs that change something, by type
	sum        map[string]int
}

type request struct {
	line string         // "POST /campaigns/{id}"
	body map[string]any // of an operation, its input
}

var idInPath = regexp.MustCompile(`/[^/]*[0-9][^/]*`)

func (g *gone) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return send(r)
	}
	var body []byte
	if r.Body != nil {
		read, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(read))
		body = read
	}
	sent := request{line: r.Method + " " + idInPath.ReplaceAllString(strings.TrimPrefix(r.URL.Path, "/v1"), "/{id}")}
	_ = json.Unmarshal(body, &sent.body) // an upload is no JSON, a pause has no body
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sum == nil {
		g.sum, g.operations = map[string]int{}, map[string]int{}
	}
	g.sum[sent.line]++
	operations, job := sent.body["operations"].([]any)
	if !job {
		g.requests = append(g.requests, sent)
	}
	for _, o := range operations {
		if sent.body["validate_only"] != true {
			o := o.(map[string]any)
			g.requests = append(g.requests, request{
				line: inJob + o["type"].(string), body: o["input"].(map[string]any),
			})
			g.operations[o["type"].(string)]++
		}
	}
	return send(r)
}

func (g *gone) counts() map[string]int {
	if g.sum == nil {
		return map[string]int{}
	}
	return g.sum
}

// carriers are the requests and the operations that carry a value of an attribute,
// in the order in which they went.
func (g *gone) carriers(s *resource.Schema, a *resource.Attribute) []string {
	var carriers []string
	for _, r := range g.requests {
		switch {
		case r.line == inJob+s.Bulk.Create && has(r.body, a.Bulk.Create):
			carriers = append(carriers, r.line+" "+a.Bulk.Create)
		case r.line == inJob+s.Bulk.Update && has(r.body, a.Bulk.Update):
			carriers = append(carriers, r.line+" "+a.Bulk.Update)
		case strings.HasPrefix(r.line, inJob):
		case r.line == "POST /upload" && a.Wire.Codec == resource.FileID, r.line == "POST /uploads" && isPeople(s, a),
			strings.HasPrefix(r.line, "POST /"+s.Collection) && isPeople(s, a) && has(r.body, "file_id"),
			s.Membership != nil && a.Name == s.Membership.Merge && has(r.body, s.Membership.MergeWire),
			slices.Contains([]string{s.CreateCall().Path, s.UpdateCall().Path}, strings.TrimPrefix(r.line, "POST /")) &&
				has(r.body, a.Wire.Path):
			carriers = append(carriers, r.line)
		}
		for _, call := range a.Calls {
			if r.line == "POST /"+call.Path {
				carriers = append(carriers, r.line)
			}
		}
	}
	return carriers
}

func isPeople(s *resource.Schema, a *resource.Attribute) bool {
	return s.Membership != nil && a.Name != s.Membership.Merge && s.Membership.Has(a.Name)
}

// has reports whether a body has a field, also one that is null.
func has(body map[string]any, path string) bool {
	key, rest, nested := strings.Cut(path, ".")
	value, there := body[key]
	if inner, is := value.(map[string]any); is && nested {
		return has(inner, rest)
	}
	return there && !nested
}
