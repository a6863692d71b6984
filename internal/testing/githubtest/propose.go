package githubtest

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// Pulls returns the pull requests from a branch, the oldest first, open and closed.
func (s *Server) Pulls(from string) (of []Pull) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pulls {
		if p.From == from {
			of = append(of, p)
		}
	}
	return of
}

// Close has somebody close a pull request.
func (s *Server) Close(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut(s.indexOf(number))
	s.touch(number)
}

// shut closes a pull request, whose head stays as it is. mu is held.
func (s *Server) shut(at int) {
	if p := &s.pulls[at]; p.From != "" && !p.Closed {
		p.Head = s.HeadOf(p.Number, p.From)
	}
	s.pulls[at].Closed = true
}

// propose opens or edits a pull request. mu is held.
func (s *Server) propose(r *http.Request, parameters map[string]string, body []byte) (code int, answer any) {
	var said struct{ Title, Body, State, Head, Base *string }
	if err := json.Unmarshal(body, &said); err != nil {
		s.t.Error(err)
	}
	set := func(to, from *string) {
		if from != nil {
			*to = *from
		}
	}
	at := len(s.pulls)
	if r.Method == http.MethodPatch {
		number, _ := strconv.Atoi(parameters["pull_number"])
		if at = s.indexOf(number); at < 0 {
			return http.StatusNotFound, map[string]any{"message": "Not Found"}
		}
		if said.State != nil && *said.State == "closed" {
			s.shut(at)
		}
	} else {
		p := Pull{Number: int(s.next), Author: User}
		set(&p.From, said.Head)
		set(&p.Base, said.Base)
		for _, o := range s.pulls {
			if !o.Closed && o.Fork == "" && o.From == p.From && o.Base == p.Base {
				return http.StatusUnprocessableEntity, map[string]any{"message": "Validation Failed",
					"documentation_url": "https://docs.github.com", "errors": []any{map[string]any{
						"resource": "PullRequest", "code": "custom", "message": "A pull request already exists"}}}
			}
		}
		s.next++
		s.pulls = append(s.pulls, p)
	}
	set(&s.pulls[at].Title, said.Title)
	set(&s.pulls[at].Body, said.Body)
	s.pulls[at].Updated = s.Now()
	code = http.StatusOK
	if r.Method == http.MethodPost {
		code = http.StatusCreated
	}
	return code, s.pull("pull-request", s.pulls[at])
}
