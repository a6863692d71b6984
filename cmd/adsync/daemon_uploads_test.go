package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/daemoncmd"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
)

// askDaemon asks the API of a daemon's account shop with the token, and wants a status.
func askDaemon(t *testing.T, at, method, path string, body []byte, status int, into any) {
	t.Helper()
	r, err := http.NewRequest(method, "http://"+at+path, bytes.NewReader(body))
	noError(t, err)
	r.Header.Set("Authorization", "Bearer "+watchmansToken)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	noError(t, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	noError(t, err)
	if answer.StatusCode != status {
		t.Fatalf("%s %s: %s %s; want %d", method, path, answer.Status, content, status)
	}
	if into != nil {
		noError(t, json.Unmarshal(content, into))
	}
}

// TestAFileIsCommittedForAnAccountFromGit: it is looked at as the commit is that was
// read last, and goes to the branch for uploads by a person's word: never to the
// branch that is read, and nothing of it to the service. Then the branch is rewritten,
// and gone on with by a person's word too.
func TestAFileIsCommittedForAnAccountFromGit(t *testing.T) {
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	r := hostRepository(t, work)
	t.Setenv(daemoncmd.EnvDaemonToken, watchmansToken)
	p, at, states := r.serveFrom(s, operator, "  webhook: {secret: {env: HOOK}}\n  uploads: adsync/uploads\n")
	p.until("msg", "run ended", "class", "applied")
	changes := 0
	count := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			changes++ // only this test asks then
		}
		return false
	}
	s.before.Store(&count)
	const account = "/api/v1/accounts/shop"
	content, name := fileWith(t, work, "bid: {max: 1.25}")
	edited := bytes.ReplaceAll(content, []byte("bid: {max: 1.25}"), []byte("bid: {max: 1.20}"))
	type look struct {
		Problems       []string
		Branch, Commit string
		Plan           *struct{ Summary struct{ Update, Create int } }
	}
	var seen look
	askDaemon(t, at, "POST", account+"/look?name="+name,
		bytes.ReplaceAll(content, []byte("bid: {max: 1.25}"), []byte("bid: {max: a lot}")), 200, &seen)
	if len(seen.Problems) == 0 || seen.Commit != "" || seen.Branch != "" {
		t.Errorf("a file with a mistake: %+v; want its problem, and no way to commit it", seen)
	}
	seen = look{}
	askDaemon(t, at, "POST", account+"/look?name="+name, edited, 200, &seen)
	if len(seen.Problems) != 0 || seen.Plan == nil ||
		seen.Plan.Summary.Update != 1 || seen.Plan.Summary.Create != 0 || seen.Branch != "adsync/uploads" {
		t.Fatalf("a file in the place of its own: %+v", seen)
	}
	main := r.git("-C", r.upstream, "rev-parse", "main")
	askDaemon(t, at, "POST",
		seen.Commit, []byte(`{"by":"Eve <eve@example.com>\nSigned-off-by: Ann","note":"as agreed"}`), 201, nil)
	if log := r.git("-C", r.upstream, "log", "-1",
		"--format=%an|%ae|%P|%B", "adsync/uploads"); !strings.HasPrefix(log, "Eve") ||
		!strings.Contains(log, "|adsync@localhost|"+main+"|Upload "+name+"\n\nas agreed\n\nUploaded-by: Eve") ||
		strings.Contains(log, "\nSigned-off-by") || !strings.Contains(log, "\nUploaded-at: 20") {
		t.Errorf("the commit is\n%s\nwant who, when and why, upon %s", log, main)
	}
	if got := r.git("-C", r.upstream, "show", "adsync/uploads:"+name); got != strings.TrimSpace(string(edited)) {
		t.Errorf("the branch has other bytes:\n%s", got)
	}
	if now := r.git("-C", r.upstream, "rev-parse", "main"); now != main || changes != 0 {
		t.Errorf("the branch that is read is at %s, and %d requests changed something; want %s and none",
			now, changes, main)
	}
	if out := r.git("-C", r.upstream, "branch", "--format=%(refname:short)"); out != "adsync/uploads\nmain" {
		t.Errorf("branches: %q; want main and the one for uploads", out)
	}

	saveEdit(t, work, "bid: {max: 1.25}", "bid: {max: 1.20}")
	r.git("commit", "-q", "-a", "--amend", "-m", "Another past")
	r.git("push", "-q", "--force", r.upstream, "main")
	push(t, at, "refs/heads/main")
	p.until("msg", "run ended", "class", "held")
	var waits daemon.Status
	askDaemon(t, at, "GET", account, nil, 200, &waits)
	commit := r.git("rev-parse", "HEAD")
	if waits.Rewritten == nil || waits.Rewritten.Commit != commit ||
		waits.Rewritten.Before != main || waits.Rewritten.Subject != "Another past" {
		t.Fatalf("the account waits for %+v; want %s", waits.Rewritten, commit)
	}
	askDaemon(t, at, "POST", account+"/acceptances", []byte(`{"by":"ann","commit":"`+main+`"}`), 409, nil)
	askDaemon(t, at, "POST", account+"/acceptances",
		[]byte(`{"by":"ann","note":"meant","commit":"`+commit+`"}`), 201, nil)
	p.until("msg", "run ended", "class", "applied")
	var kept struct{ Acceptances []daemon.Acceptance }
	askDaemon(t, at, "GET", account+"/acceptances", nil, 200, &kept)
	if len(kept.Acceptances) != 1 || kept.Acceptances[0].By != "ann" ||
		kept.Acceptances[0].Note != "meant" || kept.Acceptances[0].Commit != commit ||
		kept.Acceptances[0].Before != main || kept.Acceptances[0].Time.IsZero() {
		t.Errorf("kept: %+v; want who accepted what, when and why", kept.Acceptances)
	}
	if bid := bidOf(t, s, "Trail runners"); bid != 1_200_000 {
		t.Errorf("the bid is %d after the commit was accepted; want 1,200,000", bid)
	}
	if _, err := os.Stat(filepath.Join(states, "shop", "state", session.AcceptedName)); err != nil {
		t.Error(err)
	}
	p.end()
}

// fileWith returns the file of a folder that has some text, and its name.
func fileWith(t *testing.T, dir, text string) (content []byte, name string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	noError(t, err)
	for _, file := range names {
		content, err := os.ReadFile(file)
		noError(t, err)
		if bytes.Contains(content, []byte(text)) {
			return content, filepath.Base(file)
		}
	}
	t.Fatalf("no file of %s has %q", dir, text)
	return nil, ""
}
