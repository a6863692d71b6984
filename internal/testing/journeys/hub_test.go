package journeys

import (
	"cmp"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/testing/forgetest"
	"adsync/internal/testing/githubtest"

	"github.com/rogpeppe/go-internal/testscript"
)

// hubNames are the forges whose pull requests a daemon answers.
var hubNames = []string{"github", "gitlab", "gitea"}

// TestJourneysOnEachForge makes those of people who work in pull requests: each on every forge, in a profile each.
func TestJourneysOnEachForge(t *testing.T) {
	for i, name := range hubNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of a day is waiting
			makeJourneys(t, "testdata/forge", profiles[i], name)
		})
	}
}

// hub is a forge with its pull requests, beside the server of its repository.
type hub struct {
	like, bare string
	github     *githubtest.Server
	others     *forgetest.Server
	pulls      []pull
}

// pull is a pull request. The newest is what people talk of.
type pull struct {
	number         int
	branch, author string
	head, merged   string // commits
	pushers        []string
}

// hubs finds the one of a script.
var hubs sync.Map

func hubOf(ts *testscript.TestScript) *hub {
	h, ok := hubs.Load(ts)
	if !ok {
		ts.Fatalf("no hub runs")
	}
	return h.(*hub)
}

// hub: serves an empty repository at $FORGE (without a name and a token at $HUB_GIT), and its pull requests at $HUB,
// like the forge of this journey. $HUB_TOKEN is the token of adsync's own user there, and $HUB_NAME what the repository
// is called.
func startHub(ts *testscript.TestScript, _ bool, _ []string) {
	h := &hub{like: ts.Getenv("LIKE"), bare: ts.MkAbs("forge/shop/ads.git")}
	startForge(ts, false, []string{h.like})
	ts.Setenv("HUB_TOKEN", cmp.Or(githubTokenOf[h.like], forgetest.Token))
	name := forgetest.Plain
	switch t := testOf(ts); h.like {
	case "github":
		h.github = githubtest.Start(t)
		h.github.HeadOf = func(_ int, branch string) string { return h.tip(ts, branch) }
	case "gitlab":
		h.others, name = forgetest.StartGitLab(t), forgetest.Repository
	default:
		h.others = forgetest.StartGitea(t)
	}
	if h.others != nil {
		h.others.HeadOf = func(branch string) string { return h.tip(ts, branch) }
	}
	ts.Setenv("HUB_NAME", name)
	ts.Setenv("HUB_GIT", forgeOf(ts).url+"/shop/ads.git")
	ts.Setenv("HUB", h.address())
	hubs.Store(ts, h)
}

var githubTokenOf = map[string]string{"github": githubtest.Token}

func (h *hub) address() string {
	if h.github != nil {
		return h.github.URL
	}
	return h.others.URL
}

// tip is the commit of a branch; zeros where there is none.
func (h *hub) tip(ts *testscript.TestScript, branch string) string {
	out, err := exec.Command("git", "-C", h.bare, "rev-parse", "-q", "--verify", "refs/heads/"+branch).Output()
	if err != nil {
		return strings.Repeat("0", 40)
	}
	return strings.TrimSpace(string(out))
}

// login is the name that $WHO has at the forge.
func login(ts *testscript.TestScript) string { return strings.ToLower(ts.Getenv("WHO")) }

// pushes FOLDER BRANCH: $WHO pushes what is checked out there.
func pushesBranch(ts *testscript.TestScript, _ bool, args []string) {
	h, branch := hubOf(ts), args[1]
	before := h.tip(ts, branch)
	git(ts, false, []string{"-C", args[0], "push", "-q", "origin", "HEAD:refs/heads/" + branch})
	push := forgetest.Push{By: login(ts), Branch: branch, Action: "pushed", From: before, To: h.tip(ts, branch)}
	if strings.Trim(before, "0") == "" {
		push.Action = "created"
	}
	if h.others != nil {
		h.others.Push(push)
	}
	for i := range h.pulls {
		if h.pulls[i].branch == branch {
			h.pulls[i].pushers = append(h.pulls[i].pushers, login(ts))
		}
	}
	h.show(ts)
}

// opens BRANCH: $WHO opens a pull request of a branch that they pushed.
func opensPull(ts *testscript.TestScript, _ bool, args []string) {
	h := hubOf(ts)
	h.pulls = append(h.pulls,
		pull{number: 7 + len(h.pulls), branch: args[0], author: login(ts), pushers: []string{login(ts)}})
	h.show(ts)
}

// merges FOLDER: $WHO merges it into main.
func mergesPull(ts *testscript.TestScript, _ bool, args []string) {
	h := hubOf(ts)
	p := &h.pulls[len(h.pulls)-1]
	for _, words := range []string{"fetch -q origin", "checkout -q main",
		"merge -q --no-ff --no-edit origin/" + p.branch} {
		git(ts, false, append([]string{"-C", args[0]}, strings.Fields(words)...))
	}
	merged, err := exec.Command("git", "-C", ts.MkAbs(args[0]), "rev-parse", "HEAD").Output()
	ts.Check(err)
	p.merged = strings.TrimSpace(string(merged))
	h.show(ts)
	git(ts, false, []string{"-C", args[0], "push", "-q", "origin", "main"})
}

// show has the forge show the pull requests as they are now.
func (h *hub) show(ts *testscript.TestScript) {
	var onGitHub []githubtest.Pull
	var elsewhere []forgetest.Pull
	for i := range h.pulls {
		p := &h.pulls[i]
		if p.merged == "" {
			p.head = h.tip(ts, p.branch)
		}
		ref := fmt.Sprintf("refs/pull/%d/head", p.number)
		if h.like == "gitlab" {
			ref = fmt.Sprintf("refs/merge-requests/%d/head", p.number)
		}
		ts.Check(exec.Command("git", "-C", h.bare, "update-ref", ref, p.head).Run())
		title, body := h.says(p.branch)
		onGitHub = append(onGitHub, githubtest.Pull{Number: p.number, Head: p.head, Base: "main", Author: p.author,
			From: p.branch, Pushers: p.pushers, Commits: p.pushers, Closed: p.merged != "", Merged: p.merged,
			Title: title, Body: body})
		elsewhere = append(elsewhere, forgetest.Pull{Number: p.number, Head: p.head, Base: "main", Author: p.author,
			Branch: p.branch, Closed: p.merged != "", Merged: p.merged, Title: title, Body: body})
	}
	if h.github != nil {
		h.github.Set(onGitHub...)
	} else {
		h.others.Set(elsewhere...)
	}
}

// says returns what the newest pull request from a branch says of itself.
func (h *hub) says(branch string) (title, body string) {
	if h.github != nil {
		for _, p := range h.github.Pulls(branch) {
			title, body = p.Title, p.Body
		}
		return title, body
	}
	for _, p := range h.others.Pulls(branch) {
		title, body = p.Title, p.Body
	}
	return title, body
}

var digestToName = regexp.MustCompile("adsync approve [0-9a-f]{32}")

// agrees [comment]: $WHO approves the pull request, by a review where a review of this forge counts, or by the comment
// that adsync's own says to write.
func agreesToPull(ts *testscript.TestScript, _ bool, args []string) {
	h, who := hubOf(ts), login(ts)
	p := h.pulls[len(h.pulls)-1]
	h.read(ts, p.number)
	byReview := h.like != "gitlab" && len(args) == 0
	switch {
	case byReview && h.github != nil:
		h.github.Review(githubtest.Review{Pull: p.number, By: who, State: "APPROVED", Commit: p.head})
	case byReview:
		h.others.Review(forgetest.Review{Pull: p.number, By: who, State: "APPROVED", Commit: p.head})
	default:
		text := digestToName.FindString(strings.Join(h.said(p.number), "\n"))
		if text == "" {
			text = "adsync approve " + strings.Repeat("0", 32) // where only reviews count, none is named
		}
		if h.github != nil {
			h.github.Comment(githubtest.Comment{Pull: p.number, By: who, Body: text})
		} else {
			h.others.Comment(forgetest.Comment{Pull: p.number, By: who, Body: text})
		}
	}
}

// read takes the time that a person needs for adsync's comment: who is faster may not have seen what it says by now.
func (h *hub) read(ts *testscript.TestScript, number int) {
	const reads = time.Second
	until(ts, func() string { return "adsync's comment changes all the time" }, func() bool {
		var changed time.Time
		if h.github != nil {
			for _, c := range h.github.Comments(number) {
				changed = latest(changed, c.Changed)
			}
		} else {
			for _, c := range h.others.Comments(number) {
				changed = latest(changed, c.Changed)
			}
		}
		return time.Since(changed) > reads
	})
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// said are the comments of adsync.
func (h *hub) said(number int) (texts []string) {
	if h.github != nil {
		for _, c := range h.github.Comments(number) {
			if c.By == githubtest.User {
				texts = append(texts, c.Body)
			}
		}
		return texts
	}
	for _, c := range h.others.Comments(number) {
		if c.By == forgetest.User {
			texts = append(texts, c.Body)
		}
	}
	return texts
}

// told PATTERN: somebody reloads the pull request until adsync's one comment reads so, or sees that it does not.
func pullIsTold(ts *testscript.TestScript, neg bool, args []string) {
	h, pattern := hubOf(ts), regexp.MustCompile(args[0])
	p := h.pulls[len(h.pulls)-1]
	said := func() string {
		return fmt.Sprintf("the comments are\n%s\nwant one that reads %q\n%s",
			strings.Join(h.said(p.number), "\n---\n"), args[0], &find(ts, "daemon").said)
	}
	if neg {
		if pattern.MatchString(strings.Join(h.said(p.number), "\n")) {
			ts.Fatalf("%s", said())
		}
		return
	}
	until(ts, said, func() bool {
		all := h.said(p.number)
		return len(all) == 1 && pattern.MatchString(all[0])
	})
}

// judged STATE PATTERN: the newest commit gets a status that reads so: success, pending or failure.
func headIsJudged(ts *testscript.TestScript, _ bool, args []string) {
	h, pattern := hubOf(ts), regexp.MustCompile(args[1])
	head := h.pulls[len(h.pulls)-1].head
	var state, text string
	until(ts, func() string {
		return fmt.Sprintf("%s is %s: %s; want %q\n%s", head, state, text, args, &find(ts, "daemon").said)
	}, func() bool {
		if h.github != nil {
			for _, s := range h.github.Statuses(head) {
				state, text = s.State, s.Description
			}
		} else {
			for _, s := range h.others.Statuses(head) {
				state, text = strings.Replace(s.State, "failed", "failure", 1), s.Description
			}
		}
		return state == args[0] && pattern.MatchString(text)
	})
}
