package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/githubtest"
)

// sendsNothing has the test fail where the daemon does more at the service than read, from now on.
func (q *proposed) sendsNothing() {
	watch := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			q.t.Errorf("%s %s is sent before any merge", r.Method, r.URL.Path)
		}
		return false
	}
	q.account.before.Store(&watch)
}

// showsNoSecret wants none in the log and in what is said of some pull requests.
func (q *proposed) showsNoSecret(numbers ...int) {
	q.t.Helper()
	shown := q.p.said()
	for _, number := range numbers {
		for _, c := range q.forge.Comments(number) {
			shown += c.Body
		}
	}
	for _, secret := range []string{githubtest.Token, canaryKey, gitToken, hookSecret} {
		if strings.Contains(shown, secret) {
			q.t.Errorf("a secret is shown, which begins with %.4s", secret)
		}
	}
}

// TestAPullRequestLoosensNothing: what it makes of the policy, of adsync's own state and of links counts for nothing
// before somebody has merged it.
func TestAPullRequestLoosensNothing(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s")
	q.sendsNothing()
	q.git("checkout", "-q", "-B", "eve")
	saveEdit(t, q.work, "daily: 50.00", "daily: 8000.00")
	project := filepath.Join(q.work, "adsync.yaml")
	content, err := os.ReadFile(project)
	noError(t, err)
	noError(t, os.WriteFile(project, append(content, "policy: {max_daily_exposure: 1000000.00}\n"...), 0o600))
	noError(t, os.MkdirAll(filepath.Join(q.work, ".adsync"), 0o700))
	noError(t, os.WriteFile(filepath.Join(q.work, ".adsync", "STOP"), []byte("forged"), 0o600))
	q.git("add", "-A", "-f")
	q.git("commit", "-q", "-m", "Harmless")
	head := q.publishes(8)
	q.git("checkout", "-q", "-f", "main")
	q.forge.Set(githubtest.Pull{Number: 8, Title: "Harmless", Head: head, Base: "main", Author: "eve"})
	q.says(8, head[:12], "`adsync.yaml` is changed, too", "8000", "1000.00")
	q.judged(head, "pending", "needs approval: 1 change held; adsync.yaml changes, too")

	q.git("checkout", "-q", "-B", "link")
	noError(t, os.Symlink("/etc/passwd", filepath.Join(q.work, "passwd.yaml")))
	q.git("add", "-A")
	q.git("commit", "-q", "-m", "A link")
	link := q.publishes(9)
	q.forge.Set(githubtest.Pull{Number: 9, Title: "A link", Head: link, Base: "main", Author: "eve"})
	q.says(9, link[:12], "symbolic link; want files only")
	q.judged(link, "failure", "cannot be read")
	q.p.end()
	q.showsNoSecret(8, 9)
}

// TestAMergeThatLoosensPolicy: what a pull request makes of adsync.yaml, beside a raise of Spring launch's budget of
// 50, counts for nothing before it is merged. From then on it counts, and lets pass no more than the operator's file
// and the defaults do, whoever did not say yes.
func TestAMergeThatLoosensPolicy(t *testing.T) {
	const own = "policy: {max_daily_budget: 52.00}\n"
	for _, row := range []struct {
		name, operator string // of the operator's policy, beside the exposure
		branch, head   string // added to adsync.yaml
		raise          int
		held           string // before the merge
		class, says    string // after it
		spends         int
	}{
		{name: "further than the operator's file", operator: ", max_daily_budget: 52.00",
			head: "policy: {max_daily_budget: 9000.00}\n", raise: 54, held: "above the ceiling 52.00",
			class: "input", says: "policy.max_daily_budget is 9000.00, looser than 52.00", spends: 50},
		{name: "further than the default", head: "policy: {budget: {hold_above: 9.00}}\n", raise: 80, held: "80.00",
			class: "input", says: "policy.budget.hold_above is 9.00, looser than 1.50", spends: 50},
		{name: "not what the operator's file holds", operator: ", max_daily_budget: 52.00", branch: own, raise: 54,
			held: "above the ceiling 52.00", class: "held", says: "above the ceiling 52.00", spends: 50},
		{name: "not what the defaults hold", branch: own, raise: 80, held: "above the ceiling 52.00",
			class: "held", says: "80.00", spends: 50},
		{name: "what the branch alone held", branch: own, raise: 54, held: "above the ceiling 52.00",
			class: "applied", says: "1 applied", spends: 54},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			q := newProposed(t, "1s", "approvers: [bob]")
			saveFile(t, q.operator, fmt.Sprintf("policy: {max_daily_exposure: 1000.00%s}\n", row.operator))
			project := filepath.Join(q.work, "adsync.yaml")
			content, err := os.ReadFile(project)
			noError(t, err)
			saveFile(t, project, string(content)+"# ours\n"+row.branch)
			q.git("commit", "-q", "-a", "-m", "Our policy")
			q.git("push", "-q", q.upstream, "main")
			push(t, q.at, "refs/heads/main")
			q.p.until("msg", "run ended", "class", "in_sync", "woken", "push")
			q.sendsNothing()

			q.git("checkout", "-q", "-B", "eve")
			saveFile(t, project, string(content)+row.head)
			saveEdit(t, q.work, "daily: 50.00", fmt.Sprintf("daily: %d.00", row.raise))
			q.git("commit", "-q", "-a", "-m", "Harmless")
			pull := githubtest.Pull{Number: 8, Title: "Harmless", Head: q.publishes(8), Base: "main", Author: "eve"}
			q.git("checkout", "-q", "main")
			q.forge.Set(pull)
			q.says(8, pull.Head[:12], "`adsync.yaml` is changed, too", "applied without an approval", row.held)
			q.judged(pull.Head, "pending", "needs approval: 1 change held; adsync.yaml changes, too")

			if row.class == "applied" {
				q.account.before.Store(nil)
			}
			commit := q.merges(pull)
			run := q.p.until("msg", "run ended", "class", row.class, "commit", commit)
			if said := fmt.Sprint(run["message"]); !strings.Contains(said, row.says) {
				t.Errorf("the run of the merge says %q; want %q", said, row.says)
			}
			if spends := q.spends("Spring launch"); spends != row.spends {
				t.Errorf("Spring launch spends %d a day; want %d", spends, row.spends)
			}
			q.p.end()
		})
	}
}

// spends is the daily budget of a campaign.
func (q *proposed) spends(name string) int {
	q.t.Helper()
	var all struct {
		Data []struct {
			Name   string
			Budget struct {
				Daily int `json:"daily_spend_limit_micros"`
			}
		}
	}
	askService(q.t, q.account, http.MethodGet, "/campaigns", "", &all)
	for _, c := range all.Data {
		if c.Name == name {
			return c.Budget.Daily / 1e6
		}
	}
	q.t.Fatalf("there is no campaign %q", name)
	return 0
}

// attacks commits what a test does to a work tree as the head of a pull request.
func (q *proposed) attacks(number int, message string, do func()) githubtest.Pull {
	q.t.Helper()
	q.git("checkout", "-q", "-f", "-B", fmt.Sprint("attack-", number), "main")
	do()
	q.git("add", "-A", "-f")
	q.git("-c", "user.name=@acme/all `x` <!-- --> </details>", "commit", "-q", "--allow-empty", "-m", message)
	head := q.publishes(number)
	q.git("checkout", "-q", "-f", "main")
	return githubtest.Pull{Number: number, Title: message, Head: head, Base: "main", Author: "eve"}
}

// TestStrangersProposeWhatTheyLike: each is answered, none keeps another from an answer, and no comment speaks in their
// words, or says anything of this machine.
func TestStrangersProposeWhatTheyLike(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s", "approvers: [bob]")
	q.sendsNothing()
	saveFile(t, q.operator, "policy: {max_daily_exposure: 1000.00}\nallow:\n"+
		"- {allow: \"exposure=10/day\", until: 2026-01-01, owner: Ann, reason: it is over}\n")
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(q.work, name)
		noError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		noError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	const words = "<!-- adsync:pull:shop --> @acme/all ```` </details><img src=x> [x](https://evil.example)"
	policy, ran := filepath.Join(q.work, "adsync.yaml"), filepath.Join(t.TempDir(), "ran")
	attacks := []struct {
		name        string
		do          func()
		state, says string // "" is no word
	}{
		{"a name", func() { saveEdit(t, q.work, "name: Spring launch", `name: "`+words+`"`) }, "success", "1 to update"},
		{"names of files", func() { write(words[:10]+"`\n\n@acme/all\n| <b>.yaml", "x: 1\n") }, "failure", "cannot be"},
		{"a name that is long", func() { write(strings.Repeat("`@acme/all ", 20)+".yaml", "x: 1\n") },
			"failure", "error"},
		{"no policy", func() { noError(t, os.Remove(policy)) }, "success", "`adsync.yaml` is changed, too"},
		{"a folder for a policy", func() {
			noError(t, os.Remove(policy))
			write("adsync.yaml/x.yaml", "x: 1\n")
		}, "failure", "a file on one side, and a folder on the other"},
		{"nothing left", func() { q.git("rm", "-q", "-r", ".") }, "failure", "nothing is taken for an empty account"},
		{"a workbook that is none", func() { write("a.xlsx", "PK\x03\x04") }, "failure", "cut or damaged"},
		{"a pointer", func() { write("a.xlsx", "version https://git-lfs.github.com/spec/v1\nsize 1\n") },
			"failure", "Git LFS pointer"},
		{"attributes", func() { write(".gitattributes", "* filter=evil merge=evil\n") }, "success", "to change"},
		{"a submodule", func() {
			write(".gitmodules", "[submodule \"inner\"]\n\tpath = inner\n\turl = ext::touch "+ran+"\n")
			noError(t, os.Mkdir(filepath.Join(q.work, "inner"), 0o700))
			q.git("update-index", "--add", "--cacheinfo", "160000,"+q.git("rev-parse", "HEAD")+",inner")
		}, "failure", `"inner" is a submodule; want files only`},
		{"a workflow", func() {
			write(".github/workflows/evil.yml", "on: push\njobs: {x: {steps: [{run: \"touch "+ran+"\"}]}}\n")
		}, "success", "to change"},
		{"hooks", func() {
			write(".githooks/post-checkout", "#!/bin/sh\ntouch "+ran+"\n")
			write(".pre-commit-config.yaml", "repos: [{repo: local, hooks: [{id: x, entry: touch "+ran+"}]}]\n")
		}, "success", "to change"},
		{"a picture of 3,600,000,000 pixels", func() {
			write("images/hero-a.png", bombOf(60_000, 60_000))
		}, "success", "2 to update"},
		{"a file of zeros", func() { write("zeros.yaml", strings.Repeat("\x00", 20<<20)) },
			"failure", "`zeros.yaml: file is over 1 MiB"},
		{"more than is fetched", func() {
			for _, dir := range []string{q.work, q.upstream} { // git need not try to make it smaller
				q.git("-C", dir, "config", "core.compression", "0")
				q.git("-C", dir, "config", "core.bigFileThreshold", "1m")
			}
			saveFile(t, filepath.Join(q.upstream, "objects/info/alternates"), filepath.Join(q.work, ".git/objects"))
			write("noise.png", noise(129<<20))
		}, "failure", "the repository gives more than it may"},
		{"hundreds", func() {
			for i := range 300 {
				write(fmt.Sprintf("many/%d.yaml", i), "campaigns: [\n")
			}
		}, "failure", "Cut, as a comment holds"},
		{"nothing", func() {}, "", ""},
	}
	q.git("-C", q.upstream, "config", "receive.unpackLimit", "1") // git is quick with packs as they are
	var pulls []githubtest.Pull
	for i, a := range attacks {
		pulls = append(pulls, q.attacks(i+1, words, a.do))
	}
	q.git("checkout", "-q", "--orphan", "alone")
	q.git("commit", "-q", "-m", "alone")
	pulls = append(pulls, githubtest.Pull{Number: 90, Head: q.publishes(90), Base: "main", Author: "eve"})
	q.git("checkout", "-q", "-f", "main")
	pulls = append(pulls, githubtest.Pull{Number: 91, Head: strings.Repeat("1", 40), Base: "main", Author: "eve"})
	fork := q.proposes(92, "daily: 50.00", "daily: 300.00")
	fork.Fork = "eve/ads"
	q.forge.Set(append(pulls, fork, q.proposes(99, "bid: {max: 1.25}", "bid: {max: 1.20}"))...)
	q.says(99, "1.20")
	q.says(92, "adsync approve ", fork.Head[:12])
	q.forge.Review(githubtest.Review{Pull: 92, By: "bob", State: "APPROVED", Commit: fork.Head})
	q.says(92, "of `bob` of", "the forge does not say who pushed to it")
	q.judged(fork.Head, "pending", "needs approval")
	q.says(90, "it cannot be merged")
	for i, a := range attacks {
		if a.state != "" {
			q.judged(pulls[i].Head, a.state, "")
		}
	}
	q.p.end()
	if _, err := os.Stat(ran); !os.IsNotExist(err) {
		t.Errorf("something of a pull request was run: %v", err)
	}
	if all := q.forge.Comments(91); len(all) > 0 {
		t.Errorf("what git does not have yet is answered: %+v", all)
	}
	q.showsNoSecret(90, 91, 92, 99)
	for i, a := range attacks {
		q.showsNoSecret(i + 1)
		comments, statuses := q.forge.Comments(i+1), q.forge.Statuses(pulls[i].Head)
		if a.state == "" {
			if len(comments)+len(statuses) > 0 {
				t.Errorf("%s: it is answered %v, %v", a.name, comments, statuses)
			}
			continue
		}
		if len(comments) != 1 || len(statuses) != 1 || statuses[0].State != a.state ||
			!strings.Contains(comments[0].Body, a.says) {
			t.Errorf("%s: it is answered %v, %v; want %s, %q", a.name, comments, statuses, a.state, a.says)
			continue
		}
		said := comments[0].Body
		if strings.Contains(said, "**Plan") && !strings.Contains(said, "operator.yaml:3") {
			t.Errorf("%s: nothing is said of the operator's file:\n%s", a.name, said)
		}
		if bare := outsideCode(said); strings.Contains(bare, "@acme") || strings.Contains(bare, "<img") ||
			strings.Contains(bare, "evil") || strings.Count(bare, "<details>") != strings.Count(bare, "</details>") {
			t.Errorf("%s: it is answered in the stranger's words:\n%s", a.name, said)
		}
		for _, place := range []string{q.service, q.url, q.forge.URL, filepath.Dir(q.operator), os.TempDir()} {
			if strings.Contains(said, place) {
				t.Errorf("%s: the comment shows %s:\n%s", a.name, place, said)
			}
		}
	}
}

// bombOf is a picture that says it has so many pixels.
func bombOf(width, height uint32) string {
	header := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	header = append(binary.BigEndian.AppendUint32(header, height), 8, 2, 0, 0, 0)
	picture := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return string(binary.BigEndian.AppendUint32(picture, crc32.ChecksumIEEE(header)))
}

// noise is what no pack makes smaller.
func noise(length int) string {
	content := make([]byte, length)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content) // it never fails
	return string(content)
}

// outsideCode is what of a comment is read as Markdown.
func outsideCode(comment string) string {
	var bare strings.Builder
	for comment != "" {
		run := len(comment) - len(strings.TrimLeft(comment, "`"))
		if run == 0 {
			text, _, _ := strings.Cut(comment, "`")
			bare.WriteString(text)
			comment = comment[len(text):]
			continue
		}
		fence, rest := comment[:run], comment[run:]
		end := regexp.MustCompile("[^`]" + fence + "([^`]|$)").FindStringIndex(rest)
		if end == nil {
			return bare.String() + rest
		}
		comment = strings.TrimLeft(rest[end[0]+1:], "`")
	}
	return bare.String()
}

// TestForgedAndReplayedWebhooksWakeNobody: neither the service nor the forge is asked anything for them, and a push
// that is real is heard.
func TestForgedAndReplayedWebhooksWakeNobody(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s")
	q.forge.Set(q.proposes(7, "bid: {max: 1.25}", "bid: {max: 1.20}"))
	q.says(7, "1.20")
	const pushed = `{"ref":"refs/heads/main","after":"1"}`
	right := signatureOf(hookSecret, pushed)
	if status := knock(t, q.at, "push", "d1", right, pushed); status != http.StatusAccepted {
		t.Fatalf("a push is answered %d", status)
	}
	q.p.until("msg", "run ended", "woken", "push")
	// looks waits until the pull requests were listed once more, and returns what was asked by then.
	looks := func() (service int64, forge []string) {
		before := q.account.requests.Load()
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if forge = append(forge, q.forge.Requests()...); slices.Contains(forge, "GET /repos/acme/ads/pulls") {
				return q.account.requests.Load() - before, forge
			}
		}
		t.Fatalf("nobody looks for pull requests\n%s", q.p.said())
		return 0, nil
	}
	for calm := 0; calm < 2; calm++ { // what the push has done is over
		if service, forge := looks(); service > 0 || len(forge) > 1 {
			calm = -1
		}
	}
	other, forged := `{"ref":"refs/heads/other"}`, `{"ref":"refs/heads/main","after":"2"}`
	for i, row := range []struct {
		name, event, id, signature, body string
		want                             int
	}{
		{"not signed", "push", "d2", "", forged, http.StatusUnauthorized},
		{"signed by who guesses", "push", "d3", signatureOf("a guess of it", forged), forged,
			http.StatusUnauthorized},
		{"with the signature of another", "push", "d4", right, forged, http.StatusUnauthorized},
		{"the same delivery again", "push", "d1", right, pushed, http.StatusAccepted},
		{"under a new id", "push", "d5", right, pushed, http.StatusAccepted},
		{"as another event", "issue_comment", "d6", right, pushed, http.StatusAccepted},
		{"to another branch", "push", "d7", signatureOf(hookSecret, other), other, http.StatusAccepted},
	} {
		for range 10 {
			if status := knock(t, q.at, row.event, row.id, row.signature, row.body); status != row.want {
				t.Errorf("%s: answered %d; want %d", row.name, status, row.want)
			}
		}
		if i < 3 {
			continue // who is not known wakes nobody, which is seen with the next
		}
		for range 2 {
			if service, forge := looks(); service > 0 || len(forge) > 1 {
				t.Errorf("%s: the service is asked %d times, the forge %q; want a list alone", row.name, service, forge)
			}
		}
	}
	q.save("bid: {max: 0.90}", "bid: {max: 0.85}", "Lower")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied")
	q.p.end()
	q.showsNoSecret(7)
}
