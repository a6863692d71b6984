// Package githubtest is a GitHub for tests: pull requests of one repository, what is said of them, who pushed them, and
// statuses, in memory. It checks every request and every answer of its own against GitHub's published description of
// its API, and answers with the examples of that description, in which only what the test says is other.
//
// description.json holds, of @octokit/openapi 23.0.2 (MIT), the operations that adsync uses, and what they refer to.
package githubtest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed description.json
var description []byte

// The token it wants, and the user it belongs to.
const (
	Token = "github_pat_for_the_tests_of_adsync"
	User  = "adsync"
	Owner = "acme" // of the repository
)

// Pull is a pull request. What is said of it updates it.
type Pull struct {
	Number            int
	Title, Head, Base string // Head is a commit
	Author            string
	Updated           time.Time
	Closed            bool
	Merged            string   // the commit by which its base has it
	Commits           []string // logins of their authors; "" is nobody whom GitHub knows
	Pushers           []string // logins, of who made the branch first; nil is the author alone
	Deleted           string   // who deleted the branch; "" where it is there
	Activity          string   // late is that the newest push is not told yet, cut that the oldest is not told any more
	Fork              string   // its repository, such as eve/ads, of which GitHub says nothing
	From, Body        string   // From is the branch of the head
}

// Comment is one of an issue.
type Comment struct {
	ID          int64
	Pull        int
	By          string
	Bot         bool
	Body        string
	Via         string    // an app that wrote it for them
	At, Changed time.Time // set by the server where zero
}

// Status is one of a commit.
type Status struct{ Commit, Context, State, Description string }

// Server is a GitHub with one repository, acme/ads.
type Server struct {
	URL string // of its API

	t        testing.TB
	router   routers.Router
	examples map[string]any

	mu       sync.Mutex
	pulls    []Pull
	comments []Comment
	statuses []Status
	reviews  []Review
	notes    []Note
	teams    map[string][]string
	next     int64
	requests []string // method and path
	// Refuse answers a request in the place of the server; false lets it pass.
	Refuse func(w http.ResponseWriter, r *http.Request) bool
	// Around serves a request by calling serve, and may speak to the server before and after; nil is serve alone.
	Around func(w http.ResponseWriter, r *http.Request, serve http.HandlerFunc)
	// HeadOf is the commit of the branch that a pull request is from.
	HeadOf func(number int, branch string) string
	// DiffOf is what git says that a pull request changes; nil is nothing.
	DiffOf func(number int) string
	// App is who is let in, in the place of the user with the token; nil: nobody else is.
	App *App
	// Now is its clock.
	Now func() time.Time
}

// Start starts one that ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(description)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, examples: map[string]any{}, teams: map[string][]string{}, next: 1000, Now: time.Now}
	for name, example := range document.Components.Examples {
		s.examples[name] = example.Value.Value
	}
	line := httptest.NewServer(s)
	t.Cleanup(line.Close)
	s.URL = line.URL
	document.Servers = openapi3.Servers{{URL: line.URL}}
	if s.router, err = gorillamux.NewRouter(document); err != nil {
		t.Fatal(err)
	}
	return s
}

// Set has these be the pull requests.
func (s *Server) Set(pulls ...Pull) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pulls = slices.Clone(pulls)
	for i := range s.pulls {
		if s.pulls[i].Updated.IsZero() {
			s.pulls[i].Updated = s.Now()
		}
	}
}

// Comments returns those of a pull request, the oldest first.
func (s *Server) Comments(pull int) (of []Comment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.comments {
		if c.Pull == pull {
			of = append(of, c)
		}
	}
	return of
}

// Statuses returns those of a commit, the oldest first.
func (s *Server) Statuses(commit string) (of []Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.statuses {
		if one.Commit == commit {
			of = append(of, one)
		}
	}
	return of
}

// Requests returns what was asked since the last call, as method and path.
func (s *Server) Requests() (asked []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked, s.requests = s.requests, nil
	return asked
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	do := func(w http.ResponseWriter, r *http.Request) { serve(s, w, r) }
	if s.Around != nil {
		s.Around(w, r, do)
		return
	}
	do(w, r)
}

func serve(s *Server, w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	if s.Refuse != nil && s.Refuse(w, r) {
		return
	}
	if !s.App.letsIn(r, s.Now()) {
		http.Error(w, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
		return
	}
	route, parameters, err := s.router.FindRoute(r)
	if err != nil {
		s.t.Errorf("%s %s is no operation that GitHub publishes: %v", r.Method, r.URL, err)
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	asked := &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route}
	if err := openapi3filter.ValidateRequest(r.Context(), asked); err != nil {
		s.t.Errorf("%s %s is not as GitHub publishes it: %v", r.Method, r.URL, err)
		http.Error(w, `{"message":"Validation Failed"}`, http.StatusUnprocessableEntity)
		return
	}
	code, answer := s.answer(r, parameters, body)
	if list, is := answer.([]any); is {
		answer = paged(s, w.Header(), r, list)
	}
	content, err := json.Marshal(answer)
	if err != nil {
		s.t.Error(err)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if code == http.StatusNoContent {
		w.WriteHeader(code)
		return
	}
	said := &openapi3filter.ResponseValidationInput{RequestValidationInput: asked, Status: code, Header: header}
	if err := openapi3filter.ValidateResponse(r.Context(), said.SetBodyBytes(content)); err != nil {
		s.t.Errorf("this GitHub answers %s %s otherwise than GitHub does: %v", r.Method, r.URL, err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(content)
}

// paged is a page of a list, by number or, where GitHub counts none, from a place on. A header says where the next is.
func paged(s *Server, h http.Header, r *http.Request, list []any) []any {
	query, place := r.URL.Query(), "page"
	size := number(query.Get("per_page"), 30)
	from := (number(query.Get("page"), 1) - 1) * size
	next := from/size + 2
	if strings.HasSuffix(r.URL.Path, "/activity") {
		place, from = "after", number(query.Get("after"), 0)
		next = from + size
	}
	if from+size < len(list) {
		query.Set(place, strconv.Itoa(next))
		h.Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, s.URL, r.URL.Path, query.Encode()))
	}
	list = list[min(from, len(list)):min(from+size, len(list))]
	for i, one := range list {
		if p, is := one.(Pull); is { // of a thousand those alone are written that are asked for
			list[i] = s.pull("pull-request-simple-items", p)
		}
	}
	return list
}

func number(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return otherwise
}

// answer does what is asked. mu is held.
func (s *Server) answer(r *http.Request, parameters map[string]string, body []byte) (code int, answer any) {
	var said struct{ Body, State, Description, Context string }
	if len(body) > 0 {
		if err := json.Unmarshal(body, &said); err != nil {
			s.t.Error(err)
		}
	}
	number, _ := strconv.Atoi(parameters["issue_number"])
	switch r.Method + " " + s.last(r.URL.Path, parameters) {
	case "GET app", "POST access_tokens":
		return s.App.answer(s, parameters)
	case "GET user":
		return http.StatusOK, s.like("private-user-response-with-public-profile-information",
			"login", User, "user_view_type", "public")
	case "GET pulls":
		list := []any{}
		pulls := slices.Clone(s.pulls)
		if r.URL.Query().Get("sort") == "updated" && r.URL.Query().Get("direction") == "desc" {
			slices.SortStableFunc(pulls, func(a, b Pull) int { return b.Updated.Compare(a.Updated) })
		}
		for _, p := range pulls {
			if base, head := r.URL.Query().Get("base"), r.URL.Query().Get("head"); !p.Closed &&
				(base == "" || base == p.Base) && (head == "" || head == Owner+":"+p.From) {
				list = append(list, p)
			}
		}
		return http.StatusOK, list
	case "GET pull", "GET reviews", "GET commits", "GET activity", "GET membership":
		return s.talk(r, parameters)
	case "GET notes", "GET files", "POST reviews", "DELETE note":
		return notesOf(s, r.Method+" "+s.last(r.URL.Path, parameters), parameters, body)
	case "GET comments":
		list := []any{}
		for _, c := range s.comments {
			if c.Pull == number {
				list = append(list, s.comment(c))
			}
		}
		return http.StatusOK, list
	case "POST pulls", "PATCH pull":
		return s.propose(r, parameters, body)
	case "POST comments":
		by, bot := s.App.who()
		return http.StatusCreated, s.comment(s.write(Comment{Pull: number, By: by, Bot: bot, Body: said.Body}))
	case "PATCH comment":
		for i := range s.comments {
			if fmt.Sprint(s.comments[i].ID) == parameters["comment_id"] {
				s.comments[i].Body, s.comments[i].Changed = said.Body, s.Now()
				return http.StatusOK, s.comment(s.comments[i])
			}
		}
		return http.StatusNotFound, map[string]any{"message": "Not Found"}
	case "POST status":
		s.statuses = append(s.statuses, Status{parameters["sha"], said.Context, said.State, said.Description})
		return http.StatusCreated, s.like("status", "state", said.State, "context", said.Context)
	}
	s.t.Errorf("nothing answers %s %s", r.Method, r.URL)
	return http.StatusNotFound, map[string]any{"message": "Not Found"}
}

// last is what the last part of a path is about.
func (s *Server) last(path string, parameters map[string]string) string {
	switch {
	case strings.Contains(path, "/pulls/comments/"):
		return "note"
	case parameters["pull_number"] != "" && strings.HasSuffix(path, "/comments"):
		return "notes"
	case parameters["comment_id"] != "":
		return "comment"
	case parameters["sha"] != "":
		return "status"
	case parameters["username"] != "":
		return "membership"
	case strings.HasSuffix(path, "/pulls/"+parameters["pull_number"]):
		return "pull"
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

// like is an example of the description with other values, by names such as user.login.
func (s *Server) like(example string, values ...any) map[string]any {
	value := s.examples[example]
	if list, ok := value.([]any); ok {
		value = list[0]
	}
	content, err := json.Marshal(value)
	if err != nil {
		s.t.Error(err)
	}
	var of map[string]any
	if err := json.Unmarshal(content, &of); err != nil {
		s.t.Error(err)
	}
	for i := 0; i < len(values); i += 2 {
		of[values[i].(string)] = values[i+1]
	}
	return of
}
