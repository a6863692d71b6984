package githubtest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Review is one of a pull request.
type Review struct {
	ID        int64
	Pull      int
	By        string
	Bot       bool
	State     string // such as APPROVED
	Commit    string
	Submitted time.Time // set by the server where zero
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

// Edit has somebody give a comment another text: GitHub says when, and not who.
func (s *Server) Edit(id int64, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.comments {
		if c := &s.comments[i]; c.ID == id {
			c.Body, c.Changed = text, s.Now()
			s.touch(c.Pull)
		}
	}
}

// Delete takes a comment away.
func (s *Server) Delete(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.comments = slices.DeleteFunc(s.comments, func(c Comment) bool { return c.ID == id })
}

// Review has somebody review a commit, and returns the review's id.
func (s *Server) Review(r Review) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	if r.ID = s.next; r.Submitted.IsZero() {
		r.Submitted = s.Now()
	}
	s.reviews = append(s.reviews, r)
	s.touch(r.Pull)
	return r.ID
}

// Dismiss takes what a review says back.
func (s *Server) Dismiss(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.reviews {
		if r := &s.reviews[i]; r.ID == id {
			r.State = "DISMISSED"
			s.touch(r.Pull)
		}
	}
}

// Team has these be in a team, such as acme/buyers.
func (s *Server) Team(name string, logins ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.teams[name] = logins
}

// Page is the address of a page of the repository.
func (s *Server) Page(path string) string {
	return "https://" + strings.TrimPrefix(s.URL, "http://") + "/acme/ads/" + path
}

// touch updates a pull request. mu is held.
func (s *Server) touch(number int) {
	if i := s.indexOf(number); i >= 0 {
		s.pulls[i].Updated = s.Now()
	}
}

func (s *Server) indexOf(number int) int {
	return slices.IndexFunc(s.pulls, func(p Pull) bool { return p.Number == number })
}

// talk answers what is asked of one pull request, of a branch or of a team. mu is held.
func (s *Server) talk(r *http.Request, parameters map[string]string) (code int, answer any) {
	number, _ := strconv.Atoi(parameters["pull_number"])
	at, list := s.indexOf(number), []any{}
	switch what := s.last(r.URL.Path, parameters); {
	case what == "activity":
		return s.activity(r)
	case what == "membership":
		members := s.teams[parameters["org"]+"/"+parameters["team_slug"]]
		if !slices.Contains(members, parameters["username"]) {
			break
		}
		return http.StatusOK, s.like("team-membership-response-if-user-is-a-team-maintainer", "role", "member")
	case at < 0:
	case what == "pull":
		return http.StatusOK, s.pull("pull-request", s.pulls[at])
	case what == "reviews":
		for _, review := range s.reviews {
			if review.Pull == number {
				list = append(list, s.review(review))
			}
		}
		return http.StatusOK, list
	case what == "commits":
		for _, login := range s.pulls[at].Commits {
			list = append(list, s.commit(login))
		}
		return http.StatusOK, list
	}
	return http.StatusNotFound, map[string]any{"message": "Not Found"}
}

// activity is who pushed to a branch.
func (s *Server) activity(r *http.Request) (code int, answer any) {
	list := []any{}
	for _, p := range s.pulls {
		if r.URL.Query().Get("ref") != "refs/heads/"+p.branch() {
			continue
		}
		if p.Fork != "" {
			return http.StatusNotFound, map[string]any{"message": "Not Found"}
		}
		list = append(list, pushesTo(s, p, r.URL.Query().Get("ref"))...)
	}
	return http.StatusOK, list
}

// pushesTo are what GitHub tells of a branch, the newest first: that somebody deleted it, too.
func pushesTo(s *Server, p Pull, ref string) (list []any) {
	pushers := p.Pushers
	if pushers == nil {
		pushers = []string{p.Author}
	}
	if p.From != "" && !p.Closed {
		p.Head = s.HeadOf(p.Number, p.From)
	}
	none := strings.Repeat("0", 40)
	add := func(what, before, after, login string) {
		like := s.like("activity-items", "ref", ref, "timestamp", time.Now(), "activity_type", what, "before", before,
			"after", after)
		actor := like["pusher"].(map[string]any)
		actor["login"] = login
		delete(like, "pusher")
		like["actor"] = actor
		list = append(list, like)
	}
	if p.Deleted != "" {
		add("branch_deletion", p.Head, none, p.Deleted)
	}
	after := p.Head
	for i, login := range slices.Backward(pushers) {
		what, before := "push", fmt.Sprintf("%040x", i)
		if i == 0 {
			what, before = "branch_creation", none
		}
		if late, cut := p.Activity == "late" && i == len(pushers)-1, p.Activity == "cut" && i == 0; !late && !cut {
			add(what, before, after, login)
		}
		after = before
	}
	return list
}

// branch is the one that people push to: of pull request 7 it is pull-7, unless the test says another.
func (p *Pull) branch() string { return cmp.Or(p.From, fmt.Sprint("pull-", p.Number)) }

// second is a time as GitHub gives it.
func second(at time.Time) time.Time { return at.Truncate(time.Second) }

func (s *Server) pull(example string, p Pull) map[string]any {
	// the example has a team that lacks what the description requires
	of := s.like(example, "requested_teams", []any{}, "number", p.Number, "title", p.Title, "state", "open",
		"updated_at", second(p.Updated))
	head, repository := of["head"].(map[string]any), "acme/ads"
	if p.Fork != "" {
		repository = p.Fork
	}
	if p.From != "" && !p.Closed {
		p.Head = s.HeadOf(p.Number, p.From)
	}
	head["sha"], head["ref"], of["body"] = p.Head, p.branch(), p.Body
	head["repo"].(map[string]any)["full_name"] = repository
	of["base"].(map[string]any)["ref"] = p.Base
	of["user"].(map[string]any)["login"] = p.Author
	if example == "pull-request" {
		of["merged"] = p.Merged != ""
	}
	if p.Merged != "" {
		of["merge_commit_sha"] = p.Merged
	}
	if p.Closed {
		of["state"] = "closed"
	}
	return of
}

func (s *Server) comment(c Comment) map[string]any {
	of := s.like("issue-comment-items", "id", c.ID, "body", c.Body, "created_at", second(c.At),
		"updated_at", second(c.Changed), "html_url", s.Page(fmt.Sprintf("issues/%d#issuecomment-%d", c.Pull, c.ID)))
	by(of["user"], c.By, c.Bot)
	of["performed_via_github_app"] = nil
	if c.Via != "" {
		of["performed_via_github_app"] = map[string]any{"id": 1, "slug": c.Via, "node_id": "n", "owner": of["user"],
			"name": c.Via, "description": "", "external_url": "https://example.com", "html_url": "https://example.com",
			"created_at": second(c.At), "updated_at": second(c.At), "permissions": map[string]any{}, "events": []any{}}
	}
	return of
}

func (s *Server) review(r Review) map[string]any {
	of := s.like("pull-request-review-items", "id", r.ID, "state", r.State, "commit_id", r.Commit,
		"submitted_at", second(r.Submitted),
		"html_url", s.Page(fmt.Sprintf("pull/%d#pullrequestreview-%d", r.Pull, r.ID)))
	by(of["user"], r.By, r.Bot)
	return of
}

func (s *Server) commit(login string) map[string]any {
	of := s.like("commit-items")
	by(of["committer"], "web-flow", false)
	if by(of["author"], login, false); login == "" {
		of["author"] = nil
	}
	return of
}

// by has a user be another.
func by(user any, login string, bot bool) {
	of := user.(map[string]any)
	if of["login"] = login; bot {
		of["type"] = "Bot"
	}
}
