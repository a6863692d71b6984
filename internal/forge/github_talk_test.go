package forge_test

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/forge"
	"adsync/internal/testing/githubtest"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestAPullRequestThatIsNotOpen(t *testing.T) {
	head, merge := strings.Repeat("a", 40), strings.Repeat("b", 40)
	for _, row := range []struct {
		name   string
		pull   githubtest.Pull
		closed bool
		merged string
	}{
		{"open", githubtest.Pull{}, false, ""},
		{"closed", githubtest.Pull{Closed: true}, true, ""},
		{"merged", githubtest.Pull{Closed: true, Merged: merge}, true, merge},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, g := started(t)
			row.pull.Number, row.pull.Head, row.pull.Base = 7, head, "main"
			s.Set(row.pull)
			p, err := g.Find(t.Context(), 7)
			if err != nil || p.Closed != row.closed || p.Merged != row.merged || p.Branch != "main" {
				t.Errorf("%+v, %v; want closed %v, merged %q", p, err, row.closed, row.merged)
			}
		})
	}
	s, g := started(t)
	if p, err := g.Find(t.Context(), 8); err != nil || p != (forge.Pull{Number: 8, Closed: true}) {
		t.Errorf("what is not there is %+v, %v; want one that is closed", p, err)
	}
	s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, `{"message": "Not Found"}`, http.StatusNotFound)
		return true
	}
	if p, err := g.Find(t.Context(), 8); err == nil {
		t.Errorf("where none is seen, it is %+v; want an error", p)
	}
}

func TestWhatPeopleSaid(t *testing.T) {
	s, g := started(t)
	at := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	commit := strings.Repeat("a", 40)
	s.Now = func() time.Time { return at }
	for _, r := range []githubtest.Review{{By: "ann", State: "APPROVED"}, {By: "bob", State: "CHANGES_REQUESTED"},
		{By: "cid", State: "COMMENTED"}, {By: "dan", State: "PENDING"},
		{By: "app[bot]", Bot: true, State: "APPROVED"}} {
		r.Pull, r.Commit = 7, commit
		if id := s.Review(r); r.By == "app[bot]" {
			s.Dismiss(id)
		}
	}
	s.Set(githubtest.Pull{Number: 7})
	s.Comment(githubtest.Comment{Pull: 7, By: "ann", Body: "one"})
	edited := s.Comment(githubtest.Comment{Pull: 7, By: "bob", Body: "two"})
	s.Comment(githubtest.Comment{Pull: 8, By: "bob", Body: "of another"})
	s.Comment(githubtest.Comment{Pull: 7, By: "app[bot]", Bot: true, Body: "three"})
	s.Comment(githubtest.Comment{Pull: 7, By: "bob", Via: "helper", Body: "four"})
	at = at.Add(time.Minute)
	s.Edit(edited, "2")
	talk, err := g.Talk(t.Context(), forge.Pull{Number: 7})
	if err != nil {
		t.Fatal(err)
	}
	at = at.Add(-time.Minute)
	pull, issue := s.Page("pull/7#pullrequestreview-"), s.Page("issues/7#issuecomment-")
	want := forge.Talk{
		Reviews: []forge.Review{
			{ID: "1001", By: "ann", Opinion: forge.Approves, Commit: commit, At: at, Address: pull + "1001"},
			{ID: "1002", By: "bob", Opinion: forge.Objects, Commit: commit, At: at, Address: pull + "1002"},
			{ID: "1003", By: "cid", Opinion: forge.Remarks, Commit: commit, At: at, Address: pull + "1003"},
			{ID: "1005", By: "app[bot]", Bot: true, Opinion: forge.Dismissed, Commit: commit, At: at,
				Address: pull + "1005"},
		},
		Comments: []forge.Comment{
			{ID: "1006", By: "ann", Text: "one", At: at, Changed: at, Address: issue + "1006"},
			{ID: "1007", By: "bob", Text: "2", At: at, Edited: true, Changed: at.Add(time.Minute),
				Address: issue + "1007"},
			{ID: "1009", By: "app[bot]", Bot: true, Text: "three", At: at, Changed: at, Address: issue + "1009"},
			{ID: "1010", By: "bob", Bot: true, Text: "four", At: at, Changed: at, Address: issue + "1010"},
		},
	}
	if d := gocmp.Diff(want, talk); d != "" {
		t.Error(d)
	}
}

// Who pushed is an author, whatever the commits say. Where that is not known, "" says so.
func TestWhoseAPullRequestIs(t *testing.T) {
	for _, row := range []struct {
		name string
		pull githubtest.Pull
		want []string
	}{
		{"who opened it", githubtest.Pull{}, []string{"ann"}},
		{"who wrote a commit", githubtest.Pull{Commits: []string{"bob", "ann"}}, []string{"ann", "bob", "web-flow"}},
		{"who pushed it under another's name", githubtest.Pull{Commits: []string{"bob"}, Pushers: []string{"eve"}},
			[]string{"ann", "bob", "eve", "web-flow"}},
		{"several who pushed", githubtest.Pull{Pushers: []string{"ann", "bob", "eve"}}, []string{"ann", "bob", "eve"}},
		{"who merged it has deleted the branch", githubtest.Pull{Deleted: "bob"}, []string{"ann"}},
		{"the newest push is not told yet", githubtest.Pull{Pushers: []string{"ann", "bob"}, Activity: "late"},
			[]string{"", "ann"}},
		{"nor the only one", githubtest.Pull{Activity: "late"}, []string{"", "ann"}},
		{"the oldest push is not told any more", githubtest.Pull{Pushers: []string{"ann", "bob"}, Activity: "cut"},
			[]string{"", "ann", "bob"}},
		{"a program opened it", githubtest.Pull{Author: "github-actions[bot]"},
			[]string{"", "github-actions[bot]"}},
		{"a program pushed to it", githubtest.Pull{Pushers: []string{"ann", "fmt[bot]"}},
			[]string{"", "ann", "fmt[bot]"}},
		{"adsync opened it", githubtest.Pull{Author: githubtest.User}, []string{githubtest.User}},
		{"a name that GitHub does not know, pushed by one it knows", githubtest.Pull{Commits: []string{""}},
			[]string{"ann", "web-flow"}},
		{"a fork that tells nothing", githubtest.Pull{Fork: "ann/ads"}, []string{"", "ann"}},
		{"nobody has pushed", githubtest.Pull{Pushers: []string{}}, []string{"", "ann"}},
		{"more commits than GitHub lists", githubtest.Pull{Commits: slices.Repeat([]string{"ann"}, 250)},
			[]string{"", "ann", "web-flow"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, g := started(t)
			row.pull.Number, row.pull.Head = 7, strings.Repeat("a", 40)
			row.pull.Author = cmp.Or(row.pull.Author, "ann")
			s.Set(row.pull)
			repository := "acme/ads"
			if row.pull.Fork != "" {
				repository = row.pull.Fork
			}
			got, err := g.Authors(t.Context(), forge.Pull{Number: 7, Author: row.pull.Author, Head: row.pull.Head,
				Source: repository + ":pull-7"})
			if err != nil || !slices.Equal(got, row.want) {
				t.Errorf("%q, %v; want %q", got, err, row.want)
			}
		})
	}
}

func TestWhoIsInATeam(t *testing.T) {
	s, g := started(t)
	s.Team("acme/buyers", "ann")
	for _, row := range []struct {
		team, login string
		want        bool
	}{
		{"acme/buyers", "ann", true}, {"acme/buyers", "eve", false}, {"acme/others", "ann", false},
		{"acme/buyers", "../ann", false},
	} {
		if got, err := g.InTeam(t.Context(), row.team, row.login); err != nil || got != row.want {
			t.Errorf("%s in %s: %v, %v; want %v", row.login, row.team, got, err, row.want)
		}
	}
	s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, `{"message":"Resource not accessible"}`, http.StatusForbidden)
		return true
	}
	if in, err := g.InTeam(t.Context(), "acme/buyers", "ann"); err == nil || in {
		t.Errorf("%v, %v; want an error", in, err)
	}
}
