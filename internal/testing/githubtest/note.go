package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Note is a comment at a line. Line is 0 where the head of the pull request has the file otherwise than when it was
// written.
type Note struct {
	ID, Review int64
	Pull       int
	By         string
	Bot        bool
	Path       string
	Line       int
	Body       string

	patch string // of the file when it was written
	at    time.Time
}

// Note has somebody write at a line, and returns the id.
func (s *Server) Note(n Note) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	n.ID, n.patch, n.at = s.next, patches(s, n.Pull)[n.Path], s.Now()
	s.notes = append(s.notes, n)
	s.touch(n.Pull)
	return n.ID
}

// Notes returns those of a pull request, the oldest first.
func (s *Server) Notes(pull int) (of []Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	diff := patches(s, pull)
	for _, n := range s.notes {
		if n.Pull == pull {
			if n.patch != diff[n.Path] {
				n.Line = 0
			}
			of = append(of, n)
		}
	}
	return of
}

// patches are the parts of a diff of git that are of a file each, from its first hunk on, by path. mu is held.
func patches(s *Server, pull int) map[string]string {
	of := map[string]string{}
	if s.DiffOf == nil {
		return of
	}
	for _, file := range strings.Split("\n"+s.DiffOf(pull), "\ndiff --git ")[1:] {
		_, path, _ := strings.Cut(file, "\n+++ b/")
		path, _, _ = strings.Cut(path, "\n")
		if at := strings.Index(file, "\n@@ "); at >= 0 {
			of[strings.TrimSuffix(path, "\t")] = strings.TrimSuffix(file[at+1:], "\n")
		}
	}
	return of
}

var hunk = regexp.MustCompile(`(?m)^@@ -[0-9,]+ \+([0-9]+)(?:,([0-9]+))? @@`)

// shows reports whether a patch shows a line of the head.
func shows(patch string, line int) bool {
	return slices.ContainsFunc(hunk.FindAllStringSubmatch(patch, -1), func(found []string) bool {
		from, _ := strconv.Atoi(found[1])
		count, err := strconv.Atoi(found[2])
		if err != nil {
			count = 1
		}
		return line >= from && line < from+count
	})
}

// notesOf answers what is asked of notes and of the diff. mu is held.
func notesOf(s *Server, what string, parameters map[string]string, body []byte) (int, any) {
	number, _ := strconv.Atoi(parameters["pull_number"])
	list := []any{}
	switch what {
	case "GET notes":
		diff := patches(s, number)
		for _, n := range s.notes {
			if n.Pull == number {
				list = append(list, note(s, n, diff[n.Path] == n.patch))
			}
		}
	case "GET files":
		for path, patch := range patches(s, number) {
			list = append(list, s.like("diff-entry-items", "filename", path, "patch", patch, "status", "modified"))
		}
	case "POST reviews":
		return reviewed(s, number, body)
	case "DELETE note":
		at := slices.IndexFunc(s.notes, func(n Note) bool { return fmt.Sprint(n.ID) == parameters["comment_id"] })
		if at < 0 {
			return http.StatusNotFound, map[string]any{"message": "Not Found"}
		}
		if n := s.notes[at]; n.By != User {
			s.t.Errorf("a note of %s is deleted", n.By)
		}
		unreview(s, at)
		return http.StatusNoContent, nil
	}
	return http.StatusOK, list
}

// unreview takes a note away, and its review with the last of its notes. mu is held.
func unreview(s *Server, at int) {
	review := s.notes[at].Review
	s.touch(s.notes[at].Pull)
	s.notes = slices.Delete(s.notes, at, at+1)
	if !slices.ContainsFunc(s.notes, func(n Note) bool { return n.Review == review }) {
		s.reviews = slices.DeleteFunc(s.reviews, func(r Review) bool { return r.ID == review })
	}
}

// reviewed writes a review with notes, or nothing where one of them is at a line that the diff does not show.
func reviewed(s *Server, number int, body []byte) (code int, answer any) {
	var said struct {
		Event, Body string
		CommitID    string `json:"commit_id"`
		Comments    []struct {
			Path, Body, Side string
			Line             int
		}
	}
	if err := json.Unmarshal(body, &said); err != nil {
		s.t.Error(err)
	}
	refused := func(why string) (int, any) {
		return http.StatusUnprocessableEntity, map[string]any{"message": "Unprocessable Entity",
			"documentation_url": "https://docs.github.com", "errors": []any{why}}
	}
	if said.Event != "COMMENT" || said.Body == "" && len(said.Comments) == 0 {
		return refused("Body can't be blank")
	}
	diff := patches(s, number)
	for _, c := range said.Comments {
		if c.Side != "RIGHT" || !shows(diff[c.Path], c.Line) {
			return refused("Line could not be resolved")
		}
	}
	s.next++
	review := Review{ID: s.next, Pull: number, By: User, State: "COMMENTED", Commit: said.CommitID, Submitted: s.Now()}
	s.reviews = append(s.reviews, review)
	for _, c := range said.Comments {
		s.next++
		s.notes = append(s.notes, Note{ID: s.next, Review: review.ID, Pull: number, By: User, Path: c.Path,
			Line: c.Line, Body: c.Body, patch: diff[c.Path], at: s.Now()})
	}
	s.touch(number)
	return http.StatusOK, s.review(review)
}

func note(s *Server, n Note, stands bool) map[string]any {
	of := s.like("pull-request-review-comment-items", "id", n.ID, "body", n.Body, "path", n.Path, "line", n.Line,
		"original_line", n.Line, "pull_request_review_id", n.Review, "created_at", n.at, "updated_at", n.at)
	delete(of, "in_reply_to_id")
	if !stands {
		delete(of, "line")
	}
	by(of["user"], n.By, n.Bot)
	return of
}
