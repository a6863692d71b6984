package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/testing/githubtest"
)

// TestWhoSendsAFileIsItsAuthor: what somebody changed by a file that they sent at the page, or by an Undo, is known to
// be theirs, and one other person is enough; they themselves are refused: also after a kill of the daemon, and whatever
// others save in other files. Nothing else in that file is theirs, and once anybody has touched it nobody is known to
// have written anything of it, also where it is the same again, and where nobody looked.
func TestWhoSendsAFileIsItsAuthor(t *testing.T) {
	t.Parallel()
	m := &merged{T: t, s: serveAccount(t), home: t.TempDir(), dir: filepath.Join(t.TempDir(), "shop")}
	noError(t, os.Mkdir(m.dir, 0o700))
	summer := func(daily string) string {
		return strings.NewReplacer("spring", "summer", "Spring", "Summer").Replace(springAt(daily))
	}
	m.saves("adsync.yaml", "policy: {approvals: {raises: not-author}}\n")
	m.saves("spring.yaml", springAt("50.00"))
	m.saves("summer.yaml", summer("5.00"))
	saveFile(t, filepath.Join(m.home, "operator.yaml"), allowsRises)
	saveFile(t, filepath.Join(m.home, "the.hash"), hashOf(t, annasPassword))
	saveFile(t, filepath.Join(m.home, "daemon.yaml"), fmt.Sprintf(`
listen: 127.0.0.1:0
state: %s
operator: %s
every: 2s
settle: 200ms
people:
  anna: {role: approver, password: {file: the.hash}}
  ben: {role: approver, password: {file: the.hash}}
accounts: [{name: shop, folder: %q, uploads: folder}]
`, filepath.Join(m.home, "states"), filepath.Join(m.home, "operator.yaml"), m.dir))
	m.start()
	m.p.until("msg", "run ended", "class", "applied")
	anna := m.anna
	const annas, nobodys = "Anna wrote it: it wants the approval of somebody else", "Who wrote it is not known"

	content := ""
	// planned waits until files that are others than before were planned.
	planned := func(is daemon.Class) (s daemon.Status) {
		t.Helper()
		for late := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			_, text := anna.get("/api/v1/accounts/shop")
			noError(t, json.Unmarshal([]byte(text), &s))
			ended := s.State == is || is == daemon.Applied && s.State == daemon.InSync
			if ended && !s.Running && s.Revision.Content != content {
				content = s.Revision.Content
				return s
			}
			if time.Now().After(late) {
				t.Fatalf("the account is not %s with other files: %s", is, text)
			}
			s = daemon.Status{}
		}
	}
	says := func(want string) {
		t.Helper()
		if _, page := anna.get("/accounts/shop"); !strings.Contains(html.UnescapeString(page), want) {
			t.Fatalf("the page does not say %q:\n%s", want, page)
		}
	}
	held := func(want string) {
		t.Helper()
		planned(daemon.Held)
		says(want)
	}
	sends := func(name, text string) {
		t.Helper()
		at := filepath.Join(t.TempDir(), name)
		saveFile(t, at, text)
		anna.sends(anna.drops(at))
	}
	sends("spring.yaml", springAt("120.00"))
	held(annas)
	if status, page := anna.approvesFirst(); status != 403 || !strings.Contains(page, "Anna wrote 1 of the 1") {
		t.Errorf("anna approves what she sent: %d %s", status, page)
	}
	m.saves("summer.yaml", "# touched\n"+summer("5.00"))
	held(annas)
	noError(t, m.p.c.Process.Kill())
	<-m.p.ended
	m.start()
	m.p.until("msg", "run ended", "class", "held")
	anna = m.anna
	ben := m.enters(m.anna.at, "ben")
	says(annas)
	if status, page := anna.approvesFirst(); status != 403 || !strings.Contains(page, "Anna wrote 1 of the 1") {
		t.Errorf("anna approves what she sent before a restart: %d %s", status, page)
	}
	m.saves("spring.yaml", "# touched\n"+springAt("120.00"))
	held(nobodys)
	m.saves("spring.yaml", springAt("120.00"))
	held(nobodys)
	sends("spring.yaml", springAt("121.00"))
	held(annas)
	sends("summer.yaml", "# of the client\n"+summer("5.00")) // which is hers too: nobody else touched anything
	held(annas)
	if status, page := ben.approvesFirst(); status != 200 || !strings.Contains(page, "Approved. The next run applies") {
		t.Errorf("ben approves what anna sent: %d %s", status, page)
	}
	m.p.until("woken", "approved", "class", "applied")

	m.saves("summer.yaml", summer("200.00")) // by nobody knows whom
	held(nobodys)
	sends("summer.yaml", strings.Replace(summer("200.00"), "name: Summer", "name: Summer sale", 1))
	held(nobodys)
	if status, page := ben.approvesFirst(); status != 200 || !strings.Contains(page, "once somebody else approves it") {
		t.Errorf("ben approves alone what anna did not write: %d %s", status, page)
	}
	m.p.until("woken", "approved", "class", "held")
	says("Approved by ben; it wants one more person than ben")

	m.saves("summer.yaml", strings.Replace(summer("5.00"), "name: Summer", "name: Summer sale", 1))
	planned(daemon.InSync)
	m.saves("spring.yaml", springAt("20.00"))
	run := planned(daemon.Applied).Run
	_, page := anna.get("/accounts/shop/runs/" + run + "/undo")
	draft := regexp.MustCompile(`name="draft" value="([^"]+)"`).FindStringSubmatch(page)
	if draft == nil {
		t.Fatalf("%s cannot be undone:\n%s", run, page)
	}
	status, page := anna.post("/accounts/shop/runs/"+run+"/undo",
		url.Values{"draft": {draft[1]}, "reason": {"too low"}})
	if status != 200 {
		t.Fatalf("undone: %d %s", status, page)
	}
	held(annas)
	m.p.end()
	m.start()
	m.p.until("msg", "run ended", "class", "held")
	anna = m.anna
	says(annas)
	m.p.end()
	text, err := os.ReadFile(filepath.Join(m.dir, "spring.yaml"))
	noError(t, err)
	m.saves("spring.yaml", string(text)) // the same, while nobody looks
	m.start()
	m.p.until("msg", "run ended", "class", "held")
	anna = m.anna
	says(nobodys)
	m.p.end()
}

// saves puts a file into the folder, as people do.
func (m *merged) saves(name, text string) {
	m.Helper()
	saveFile(m.T, filepath.Join(m.dir, name), text)
}

// approvesFirst says yes to the first that waits for one.
func (g *guest) approvesFirst() (int, string) {
	g.Helper()
	_, page := g.get("/accounts/shop")
	found := regexp.MustCompile(`name="item" value="([0-9a-f]{32})"`).FindStringSubmatch(page)
	if found == nil {
		g.Fatalf("nothing can be ticked:\n%s", page)
	}
	status, page := g.post("/accounts/shop/approve", url.Values{"item": {found[1]}})
	return status, html.UnescapeString(page)
}

// TestWhoSendsAPullRequestIsItsAuthor: what is held of a pull request that is exactly the commit which somebody had the
// page make is theirs, though the forge knows adsync alone. What somebody else pushes upon it has no known author.
func TestWhoSendsAPullRequestIsItsAuthor(t *testing.T) {
	t.Parallel()
	hash := filepath.Join(t.TempDir(), "the.hash")
	saveFile(t, hash, hashOf(t, annasPassword))
	person := "{role: approver, password: {file: " + hash + "}}"
	q := newProposed(t, "1s", "approvers: [zoe]}\npeople: {anna: "+person+", ben: "+person)
	saveFile(t, q.operator, "policy: {max_daily_exposure: 1000.00, approvals: {raises: not-author}}\n")
	m := &merged{T: t, s: q.account}
	anna, ben := m.enters(q.at, "anna"), m.enters(q.at, "ben")
	// proposes has anna send the file with another budget, and returns the pull request.
	proposes := func(from, to string) githubtest.Pull {
		t.Helper()
		content, name := fileWith(t, q.work, from)
		at := filepath.Join(t.TempDir(), name)
		saveFile(t, at, strings.ReplaceAll(string(content), from, to))
		anna.sends(anna.drops(at))
		branch := strings.Fields(q.git("-C", q.upstream, "branch", "--list", "adsync/uploads*"))[0]
		pulls := q.forge.Pulls(branch)
		pull := pulls[len(pulls)-1]
		pull.Head = q.git("-C", q.upstream, "rev-parse", branch)
		q.git("fetch", "-q", q.upstream, branch)
		q.says(pull.Number, pull.Head[:12])
		return pull
	}
	pull := proposes("daily: 50.00", "daily: 120.00")
	q.merges(pull)
	q.p.until("msg", "run ended", "class", "held")
	if _, page := anna.get("/accounts/shop"); !strings.Contains(page, "Anna wrote it: it wants the approval") {
		t.Errorf("the page does not say who wrote it:\n%s", page)
	}
	if status, page := anna.approvesFirst(); status != 403 || !strings.Contains(page, "Anna wrote 1 of the 1") {
		t.Errorf("anna approves what she sent: %d %s", status, page)
	}
	if status, page := ben.approvesFirst(); status != 200 || !strings.Contains(page, "Approved. The next run applies") {
		t.Errorf("ben approves what anna sent: %d %s", status, page)
	}
	q.p.until("msg", "run ended", "class", "applied")

	pull = proposes("daily: 120.00", "daily: 250.00")
	q.git("checkout", "-q", "-B", "upon", "FETCH_HEAD")
	q.save("daily: 250.00", "daily: 290.00", "More")
	q.git("push", "-q", "-f", q.upstream, "HEAD:"+pull.From)
	pull.Head = q.git("rev-parse", "HEAD")
	q.git("checkout", "-q", "main")
	q.says(pull.Number, pull.Head[:12])
	q.merges(pull)
	q.p.until("msg", "run ended", "class", "held")
	if _, page := anna.get("/accounts/shop"); !strings.Contains(page, "Who wrote it is not known") {
		t.Errorf("the page says who wrote what was pushed upon hers:\n%s", page)
	}
	q.p.end()
}
