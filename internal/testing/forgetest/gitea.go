package forgetest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
)

//go:embed gitea.json
var gitea []byte

// StartGitea starts a Gitea with the repository acme/ads.
func StartGitea(t testing.TB) *Server {
	t.Helper()
	var published openapi2.T
	if err := json.Unmarshal(gitea, &published); err != nil {
		t.Fatal(err)
	}
	document, err := openapi2conv.ToV3(&published)
	if err != nil {
		t.Fatal(err)
	}
	document.Servers = openapi3.Servers{{URL: "/api/v1"}}
	const pull = "/repos/{owner}/{repo}/pulls/"
	document.Paths.Set(pull+"{index:[0-9]+}", document.Paths.Value(pull+"{index}")) // and not its diff, pulls/7.diff
	document.Paths.Delete(pull + "{index}")
	s := start(t, "Gitea", document, asGitea)
	s.Most = 50
	return s
}

// asGitea does what is asked. mu is held.
func asGitea(s *Server, r *http.Request, of map[string]string, body map[string]any) reply {
	if repo := of["owner"] + "/" + of["repo"]; repo != "/" && repo != Plain {
		return absent("GetRepositoryByName")
	}
	at := slices.IndexFunc(s.pulls, func(p Pull) bool { return fmt.Sprint(p.Number) == of["index"] })
	if at < 0 && of["index"] != "" {
		return absent("pull request does not exist")
	}
	list := []any{}
	if of["diffType"] != "" && s.DiffOf == nil {
		return reply{http.StatusOK, plain("")}
	}
	if of["diffType"] != "" {
		return reply{http.StatusOK, plain(s.DiffOf(s.pulls[at].Number))}
	}
	switch last(r, of) {
	case "GET user":
		return reply{http.StatusOK, s.giteaUser(User)}
	case "GET pulls":
		if of["index"] != "" {
			return reply{http.StatusOK, s.pull(s.pulls[at])}
		}
		for _, p := range s.pulls {
			if r.URL.Query().Get("state") != "open" || !p.Closed {
				list = append(list, s.pull(p))
			}
		}
		return reply{http.StatusOK, list}
	case "POST pulls":
		if p := s.propose(Pull{Branch: text(body, "head"), Base: text(body, "base"), Title: text(body, "title"),
			Body: text(body, "body")}); p != nil {
			return reply{http.StatusCreated, s.pull(*p)}
		}
		return reply{http.StatusConflict, map[string]any{"message": "pull request already exists for these targets"}}
	case "PATCH pulls":
		return reply{http.StatusCreated, s.pull(s.revise(at, body, "body", "state", "closed"))}
	case "GET commits":
		for _, by := range s.pulls[at].Commits {
			commit := map[string]any{"sha": s.pulls[at].Head}
			if by != "" {
				commit["author"], commit["committer"] = s.giteaUser(by), s.giteaUser(by)
			}
			list = append(list, commit)
		}
		return reply{http.StatusOK, list}
	case "GET reviews":
		for i, v := range s.reviews {
			if fmt.Sprint(v.Pull) == of["index"] {
				list = append(list, s.review(i+1, v))
			}
		}
		return reply{http.StatusOK, list}
	case "POST reviews":
		return reviewed(s, s.pulls[at], body)
	case "DELETE reviews":
		return unreviewed(s, of["id"])
	case "DELETE comments":
		return removeNote(s, of["id"])
	case "GET comments":
		if of["id"] != "" {
			return reviewComments(s, of["id"])
		}
		for _, c := range s.comments {
			if fmt.Sprint(c.Pull) == of["index"] {
				list = append(list, s.comment(c))
			}
		}
		return reply{http.StatusOK, whole(list)}
	case "POST comments":
		return reply{http.StatusCreated,
			s.comment(s.write(Comment{Pull: s.pulls[at].Number, By: User, Body: text(body, "body")}))}
	case "PATCH comments":
		if c, ok := s.edit(of["id"], text(body, "body")); ok {
			return reply{http.StatusOK, s.comment(c)}
		}
		return absent("comment does not exist")
	case "POST statuses":
		one := Status{Commit: of["sha"], Context: text(body, "context"), State: text(body, "state"),
			Description: text(body, "description")}
		s.statuses = append(s.statuses, one)
		return reply{http.StatusCreated, map[string]any{"id": 7, "status": one.State, "context": one.Context,
			"description": one.Description, "target_url": "", "creator": s.giteaUser(User),
			"created_at": s.second(s.Now()), "updated_at": s.second(s.Now())}}
	case "GET feeds":
		for i, p := range slices.Backward(s.pushes) {
			list = append(list, s.feed(i, p)...)
		}
		return reply{http.StatusOK, list}
	case "GET search", "GET members":
		return s.team(r, of)
	}
	s.t.Errorf("nothing answers %s %s", r.Method, r.URL)
	return absent("not found")
}

// team looks for teams, or for somebody in one. The id of a team is that of its name.
func (s *Server) team(r *http.Request, of map[string]string) reply {
	found := []any{}
	for full, logins := range s.teams {
		organization, name, _ := strings.Cut(full, "/")
		if of["id"] == fmt.Sprint(idOf(full)) && slices.Contains(logins, of["username"]) {
			return reply{http.StatusOK, s.giteaUser(of["username"])}
		}
		if of["org"] == organization && strings.Contains(name, r.URL.Query().Get("q")) {
			found = append(found, map[string]any{"id": idOf(full), "name": name})
		}
	}
	if of["org"] == "" || len(found) == 0 {
		return absent("not found")
	}
	return reply{http.StatusOK, map[string]any{"ok": true, "data": found}}
}

// feed is what the activity of a repository has of a push: of one that made a branch two entries, in any order.
func (s *Server) feed(at int, p Push) (entries []any) {
	entry := func(content string) map[string]any {
		return map[string]any{"id": 1, "op_type": "commit_repo", "act_user": s.giteaUser(p.By),
			"ref_name": "refs/heads/" + p.Branch, "content": content,
			"created": time.Date(2026, 3, 1, 12, at, 0, 0, time.UTC)}
	}
	entries = []any{entry(fmt.Sprintf(`{"Commits":[{"Sha1":%q}],"HeadCommit":{"Sha1":%[1]q},`+
		`"CompareURL":"acme/ads/compare/%s...%[1]s","Len":1}`, p.To, p.From))}
	if p.Action == "created" {
		entries = slices.Insert(entries, at%2, any(entry("")))
	}
	return entries
}

// second is a time as Gitea gives it.
func (s *Server) second(at time.Time) string { return at.Truncate(time.Second).Format(time.RFC3339) }

func (s *Server) giteaUser(login string) map[string]any {
	id := idOf(login)
	if login == "Ghost" { // who is gone
		id = -1
	}
	return map[string]any{"id": id, "login": login, "username": login, "full_name": "", "email": login +
		"@noreply.localhost", "avatar_url": "", "html_url": s.URL + "/" + login, "active": false, "is_admin": false}
}

func (s *Server) pull(p Pull) map[string]any {
	state, from := "open", Plain
	if p.Closed {
		state = "closed"
	}
	if p.Fork {
		from = "eve/ads"
	}
	of := map[string]any{
		"id": 1000 + p.Number, "number": p.Number, "title": p.Title, "body": p.Body,
		"user": s.giteaUser(p.Author), "state": state,
		"html_url": s.Page(fmt.Sprintf("/pulls/%d", p.Number)), "merged": p.Merged != "",
		"base":       map[string]any{"label": p.Base, "ref": p.Base, "sha": strings.Repeat("b", 40), "repo_id": 1},
		"created_at": s.second(p.Updated), "updated_at": s.second(p.Updated),
		"head": map[string]any{"label": p.Branch, "ref": p.Branch, "sha": p.Head, "repo_id": 1,
			"repo": map[string]any{"id": 1, "full_name": from}},
	}
	if p.Merged != "" {
		of["merge_commit_sha"] = p.Merged
	}
	return of
}

func (s *Server) comment(c Comment) map[string]any {
	of := map[string]any{"id": c.ID, "user": s.giteaUser(c.By), "body": c.Body, "created_at": s.second(c.At),
		"updated_at": s.second(c.Changed), "original_author": c.From, "original_author_id": 0,
		"html_url": s.Page(fmt.Sprintf("/pulls/%d#issuecomment-%d", c.Pull, c.ID))}
	return of
}

func (s *Server) review(id int, v Review) map[string]any {
	return map[string]any{"id": id, "user": s.giteaUser(v.By), "state": v.State, "body": v.Words,
		"commit_id": v.Commit, "dismissed": v.Dismissed, "submitted_at": s.second(s.Now()),
		"html_url": s.Page(fmt.Sprintf("/pulls/%d#issuecomment-%d", v.Pull, id))}
}
