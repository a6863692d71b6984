package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/forgetest"
)

const forgeToken = "TEST_FORGE_TOKEN"

// TestADaemonAnswersOnOtherForges: GitLab's merge requests and Gitea's pull requests get what GitHub's get.
func TestADaemonAnswersOnOtherForges(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		forge, repository, ref, failed string
		start                          func(testing.TB) *forgetest.Server
	}{
		{"gitlab", forgetest.Repository, "refs/merge-requests/7/head", "failed", forgetest.StartGitLab},
		{"gitea", forgetest.Plain, "refs/pull/7/head", "failure", forgetest.StartGitea},
	} {
		t.Run(row.forge, func(t *testing.T) {
			t.Parallel()
			s, f := serveAccount(t), row.start(t)
			work, operator := ownQuickstart(t)
			r := hostRepository(t, work)
			p, _, _ := r.serveFrom(s, operator, fmt.Sprintf("  pull_requests: {forge: %s, repository: %s, api: %q,\n"+
				"    token: {env: %s}, every: 1s}\n", row.forge, row.repository, f.URL, forgeToken))
			p.until("msg", "run ended", "class", "applied")

			for _, edit := range []struct{ bid, state string }{{"1.20", "success"}, {"cheap", row.failed}} {
				r.git("checkout", "-q", "-B", "raise")
				saveEdit(t, r.work, "bid: {max: 1.25}", "bid: {max: "+edit.bid+"}")
				r.git("commit", "-q", "-a", "-m", "Edit")
				r.git("push", "-q", "-f", r.upstream, "HEAD:"+row.ref)
				head := r.git("rev-parse", "HEAD")
				r.git("checkout", "-q", "main")
				f.Set(forgetest.Pull{Number: 7, Head: head, Base: "main", Branch: "raise", Author: "ann"})
				for deadline := time.Now().Add(patience); len(f.Statuses(head)) == 0; {
					if time.Sleep(50 * time.Millisecond); time.Now().After(deadline) {
						t.Fatalf("%s gets no status\n%s", head, p.said())
					}
				}
				said, judged := f.Comments(7), f.Statuses(head)[0]
				if len(said) != 1 || !strings.Contains(said[0].Body, edit.bid) ||
					!strings.Contains(said[0].Body, head[:12]) {
					t.Errorf("it is told %+v; want one comment with %q of %.12s", said, edit.bid, head)
				}
				if judged.State != edit.state || judged.Context != "adsync/shop" {
					t.Errorf("it is judged %+v; want %s", judged, edit.state)
				}
			}
			p.end()
			if strings.Contains(p.said(), forgetest.Token) {
				t.Error("the token is shown")
			}
		})
	}
}
