package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/githubtest"
)

// merges merges a pull request, and returns the commit. Others stay open.
func (q *proposed) merges(pull githubtest.Pull, others ...githubtest.Pull) string {
	q.t.Helper()
	q.git("merge", "-q", "--no-ff", "-m", "Merge", pull.Head)
	commit := q.git("rev-parse", "HEAD")
	q.git("push", "-q", q.upstream, "main")
	pull.Closed, pull.Merged = true, commit
	q.forge.Set(append(others, pull)...)
	push(q.t, q.at, "refs/heads/main")
	return commit
}

var digestShown = regexp.MustCompile("adsync approve ([0-9a-f]{32})")

var copiesAt = regexp.MustCompile(`\(<https://[^ ]*/acme/ads/tree/adsync/results/(results/[A-Za-z0-9/_-]+)>\)`)

// TestAnApprovedPullRequestIsApplied: what an approver agreed to of a pull request is applied by the run that reads the
// merge, without another word, and the comment then says what became of it.
func TestAnApprovedPullRequestIsApplied(t *testing.T) {
	t.Parallel()
	q := newProposedWith(t, "1s", "  push_results: adsync/results\n", `approvers: [ann, bob, "@acme/buyers"]`)
	q.forge.Team("acme/buyers", "cid")
	pull := q.proposes(7, "daily: 50.00", "daily: 300.00")
	q.forge.Set(pull)
	digest := digestShown.FindStringSubmatch(q.says(7, "adsync approve ", pull.Head[:12]))
	q.judged(pull.Head, "pending", "needs approval: 1 change held")
	if digest == nil {
		t.Fatal("the comment has no digest")
	}
	for _, by := range []string{"ann", "eve"} {
		q.forge.Comment(githubtest.Comment{Pull: 7, By: by, Body: "adsync approve " + digest[1]})
	}
	q.hears(7, "of `ann` of", "as it is theirs", "of `eve` of", "as they are no approver")
	review := q.approves(pull, "cid")
	link := q.forge.Page(fmt.Sprintf("pull/7#pullrequestreview-%d", review))
	q.judged(pull.Head, "success", "1 approved")

	commit := q.merges(pull)
	q.p.until("msg", "run ended", "class", "applied")
	q.hears(7, "merged as `"+commit[:12]+"`", "campaign", "applied, verified", "Approved by `cid`: <"+link+">")
	folder := copiesAt.FindStringSubmatch(q.bodies(7)[0])
	if folder == nil {
		t.Fatalf("the comment says\n%s\nwant a link to marked copies", q.bodies(7)[0])
	}
	if copies := q.git("-C", q.upstream, "ls-tree", "--name-only", "adsync/results", folder[1]+"/"); !strings.Contains(
		copies, ".xlsx") {
		t.Errorf("the folder that the comment links to has %q; want workbooks", copies)
	}
	for path, want := range map[string]string{
		"/api/v1/accounts/shop/approvals": `"link":"` + link + `"`,
		"/api/v1/accounts/shop/runs":      `"approved":[{"by":"cid","link":"` + link + `"}]`,
		"/accounts/shop":                  `<a href="` + link + `" rel="noreferrer">` + link + "</a>",
	} {
		answer, err := http.Get("http://" + q.at + path)
		noError(t, err)
		content, err := io.ReadAll(answer.Body)
		noError(t, errors.Join(err, answer.Body.Close()))
		if !strings.Contains(string(content), want) {
			t.Errorf("%s says\n%s\nwant %s", path, content, want)
		}
	}
	q.p.end()
	if said := q.p.said(); !strings.Contains(said, "something was approved") || strings.Contains(said, `"class":"held"`) {
		t.Errorf("the daemon says\n%s\nwant the approval, and nothing held", said)
	}
}

// TestAMergeWithoutAYesIsHeld: the comment says what waits, and why.
func TestAMergeWithoutAYesIsHeld(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s", `approvers: [bob]`)
	pull := q.proposes(7, "daily: 50.00", "daily: 300.00")
	q.forge.Set(pull)
	q.says(7, "adsync approve ", pull.Head[:12])
	review := q.approves(pull, "bob")
	q.forge.Dismiss(review)
	commit := q.merges(pull)
	q.p.until("msg", "run ended", "class", "held")
	q.hears(7, "merged as `"+commit[:12]+"`", "is held: ", "It waits for an approval at the daemon's page")
	q.p.end()
}

// hears waits for what people wrote, and one comment of adsync that has all of some texts.
func (q *proposed) hears(number int, texts ...string) {
	q.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		said := q.bodies(number)
		has := len(said) == 1
		for _, text := range texts {
			has = has && strings.Contains(said[0], text)
		}
		if has {
			return
		}
	}
	q.t.Fatalf("pull request %d is told\n%s\nwant %q in one comment\n%s", number,
		strings.Join(q.bodies(number), "\n---\n"), texts, q.p.said())
}

// approves has somebody approve a pull request in a review, and once more where the comment asks for that: it may have
// been replaced in that moment. It returns the id of the review that counts.
func (q *proposed) approves(pull githubtest.Pull, by string) (review int64) {
	q.t.Helper()
	asked := fmt.Sprintf("the review of `%s` of", by)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		before := strings.Count(strings.Join(q.bodies(pull.Number), ""), asked)
		review = q.forge.Review(githubtest.Review{Pull: pull.Number, By: by, State: "APPROVED", Commit: pull.Head})
		for said := ""; strings.Count(said, asked) <= before && time.Now().Before(deadline); {
			if said = strings.Join(q.bodies(pull.Number), ""); strings.Contains(said, "Approved by `"+by+"`") {
				return review
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	q.t.Fatalf("the yes of %s does not count:\n%s\n%s", by, strings.Join(q.bodies(pull.Number), "\n---\n"), q.p.said())
	return 0
}

// bodies are the comments of adsync.
func (q *proposed) bodies(number int) (all []string) {
	for _, c := range q.forge.Comments(number) {
		if c.By == githubtest.User {
			all = append(all, c.Body)
		}
	}
	return all
}

// TestAPullRequestIsExplained: whoever asks by a comment is told why a resource is as it is, also where nobody
// approves, until they take the comment back.
func TestAPullRequestIsExplained(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s")
	pull := q.proposes(7, "daily: 50.00", "daily: 300.00")
	q.forge.Set(pull)
	q.says(7, pull.Head[:12])
	var asked []int64
	for _, address := range []string{"campaign/spring-launch", "campaign/spring-lunch", "@acme/all `</details>`"} {
		id := q.forge.Comment(githubtest.Comment{Pull: 7, By: "eve", Body: "adsync explain " + address})
		asked = append(asked, id)
	}
	q.forge.Comment(githubtest.Comment{Pull: 7, By: "robot", Bot: true,
		Body: "adsync explain ad_group/spring-launch/trail"})
	q.hears(7, "#### Explained", "`campaign/spring-launch`, for", "`campaign/spring-lunch`, for", "</details> ``, for")
	_, said, _ := strings.Cut(q.bodies(7)[0], "#### Explained\n")
	said = regexp.MustCompile(`[0-9a-f]{7} by .* on [0-9-]{10}`).ReplaceAllString(said, "COMMIT")
	if want := strings.ReplaceAll(explainedOfSpring, "'", "`"); said != want {
		t.Errorf("it is explained\n%s\nwant\n%s", said, want)
	}
	q.forge.Delete(asked[2])
	q.forge.Edit(asked[1], "adsync explain campaign/spring-launch ")
	q.forge.Edit(asked[0], "adsync explain campaign/spring-launch ")
	for deadline := time.Now().Add(patience); strings.Contains(q.bodies(7)[0], "#### Explained"); {
		if time.Sleep(50 * time.Millisecond); time.Now().After(deadline) {
			t.Fatalf("edited and deleted comments are heard:\n%s", q.bodies(7)[0])
		}
	}
	q.p.end()
}

// explainedOfSpring has ' in the place of backticks.
const explainedOfSpring = `
'' @acme/all '</details> '', for 'eve':

'''text
no file names it, and nothing of it changes
'''

'campaign/spring-lunch', for 'eve':

'''text
no file names it, and nothing of it changes; did you mean "campaign/spring-launch"?
'''

'campaign/spring-launch', for 'eve':

'''text
! update campaign/spring-launch "Spring launch"  spring.yaml:2:1
    budget.daily: 50.00 → 300.00 (+250.00, ×6.00)
                  edit spring.yaml:7:17, commit COMMIT
      ! held (raises-spend): budget.daily rises ×6.00, from 50.00 to 300.00; from ×5.00 on the exact
        amount must be allowed
        release with --allow raises-spend=campaign/spring-launch=300.00
      ! held (exposure): daily caps plus what is left of lifetime budgets would rise ×1.55, from
        450.00 to 700.00; up to ×1.25 passes
        release with --allow exposure=250.00/day
    hazards: exposure, raises-spend
the files name it at spring.yaml:2:1
  name: "Spring launch" (spring.yaml:4:7)
  status: active (spring.yaml:5:9)
  bidding_type: clicks (spring.yaml:6:15)
  budget.daily: 300.00 (spring.yaml:7:17)
  start: 2027-03-01 (spring.yaml:8:8)
  end: 2027-05-31 (spring.yaml:9:6)
  targeting.countries: CA, US (spring.yaml:11:14)
  tracking: "utm_source=chat&utm_campaign={campaign_id}&utm_content={ad_id}" (spring.yaml:12:11)
'''
`

// TestOwnersApproveTheirFiles: where owners count, the yes of another approver does not. Who owns the files is said by
// the branch, whatever the pull request says.
func TestOwnersApproveTheirFiles(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s", `approvers: [bob, "@acme/buyers"]`, "codeowners: true")
	q.forge.Team("acme/buyers", "cid")
	owners := func(text string) {
		saveFile(t, filepath.Join(q.work, "CODEOWNERS"), text)
		q.git("add", "CODEOWNERS")
		q.git("commit", "-q", "-m", "Owners")
	}
	owners("* @acme/buyers\n")
	q.git("push", "-q", q.upstream, "main")
	push(t, q.at, "refs/heads/main")
	q.proposes(7, "daily: 50.00", "daily: 300.00")
	q.git("checkout", "-q", "pull-7")
	owners("* @bob\n")
	pull := githubtest.Pull{Number: 7, Title: "Edit", Head: q.publishes(7), Base: "main", Author: "ann"}
	q.git("checkout", "-q", "main")
	q.forge.Set(pull)
	q.hears(7, pull.Head[:12], "It needs a yes of `@acme/buyers`, who own `")
	q.judged(pull.Head, "pending", "needs approval: 1 change held")
	q.forge.Review(githubtest.Review{Pull: 7, By: "bob", State: "APPROVED", Commit: pull.Head})
	q.hears(7, "of `bob` of", "as they do not own all of it: it needs a yes of `@acme/buyers`")
	q.judged(pull.Head, "pending", "needs approval: 1 change held")
	q.approves(pull, "cid")
	q.judged(pull.Head, "success", "1 approved")
	q.merges(pull)
	q.p.until("msg", "run ended", "class", "applied")
	q.hears(7, "applied, verified", "Approved by `cid`")
	q.p.end()
}

// TestWhatLooksLikeAYesIsNone: of what people write that does not count, the comment says why, and what is merged then
// is held.
func TestWhatLooksLikeAYesIsNone(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s", `approvers: [bob, cid, dan]`)
	first := q.proposes(7, "daily: 50.00", "daily: 250.00")
	other := q.proposes(8, "daily: 50.00", "daily: 300.00")
	q.forge.Set(first, other)
	q.says(7, first.Head[:12])
	foreign := digestShown.FindStringSubmatch(q.says(8, "adsync approve ", other.Head[:12]))
	pull := q.proposes(7, "daily: 50.00", "daily: 300.00")
	early := q.forge.Review(githubtest.Review{Pull: 7, By: "dan", State: "APPROVED", Commit: pull.Head})
	q.forge.Set(pull, other)
	digest := digestShown.FindStringSubmatch(q.says(7, "adsync approve ", pull.Head[:12]))
	if digest == nil || foreign == nil || early == 0 {
		t.Fatal("the comments have no digest")
	}
	writes := func(by, body string) int64 {
		return q.forge.Comment(githubtest.Comment{Pull: 7, By: by, Body: body})
	}
	edited := writes("bob", "Looks fine")
	writes("bob", "adsync approve "+foreign[1])
	q.forge.Review(githubtest.Review{Pull: 7, By: "cid", State: "APPROVED", Commit: first.Head})
	time.Sleep(time.Second) // the forge tells an edit by the second
	q.forge.Edit(edited, "adsync approve "+digest[1])
	dismissed := q.forge.Review(githubtest.Review{Pull: 7, By: "cid", State: "APPROVED", Commit: pull.Head})
	q.forge.Dismiss(dismissed)
	q.hears(7, "it was edited, or may have been", "it names no plan of this pull request",
		"whose plan was not the one shown")
	mine := q.forge.Comments(7)
	for _, c := range mine {
		if c.By == githubtest.User { // who may write to the repository has it show less than the plan
			q.forge.Edit(c.ID, strings.ReplaceAll(c.Body, "300.00", "51.00"))
		}
	}
	q.forge.Review(githubtest.Review{Pull: 7, By: "bob", State: "APPROVED", Commit: pull.Head})
	q.hears(7, "this comment was changed meanwhile", "300.00")
	q.judged(pull.Head, "pending", "needs approval: 1 change held")
	if said := q.bodies(7)[0]; strings.Contains(said, "Approved by") {
		t.Errorf("somebody approved:\n%s", said)
	}
	commit := q.merges(pull, other)
	q.p.until("msg", "run ended", "class", "held")
	q.hears(7, "merged as `"+commit[:12]+"`", "is held: ", "It waits for an approval at the daemon's page")
	if said := q.bodies(7)[0]; strings.Contains(said, "This is not what was approved") {
		t.Errorf("it says that something was approved:\n%s", said)
	}
	q.p.end()
	if said := q.p.said(); strings.Contains(said, "something was approved") {
		t.Errorf("the daemon says\n%s\nwant no approval", said)
	}
}

// TestWhatMovedSinceTheYesWaits: where what is live moves between the yes and the merge, nothing is sent, and the
// comment says that this is not what was approved.
func TestWhatMovedSinceTheYesWaits(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s", `approvers: [bob]`)
	pull := q.proposes(7, "daily: 50.00", "daily: 300.00")
	q.forge.Set(pull)
	q.says(7, "adsync approve ", pull.Head[:12])
	q.approves(pull, "bob")
	type campaign struct {
		ID, Name string
		Budget   struct {
			Daily int64 `json:"daily_spend_limit_micros"`
		}
	}
	spring := func() campaign {
		t.Helper()
		var all struct{ Data []campaign }
		askService(t, q.account, http.MethodGet, "/campaigns?limit=100", "", &all)
		return all.Data[slices.IndexFunc(all.Data, func(c campaign) bool { return c.Name == "Spring launch" })]
	}
	askServiceAs(t, q.account, strangerKey, http.MethodPost, "/campaigns/"+spring().ID,
		`{"budget": {"daily_spend_limit_micros": 45000000}}`, nil)
	commit := q.merges(pull)
	q.p.until("msg", "run ended", "class", "held")
	q.hears(7, "merged as `"+commit[:12]+"`", "is held: ", "45.00",
		"This is not what was approved: what is live has changed since.")
	q.p.end()
	if live := spring().Budget.Daily; live != 45_000_000 {
		t.Errorf("the budget is %d; want what it was moved to", live)
	}
}

// TestAMergeThatCannotBePlanned: the comment does not say that the account is as the files say.
func TestAMergeThatCannotBePlanned(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s")
	pull := q.proposes(7, "bid: {max: 1.25}", "bid: {max: cheap}")
	q.forge.Set(pull)
	q.says(7, "cheap", pull.Head[:12])
	commit := q.merges(pull)
	q.hears(7, "merged as `"+commit[:12]+"`", "**The account cannot be planned** with it")
	q.p.end()
}

// TestWhatIsPendingWithoutThePullRequest: what the branch has held already is told apart, nobody is asked for it by the
// pull request, and whoever asks for help gets it.
func TestWhatIsPendingWithoutThePullRequest(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s", `approvers: [bob]`)
	q.save("daily: 50.00", "daily: 300.00", "Raise")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "held")
	pull := q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}")
	q.forge.Set(pull)
	said := q.says(7, pull.Head[:12], "#### Also pending, not because of this pull request")
	own, pending, _ := strings.Cut(said, "#### Also pending")
	if !strings.Contains(own, "1.20") || !strings.Contains(pending, "300.00") || digestShown.MatchString(said) {
		t.Errorf("the comment says\n%s\nwant the bid first, then the budget, and no digest", said)
	}
	q.judged(pull.Head, "success", "1 change")
	for _, ask := range []string{"adsync plan", "adsync help"} {
		q.forge.Comment(githubtest.Comment{Pull: 7, By: "eve", Body: ask})
	}
	q.hears(7, "Comments that adsync reads", "`adsync plan` has it planned anew", "An approval holds 14 days")
	q.p.end()
}
