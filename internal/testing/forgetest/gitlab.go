package forgetest

import (
	"cmp"
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

//go:embed gitlab.json
var gitlab []byte

// StartGitLab starts a GitLab with the project acme/media/ads.
func StartGitLab(t testing.TB) *Server {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(gitlab)
	if err != nil {
		t.Fatal(err)
	}
	document.Servers = openapi3.Servers{{URL: "/"}}
	return start(t, "GitLab", document, asGitLab)
}

const projectID = 4

// asGitLab does what is asked. mu is held.
func asGitLab(s *Server, r *http.Request, of map[string]string, body map[string]any) reply {
	what := last(r, of)
	if name, err := url.PathUnescape(of["id"]); err != nil || strings.Contains(r.URL.Path, "/projects/") &&
		name != Repository {
		return absent("404 Project Not Found")
	} else if what == "GET members" {
		return s.members(name, r.URL.Query().Get("query"))
	}
	at := slices.IndexFunc(s.pulls, func(p Pull) bool {
		return fmt.Sprint(p.Number) == of["merge_request_iid"]+of["noteable_id"]
	})
	if at < 0 && of["merge_request_iid"]+of["noteable_id"] != "" {
		return absent("404 Not found")
	}
	list := []any{}
	switch what {
	case "GET user":
		return reply{http.StatusOK, gitlabUser(User)}
	case "GET merge_requests":
		if of["merge_request_iid"] != "" {
			return reply{http.StatusOK, mergeRequest(s, s.pulls[at])}
		}
		for _, p := range s.pulls {
			if q := r.URL.Query(); (q.Get("state") != "opened" || !p.Closed) &&
				(q.Get("target_branch") == "" || q.Get("target_branch") == p.Base) &&
				(q.Get("source_branch") == "" || q.Get("source_branch") == p.Branch) {
				list = append(list, mergeRequest(s, p))
			}
		}
		return reply{http.StatusOK, list}
	case "POST merge_requests":
		if p := s.propose(Pull{Branch: text(body, "source_branch"), Base: text(body, "target_branch"),
			Title: text(body, "title"), Body: s.obeyed(text(body, "description"))}); p != nil {
			return reply{http.StatusCreated, mergeRequest(s, *p)}
		}
		return reply{http.StatusConflict, map[string]any{"message": []any{"Another open merge request already exists"}}}
	case "PUT merge_requests":
		s.obeyed(text(body, "description"))
		return reply{http.StatusOK, mergeRequest(s, s.revise(at, body, "description", "state_event", "close"))}
	case "GET notes":
		for _, c := range s.comments {
			if fmt.Sprint(c.Pull) == of["noteable_id"] {
				list = append(list, note(c))
			}
		}
		for _, n := range s.notes {
			if fmt.Sprint(n.Pull) == of["noteable_id"] {
				list = append(list, diffNote(s, n))
			}
		}
		return reply{http.StatusOK, list}
	case "DELETE notes":
		return removeNote(s, of["note_id"])
	case "POST discussions":
		return discuss(s, s.pulls[at], body)
	case "GET commits":
		for _, hash := range s.pulls[at].Commits {
			list = append(list, map[string]any{"id": hash, "short_id": hash[:8], "title": "Edit", "message": "Edit",
				"author_name": "Ann", "author_email": "ann@example.com", "authored_date": s.Now(),
				"committer_name": "Ann", "committer_email": "ann@example.com", "committed_date": s.Now(),
				"created_at": s.Now(), "parent_ids": []any{}, "web_url": s.Page("/-/commit/" + hash)})
		}
		return reply{http.StatusOK, list}
	case "GET diffs":
		return diffs(s, s.pulls[at].Number)
	case "POST notes":
		return reply{http.StatusCreated, note(s.write(Comment{Pull: s.pulls[at].Number, By: User,
			Body: s.obeyed(text(body, "body"))}))}
	case "PUT notes":
		if c, ok := s.edit(of["note_id"], s.obeyed(text(body, "body"))); ok {
			return reply{http.StatusOK, note(c)}
		}
		return absent("404 Note Not Found")
	case "POST statuses":
		return s.status(of["sha"], body)
	case "GET events":
		for _, p := range slices.Backward(s.pushes) {
			list = append(list, event(p))
		}
		return reply{http.StatusOK, list}
	}
	s.t.Errorf("nothing answers %s %s", r.Method, r.URL)
	return absent("404 Not Found")
}

// obeyed fails the test where GitLab would take an order from a text: a line of it that begins with one.
func (s *Server) obeyed(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "/") {
			s.t.Errorf("GitLab does what a note says: %s", line)
		}
	}
	return text
}

// status sets one. One that waits cannot be made wait, and a commit that is in no branch wants to be told one.
func (s *Server) status(sha string, body map[string]any) reply {
	one := Status{Commit: sha, Ref: text(body, "ref"), Context: text(body, "name"), State: text(body, "state"),
		Description: text(body, "description")}
	for _, before := range slices.Backward(s.statuses) {
		if before.Commit != sha || before.Context != one.Context {
			continue
		}
		if before.State == "pending" && one.State == "pending" {
			return reply{http.StatusBadRequest, map[string]any{"message": "Cannot transition status via :enqueue " +
				`from :pending (Reason(s): Status cannot transition via "enqueue")`}}
		}
		break
	}
	fork := slices.ContainsFunc(s.pulls, func(p Pull) bool { return p.Head == sha && p.Fork })
	if fork && one.Ref == "" {
		return absent("404 References for commit Not Found")
	}
	s.statuses = append(s.statuses, one)
	return reply{http.StatusCreated, map[string]any{"id": 93, "sha": sha, "ref": one.Ref, "status": one.State,
		"name": one.Context, "target_url": nil, "description": one.Description, "created_at": s.Now(),
		"started_at": nil, "finished_at": nil, "allow_failure": false, "coverage": nil, "pipeline_id": 46,
		"author": gitlabUser(User)}}
}

func (s *Server) members(group, query string) reply {
	logins, known := s.teams[group]
	if !known {
		return absent("404 Group Not Found")
	}
	list := []any{}
	for _, login := range logins {
		if strings.Contains(login, query) { // it looks for parts of names
			member := gitlabUser(login)
			member["access_level"], member["created_at"], member["expires_at"] = 30, s.Now(), nil
			list = append(list, member)
		}
	}
	return reply{http.StatusOK, list}
}

func gitlabUser(login string) map[string]any {
	return map[string]any{"id": idOf(login), "username": login, "name": login, "state": "active", "locked": false,
		"avatar_url": nil, "web_url": "https://gitlab.example.com/" + login}
}

func mergeRequest(s *Server, p Pull) map[string]any {
	state, merge, source := "opened", any(nil), projectID
	switch {
	case p.Merged != "":
		state, merge = "merged", p.Merged
	case p.Closed:
		state = "closed"
	}
	if p.Fork {
		source++
	}
	return map[string]any{
		"id": 1000 + p.Number, "iid": p.Number, "project_id": projectID, "title": p.Title, "description": p.Body,
		"state": state, "created_at": p.Updated, "updated_at": p.Updated, "merged_by": nil, "merged_at": nil,
		"closed_by": nil, "closed_at": nil, "target_branch": p.Base, "source_branch": p.Branch, "user_notes_count": 0,
		"upvotes": 0, "downvotes": 0, "author": gitlabUser(p.Author), "assignees": []any{}, "assignee": nil,
		"reviewers": []any{}, "source_project_id": source, "target_project_id": projectID, "labels": []any{},
		"draft": false, "work_in_progress": false, "milestone": nil, "merge_when_pipeline_succeeds": false,
		"merge_status": "can_be_merged", "detailed_merge_status": "mergeable", "sha": p.Head,
		"merge_commit_sha": merge, "squash_commit_sha": nil, "discussion_locked": nil,
		"should_remove_source_branch": nil, "force_remove_source_branch": true, "prepared_at": p.Updated,
		"reference": fmt.Sprint("!", p.Number), "squash": false, "has_conflicts": false,
		"web_url": s.Page(fmt.Sprintf("/-/merge_requests/%d", p.Number)), "blocking_discussions_resolved": true,
		"diff_refs": map[string]any{"base_sha": baseOfAll, "start_sha": baseOfAll, "head_sha": p.Head},
	}
}

func note(c Comment) map[string]any {
	of := map[string]any{"id": c.ID, "type": nil, "body": c.Body, "author": gitlabUser(c.By), "created_at": c.At,
		"updated_at": c.Changed, "system": c.Kind == "system", "noteable_id": 1000 + c.Pull,
		"noteable_type": "MergeRequest", "project_id": projectID, "resolvable": false, "confidential": false,
		"internal": false, "imported": false, "imported_from": "none", "noteable_iid": c.Pull}
	if c.Kind == "DiffNote" {
		of["type"] = c.Kind
	}
	return of
}

func event(p Push) map[string]any {
	push := map[string]any{"commit_count": 1, "action": p.Action, "ref_type": cmp.Or(p.Kind, "branch"),
		"commit_from": p.From, "commit_to": p.To, "ref": p.Branch, "commit_title": "Edit", "ref_count": nil}
	switch p.Action {
	case "created":
		push["commit_from"] = nil
	case "removed":
		push["commit_to"] = nil
	}
	if p.Branch == "" {
		push["ref"], push["ref_count"] = nil, 4
	}
	return map[string]any{"id": 1, "project_id": projectID, "action_name": "pushed to", "target_id": nil,
		"target_iid": nil, "target_type": nil, "author_id": idOf(p.By), "target_title": nil,
		"created_at": "2026-03-01T12:00:00Z", "author": gitlabUser(p.By), "author_username": p.By, "push_data": push}
}
