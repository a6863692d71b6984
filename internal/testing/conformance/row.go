package conformance

import (
	"maps"
	"slices"
	"strings"
)

// Row holds a service to some rules: Given leads to a situation, Do is the
// request, Want its answer, and Then says what holds afterwards.
type Row struct {
	Rules   string // ids, separated by blanks
	Name    string
	Limited bool // needs the published rate limits
	Alone   bool // needs an account in which nothing was made before
	Given   []Step
	Do      Step
	Want    Want
	Then    []Step
}

// Step is a request of a row. A step without a Want has to succeed.
type Step struct {
	Method, Path string
	Body         any      // nil, text, bytes that are sent as they are, an object that is sent as JSON, or a form
	Header       []string // names and values in turn
	As           string   // whose credential: "" is the account's key; see Target.Keys
	Saves        []saved
	Want         *Want
	Times        int      // 0 is once; {n} counts from 0
	While        []string // ask again while the status of the answer is one of these
	scopes       string   // of a sign-in
}

// saved is a value of the answer that later steps may name.
type saved struct{ name, path string }

type object = map[string]any

// form is a multipart body: names and values in turn; a []byte is a file.
type form []any

func get(path string) Step            { return Step{Method: "GET", Path: path} }
func post(path string, body any) Step { return Step{Method: "POST", Path: path, Body: body} }
func act(path string) Step            { return Step{Method: "POST", Path: path} }

// keyed is the step with an Idempotency-Key.
// Runs have keys of their own, but for keys that are about their length.
func (s Step) keyed(key string) Step {
	if len(key) < 200 && strings.TrimSpace(key) != "" {
		key = runID + key
	}
	return s.with("Idempotency-Key", key)
}

// runID names the run of a row, so that rows that are run again in one account
// do not meet the keys of the runs before. Its value is as long as its name.
const runID = "{run}"

func (s Step) with(name, value string) Step {
	s.Header = append(slices.Clip(s.Header), name, value)
	return s
}

// as is the step with another credential.
func (s Step) as(who string) Step {
	s.As = who
	return s
}

// save keeps a value of the answer under a name.
func (s Step) save(name, path string) Step {
	s.Saves = append(slices.Clip(s.Saves), saved{name, path})
	return s
}

func (s Step) gives(checks ...check) Step { return s.wants(gives(checks...)) }

func (s Step) wants(w Want) Step {
	s.Want = &w
	return s
}

func (s Step) times(n int) Step {
	s.Times = n
	return s
}

// given are the steps that lead to a situation, one after another.
func given(groups ...any) (all []Step) {
	for _, each := range groups {
		switch each := each.(type) {
		case Step:
			all = append(all, each)
		case []Step:
			all = append(all, each...)
		}
	}
	return all
}

// Steps are all steps of the row in turn, with what each has to answer.
func (r Row) Steps() []Step {
	return slices.Concat(r.Given, []Step{r.Do.wants(r.Want)}, r.Then)
}

// Controlled reports whether the row needs the addresses of an emulator: its
// clock, its settings, its authorization server, its second account.
func (r Row) Controlled() bool {
	return r.Limited || slices.ContainsFunc(r.Steps(), func(s Step) bool {
		return strings.HasPrefix(s.Path, "/_") || s.scopes != "" || s.As == other
	})
}

// Mutates reports whether the row sends anything that may change something.
func (r Row) Mutates() bool {
	return slices.ContainsFunc(r.Steps(), func(s Step) bool { return s.Method != "GET" })
}

// ChangesAccount reports whether the row may change the account itself, beyond
// the campaigns, ad groups and ads in it.
func (r Row) ChangesAccount() bool {
	return slices.ContainsFunc(r.Steps(), func(s Step) bool {
		tree := slices.ContainsFunc([]string{"/campaigns", "/ad_groups", "/ads", "/upload", "/bulk_mutation_jobs"},
			func(root string) bool {
				return s.Path == root || strings.HasPrefix(s.Path, root+"/")
			})
		return s.Method != "GET" && !tree
	})
}

// field is one case of a body: the base with a field set, and what comes of it.
type field struct {
	rules string
	name  string
	path  string // dotted; "" leaves the base as it is
	value any
	want  Want
}

// fields are rows that send the base body with one field changed each.
func fields(what string, setup []Step, request Step, cases ...field) []Row {
	rows := make([]Row, len(cases))
	for i, c := range cases {
		do := request
		if c.path != "" {
			do.Body = set(request.Body.(object), c.path, c.value)
		}
		rows[i] = Row{Rules: c.rules, Name: what + ": " + c.name, Given: setup, Do: do, Want: c.want}
	}
	return rows
}

// queries are rows that send a GET with one query string each.
func queries(what string, setup []Step, path string, cases ...query) []Row {
	rows := make([]Row, len(cases))
	for i, c := range cases {
		do := get(path)
		if c.query != "" {
			do = get(asking(path, strings.TrimPrefix(c.query, "?")))
		}
		rows[i] = Row{Rules: c.rules, Name: what + ": " + c.name, Given: setup, Do: do, Want: c.want}
	}
	return rows
}

type query struct {
	rules, name, query string
	want               Want
}

// set is a body with one field set; a dotted path reaches into objects, and
// absent takes the field away.
func set(body object, path string, value any) object {
	next := object{}
	maps.Copy(next, body)
	first, rest, nested := strings.Cut(path, ".")
	switch {
	case nested:
		inner, _ := next[first].(object)
		next[first] = set(inner, rest, value)
	case value == absent:
		delete(next, first)
	default:
		next[first] = value
	}
	return next
}

type nothing struct{}

// absent takes a field away.
var absent any = nothing{}
