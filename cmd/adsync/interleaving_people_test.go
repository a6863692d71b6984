package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"adsync/internal/testing/githubtest"
)

// somebody does something at the forge or at the service.
func (c *crowd) somebody() {
	c.moves++
	var open []*asking
	for _, of := range c.asked {
		if !of.Closed {
			open = append(open, of)
		}
	}
	if len(open) < 2 {
		c.opens()
		return
	}
	of := open[c.random.IntN(len(open))]
	switch what := c.random.IntN(12); {
	case what == 0:
		c.edits(crowdNames[c.random.IntN(3)], c.amount())
	case what == 1:
		c.pushes(of)
	case what < 4:
		c.merges(c.agreedOf(open, of))
	case what == 4:
		if c.random.IntN(2) == 0 {
			c.takesBack(c.asked[c.random.IntN(len(c.asked))])
			return
		}
		of = c.agreedOf(open, of)
		c.takesBack(of)
		c.merges(of)
	case what == 5:
		c.says(of, "eve", c.random.IntN(2) == 0)
	case what == 6 && c.before:
		c.did["close"]++
		of.Closed = true
		c.tells()
	default:
		c.says(of, "bob", c.random.IntN(2) == 0)
	}
}

// agreedOf returns a pull request to which somebody agreed whose plan is shown, or else another.
func (c *crowd) agreedOf(open []*asking, other *asking) *asking {
	for _, of := range open {
		if len(of.said) > 0 && headIn(c.bodyOf(of)) == of.Head[:12] {
			return of
		}
	}
	return other
}

func (c *crowd) amount() int { return 10 * (1 + c.random.IntN(3)) }

// opens opens another pull request.
func (c *crowd) opens() *asking {
	of := &asking{
		Pull:  githubtest.Pull{Number: 7 + len(c.asked), Title: "Edit", Base: "main", Author: "ann"},
		heard: map[string]int{},
	}
	c.asked = append(c.asked, of)
	c.pushes(of)
	return of
}

// pushes gives a pull request other files: of one budget at least.
func (c *crowd) pushes(of *asking) {
	c.did["push"]++
	files := map[string]int{}
	for len(files) == 0 {
		for _, name := range crowdNames {
			if to := c.amount(); c.random.IntN(2) == 0 && to != c.branch[name] {
				files[name] = to
			}
		}
	}
	c.proposes(of, files)
}

func (c *crowd) proposes(of *asking, files map[string]int) {
	c.git("checkout", "-q", "-B", fmt.Sprint("pull-", of.Number), "main")
	for name, to := range files {
		saveFile(c.t, filepath.Join(c.work, name+".yaml"), fmt.Sprintf(crowdCampaign, name, to))
	}
	c.git("commit", "-q", "-a", "-m", fmt.Sprint("Edit ", c.moves))
	c.git("push", "-q", "-f", c.upstream, fmt.Sprintf("HEAD:refs/pull/%d/head", of.Number))
	of.Head = c.git("rev-parse", "HEAD")
	c.git("checkout", "-q", "main")
	c.tells()
}

// tells has the forge know the pull requests as they are.
func (c *crowd) tells() {
	var all []githubtest.Pull
	for _, of := range c.asked {
		all = append(all, of.Pull)
	}
	c.forge.Set(all...)
}

// merges merges one, unless both sides changed the same lines.
func (c *crowd) merges(of *asking) {
	merge := []string{"-C", c.work, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "merge", "-q", "--no-ff",
		"-m", "Merge", of.Head}
	if exec.Command("git", merge...).Run() != nil {
		c.git("merge", "--abort")
		c.did["merge refused"]++
		return
	}
	c.did["merge"]++
	of.Closed, of.Merged = true, c.git("rev-parse", "HEAD")
	for _, name := range crowdNames {
		content, err := os.ReadFile(filepath.Join(c.work, name+".yaml"))
		noError(c.t, err)
		c.branch[name] = amountIn(c.t, regexp.MustCompile(`daily: (\d+)\.00`).FindStringSubmatch(string(content)))
	}
	c.git("push", "-q", c.upstream, "main")
	c.tells()
}

func amountIn(t *testing.T, found []string) int {
	t.Helper()
	n, err := strconv.Atoi(found[1])
	noError(t, err)
	return n
}

// edits has somebody else change a budget at the service.
func (c *crowd) edits(name string, to int) {
	c.did["edit"]++
	r := httptest.NewRequest(http.MethodPost, "/v1/campaigns/"+c.ids[name],
		strings.NewReader(fmt.Sprintf(`{"budget": {"daily_spend_limit_micros": %d000000}}`, to)))
	r.Header.Set("Authorization", "Bearer "+strangerKey)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	if c.account.server.ServeHTTP(w, r); w.Code != http.StatusOK {
		c.t.Errorf("the edit is answered %d: %s", w.Code, w.Body)
	}
	c.watches()
}

// says has somebody say yes to what the comment shows, by a review of the head or by its digest.
func (c *crowd) says(of *asking, by string, review bool) {
	text := c.bodyOf(of)
	yes := &agreed{kind: "comments", sees: asksFor(text), used: map[string]bool{}}
	if review {
		if yes.kind = "reviews"; headIn(text) != of.Head[:12] { // they look at files whose plan is not shown
			yes.sees = map[string]bool{}
		}
		yes.id = c.forge.Review(githubtest.Review{Pull: of.Number, By: by, State: "APPROVED", Commit: of.Head})
	} else {
		digest := digestShown.FindStringSubmatch(text)
		if digest == nil {
			return
		}
		yes.id = c.forge.Comment(githubtest.Comment{Pull: of.Number, By: by, Body: "adsync approve " + digest[1]})
	}
	if c.did["yes of "+by]++; by == "bob" {
		of.said = append(of.said, yes)
	}
}

// takesBack has every yes to a pull request taken back, reviews dismissed and comments deleted; the merge may have been
// long before.
func (c *crowd) takesBack(of *asking) {
	for _, yes := range of.said {
		if yes.until > 0 {
			continue
		}
		c.did["take back"]++
		if yes.until = c.moves; yes.kind == "reviews" {
			c.forge.Dismiss(yes.id)
		} else {
			c.forge.Delete(yes.id)
		}
	}
}

// bodyOf is adsync's comment of a pull request; it has one at most.
func (c *crowd) bodyOf(of *asking) string {
	var all []string
	for _, one := range c.forge.Comments(of.Number) {
		if one.By == githubtest.User {
			all = append(all, one.Body)
		}
	}
	if len(all) > 1 {
		c.t.Errorf("pull request %d has %d comments:\n%s", of.Number, len(all), strings.Join(all, "\n---\n"))
	}
	return strings.Join(all, "")
}

var (
	changeShown = regexp.MustCompile(`update campaign/([abc]) |budget\.daily: (\d+)\.00 → (\d+)\.00`)
	headShown   = regexp.MustCompile("`([0-9a-f]{12})` merged into")
	forgeRead   = regexp.MustCompile(`/(?:pulls|issues)/(\d+)/(reviews|comments)$`)
)

// asksFor are the changes that a comment asks for, such as a:10>20: not what is pending without the pull request.
func asksFor(comment string) map[string]bool {
	own, _, _ := strings.Cut(comment, "#### Also pending")
	shown, of := map[string]bool{}, ""
	for _, found := range changeShown.FindAllStringSubmatch(own, -1) {
		if found[1] != "" {
			of = found[1]
			continue
		}
		shown[of+":"+found[2]+">"+found[3]] = true
	}
	return shown
}

func headIn(comment string) string {
	if found := headShown.FindStringSubmatch(comment); found != nil {
		return found[1]
	}
	return ""
}

// hears keeps when people were heard last, and what of their yes another head leaves.
func (c *crowd) hears(r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := forgeRead.FindStringSubmatch(r.URL.Path); found != nil && r.Method == http.MethodGet {
		number, _ := strconv.Atoi(found[1])
		if strings.Contains(r.URL.Path, "/pulls/") == (found[2] == "reviews") {
			c.asked[number-7].heard[found[2]] = c.moves
		}
	}
	for _, of := range c.asked {
		text := c.bodyOf(of)
		if head := headIn(text); head != "" && head != of.shownOf {
			of.shownOf = head
			shown := asksFor(text)
			for _, yes := range of.said {
				maps.DeleteFunc(yes.sees, func(word string, _ bool) bool { return !shown[word] })
			}
		}
	}
}

// watches reads the mutation log on, and holds what adsync did against what people said.
func (c *crowd) watches() {
	entries, err := c.account.server.World().Mutations(c.read, 1<<20)
	noError(c.t, err)
	for _, m := range entries {
		c.read = m.Seq
		var was, is struct {
			Name   string
			Budget struct {
				Daily int `json:"daily_spend_limit_micros"`
			}
		}
		noError(c.t, json.Unmarshal(m.Before, &was))
		noError(c.t, json.Unmarshal(m.After, &is))
		from, to := was.Budget.Daily/1e6, is.Budget.Daily/1e6
		if m.Resource != "campaign" {
			continue
		}
		name := strings.TrimPrefix(is.Name, "Budget ")
		if m.Action == "create" {
			c.actor, c.ids[name] = m.Actor, m.ResourceID
			c.created[name]++
		}
		c.live[name] = to
		if m.Action != "create" && m.Actor == c.actor && from != to {
			c.judges(name, from, to)
		}
	}
}

// judges holds that a raise was approved, and that what the branch does not say was, too.
func (c *crowd) judges(name string, from, to int) {
	early := c.before && c.branch[name] != to
	if early {
		c.ahead++
	}
	if to < from && !early {
		return
	}
	c.raised++
	word := fmt.Sprintf("%s:%d>%d", name, from, to)
	for _, of := range c.asked {
		for _, yes := range of.said {
			if (of.Merged != "" || c.before) && yes.sees[word] && !yes.used[word] &&
				(yes.until == 0 || yes.until > of.heard[yes.kind]) {
				yes.used[word] = true
				return
			}
		}
	}
	c.t.Errorf("%s is applied without a yes that counts and was not used; the branch says %v; it was said:", word,
		c.branch)
	for _, of := range c.asked {
		for _, yes := range of.said {
			c.t.Errorf("pull request %d, merged as %.12q, closed %v: %+v; heard at %v of %d\n%s", of.Number, of.Merged,
				of.Closed, *yes, of.heard, c.moves, c.bodyOf(of))
		}
	}
}
