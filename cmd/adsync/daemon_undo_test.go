package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/internal/daemon"
	"adsync/internal/runview"
)

// undoing takes back runs of an account at its daemon.
type undoing struct {
	*testing.T
	at, account string
}

func (u undoing) path(run, of string) string {
	path := "/api/v1/accounts/" + u.account + "/runs/" + run + "/undo"
	if of != "" {
		path += "?" + url.Values{"of": {of}}.Encode()
	}
	return path
}

func (u undoing) draft(run, of string) (d daemon.Draft) {
	u.Helper()
	askDaemon(u.T, u.at, "GET", u.path(run, of), nil, 200, &d)
	return d
}

// order has a draft written, and wants a status.
func (u undoing) order(run, of, digest string, status int) (answer struct {
	daemon.Edited
	Code, Message string
}) {
	u.Helper()
	body := fmt.Sprintf(`{"of":%q,"digest":%q,"by":"Ann","reason":"too dear"}`, of, digest)
	askDaemon(u.T, u.at, "POST", u.path(run, ""), []byte(body), status, &answer)
	return answer
}

// spring is what the file of the account says.
func (w *watchman) spring() string {
	w.Helper()
	content, err := os.ReadFile(filepath.Join(w.dir, "spring.yaml"))
	noError(w.T, err)
	return string(content)
}

// activityEvent is what a line of Activity says.
type activityEvent struct{ Kind, What, By, Why string }

// TestARunIsUndoneInTheFiles: what a run applied is written back into the files at the page, each former file stays,
// and the next run applies it through all guards. What the files say since is left, and what moved since it was shown
// is not written.
func TestARunIsUndoneInTheFiles(t *testing.T) {
	t.Parallel()
	w := hire(t, allowsRises)
	u := undoing{t, strings.TrimPrefix(w.root, "http://"), "shoes"}
	first := w.spends(50).Run
	w.save("spring.yaml", "# of the client\n"+springAt("20.00"))
	second := w.spends(20).Run

	d := u.draft(second, "")
	if len(d.Values) != 1 || d.Values[0].At != "spring.yaml:7:17" || d.Values[0].Was != "20.00" ||
		d.Values[0].Is != "50.00" || d.Values[0].Name != "Spring" || d.Plan == nil || d.Plan.Summary.Held != 1 ||
		len(d.Left)+len(d.Problems) != 0 {
		t.Fatalf("the undo of %s is %+v; want the budget of before, and that the raise waits", second, d)
	}
	if none := u.draft(second, "campaign/other"); len(none.Values) != 0 || none.Plan != nil {
		t.Errorf("of what the run did not touch: %+v; want nothing", none)
	}
	if said := u.order(second, "", "of another", 409); said.Code != "moved" {
		t.Errorf("another draft: %+v; want it refused", said)
	}
	lock := filepath.Join(w.dir, ".~lock.spring.yaml#")
	noError(t, os.WriteFile(lock, nil, 0o600))
	if said := u.order(second, "", d.Digest, 409); said.Code != "not_written" ||
		!strings.Contains(said.Message, "go on asking for it: spring.yaml: file is open in an editor") {
		t.Errorf("while the file is open: %+v; want it said", said)
	}
	noError(t, os.Remove(lock))
	if w.spring() != "# of the client\n"+springAt("20.00") {
		t.Errorf("what was refused changed the file:\n%s", w.spring())
	}

	done := u.order(second, "", d.Digest, 201)
	if w.spring() != "# of the client\n"+springAt("50.00") || len(done.Files) != 1 || len(done.Kept) != 1 {
		t.Fatalf("%+v; the file says\n%s", done, w.spring())
	}
	former, err := os.ReadFile(filepath.Join(w.dir, done.Kept[0]))
	noError(t, err)
	if string(former) != "# of the client\n"+springAt("20.00") {
		t.Errorf("%s is\n%s\nwant the former file", done.Kept[0], former)
	}
	held := w.until("held", func(s daemon.Status) bool { return s.State == daemon.Held && s.Held == 1 })
	if held.Exposure.Daily != 20_000_000 {
		t.Errorf("possible spend is %d while the raise waits; want 20", held.Exposure.Daily)
	}
	if said := u.order(second, "", d.Digest, 409); said.Code != "no_edit" {
		t.Errorf("ordered twice: %+v; want nothing left", said)
	}
	var activity struct {
		Events []activityEvent
	}
	askDaemon(t, u.at, "GET", "/api/v1/accounts/shoes/activity", nil, 200, &activity)
	if want := (activityEvent{"order", "Undid in the files: " + second, "Ann", "too dear"}); !slices.Contains(
		activity.Events, want) {
		t.Errorf("the activity is %+v; want %+v in it", activity.Events, want)
	}
	w.approves("Bob Example", "agreed")
	w.spends(50)

	w.save("spring.yaml", springAt("45.00"))
	third := w.spends(45).Run
	w.save("spring.yaml", springAt("44.00"))
	w.spends(44)
	d = u.draft(third, "")
	if len(d.Values) != 0 || len(d.Left) != 1 || d.Left[0].Why != "the files say 44.00 since" {
		t.Errorf("what the files say since: %+v; want it left", d)
	}

	d = u.draft(first, "campaign/spring")
	if len(d.Values) != 1 || d.Values[0].Attribute != "status" || d.Values[0].Is != "paused" || len(d.Left) != 1 {
		t.Fatalf("the undo of what made it is %+v; want it paused, and its row left", d)
	}
	u.order(first, "campaign/spring", d.Digest, 201)
	w.spends(0)
	var refused struct{ Code string }
	for path, code := range map[string]string{"run-999999": "no_run", "..%2f..%2fx": "no_run", "last": "no_run"} {
		askDaemon(t, u.at, "GET", u.path(path, ""), nil, 404, &refused)
		if refused.Code != code {
			t.Errorf("%s: %s; want %s", path, refused.Code, code)
		}
	}
	if run := ask[runview.Document](w, "GET", "/runs/"+third, nil); run.Run != third {
		t.Errorf("the run is %s", run.Run)
	}
}

// TestARunIsUndoneFromGit: the values of before go to a branch for this order of this person, with a pull request; the
// branch that is read, and the account, follow once somebody merges it. Where the forge is down, the same order again
// asks for it.
func TestARunIsUndoneFromGit(t *testing.T) {
	t.Parallel()
	q := newProposed(t, "1s")
	u := undoing{t, q.at, "shop"}
	q.save("bid: {max: 1.25}", "bid: {max: 1.10}", "Cheaper")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied")
	var account daemon.Status
	askDaemon(t, q.at, "GET", "/api/v1/accounts/shop", nil, 200, &account)
	d := u.draft(account.Run, "")
	if len(d.Values) != 1 || d.Values[0].Was != "1.10" || d.Values[0].Is != "1.25" || d.Into != "main" ||
		d.Branch != "adsync/uploads" || d.Refused != "" {
		t.Fatalf("the undo is %+v; want the bid of before, in a pull request", d)
	}
	main := q.git("-C", q.upstream, "rev-parse", "main")
	q.opensNone.Store(true)
	if said := u.order(account.Run, "", d.Digest, 502); said.Code != "not_opened" {
		t.Errorf("the forge is down: %+v; want it said", said)
	}
	q.opensNone.Store(false)
	done := u.order(account.Run, "", d.Digest, 201)
	file, _, _ := strings.Cut(d.Values[0].At, ":")
	pulls := q.forge.Pulls(done.Branch)
	if !done.Same || done.Pull == nil || len(pulls) != 1 || pulls[0].Title != "Undo "+account.Run+" by Ann" ||
		pulls[0].Base != "main" || !strings.Contains(pulls[0].Body, "Why: `too dear`") {
		t.Fatalf("it is sent as %+v, %+v; want one pull request of what was pushed", done, pulls)
	}
	if q.changes(done.Branch) != file || q.git("-C", q.upstream, "rev-parse", "main") != main {
		t.Errorf("the branch changes %q; want %s alone, and main as it was", q.changes(done.Branch), file)
	}
	if said := q.git("-C", q.upstream, "log", "-1", "--format=%an|%s|%b", done.Branch); !strings.HasPrefix(said,
		"Ann|Undo "+account.Run+"|too dear") || !strings.Contains(said, "\nRun: "+account.Run) {
		t.Errorf("the commit says %q; want who, what and why", said)
	}
	q.says(done.Pull.Number, "1.25", "Trail runners")

	q.git("fetch", "-q", q.upstream, done.Branch)
	q.git("merge", "-q", "--no-ff", "-m", "Merge", "FETCH_HEAD")
	q.git("push", "-q", q.upstream, "main")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied")
	if bid := bidOf(t, q.account, "Trail runners"); bid != 1_250_000 {
		t.Errorf("the bid is %d; want that of before", bid)
	}
	if said := u.order(account.Run, "", d.Digest, 409); said.Code != "no_edit" {
		t.Errorf("once it is merged: %+v; want nothing left", said)
	}
	q.p.end()
}

// TestARunIsUndoneOnABranch: without a forge there is the branch alone, and where nobody configured one the page only
// shows what the files still ask for.
func TestARunIsUndoneOnABranch(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, more, branch string }{
		{"with uploads", "  uploads: adsync/uploads\n", "adsync/uploads-adacct_quickstart-run-"},
		{"without", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := serveAccount(t)
			work, operator := ownQuickstart(t)
			r := hostRepository(t, work)
			p, at, _ := r.serveFrom(s, operator, "  webhook: {secret: {env: HOOK}}\n"+row.more)
			p.until("msg", "run ended", "class", "applied")
			saveEdit(t, work, "bid: {max: 1.25}", "bid: {max: 1.10}")
			r.git("commit", "-q", "-a", "-m", "Cheaper")
			r.git("push", "-q", r.upstream, "main")
			push(t, at, "refs/heads/main")
			p.until("msg", "run ended", "class", "applied")
			var account daemon.Status
			askDaemon(t, at, "GET", "/api/v1/accounts/shop", nil, 200, &account)
			u := undoing{t, at, "shop"}
			d := u.draft(account.Run, "")
			if len(d.Values) != 1 || d.Into != "" || (d.Refused != "") != (row.branch == "") {
				t.Fatalf("the undo is %+v", d)
			}
			if row.branch == "" {
				if said := u.order(account.Run, "", d.Digest, 404); said.Code != "no_uploads" {
					t.Errorf("ordered: %+v; want it refused", said)
				}
				return
			}
			done := u.order(account.Run, "", d.Digest, 201)
			if !strings.HasPrefix(done.Branch, row.branch) || done.Pull != nil || !strings.Contains(
				r.git("-C", r.upstream, "diff", "main", done.Branch), "+    bid: {max: 1.25}") {
				t.Errorf("it is on %+v; want the bid of before on a branch of its own", done)
			}
			p.end()
		})
	}
}
