package forge_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/forge"
	"adsync/internal/testing/forgetest"
)

func TestOthersFindAPullRequest(t *testing.T) {
	onOthers(t, func(t *testing.T, o other, s *forgetest.Server, r forge.Repository) {
		s.Set(forgetest.Pull{Number: 7, Head: commitA, Base: "main", Branch: "raise", Author: "ann", Closed: true,
			Merged: commitB},
			forgetest.Pull{Number: 8, Head: commitA, Base: "main", Branch: "x", Author: "eve", Fork: true})
		p, err := r.Find(t.Context(), 7)
		if err != nil || p.Merged != commitB || !p.Closed || p.Branch != "main" || p.Ref != o.ref {
			t.Errorf("%+v, %v; want one that was merged as %s", p, err, commitB)
		}
		if p, err = r.Find(t.Context(), 8); err != nil || p.Merged != "" || p.Closed ||
			p.Source == o.repository+":x" {
			t.Errorf("%+v, %v; want one that is open, from elsewhere", p, err)
		}
		if p, err = r.Find(t.Context(), 9); err != nil || p != (forge.Pull{Number: 9, Closed: true}) {
			t.Errorf("%+v, %v; want one that is closed: it is listed nowhere", p, err)
		}
		s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, `{"message": "404 Project Not Found"}`, http.StatusNotFound)
			return true
		}
		if p, err = r.Find(t.Context(), 7); err == nil {
			t.Errorf("%+v; want an error: nobody sees any", p)
		}
	})
}

// What people said; what the forge itself wrote, what is about a line, and what was brought from elsewhere is nothing.
func TestWhatIsSaidOnOthers(t *testing.T) {
	onOthers(t, func(t *testing.T, o other, s *forgetest.Server, r forge.Repository) {
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		bot := map[string]string{"GitLab": "project_4_bot_a1", "Gitea": "Ghost"}[o.name]
		for _, c := range []forgetest.Comment{
			{By: "ann", Body: "adsync approve 1", At: at},
			{By: "bob", Body: "adsync approve 2", At: at, Changed: at.Add(time.Minute)},
			{By: bot, Body: "adsync approve 3", At: at},
			{By: "eve", Body: "adsync approve 4", At: at, Kind: "system", From: "ann"},
			{By: "eve", Body: "adsync approve 5", At: at, Kind: "DiffNote", From: "ann"},
		} {
			c.Pull = 7
			s.Comment(c)
		}
		for _, v := range []forgetest.Review{
			{By: "bob", State: "APPROVED", Commit: commitA}, {By: "eve", State: "PENDING", Commit: commitA},
			{By: "cy", State: "REQUEST_CHANGES", Commit: commitB},
			{By: "dee", State: "APPROVED", Commit: commitA, Dismissed: true}, {By: "eve", State: "REQUEST_REVIEW"},
		} {
			v.Pull = 7
			s.Review(v)
		}
		p, err := r.Find(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		talk, err := r.Talk(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		var said, reviewed []string
		for _, c := range talk.Comments {
			said = append(said, fmt.Sprint(c.By, " ", c.Text[len(c.Text)-1:], " ", c.Bot, " ", c.Edited))
			if c.ID == "" || !c.At.Equal(at) || !strings.Contains(c.Address, c.ID) {
				t.Errorf("%+v; want an id, its time and its address", c)
			}
		}
		for _, v := range talk.Reviews {
			reviewed = append(reviewed, fmt.Sprint(v.By, " ", v.Opinion, " ", v.Commit[:1], " ", v.Bot))
		}
		wrote := []string{"ann 1 false false", "bob 2 false true", bot + " 3 true false"}
		if o.name == "Gitea" { // it does not say what was edited within a second
			wrote = []string{"ann 1 false true", "bob 2 false true", bot + " 3 true true"}
		}
		if !slices.Equal(said, wrote) {
			t.Errorf("it is said %q; want %q", said, wrote)
		}
		want := []string{"bob approves a false", "cy objects b false", "dee dismissed a false"}
		if o.name == "GitLab" {
			want = nil // it does not say which commit somebody approved
		}
		if !slices.Equal(reviewed, want) {
			t.Errorf("it is reviewed %q; want %q", reviewed, want)
		}
	})
}

// "" is somebody whom the forge does not name.
func TestWhoPushedOnGitLab(t *testing.T) {
	pushed := func(by, from, to string) forgetest.Push {
		return forgetest.Push{By: by, Branch: "raise", Action: "pushed", From: from, To: to}
	}
	made := func(by, to string) forgetest.Push {
		return forgetest.Push{By: by, Branch: "raise", Action: "created", To: to}
	}
	removed := func(by, from string) forgetest.Push {
		return forgetest.Push{By: by, Branch: "raise", Action: "removed", From: from}
	}
	commitC := strings.Repeat("c", 40)
	// The merge request has the commits A and B.
	elsewhere := func(by, branch, to string) forgetest.Push {
		return forgetest.Push{By: by, Branch: branch, Action: "pushed", From: commitC, To: to}
	}
	onMain := elsewhere("cy", "main", commitB)
	atOnce := forgetest.Push{By: "bob", Action: "pushed"}
	var many []forgetest.Push
	for range 150 {
		many = append(many, elsewhere("zoe", "other", commitC))
	}
	for _, row := range []struct {
		name   string
		pushes []forgetest.Push // the oldest first
		fork   bool
		want   []string
	}{
		{"who opened it", []forgetest.Push{made("ann", commitA)}, false, []string{"ann"}},
		{"others, too", []forgetest.Push{made("bob", commitB), pushed("eve", commitB, commitA), onMain}, false,
			[]string{"ann", "bob", "eve"}},
		{"who merged it has removed the branch", []forgetest.Push{made("ann", commitA), removed("bob", commitA)}, false,
			[]string{"ann"}},
		{"a branch of that name was there before", []forgetest.Push{made("eve", commitC), removed("eve", commitC),
			made("ann", commitA)}, false, []string{"ann"}},
		{"somebody restored it", []forgetest.Push{made("eve", commitA), removed("eve", commitA), made("ann", commitA)},
			false, []string{"ann", "eve"}},
		{"the newest push is not told yet", []forgetest.Push{made("ann", commitB)}, false, []string{"", "ann"}},
		{"one between is not told", []forgetest.Push{made("ann", commitC), pushed("ann", commitB, commitA)}, false,
			[]string{"", "ann"}},
		{"who made it is not known", []forgetest.Push{pushed("ann", commitB, commitA)}, false, []string{"", "ann"}},
		{"many branches at once", []forgetest.Push{made("ann", commitA), atOnce}, false, []string{"", "ann", "bob"}},
		{"a program pushed to it", []forgetest.Push{made("ann", commitB), pushed("project_4_bot_a1", commitB, commitA)},
			false, []string{"", "ann", "project_4_bot_a1"}},
		{"nothing", nil, false, []string{"", "ann"}},
		{"another project", []forgetest.Push{made("ann", commitA)}, true, []string{"", "ann"}},
		{"somebody pushed a commit of it to another branch before", []forgetest.Push{elsewhere("bob", "bobs", commitB),
			made("ann", commitA)}, false, []string{"ann", "bob"}},
		{"between two pushes", []forgetest.Push{made("ann", commitB), elsewhere("bob", "bobs", commitA),
			pushed("ann", commitB, commitA)}, false, []string{"ann", "bob"}},
		{"long before", append([]forgetest.Push{elsewhere("bob", "bobs", commitB)}, append(many,
			made("ann", commitA))...), false, []string{"ann", "bob"}},
		{"a tag of it before", []forgetest.Push{{By: "bob", Branch: "v1", Kind: "tag", Action: "created", To: commitB},
			made("ann", commitA)}, false, []string{"ann", "bob"}},
		{"a program did", []forgetest.Push{elsewhere("project_4_bot_a1", "bots", commitB), made("ann", commitA)}, false,
			[]string{"", "ann", "project_4_bot_a1"}},
		{"somebody pushed it on afterwards", []forgetest.Push{made("ann", commitA), elsewhere("bob", "stage", commitA),
			elsewhere("bob", "main", commitA)}, false, []string{"ann"}},
		{"somebody pushed other commits before", []forgetest.Push{elsewhere("bob", "bobs", commitC),
			made("ann", commitA)}, false, []string{"ann"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := forgetest.StartGitLab(t)
			s.Set(forgetest.Pull{Number: 7, Head: commitA, Base: "main", Branch: "raise", Author: "ann",
				Fork: row.fork, Commits: []string{commitA, commitB}})
			for _, p := range row.pushes {
				s.Push(p)
			}
			r, err := forge.NewGitLab(forge.Where{Repository: forgetest.Repository, API: s.URL, Token: otherToken})
			if err != nil {
				t.Fatal(err)
			}
			p, err := r.Find(t.Context(), 7)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := r.Authors(t.Context(), p); err != nil || !slices.Equal(got, row.want) {
				t.Errorf("%q, %v; want %q", got, err, row.want)
			}
		})
	}
}

// Users of Gitea can hide what they do: a push that is missing is seen.
func TestWhoPushedOnGitea(t *testing.T) {
	made := func(by, to string) forgetest.Push {
		return forgetest.Push{By: by, Branch: "raise", Action: "created", From: strings.Repeat("0", 40), To: to}
	}
	commitC := strings.Repeat("c", 40)
	pushed := func(by, from, to string) forgetest.Push {
		return forgetest.Push{By: by, Branch: "raise", Action: "pushed", From: from, To: to}
	}
	for _, row := range []struct {
		name   string
		pushes []forgetest.Push // the oldest first
		fork   bool
		want   []string
	}{
		{"who opened it", []forgetest.Push{made("ann", commitA)}, false, []string{"ann"}},
		{"others, too", []forgetest.Push{made("bob", commitB), pushed("eve", commitB, commitA)}, false,
			[]string{"ann", "bob", "eve"}},
		{"a program pushed to it", []forgetest.Push{made("ann", commitB), pushed("Ghost", commitB, commitA)}, false,
			[]string{"", "ann"}},
		{"a branch of that name was there before", []forgetest.Push{made("eve", commitB), made("ann", commitA)}, false,
			[]string{"ann"}},
		{"the newest is hidden", []forgetest.Push{made("ann", commitB)}, false, []string{"", "ann"}},
		{"one between is hidden", []forgetest.Push{made("ann", commitC), pushed("ann", commitB, commitA)}, false,
			[]string{"", "ann"}},
		{"the making is noted after its push", []forgetest.Push{pushed("eve", commitB, commitC), made("ann", commitA)},
			false, []string{"ann"}},
		{"another has the second push", []forgetest.Push{made("ann", commitC), pushed("eve", commitC, commitB),
			pushed("ann", commitB, commitA)}, false, []string{"ann", "eve"}},
		{"the first is hidden", []forgetest.Push{pushed("ann", commitB, commitA)}, false, []string{"", "ann"}},
		{"nothing", nil, false, []string{"", "ann"}},
		{"another repository", []forgetest.Push{made("ann", commitA)}, true, []string{"", "ann"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := forgetest.StartGitea(t)
			s.Set(forgetest.Pull{Number: 7, Head: commitA, Base: "main", Branch: "raise", Author: "ann",
				Fork: row.fork})
			for _, p := range row.pushes {
				s.Push(p)
			}
			r, err := forge.NewGitea(forge.Where{Repository: forgetest.Plain, API: s.URL, Token: otherToken})
			if err != nil {
				t.Fatal(err)
			}
			p, err := r.Find(t.Context(), 7)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := r.Authors(t.Context(), p); err != nil || !slices.Equal(got, row.want) {
				t.Errorf("%q, %v; want %q", got, err, row.want)
			}
		})
	}
}

// Who wrote a commit is an author of it in a branch that somebody else made from theirs, too.
func TestWhoWroteCommitsOnGitea(t *testing.T) {
	s := forgetest.StartGitea(t)
	s.Set(forgetest.Pull{Number: 7, Head: commitA, Base: "main", Branch: "raise", Author: "ann",
		Commits: []string{"bob", "", "ann"}})
	s.Push(forgetest.Push{By: "ann", Branch: "raise", Action: "created", From: strings.Repeat("0", 40), To: commitA})
	r, err := forge.NewGitea(forge.Where{Repository: forgetest.Plain, API: s.URL, Token: otherToken})
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Find(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Authors(t.Context(), p); err != nil || !slices.Equal(got, []string{"ann", "bob"}) {
		t.Errorf("%q, %v; want ann and bob", got, err)
	}
}

func TestWhoIsInATeamOfOthers(t *testing.T) {
	onOthers(t, func(t *testing.T, _ other, s *forgetest.Server, r forge.Repository) {
		s.Team("acme/buyers", "ann", "bob.b")
		s.Team("acme/buyers-too", "eve", "cy")
		for _, row := range []struct {
			team, login string
			want        bool
		}{
			{"acme/buyers", "ann", true}, {"acme/buyers", "bob.b", true}, {"acme/buyers", "an", false},
			{"acme/buyers", "", false}, {"acme/buyers", "eve", false}, {"acme/sellers", "ann", false},
			{"other/buyers", "ann", false},
		} {
			if got, err := r.InTeam(t.Context(), row.team, row.login); err != nil || got != row.want {
				t.Errorf("%q in %q: %t, %v; want %t", row.login, row.team, got, err, row.want)
			}
		}
		for _, team := range []string{"", "/", "acme/", "acme/../x"} {
			if in, err := r.InTeam(t.Context(), team, "ann"); err == nil {
				t.Errorf("%q is taken for a team, with ann %t", team, in)
			}
		}
	})
}
