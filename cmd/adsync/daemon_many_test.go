package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/githubtest"
)

// floods pushes pull requests of eve, numbers 1 to count, each with a head of its own.
func (q *proposed) floods(count int) (pulls []githubtest.Pull) {
	q.t.Helper()
	content := q.bytes("show", "main:spring.yaml")
	var stream strings.Builder
	for n := 1; n <= count; n++ {
		edit := strings.Replace(content, "Spring launch", fmt.Sprint("Launch ", n), 1)
		fmt.Fprintf(&stream, "commit refs/pull/%d/head\ncommitter Eve <eve@example.com> %d +0000\ndata 4\nEdit\n"+
			"from refs/heads/main^0\nM 100644 inline spring.yaml\ndata %d\n%s\n", n, time.Now().Unix(), len(edit), edit)
	}
	c := exec.Command("git", "-C", q.upstream, "fast-import", "--quiet")
	c.Stdin = strings.NewReader(stream.String())
	out, err := c.CombinedOutput()
	if err != nil {
		q.t.Fatalf("git fast-import: %v\n%s", err, out)
	}
	q.git("-C", q.upstream, "pack-refs", "--all") // as hosts keep them
	heads := map[string]string{}
	refs := q.git("-C", q.upstream, "for-each-ref", "--format=%(refname) %(objectname)", "refs/pull")
	for line := range strings.Lines(refs) {
		ref, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		heads[ref] = commit
	}
	for n := 1; n <= count; n++ {
		pulls = append(pulls, githubtest.Pull{Number: n, Title: "Edit", Base: "main", Author: "eve",
			Head: heads[fmt.Sprintf("refs/pull/%d/head", n)]})
	}
	return pulls
}

// TestAThousandPullRequestsKeepNobodyWaiting: while they are answered, each once, another is, and the branch is
// applied.
func TestAThousandPullRequestsKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	const many = 1000
	q := newProposed(t, "1s")
	flood := q.floods(many)
	q.forge.Set(flood...)
	answered := func() (count int) {
		for n := 1; n <= many; n++ {
			switch all := len(q.forge.Comments(n)); {
			case all > 1:
				t.Fatalf("pull request %d has %d comments; want one", n, all)
			case all == 1:
				count++
			}
		}
		return count
	}
	for end := time.Now().Add(patience); answered() == 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d of them are answered\n%s", answered(), q.p.said())
		}
	}
	q.forge.Set(append(flood, q.proposes(many+1, "bid: {max: 1.25}", "bid: {max: 1.20}"))...)
	q.p.until("msg", "more pull requests are open than are read: those that changed last are answered")
	q.says(many+1, "1.20")
	if count := answered(); count > many/2 {
		t.Errorf("%d were answered before; want few", count)
	}
	q.save("bid: {max: 0.90}", "bid: {max: 0.85}", "Lower")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied")
	t.Logf("%d are answered meanwhile", answered())
	q.p.end()
}
