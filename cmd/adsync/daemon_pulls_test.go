package main

import (
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/testing/githubtest"
)

const githubToken = "TEST_GITHUB_TOKEN"

// proposed is a daemon whose repository has a forge, and the engineer who proposes.
type proposed struct {
	*repository
	forge *githubtest.Server
	p     *process
	at    string // where the daemon listens

	account           *service
	service, operator string // address and file
	states            string // folder

	opensNone atomic.Bool // the forge opens no pull request, and says so
}

// more are settings of pull_requests.
func newProposed(t *testing.T, every string, more ...string) *proposed {
	t.Helper()
	return newProposedWith(t, every, "", more...)
}

// newProposedWith has more settings of the account, too: lines of daemon.yaml.
func newProposedWith(t *testing.T, every, account string, more ...string) *proposed {
	t.Helper()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	q := &proposed{repository: hostRepository(t, work), forge: githubtest.Start(t), service: s.url, operator: operator}
	q.account = s
	q.forge.HeadOf = func(number int, branch string) string {
		q.git("-C", q.upstream, "update-ref", fmt.Sprintf("refs/pull/%d/head", number), branch)
		return q.git("-C", q.upstream, "rev-parse", branch)
	}
	q.forge.DiffOf = func(number int) string {
		head := fmt.Sprintf("main...refs/pull/%d/head", number)
		diff, _ := exec.Command("git", "-C", q.upstream, "diff", head).Output() // of what is not there, none
		return string(diff)
	}
	q.forge.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		refused := q.opensNone.Load() && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/pulls")
		if refused {
			http.Error(w, "<html>bad gateway</html>", http.StatusBadGateway)
		}
		return refused
	}
	q.p, q.at, q.states = q.serveFrom(s, operator, fmt.Sprintf("  propose_drift: true\n  uploads: adsync/uploads\n"+
		"  webhook: {secret: {env: HOOK}}\n"+account+
		"  pull_requests: {forge: github, repository: acme/ads, api: %q,\n    token: {env: %s}, every: %s%s}\n",
		q.forge.URL, githubToken, every, strings.Join(append([]string{""}, more...), ", ")))
	q.p.until("msg", "run ended", "class", "applied")
	return q
}

// proposes pushes an edit as the head of a pull request, and returns it.
func (q *proposed) proposes(number int, from, to string) githubtest.Pull {
	q.t.Helper()
	branch := fmt.Sprint("pull-", number)
	q.git("checkout", "-q", "-B", branch)
	saveEdit(q.t, q.work, from, to)
	q.git("commit", "-q", "-a", "-m", "Edit")
	head := q.publishes(number)
	q.git("checkout", "-q", "main")
	return githubtest.Pull{Number: number, Title: "Edit", Head: head, Base: "main", Author: "ann"}
}

// publishes pushes what is checked out as the head of a pull request, and returns the commit.
func (q *proposed) publishes(number int) string {
	q.t.Helper()
	q.git("push", "-q", "-f", q.upstream, fmt.Sprintf("HEAD:refs/pull/%d/head", number))
	return q.git("rev-parse", "HEAD")
}

// says waits for the comment of a pull request to have all of some texts, and returns it.
func (q *proposed) says(number int, texts ...string) string {
	q.t.Helper()
	said := "nothing"
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		all := q.forge.Comments(number)
		if len(all) == 0 {
			continue
		}
		said = all[len(all)-1].Body
		has := true
		for _, text := range texts {
			has = has && strings.Contains(said, text)
		}
		if has && len(all) == 1 {
			return said
		}
	}
	q.t.Fatalf("pull request %d is told\n%s\nwant %q in one comment\n%s", number, said, texts, q.p.said())
	return ""
}

// judged waits for the status of a commit.
func (q *proposed) judged(commit, state, text string) {
	q.t.Helper()
	var all []githubtest.Status
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		all = q.forge.Statuses(commit)
		if n := len(all); n > 0 && all[n-1].State == state && strings.Contains(all[n-1].Description, text) {
			break
		}
	}
	if len(all) == 0 || all[len(all)-1].State != state || !strings.Contains(all[len(all)-1].Description, text) ||
		all[0].Context != "adsync/shop" {
		q.t.Fatalf("%s has %+v; want %s with %q", commit, all, state, text)
	}
}

// TestADaemonAnswersPullRequests: the head of each that changes the account is planned, as it would be once it is
// merged, and nothing of it is sent. One comment says it, and is replaced.
func TestADaemonAnswersPullRequests(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s")
	pull := q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}")
	q.forge.Set(pull)
	q.says(7, "1.25", "1.20", "Trail runners", pull.Head[:12])
	q.judged(pull.Head, "success", "1 change")

	pull = q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.15}")
	q.forge.Set(pull)
	q.says(7, "1.15", pull.Head[:12])
	q.judged(pull.Head, "success", "1 change")

	pull = q.proposes(7, "bid: {max: 1.25}", "bid: {max: cheap}")
	q.forge.Set(pull)
	q.says(7, "cheap", pull.Head[:12])
	q.judged(pull.Head, "failure", "1 problem")

	q.forge.Set(q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}"),
		q.proposes(8, "bid: {max: 0.90}", "bid: {max: 0.95}"))
	q.says(8, "0.95")
	q.save("bid: {max: 0.90}", "bid: {max: 0.85}", "Lower") // in the file that both change
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied")
	for _, number := range []int{7, 8} {
		q.says(number, "**Stale**", "- `spring.yaml`", q.git("rev-parse", "main")[:12])
	}
	q.p.end()
}

// TestThePlanIsOfTheMergeThatTheForgeMade: where both sides changed a file, the merge of the forge is planned, if it is
// of this head and of the branch as it is.
func TestThePlanIsOfTheMergeThatTheForgeMade(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s")
	const head, mine = "bid: {max: 1.25}", "bid: {max: 1.20}"
	q.git("checkout", "-q", "-b", "began")
	q.git("checkout", "-q", "main")
	old := q.git("rev-parse", "HEAD")
	q.save("bid: {max: 0.90}", "bid: {max: 0.85}", "Lower") // in the file that all of them change
	main := q.git("rev-parse", "HEAD")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied")
	// merges is the merge of two commits, with one more edit.
	merges := func(branch, head, from, to string) string {
		t.Helper()
		q.git("checkout", "-q", "--detach", branch)
		q.git("merge", "-q", "--no-ff", "--no-edit", head)
		if from != "" {
			saveEdit(t, q.work, from, to)
			q.git("commit", "-q", "-a", "--amend", "--no-edit")
		}
		commit := q.git("rev-parse", "HEAD")
		q.git("checkout", "-q", "main")
		return commit
	}
	keeps := func(number int, commit string) {
		t.Helper()
		q.git("push", "-q", "-f", q.upstream, fmt.Sprintf("%s:refs/pull/%d/merge", commit, number))
	}
	rows := []struct {
		name  string
		merge func(head string) string // that the forge has
		want  string                   // "": it is stale
	}{
		{"it is this merge", func(head string) string { return merges(main, head, "", "") }, ", by the forge"},
		{"the branch was elsewhere", func(head string) string { return merges(old, head, "", "") }, ""},
		{"there is none", nil, ""},
		{"it is of somebody else", func(string) string {
			return merges(main, q.git("rev-parse", "pull-1"), "", "")
		}, ""},
		{"it is no merge", func(head string) string { return head }, ""},
		{"it changes another file", func(head string) string {
			return merges(main, head, "id: adacct_quickstart", "id: adacct_quickstart # mine")
		}, ", by the forge"}, // the policy is that of the branch, whatever it says
	}
	var pulls []githubtest.Pull
	for i, row := range rows {
		number := i + 1
		q.git("checkout", "-q", "-B", fmt.Sprint("pull-", number), "began")
		saveEdit(t, q.work, head, mine)
		q.git("commit", "-q", "-a", "-m", row.name)
		pull := githubtest.Pull{Number: number, Head: q.publishes(number), Base: "main", Author: "ann"}
		q.git("checkout", "-q", "main")
		if row.merge != nil {
			keeps(number, row.merge(pull.Head))
		}
		pulls = append(pulls, pull)
	}
	q.forge.Set(pulls...)
	for i, row := range rows {
		if row.want == "" {
			q.says(i+1, "**Stale**", "- `spring.yaml`")
			q.judged(pulls[i].Head, "failure", "stale: 1 file changed on both sides")
			continue
		}
		if said := q.says(i+1, main[:12]+"`"+row.want, "1.20"); strings.Contains(said, "0.90") {
			t.Errorf("%s: what the branch changed is taken back:\n%s", row.name, said)
		}
		q.judged(pulls[i].Head, "success", "1 change")
	}
	q.p.end()
}

// TestAWebhookTellsOfAPullRequest: it is answered long before it would be asked for.
func TestAWebhookTellsOfAPullRequest(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1h")
	q.forge.Set(q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}"))
	tell(t, q.at, "pull_request", `{"action": "opened", "pull_request": {"base": {"ref": "main"}}}`)
	q.says(7, "1.20")
	q.p.end()
}

// stands waits until there are so many pull requests from a branch, and the last is as a test wants it.
func (q *proposed) stands(branch string, count int, closed bool, text string) githubtest.Pull {
	q.t.Helper()
	var all []githubtest.Pull
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		all = q.forge.Pulls(branch)
		if n := len(all); n == count && all[n-1].Closed == closed && strings.Contains(all[n-1].Body, text) {
			return all[n-1]
		}
	}
	q.t.Fatalf("pull requests\n%+v\nwant %d, the last with %q, closed: %t\n%s", all, count, text, closed, q.p.said())
	return githubtest.Pull{}
}

// TestDriftIsAPullRequest: what somebody changed at the service is one pull request, which says who and when. It
// follows the account and the branch, is closed when nothing is left of it, and stays closed where somebody closed it.
func TestDriftIsAPullRequest(t *testing.T) {
	t.Parallel()
	const branch = "adsync/drift-adacct_quickstart"
	q := newProposed(t, "1s")
	group := groupOf(t, q.account, "Trail runners").ID
	renames := func(name string) {
		t.Helper()
		askServiceAs(t, q.account, strangerKey, http.MethodPost, "/ad_groups/"+group,
			fmt.Sprintf(`{"name": %q}`, name), nil)
		push(t, q.at, "refs/heads/main")
	}
	stands := func(count int, closed bool, text string) githubtest.Pull {
		t.Helper()
		return q.stands(branch, count, closed, text)
	}
	shows := func(text string) {
		t.Helper()
		if diff := q.git("-C", q.upstream, "diff", "main", branch); !strings.Contains(diff, text) ||
			strings.Count(diff, "diff --git") != 1 {
			t.Errorf("the branch changes\n%s\nwant %q alone", diff, text)
		}
	}
	renames("Runners by hand")
	first := stands(1, false, "| `\"Trail runners\"` | `\"Runners by hand\"` |")
	shows("+    name: Runners by hand")
	if who := regexp.MustCompile("`[^`]+ at 20[0-9-]{8} [0-9:]{5}` \\|"); !who.MatchString(first.Body) ||
		first.Base != "main" || !strings.Contains(first.Title, "1 value") {
		t.Errorf("%+v; want it to say who and when, and how much", first)
	}
	q.says(first.Number, "Account `shop`") // as of any other pull request

	renames("Runners again")
	if again := stands(1, false, "Runners again"); strings.Contains(again.Body, "by hand") {
		t.Errorf("it says still\n%s", again.Body)
	}
	shows("+    name: Runners again")

	q.save("bid: {max: 0.90}", "bid: {max: 0.85}", "Lower")
	push(t, q.at, "refs/heads/main")
	q.follows(branch)
	shows("+    name: Runners again")

	renames("Trail runners")
	stands(1, true, "")
	if said := q.forge.Comments(first.Number); !strings.Contains(said[len(said)-1].Body, "no longer so") {
		t.Errorf("it is closed with\n%+v\nwant why", said)
	}

	renames("Runners once more")
	second := stands(2, false, "Runners once more")
	q.forge.Close(second.Number)
	q.save("bid: {max: 0.85}", "bid: {max: 0.80}", "Lower")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "held")
	stands(2, true, "")
	renames("Runners at last")
	third := stands(3, false, "Runners at last")
	q.git("fetch", "-q", q.upstream, branch)
	q.git("merge", "-q", "--no-edit", "FETCH_HEAD")
	q.git("push", "-q", q.upstream, "main")
	merged := third
	merged.Closed = true
	q.forge.Set(merged)
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied", "message", "1 applied; verified 0/0")
	q.p.until("msg", "run ended", "class", "in_sync")
	q.p.end()
	for _, c := range q.forge.Comments(third.Number) {
		if strings.Contains(c.Body, "no longer so") {
			t.Errorf("what was merged is told %q", c.Body)
		}
	}
}
