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
	"adsync/internal/testing/forgetest"
)

// other is a forge that is not GitHub.
type other struct {
	name, repository, ref string
	start                 func(testing.TB) *forgetest.Server
	open                  func(forge.Where) (forge.Repository, error)
}

var others = []other{
	{"GitLab", forgetest.Repository, "refs/merge-requests/7/head", forgetest.StartGitLab,
		func(at forge.Where) (forge.Repository, error) { return forge.NewGitLab(at) }},
	{"Gitea", forgetest.Plain, "refs/pull/7/head", forgetest.StartGitea,
		func(at forge.Where) (forge.Repository, error) { return forge.NewGitea(at) }},
}

func otherToken(context.Context) (string, error) { return forgetest.Token, nil }

// onOthers runs a test on each of them, with pull request 7.
func onOthers(t *testing.T, test func(*testing.T, other, *forgetest.Server, forge.Repository)) {
	for _, o := range others {
		t.Run(o.name, func(t *testing.T) {
			s := o.start(t)
			s.Set(forgetest.Pull{Number: 7, Head: commitA, Base: "main", Branch: "raise", Author: "ann"})
			r, err := o.open(forge.Where{Repository: o.repository, API: s.URL, Token: otherToken})
			if err != nil {
				t.Fatal(err)
			}
			test(t, o, s, r)
		})
	}
}

var commitA, commitB = strings.Repeat("a", 40), strings.Repeat("b", 40)

func TestOthersOpenPullRequestsOfABranch(t *testing.T) {
	onOthers(t, func(t *testing.T, o other, s *forgetest.Server, r forge.Repository) {
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		s.Set(
			forgetest.Pull{Number: 7, Title: "Raise", Head: commitA, Base: "main", Branch: "raise", Author: "ann",
				Updated: at},
			forgetest.Pull{Number: 8, Title: "Other", Head: commitA, Base: "next", Author: "bob"},
			forgetest.Pull{Number: 9, Title: "Done", Head: commitA, Base: "main", Author: "bob", Closed: true})
		pulls, err := r.Open(t.Context(), "main")
		if err != nil || len(pulls) != 1 {
			t.Fatalf("%+v, %v; want one", pulls, err)
		}
		p := pulls[0]
		if p.Number != 7 || p.Head != commitA || p.Author != "ann" || p.Ref != o.ref || p.Title != "Raise" ||
			p.Branch != "main" || p.Source != o.repository+":raise" || !p.Updated.Equal(at) || p.Closed ||
			!strings.Contains(p.Address, "/7") {
			t.Errorf("%+v; want number 7 of ann, fetched from %s", p, o.ref)
		}
	})
}

// A forge that gives fewer at once than it is asked for has more pages, and all of them are read.
func TestOthersHavePages(t *testing.T) {
	onOthers(t, func(t *testing.T, _ other, s *forgetest.Server, r forge.Repository) {
		s.Most = 2
		var pulls []forgetest.Pull
		for n := range 5 {
			pulls = append(pulls, forgetest.Pull{Number: n + 1, Head: commitA, Base: "main", Author: "ann"})
		}
		s.Set(pulls...)
		if found, err := r.Open(t.Context(), "main"); err != nil || len(found) != 5 {
			t.Errorf("%d, %v; want 5", len(found), err)
		}
	})
}

// A forge that answers anything is not believed, and cannot fill the memory.
func TestOthersThatAnswerNonsense(t *testing.T) {
	one := func(number int, head, base string) string {
		return fmt.Sprintf(`{"number": %d, "iid": %[1]d, "state": %q, "sha": %q, "target_branch": %q, `+
			`"head": {"sha": %[3]q}, "base": {"ref": %[4]q}}`, number, "STATE", head, base)
	}
	for _, row := range []struct {
		name, answer string
		want         int // pull requests; -1 is an error
	}{
		{"one that was asked for", "[" + one(7, commitA, "main") + "]", 1},
		{"those into another branch", "[" + one(7, commitA, "next") + "," + one(8, commitA, "main") + "]", 1},
		{"a head that is no commit", "[" + one(7, "", "main") + "," + one(8, "../../x", "main") + "]", 0},
		{"no number", "[" + one(0, commitA, "main") + "," + one(-1, commitA, "main") + "]", 0},
		{"nothing of them", `[{}, {"iid": 7, "number": 7}]`, 0},
		{"no list", `{"message": "hello"}`, -1},
		{"no JSON", `<html>`, -1},
		{"without end", "[" + strings.Repeat(" ", 70<<20) + "]", -1},
	} {
		t.Run(row.name, func(t *testing.T) {
			onOthers(t, func(t *testing.T, o other, s *forgetest.Server, r forge.Repository) {
				state := map[string]string{"GitLab": "opened", "Gitea": "open"}[o.name]
				s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
					w.Header().Set("Content-Type", "application/json")
					w.Header().Set("X-Total-Count", "1")
					_, _ = w.Write([]byte(strings.ReplaceAll(row.answer, "STATE", state)))
					return true
				}
				pulls, err := r.Open(t.Context(), "main")
				if err != nil && row.want >= 0 || err == nil && len(pulls) != row.want {
					t.Errorf("%+v, %v; want %d", pulls, err, row.want)
				}
			})
		})
	}
}

// A list that is longer than is read says so, and has as many as are read.
func TestOthersHaveMoreThanIsRead(t *testing.T) {
	onOthers(t, func(t *testing.T, _ other, s *forgetest.Server, r forge.Repository) {
		const most = 1000
		var all []forgetest.Pull
		for n := range most + 1 {
			all = append(all, forgetest.Pull{Number: n + 1, Head: commitA, Base: "main", Branch: fmt.Sprint("b", n),
				Author: "eve", Updated: time.Unix(int64(n), 0)})
		}
		for _, there := range []int{most, most + 1} {
			s.Set(all[:there]...)
			pulls, err := r.Open(t.Context(), "main")
			if more := there > most; errors.Is(err, forge.ErrMore) != more || len(pulls) != most {
				t.Errorf("of %d: %d, %v; want %d, more: %v", there, len(pulls), err, most, more)
			}
		}
	})
}

// The client of GitLab breaks off where a list has a null.
func TestOthersThatAnswerNull(t *testing.T) {
	onOthers(t, func(t *testing.T, _ other, s *forgetest.Server, r forge.Repository) {
		s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("X-Total-Count", "1")
			_, _ = w.Write([]byte(`[null]`))
			return true
		}
		if pulls, _ := r.Open(t.Context(), "main"); len(pulls) > 0 {
			t.Errorf("%+v; want none", pulls)
		}
		if _, err := r.Talk(t.Context(), forge.Pull{Number: 7}); err != nil {
			t.Error(err)
		}
	})
}

// The rows say what is there before a text is said, and which comments there are afterwards.
func TestACommentOnOthersIsReplaced(t *testing.T) {
	const mark, text = "<!-- mark -->", "<!-- mark -->\nnew"
	for _, row := range []struct {
		name  string
		there []forgetest.Comment
		known bool // the id of the last of them
		want  []string
	}{
		{"none", nil, false, []string{text}},
		{"one that is known", []forgetest.Comment{{By: forgetest.User, Body: mark + "\nold"}}, true, []string{text}},
		{"one that was forgotten", []forgetest.Comment{{By: forgetest.User, Body: mark + "\r\nold"}}, false,
			[]string{text}},
		{"one on a later page", append(slices.Repeat([]forgetest.Comment{{By: "eve", Body: "hm"}}, 150),
			forgetest.Comment{By: forgetest.User, Body: mark + "\nold"}), false,
			append(slices.Repeat([]string{"hm"}, 150), text)},
		{"somebody else's with the mark", []forgetest.Comment{{By: "eve", Body: mark + "\nApproved!"}}, false,
			[]string{mark + "\nApproved!", text}},
		{"one of ours that only cites it", []forgetest.Comment{{By: forgetest.User, Body: "see\n" + mark}}, false,
			[]string{"see\n" + mark, text}},
		{"what the forge wrote, or somebody elsewhere", []forgetest.Comment{
			{By: forgetest.User, Body: mark + "\nApproved!", Kind: "system", From: "eve"}}, false,
			[]string{mark + "\nApproved!", text}},
	} {
		t.Run(row.name, func(t *testing.T) {
			onOthers(t, func(t *testing.T, _ other, s *forgetest.Server, r forge.Repository) {
				id := ""
				for _, c := range row.there {
					c.Pull = 7
					if number := s.Comment(c); row.known {
						id = strconv.FormatInt(number, 10)
					}
				}
				got, err := r.Say(t.Context(), 7, id, text)
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
		})
	}
}

func TestADeletedCommentOnOthersIsWrittenAnew(t *testing.T) {
	onOthers(t, func(t *testing.T, _ other, s *forgetest.Server, r forge.Repository) {
		first, err := r.Say(t.Context(), 7, "", "one")
		if err != nil {
			t.Fatal(err)
		}
		s.Delete(s.Comments(7)[0].ID)
		again, err := r.Say(t.Context(), 7, first.ID, "two")
		if all := s.Comments(7); err != nil || again == first || len(all) != 1 || all[0].Body != "two" {
			t.Errorf("%+v after %+v, comments %+v, %v; want a new one", again, first, all, err)
		}
	})
}

// GitLab takes orders from lines of a note, in the name of who writes it.
func TestGitLabTakesNoOrders(t *testing.T) {
	s := forgetest.StartGitLab(t)
	s.Set(forgetest.Pull{Number: 7, Head: commitA, Base: "main", Author: "ann"})
	r, err := forge.NewGitLab(forge.Where{Repository: forgetest.Repository, API: s.URL, Token: otherToken})
	if err != nil {
		t.Fatal(err)
	}
	said, err := r.Say(t.Context(), 7, "", "a plan\n/merge\n  /approve\nsee docs/use")
	if err != nil {
		t.Fatal(err)
	}
	want := "a plan\n\\/merge\n  \\/approve\nsee docs/use"
	if got := s.Comments(7)[0].Body; got != want {
		t.Errorf("it says %q; want %q", got, want)
	}
	if _, err := r.Say(t.Context(), 7, said.ID, "/close\r\n/close"); err != nil { // an edit gives orders, too
		t.Fatal(err)
	}
}

func TestAStatusOnOthers(t *testing.T) {
	onOthers(t, func(t *testing.T, o other, s *forgetest.Server, r forge.Repository) {
		s.Set(forgetest.Pull{Number: 7, Head: commitA, Base: "main", Branch: "raise", Author: "ann"},
			forgetest.Pull{Number: 8, Head: commitB, Base: "main", Branch: "main", Author: "eve", Fork: true})
		if _, err := r.Open(t.Context(), "main"); err != nil {
			t.Fatal(err)
		}
		failed := map[string]string{"GitLab": "failed", "Gitea": "failure"}[o.name]
		for _, row := range []struct {
			commit string
			state  forge.State
			text   string
			want   forgetest.Status // its Ref is GitLab's alone
		}{
			{commitA, forge.Waits, strings.Repeat("ä", 300),
				forgetest.Status{State: "pending", Ref: "raise", Description: strings.Repeat("ä", 254) + "…"}},
			{commitA, forge.Fails, "no", forgetest.Status{State: failed, Ref: "raise", Description: "no"}},
			{commitA, forge.Waits, "held", forgetest.Status{State: "pending", Ref: "raise", Description: "held"}},
			{commitA, forge.Passes, "yes", forgetest.Status{State: "success", Ref: "raise", Description: "yes"}},
			{commitB, forge.Passes, "yes",
				forgetest.Status{State: "success", Ref: "refs/merge-requests/8/head", Description: "yes"}},
		} {
			verdict := forge.Verdict{Name: "adsync/shop", State: row.state, Text: row.text}
			if err := r.Judge(t.Context(), row.commit, verdict); err != nil {
				t.Fatalf("%s: %v", row.state, err)
			}
			if row.want.Commit, row.want.Context = row.commit, "adsync/shop"; o.name == "Gitea" {
				row.want.Ref = ""
			}
			if all := s.Statuses(row.commit); all[len(all)-1] != row.want {
				t.Errorf("%+v; want %+v", all, row.want)
			}
		}
	})
}

// GitLab refuses to have a commit wait that waits: that is no failure.
func TestAStatusThatWaitsStays(t *testing.T) {
	onOthers(t, func(t *testing.T, _ other, s *forgetest.Server, r forge.Repository) {
		for _, text := range []string{"1 change held", "2 changes held"} {
			waits := forge.Verdict{Name: "a", State: forge.Waits, Text: text}
			if err := r.Judge(t.Context(), commitA, waits); err != nil {
				t.Fatal(err)
			}
		}
		if all := s.Statuses(commitA); all[len(all)-1].State != "pending" {
			t.Errorf("%+v; want one that waits", all)
		}
		s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, `{"message": "no such thing"}`, http.StatusBadRequest)
			return true
		}
		if err := r.Judge(t.Context(), commitA, forge.Verdict{Name: "a", State: forge.Waits}); err == nil {
			t.Error("another refusal is taken for it")
		}
	})
}

func TestALimitOfOthersSaysUntilWhen(t *testing.T) {
	now := time.Now()
	for _, row := range []struct {
		name   string
		status int
		header map[string]string
		in     time.Duration // 0 is no limit
	}{
		{"seconds", 429, map[string]string{"Retry-After": "60"}, time.Minute},
		{"a date", 429, map[string]string{"Retry-After": now.Add(time.Hour).UTC().Format(http.TimeFormat)}, time.Hour},
		{"when it begins anew", 429,
			map[string]string{"RateLimit-Reset": strconv.FormatInt(now.Add(10*time.Minute).Unix(), 10)},
			10 * time.Minute},
		{"it does not say", 429, nil, time.Minute},
		{"it is kept up", 503, map[string]string{"Retry-After": "120"}, 2 * time.Minute},
		{"it is down", 503, nil, 0},
		{"it may not", 403, nil, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			onOthers(t, func(t *testing.T, _ other, s *forgetest.Server, r forge.Repository) {
				asked := 0
				s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
					asked++
					for name, value := range row.header {
						w.Header().Set(name, value)
					}
					http.Error(w, "Retry later", row.status)
					return true
				}
				_, listed := r.Open(t.Context(), "main")
				_, said := r.Say(t.Context(), 7, "1", "a")
				_, talked := r.Talk(t.Context(), forge.Pull{Number: 7})
				for _, err := range []error{listed, said, talked} {
					limit := new(forge.LimitError)
					if is := errors.As(err, &limit); err == nil || is != (row.in > 0) ||
						is && limit.Until.Sub(now.Add(row.in)).Abs() > 10*time.Second {
						t.Errorf("%v; want a limit in %v", err, row.in)
					}
				}
				if asked != 3 {
					t.Errorf("it is asked %d times; want 3: who asks waits, or asks again", asked)
				}
			})
		})
	}
}

// A redirect to another host is not followed, and errors do not repeat the token.
func TestATokenOfOthersGoesNowhereElse(t *testing.T) {
	onOthers(t, func(t *testing.T, _ other, s *forgetest.Server, r forge.Repository) {
		stolen := ""
		thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			stolen += fmt.Sprint(r.Header)
		}))
		defer thief.Close()
		s.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, thief.URL+r.URL.Path, http.StatusTemporaryRedirect)
			return true
		}
		_, err := r.Open(t.Context(), "main")
		if err == nil || strings.Contains(err.Error(), forgetest.Token) {
			t.Errorf("%v; want an error without the token", err)
		}
		if stolen != "" {
			t.Errorf("another host was sent %q", stolen)
		}
	})
}

func TestWhatIsNoRepositoryOfOthers(t *testing.T) {
	for _, row := range []struct{ forge, repository, api string }{
		{"GitLab", "ads", ""}, {"GitLab", "acme/", ""}, {"GitLab", "acme//ads", ""}, {"GitLab", "/acme/ads", ""},
		{"GitLab", "acme/ads", "http://gitlab.example.com"}, {"GitLab", "acme/ads", "https://u:p@gitlab.example.com"},
		{"Gitea", "acme/ads", ""}, {"Gitea", "acme/media/ads", "https://gitea.example.com"},
		{"Gitea", "acme/ads", "http://gitea.example.com"},
	} {
		for _, o := range others {
			if o.name != row.forge {
				continue
			}
			if _, err := o.open(forge.Where{Repository: row.repository, API: row.api, Token: otherToken}); err == nil {
				t.Errorf("%s: %q at %q is taken", row.forge, row.repository, row.api)
			}
		}
	}
}
