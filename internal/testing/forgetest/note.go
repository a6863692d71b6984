package forgetest

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Note is a comment at a line, of a review on Gitea, in a thread on GitLab.
type Note struct {
	ID     int64
	Review int // on Gitea; others may answer in it
	Pull   int
	By     string
	Path   string
	Line   int
	Body   string
	Commit string // the head when it was written

	old int
}

// Note has somebody write at a line, and returns the id.
func (s *Server) Note(n Note) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return writeNote(s, n)
}

// writeNote keeps a note. mu is held.
func writeNote(s *Server, n Note) int64 {
	s.next++
	n.ID = s.next
	s.notes = append(s.notes, n)
	return n.ID
}

// Notes returns those of a pull request, the oldest first.
func (s *Server) Notes(pull int) (of []Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.notes {
		if n.Pull == pull {
			of = append(of, n)
		}
	}
	return of
}

// removeNote takes one away. mu is held.
func removeNote(s *Server, id string) reply {
	at := slices.IndexFunc(s.notes, func(n Note) bool { return fmt.Sprint(n.ID) == id })
	if at < 0 {
		return absent("404 Note Not Found")
	}
	if by := s.notes[at].By; by != User {
		s.t.Errorf("a note of %s is deleted", by)
	}
	s.notes = slices.Delete(s.notes, at, at+1)
	return reply{http.StatusNoContent, nil}
}

// hunks are those of a diff of git, by path. mu is held.
func hunks(s *Server, pull int) map[string]string {
	of := map[string]string{}
	if s.DiffOf == nil {
		return of
	}
	for _, file := range strings.Split("\n"+s.DiffOf(pull), "\ndiff --git ")[1:] {
		_, path, _ := strings.Cut(file, "\n+++ b/")
		path, _, _ = strings.Cut(path, "\n")
		if at := strings.Index(file, "\n@@ "); at >= 0 {
			of[strings.TrimSuffix(path, "\t")] = file[at+1:]
		}
	}
	return of
}

var hunkStart = regexp.MustCompile(`^@@ -([0-9]+)(?:,[0-9]+)? \+([0-9]+)(?:,[0-9]+)? @@`)

// shown is a line of the head as hunks show it: the line before it is the same as, 0 where it is new.
func shown(hunks string, line int) (old int, is bool) {
	var was, now int
	for text := range strings.SplitSeq(hunks, "\n") {
		if found := hunkStart.FindStringSubmatch(text); found != nil {
			was, _ = strconv.Atoi(found[1])
			now, _ = strconv.Atoi(found[2])
			continue
		}
		switch {
		case strings.HasPrefix(text, "+"):
			if now == line {
				return 0, true
			}
			now++
		case strings.HasPrefix(text, "-"):
			was++
		case strings.HasPrefix(text, " "):
			if now == line {
				return was, true
			}
			was, now = was+1, now+1
		}
	}
	return 0, false
}

// discuss begins a thread at a line, on GitLab.
func discuss(s *Server, p Pull, body map[string]any) reply {
	at, _ := body["position"].(map[string]any)
	number := func(name string) int {
		n, _ := at[name].(float64)
		return int(n)
	}
	path, line := text(at, "new_path"), number("new_line")
	old, is := shown(hunks(s, p.Number)[path], line)
	if !is || old != number("old_line") || text(at, "head_sha") != p.Head || text(at, "base_sha") != baseOfAll ||
		text(at, "start_sha") != baseOfAll || text(at, "old_path") == "" {
		return reply{http.StatusBadRequest, map[string]any{"message": `400 Bad request - Note {:line_code=>` +
			`["can't be blank", "must be a valid line code"]}`}}
	}
	n := Note{Pull: p.Number, By: User, Path: path, Line: line, Body: s.obeyed(text(body, "body")), Commit: p.Head,
		old: old}
	n.ID = writeNote(s, n)
	return reply{http.StatusCreated, map[string]any{"id": fmt.Sprint("d", n.ID), "individual_note": false,
		"notes": []any{diffNote(s, n)}}}
}

// baseOfAll is the commit that every merge request began at.
var baseOfAll = strings.Repeat("b", 40)

func diffNote(s *Server, n Note) map[string]any {
	of := note(Comment{ID: n.ID, Pull: n.Pull, By: n.By, Body: n.Body, Kind: "DiffNote", At: s.Now(), Changed: s.Now()})
	position := map[string]any{"base_sha": baseOfAll, "start_sha": baseOfAll, "head_sha": n.Commit, "old_path": n.Path,
		"new_path": n.Path, "position_type": "text", "old_line": nil, "new_line": n.Line}
	if n.old > 0 {
		position["old_line"] = n.old
	}
	of["position"], of["resolvable"], of["resolved"] = position, true, false
	return of
}

// diffs are the changed files, on GitLab.
func diffs(s *Server, pull int) reply {
	list, hunks := []any{}, hunks(s, pull)
	for _, path := range slices.Sorted(maps.Keys(hunks)) {
		list = append(list, map[string]any{"old_path": path, "new_path": path, "a_mode": "100644", "b_mode": "100644",
			"diff": hunks[path], "new_file": false, "renamed_file": false, "deleted_file": false, "generated_file": nil,
			"collapsed": false, "too_large": false})
	}
	return reply{http.StatusOK, list}
}

// reviewed writes a review with notes, on Gitea, which takes any line.
func reviewed(s *Server, p Pull, body map[string]any) reply {
	comments, _ := body["comments"].([]any)
	if text(body, "event") != "COMMENT" || len(comments) == 0 && text(body, "body") == "" {
		return reply{http.StatusUnprocessableEntity, map[string]any{"message": "review event COMMENT requires a body " +
			"or a comment"}}
	}
	v := Review{Pull: p.Number, By: User, State: "COMMENT", Commit: text(body, "commit_id"), Words: text(body, "body")}
	s.reviews = append(s.reviews, v)
	for _, one := range comments {
		c, _ := one.(map[string]any)
		line, _ := c["new_position"].(float64)
		if _, is := shown(hunks(s, p.Number)[text(c, "path")], int(line)); !is {
			s.t.Errorf("a note is at line %v of %s, which the diff does not show", line, text(c, "path"))
		}
		writeNote(s, Note{Review: len(s.reviews), Pull: p.Number, By: User, Path: text(c, "path"), Line: int(line),
			Body: text(c, "body"), Commit: v.Commit})
	}
	return reply{http.StatusOK, s.review(len(s.reviews), v)}
}

// unreviewed takes a review and its notes away. mu is held.
func unreviewed(s *Server, id string) reply {
	at, _ := strconv.Atoi(id)
	if at < 1 || at > len(s.reviews) || s.reviews[at-1].Pull == 0 {
		return absent("review does not exist")
	}
	s.notes = slices.DeleteFunc(s.notes, func(n Note) bool {
		if n.Review == at && n.By != User {
			s.t.Errorf("a note of %s goes with a review", n.By)
		}
		return n.Review == at
	})
	s.reviews[at-1] = Review{} // the ids of others stay
	return reply{http.StatusNoContent, nil}
}

// reviewComments are those of a review, on Gitea. One of nobody is none.
func reviewComments(s *Server, id string) reply {
	list := []any{}
	for _, n := range s.notes {
		if fmt.Sprint(n.Review) == id {
			list = append(list, map[string]any{"id": n.ID, "body": n.Body, "user": s.giteaUser(n.By), "path": n.Path,
				"position": n.Line, "original_position": 0, "commit_id": n.Commit, "pull_request_review_id": n.Review,
				"created_at": s.second(s.Now()), "updated_at": s.second(s.Now())})
		}
	}
	return reply{http.StatusOK, whole(list)}
}
