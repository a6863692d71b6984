// Package forgetest is a GitLab and a Gitea for tests: merge requests or pull requests of one repository, what is said
// of them, and statuses, in memory. Each checks every request and every answer of its own against a description of its
// forge's API.
//
// gitea.json holds, of the Swagger document of Gitea 1.26.0 (MIT), the operations that adsync uses, and what they refer
// to, as they are.
//
// gitlab.json is written by hand, as GitLab's document has four megabytes, and its generator describes a list as one of
// its entries, and no value as null. Lists of merge requests and notes follow doc/api/openapi/openapi_v3.yaml of GitLab
// 19.5 (CC BY-SA 4.0, as is this file), with lists and nulls put right. Answers with statuses, events, commits, members
// and the own user follow the types of GitLab's Go client: what the two have wrong together, it has wrong, too.
//
// testdata/gitlab-published.json says what requests of these operations may hold: the names, types, values and needs
// of parameters and bodies by doc/api/openapi/openapi_v3.yaml of GitLab 19.5 (gitlabhq/gitlabhq at 045bf8777ea8,
// CC BY-SA 4.0, as is that file), copied by hand, without texts and nulls. All operations of gitlab.json were found
// there. A test holds gitlab.json to it: as to requests, it may be wrong only where GitLab's document is.
package forgetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
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

// The token they want, the user it belongs to, and the only repository.
const (
	Token      = "token_for_the_tests_of_adsync"
	User       = "adsync"
	Repository = "acme/media/ads" // on GitLab
	Plain      = "acme/ads"       // on Gitea
)

// Pull is a pull request, or a merge request. What is said of it updates it.
type Pull struct {
	Number                    int
	Title, Head, Base, Author string // Head is a commit
	Branch                    string // that people push to
	Fork                      bool   // of another repository
	Updated                   time.Time
	Closed                    bool
	Merged                    string // the commit by which its base has it
	Body                      string
	// Commits are, of Gitea, logins of who wrote them, "" nobody whom it knows; of GitLab their hashes.
	Commits []string
}

// Comment is one of a pull request.
type Comment struct {
	ID          int64
	Pull        int
	By, Body    string
	Kind        string    // of GitLab: DiffNote, or system
	From        string    // of Gitea: who wrote it at the forge it was brought from
	At, Changed time.Time // set by the server where zero
}

// Status is one of a commit.
type Status struct{ Commit, Ref, Context, State, Description string }

// Review is one of a pull request, on Gitea.
type Review struct {
	Pull                     int
	By, State, Commit, Words string
	Dismissed                bool
}

// Push is what somebody pushed to a branch, a minute after the push before. Action is created, pushed, or, on GitLab,
// removed; a Branch of "" is many, on GitLab, where a Kind of tag is a tag. From and To are commits.
type Push struct{ By, Branch, Kind, Action, From, To string }

// Server is a forge with one repository.
type Server struct {
	URL string
	// Refuse answers a request in the place of the server; false lets it pass.
	Refuse func(w http.ResponseWriter, r *http.Request) bool
	// HeadOf is the commit of the branch that a pull request is opened from.
	HeadOf func(branch string) string
	// DiffOf is what git says that a pull request changes; nil is nothing.
	DiffOf func(number int) string
	// Now is its clock.
	Now func() time.Time
	// Most is how many of a list it gives at once.
	Most int

	t      testing.TB
	name   string
	router routers.Router
	answer func(s *Server, r *http.Request, of map[string]string, body map[string]any) reply

	mu       sync.Mutex
	pulls    []Pull
	comments []Comment
	statuses []Status
	reviews  []Review
	notes    []Note
	pushes   []Push
	teams    map[string][]string
	next     int64
}

// reply is an answer. A list is given in pages, one that is whole is not.
type reply struct {
	code int
	body any
}

type whole []any

// plain is an answer that is not JSON.
type plain string

func absent(message string) reply {
	return reply{http.StatusNotFound, map[string]any{"message": message}}
}

// start starts one that ends with the test.
func start(t testing.TB, name string, document *openapi3.T,
	answer func(*Server, *http.Request, map[string]string, map[string]any) reply) *Server {
	t.Helper()
	s := &Server{t: t, name: name, answer: answer, teams: map[string][]string{}, next: 1000, Now: time.Now, Most: 100}
	line := httptest.NewServer(s)
	t.Cleanup(line.Close)
	s.URL = line.URL
	var err error
	if s.router, err = gorillamux.NewRouter(document); err != nil {
		t.Fatal(err)
	}
	return s
}

// Page is the address of a page of the repository.
func (s *Server) Page(path string) string {
	name := Plain
	if s.name == "GitLab" {
		name = Repository
	}
	return "https://" + strings.TrimPrefix(s.URL, "http://") + "/" + name + path
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

// touch updates a pull request. mu is held.
func (s *Server) touch(number int) {
	for i := range s.pulls {
		if s.pulls[i].Number == number {
			s.pulls[i].Updated = s.Now()
		}
	}
}

// Comment has somebody write a comment, and returns its id.
func (s *Server) Comment(c Comment) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(c).ID
}

// write keeps a comment. mu is held.
func (s *Server) write(c Comment) Comment {
	s.next++
	if c.ID = s.next; c.At.IsZero() {
		c.At = s.Now()
	}
	if c.Changed.IsZero() {
		c.Changed = c.At
	}
	s.comments = append(s.comments, c)
	s.touch(c.Pull)
	return c
}

// Delete takes a comment away.
func (s *Server) Delete(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.comments = slices.DeleteFunc(s.comments, func(c Comment) bool { return c.ID == id })
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

// Review has somebody review a commit.
func (s *Server) Review(r Review) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reviews = append(s.reviews, r)
	s.touch(r.Pull)
}

// Push has somebody push.
func (s *Server) Push(p Push) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pushes = append(s.pushes, p)
}

// Team has these be in a team, such as acme/buyers.
func (s *Server) Team(name string, logins ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.teams[name] = logins
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

// Pulls returns the pull requests from a branch, the oldest first, open and closed.
func (s *Server) Pulls(branch string) (of []Pull) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pulls {
		if p.Branch == branch {
			of = append(of, p)
		}
	}
	return of
}

// propose opens a pull request; nil where one is open. mu is held.
func (s *Server) propose(p Pull) *Pull {
	if slices.ContainsFunc(s.pulls, func(o Pull) bool {
		return !o.Closed && !o.Fork && o.Branch == p.Branch && o.Base == p.Base
	}) {
		return nil
	}
	s.next++
	p.Number, p.Author, p.Head, p.Updated = int(s.next), User, s.HeadOf(p.Branch), s.Now()
	s.pulls = append(s.pulls, p)
	return &s.pulls[len(s.pulls)-1]
}

// revise has a pull request say what a body says of it, by the names that the forge has for that. mu is held.
func (s *Server) revise(at int, body map[string]any, about, state, closed string) Pull {
	p := &s.pulls[at]
	if _, is := body["title"].(string); is && text(body, "title") != "" {
		p.Title = text(body, "title")
	}
	if _, is := body[about].(string); is {
		p.Body = text(body, about)
	}
	if text(body, state) == closed {
		p.Closed = true
	}
	p.Updated = s.Now()
	return *p
}

// edit gives a comment another text. mu is held.
func (s *Server) edit(id, text string) (Comment, bool) {
	for i := range s.comments {
		if c := &s.comments[i]; fmt.Sprint(c.ID) == id {
			c.Body, c.Changed = text, s.Now()
			s.touch(c.Pull)
			return *c, true
		}
	}
	return Comment{}, false
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Refuse != nil && s.Refuse(w, r) {
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Token {
		http.Error(w, `{"message":"401 Unauthorized"}`, http.StatusUnauthorized)
		return
	}
	route, of, err := s.router.FindRoute(r)
	if err != nil {
		s.t.Errorf("%s %s is no operation of %s that is known: %v", r.Method, r.URL, s.name, err)
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	content, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	var body map[string]any
	if len(content) > 0 {
		if err := json.Unmarshal(content, &body); err != nil {
			s.t.Error(err)
		}
	}
	if s.name == "Gitea" && body != nil { // its client sends null for what is not said, and it reads that so
		maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
		content, _ = json.Marshal(body)
	}
	r.Body = io.NopCloser(bytes.NewReader(content))
	asked := &openapi3filter.RequestValidationInput{Request: r, PathParams: of, Route: route}
	if err := openapi3filter.ValidateRequest(r.Context(), asked); err != nil {
		s.t.Errorf("%s %s is not as %s has it: %v", r.Method, r.URL, s.name, err)
		http.Error(w, `{"message":"400 Bad Request"}`, http.StatusBadRequest)
		return
	}
	for name := range r.URL.Query() {
		ignored := name == "page" || name == "limit" // Gitea's client asks every list for a page
		if route.Operation.Parameters.GetByInAndName("query", name) == nil && !(ignored && s.name == "Gitea") {
			s.t.Errorf("%s %s has %s, which %s does not know", r.Method, r.URL, name, s.name)
		}
	}
	s.give(w, r, asked, s.answer(s, r, of, body))
}

// give checks an answer, whatever its status, and gives it; of a list the page that was asked for.
func (s *Server) give(w http.ResponseWriter, r *http.Request, asked *openapi3filter.RequestValidationInput,
	answer reply) {
	if words, is := answer.body.(plain); is || answer.code == http.StatusNoContent {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(answer.code)
		_, _ = w.Write([]byte(words))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch body := answer.body.(type) {
	case []any:
		answer.body = s.page(w.Header(), r, body)
	case map[string]any:
		if list, ok := body["data"].([]any); ok {
			body["data"] = s.page(w.Header(), r, list)
		}
	}
	content, err := json.Marshal(answer.body)
	if err != nil {
		s.t.Error(err)
	}
	said := &openapi3filter.ResponseValidationInput{RequestValidationInput: asked, Status: answer.code,
		Header: http.Header{"Content-Type": {"application/json"}}}
	if err := openapi3filter.ValidateResponse(r.Context(), said.SetBodyBytes(content)); err != nil {
		s.t.Errorf("this %s answers %s %s otherwise than it does: %v", s.name, r.Method, r.URL, err)
	}
	w.WriteHeader(answer.code)
	_, _ = w.Write(content)
}

// page is the part of a list that was asked for, with the headers that say what else there is.
func (s *Server) page(h http.Header, r *http.Request, list []any) []any {
	q := r.URL.Query()
	size, _ := strconv.Atoi(q.Get("per_page") + q.Get("limit"))
	if size <= 0 || size > s.Most {
		size = s.Most
	}
	number, _ := strconv.Atoi(q.Get("page"))
	number = max(number, 1)
	from := min((number-1)*size, len(list))
	to := min(from+size, len(list))
	h.Set("X-Total-Count", strconv.Itoa(len(list))) // Gitea's
	if h.Set("X-Next-Page", ""); to < len(list) {   // GitLab's
		h.Set("X-Next-Page", strconv.Itoa(number+1))
	}
	return list[from:to]
}

// idOf is the id of a user, the same in every answer.
func idOf(login string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(login))
	return int64(h.Sum32() >> 1)
}

// text is a value of a body; "" where it is none.
func text(body map[string]any, name string) string {
	s, _ := body[name].(string)
	return s
}

// last is what a request is about: the last part of its path that is no parameter.
func last(r *http.Request, of map[string]string) string {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	for i := len(parts) - 1; i > 0; i-- {
		isOne := false
		for _, value := range of {
			isOne = isOne || value == parts[i]
		}
		if !isOne {
			return r.Method + " " + parts[i]
		}
	}
	return r.Method
}
