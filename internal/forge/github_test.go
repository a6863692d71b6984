package forge_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/forge"
	"adsync/internal/testing/githubtest"
)

func token(context.Context) (string, error) { return githubtest.Token, nil }

func started(t *testing.T) (*githubtest.Server, forge.Repository) {
	t.Helper()
	s := githubtest.Start(t)
	g, err := forge.NewGitHub(forge.Where{Repository: "acme/ads", API: s.URL, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	return s, g
}

func TestOpenPullRequestsOfABranch(t *testing.T) {
	s, g := started(t)
	head := strings.Repeat("a", 40)
	s.Set(githubtest.Pull{Number: 7, Title: "Raise", Head: head, Base: "main", Author: "ann"},
		githubtest.Pull{Number: 8, Title: "Other", Head: head, Base: "next", Author: "bob"})
	pulls, err := g.Open(t.Context(), "main")
	if err != nil || len(pulls) != 1 {
		t.Fatalf("%+v, %v; want one", pulls, err)
	}
	p := pulls[0]
	if p.Number != 7 || p.Head != head || p.Author != "ann" || p.Ref != "refs/pull/7/head" || p.Title != "Raise" ||
		p.Branch != "main" || p.Source != "acme/ads:pull-7" {
		t.Errorf("%+v; want number 7 of ann, fetched from refs/pull/7/head", p)
	}
}

// A forge that answers anything is not believed, and cannot fill the memory.
func TestAForgeThatAnswersNonsense(t *testing.T) {
	head := strings.Repeat("a", 40)
	one := func(number int, head, base string) string {
		return fmt.Sprintf(`{"number": %d, "head": {"sha": %q}, "base": {"ref": %q}}`, number, head, base)
	}
	for _, row := range []struct {
		name, answer string
		want         int // pull requests; -1 is an error
	}{
		{"one that was asked for", "[" + one(7, head, "main") + "]", 1},
		{"those into another branch", "[" + one(7, head, "next") + "," + one(8, head, "main") + "]", 1},
		{"a head that is no commit", "[" + one(7, "", "main") + "," + one(8, "../../x", "main") + "]", 0},
		{"no number", "[" + one(0, head, "main") + "," + one(-1, head, "main") + "]", 0},
		{"nothing of them", `[{}, null]`, 0},
		{"no list", `{"message": "hello"}`, -1},
		{"no JSON", `<html>`, -1},
		{"without end", "[" + strings.Repeat(" ", 70<<20) + "]", -1},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, g := started(t)
			s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(row.answer))
				return true
			}
			pulls, err := g.Open(t.Context(), "main")
			if err != nil && row.want >= 0 || err == nil && len(pulls) != row.want {
				t.Errorf("%+v, %v; want %d", pulls, err, row.want)
			}
		})
	}
}

// The rows say what is there before a text is said, and which comments there are afterwards.
func TestACommentIsReplaced(t *testing.T) {
	const mark, text = "<!-- mark -->", "<!-- mark -->\nnew"
	for _, row := range []struct {
		name  string
		there []githubtest.Comment
		known bool // the id of the last of them
		want  []string
	}{
		{"none", nil, false, []string{text}},
		{"one that is known", []githubtest.Comment{{By: githubtest.User, Body: mark + "\nold"}}, true, []string{text}},
		{"one that was forgotten", []githubtest.Comment{{By: githubtest.User, Body: mark + "\r\nold"}}, false,
			[]string{text}},
		{"somebody else's with the mark", []githubtest.Comment{{By: "eve", Body: mark + "\nApproved!"}}, false,
			[]string{mark + "\nApproved!", text}},
		{"one of ours that only cites it", []githubtest.Comment{{By: githubtest.User, Body: "see\n" + mark}}, false,
			[]string{"see\n" + mark, text}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, g := started(t)
			id := ""
			for _, c := range row.there {
				c.Pull = 7
				if number := s.Comment(c); row.known {
					id = strconv.FormatInt(number, 10)
				}
			}
			got, err := g.Say(t.Context(), 7, id, text)
			if err != nil {
				t.Fatal(err)
			}
			var bodies []string
			for _, c := range s.Comments(7) {
				if bodies = append(bodies, c.Body); c.Body == text && strconv.FormatInt(c.ID, 10) != got.ID {
					t.Errorf("the id is %s; want %d", got.ID, c.ID)
				}
			}
			if !slices.Equal(bodies, row.want) {
				t.Errorf("comments %q; want %q", bodies, row.want)
			}
		})
	}
}

func TestADeletedCommentIsWrittenAnew(t *testing.T) {
	s, g := started(t)
	first, err := g.Say(t.Context(), 7, "", "one")
	if err != nil {
		t.Fatal(err)
	}
	s.Delete(s.Comments(7)[0].ID)
	again, err := g.Say(t.Context(), 7, first.ID, "two")
	if all := s.Comments(7); err != nil || again == first || len(all) != 1 || all[0].Body != "two" {
		t.Errorf("%+v after %+v, comments %+v, %v; want a new one", again, first, all, err)
	}
}

// The token of an app, without the app, does not say whose comments are its own: nobody's are taken for them.
func TestTheTokenOfAnAppAloneIsRefused(t *testing.T) {
	s, g := started(t)
	s.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/user" {
			http.Error(w, `{"message":"Resource not accessible by integration"}`, http.StatusForbidden)
			return true
		}
		return false
	}
	s.Comment(githubtest.Comment{Pull: 7, By: "other[bot]", Bot: true, Body: "<!-- mark -->\nold"})
	_, err := g.Say(t.Context(), 7, "", "<!-- mark -->\nnew")
	if err == nil || !strings.Contains(err.Error(), "pull_requests.app") {
		t.Errorf("%v; want a word of pull_requests.app", err)
	}
	if all := s.Comments(7); len(all) != 1 || !strings.HasSuffix(all[0].Body, "old") {
		t.Errorf("comments %+v; want the other program's as it was", all)
	}
}

func TestAStatus(t *testing.T) {
	s, g := started(t)
	err := g.Judge(t.Context(), "aa",
		forge.Verdict{Name: "adsync/shop", State: forge.Waits, Text: strings.Repeat("ä", 200)})
	if err != nil {
		t.Fatal(err)
	}
	all := s.Statuses("aa")
	if len(all) != 1 || all[0].State != "pending" || all[0].Context != "adsync/shop" ||
		len([]rune(all[0].Description)) != 140 {
		t.Errorf("%+v; want one that is pending, with 140 characters", all)
	}
}

// GitHub has two limits; each says in its own way from when on it answers again.
func TestALimitSaysUntilWhen(t *testing.T) {
	reset := time.Now().Add(10 * time.Minute).Truncate(time.Second)
	for _, row := range []struct {
		name   string
		header map[string]string
		body   string
		until  time.Time
	}{
		{"of an hour", map[string]string{"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "0",
			"X-RateLimit-Reset": strconv.FormatInt(reset.Unix(), 10)}, `{"message":"API rate limit exceeded"}`, reset},
		{"secondary", map[string]string{"Retry-After": "60"}, `{"message":"You have exceeded a secondary rate limit",
			"documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`,
			time.Now().Add(time.Minute)},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, g := started(t)
			s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Content-Type", "application/json")
				for name, value := range row.header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(http.StatusForbidden)
				_, _ = w.Write([]byte(row.body))
				return true
			}
			_, err := g.Open(t.Context(), "main")
			limit := new(forge.LimitError)
			if !errors.As(err, &limit) || limit.Until.Sub(row.until).Abs() > 5*time.Second {
				t.Errorf("%v; want a limit until %v", err, row.until)
			}
		})
	}
}

// What a forge says of an error ends in a log.
func TestAnErrorIsShort(t *testing.T) {
	s, g := started(t)
	s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte(`{"message": "` + strings.Repeat("no ", 1<<20) + `"}`))
		return true
	}
	if _, err := g.Open(t.Context(), "main"); err == nil || len(err.Error()) > 8<<10 {
		t.Errorf("an error of %d characters; want a few", len(fmt.Sprint(err)))
	}
}

// TestATokenGoesNowhereElse: a redirect to another host is not followed, and errors do not repeat the token.
func TestATokenGoesNowhereElse(t *testing.T) {
	stolen := ""
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen += r.Header.Get("Authorization")
	}))
	defer thief.Close()
	s, g := started(t)
	s.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, thief.URL+r.URL.Path, http.StatusTemporaryRedirect)
		return true
	}
	_, err := g.Open(t.Context(), "main")
	if err == nil || strings.Contains(err.Error(), githubtest.Token) {
		t.Errorf("%v; want an error without the token", err)
	}
	if stolen != "" {
		t.Errorf("another host was sent %q", stolen)
	}
}

func TestWhatIsNoRepository(t *testing.T) {
	for _, row := range []struct{ repository, api string }{
		{"ads", ""}, {"acme/", ""}, {"acme/ads/more", ""}, {"acme/ads", "http://ghe.example.com/api/v3"},
		{"acme/ads", "https://user:secret@ghe.example.com/"}, {"acme/ads", "://"},
	} {
		if _, err := forge.NewGitHub(forge.Where{Repository: row.repository, API: row.api, Token: token}); err == nil {
			t.Errorf("%q at %q is taken", row.repository, row.api)
		}
	}
}
