package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/errands"
	"adsync/internal/testing/pgtest"
	"adsync/state"
)

// hook is where the daemons of an agency tell what they applied.
type hook struct {
	t        *testing.T
	url      string
	got      chan delivery
	answers  atomic.Int64 // status of the answers; 0: none comes
	released chan struct{}
	cut      func() // cuts the lines that wait for an answer
}

// delivery is a message that came, with its id.
type delivery struct{ id, body string }

// told has an agency tell a hook what was applied.
func (a *agency) told() *hook {
	a.t.Helper()
	h := &hook{t: a.t, got: make(chan delivery, 1000), released: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		status := int(h.answers.Load())
		h.got <- delivery{r.Header.Get("X-Adsync-Delivery"), string(body)}
		if status == 0 {
			<-h.released
			return
		}
		w.WriteHeader(status)
	}))
	a.t.Cleanup(func() { close(h.released); server.CloseClientConnections(); server.Close() })
	h.url, h.cut = server.URL+"/secret-path", server.CloseClientConnections
	file := filepath.Join(a.dir, "daemon.yaml")
	settings, err := os.ReadFile(file)
	noError(a.t, err)
	saveFile(a.t, file, string(settings)+"notify:\n"+
		"- webhook: {url: {env: HOOK_URL}, key: {env: HOOK_KEY}}\n  on: [applied]\n")
	a.more = append(a.more, "HOOK_URL="+h.url, "HOOK_KEY=a key of the webhook")
	return h
}

// next is the next message.
func (h *hook) next() delivery {
	h.t.Helper()
	select {
	case d := <-h.got:
		return d
	case <-time.After(time.Minute):
		h.t.Fatal("after a minute nobody is told")
		return delivery{}
	}
}

// jobs are those that adsync jobs lists.
func (a *agency) jobs(args ...string) (jobs []errands.Job) {
	a.t.Helper()
	var d struct{ Jobs []errands.Job }
	said := a.does(append([]string{"jobs", "-o", "json", "--config", filepath.Join(a.dir, "daemon.yaml")}, args...)...)
	noError(a.t, json.Unmarshal([]byte(said), &d))
	return d.Jobs
}

// until waits until jobs are as is wanted.
func (a *agency) until(what string, is func([]errands.Job) bool, args ...string) []errands.Job {
	a.t.Helper()
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) { // other processes work
		jobs := a.jobs(args...)
		if is(jobs) {
			return jobs
		}
		if time.Since(began) > time.Minute {
			a.t.Fatalf("after a minute the jobs are %+v; want %s", jobs, what)
		}
	}
}

// TestAMessageOutlivesTheDaemonThatSendsIt: where a daemon is killed as it delivers, another delivers the message, with
// the same id, and once.
func TestAMessageOutlivesTheDaemonThatSendsIt(t *testing.T) {
	t.Parallel()
	a := newAgency(t, 1)
	h := a.told()
	first := a.start()
	sent := h.next() // and no answer comes
	running := a.until("one that is under way", func(jobs []errands.Job) bool {
		return len(jobs) == 1 && jobs[0].State == "running"
	})
	if j := running[0]; j.Kind != "notify" || j.Account != a.id(0) || j.Tries != 1 || j.Process == "" {
		t.Errorf("the job is %+v; want the message of the account, tried once, and by whom", j)
	}
	noError(t, first.c.Process.Kill())
	h.answers.Store(http.StatusOK)
	second := a.start()
	again := h.next()
	if again != sent || sent.id == "" || !strings.Contains(sent.body, `"id":"`+sent.id+`"`) {
		t.Errorf("delivered first %+v, then %+v; want the same with one id", sent, again)
	}
	done := a.until("one that is done", func(jobs []errands.Job) bool {
		return len(jobs) == 1 && jobs[0].State == "completed"
	}, "shop-0", "--all")
	if done[0].Tries != 2 {
		t.Errorf("it is done at the %d. try, want the second", done[0].Tries)
	}
	second.end()
	if n := len(h.got); n > 0 {
		t.Errorf("told %d times more: %+v", n, <-h.got)
	}
}

// TestAMessageThatFailsIsSeenAndTriedAgain: adsync jobs says why, without what is secret, and has it tried at once.
func TestAMessageThatFailsIsSeenAndTriedAgain(t *testing.T) {
	t.Parallel()
	a := newAgency(t, 1)
	h := a.told()
	h.answers.Store(http.StatusServiceUnavailable)
	first, second := a.start(), a.start()
	h.next()
	failed := a.until("one that failed", func(jobs []errands.Job) bool {
		return len(jobs) == 1 && jobs[0].State == "retryable"
	})
	if j := failed[0]; j.Error != "the answer was 503 Service Unavailable" || j.Next == nil {
		t.Errorf("the job is %+v; want why it failed, and when it is tried next", j)
	}
	noError(t, first.c.Process.Kill()) // whichever tried it
	h.answers.Store(http.StatusNotFound)
	a.edit("Summer")
	a.await("Summer", 1)
	a.until("one that was given up", func(jobs []errands.Job) bool {
		return len(jobs) == 1 && jobs[0].State == "discarded" && strings.Contains(jobs[0].Error, "404 Not Found")
	})
	h.answers.Store(http.StatusOK)
	for len(h.got) > 0 {
		<-h.got
	}
	a.edit("Autumn")
	if got := h.next(); !strings.Contains(got.body, `"missing":1`) && !strings.Contains(got.body, `"missing":2`) {
		t.Errorf("told %s; want that messages before it are missing", got.body)
	}
	second.end()
	for _, p := range []*process{first, second} {
		if strings.Contains(p.said(), "secret-path") || strings.Contains(p.said(), "a key of the webhook") {
			t.Error("the daemon logs an address or a key")
		}
	}
}

// TestOneRunTellsAndEnds: a daemon with --once waits until what it tells has left.
func TestOneRunTellsAndEnds(t *testing.T) {
	t.Parallel()
	a := newAgency(t, 2)
	h := a.told()
	h.answers.Store(http.StatusOK)
	a.does("daemon", "--once", "--config", filepath.Join(a.dir, "daemon.yaml"))
	if n := len(h.got); n != 2 {
		t.Errorf("%d messages came, want one an account", n)
	}
	for _, j := range a.jobs("--all") {
		if j.State != "completed" {
			t.Errorf("job %+v is left", j)
		}
	}
}

// TestResultsArePushedByAnotherDaemon: those of a daemon that was killed before the repository took them, from another
// machine, once it does.
func TestResultsArePushedByAnotherDaemon(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	r := hostRepository(t, work)
	r.git("-C", r.upstream, "config", "http.receivepack", "false")
	a := &agency{t: t, dir: t.TempDir(), database: pgtest.Database(t), more: []string{
		session.EnvBaseURL + "=" + s.url, session.EnvKey + "=" + canaryKey}}
	other := &agency{t: t, dir: t.TempDir(), database: a.database, more: a.more}
	for _, machine := range []*agency{a, other} {
		saveFile(t, filepath.Join(machine.dir, "daemon.yaml"), fmt.Sprintf(`
listen: none
every: 2s
operator: %s
state: states
database: {env: TEST_DATABASE}
accounts:
- name: shop
  id: adacct_quickstart
  git: {url: "%s", ref: main, ca: %s, token: {env: TEST_GIT_TOKEN}}
  push_results: adsync/results
`, operator, r.url, r.ca))
	}
	first := a.start()
	failed := a.until("a push that failed", func(jobs []errands.Job) bool {
		return len(jobs) == 1 && jobs[0].State == "retryable"
	})
	if j := failed[0]; j.Kind != "push" || j.Error == "" || strings.Contains(j.Error, gitToken) {
		t.Errorf("the job is %+v; want the push, and why it failed without the token", j)
	}
	noError(t, first.c.Process.Kill())
	r.git("-C", r.upstream, "config", "http.receivepack", "true")
	second := other.start()
	other.does("jobs", "retry", fmt.Sprint(failed[0].ID), "--config", filepath.Join(other.dir, "daemon.yaml"))
	other.until("a push that is done", func(jobs []errands.Job) bool {
		return len(jobs) == 1 && jobs[0].State == "completed"
	}, "--all")
	if files := r.git("-C", r.upstream, "ls-tree", "-r", "--name-only", "adsync/results"); !strings.Contains(files,
		"/run-000001/results.json") {
		t.Errorf("the branch for results has\n%s\nwant results.json of the run", files)
	}
	second.end()
}

// TestNamesAreAgedByAnErrand: what is beside a state for longer than is said goes once a day, by whichever daemon.
func TestNamesAreAgedByAnErrand(t *testing.T) {
	t.Parallel()
	a := newAgency(t, 2)
	file := filepath.Join(a.dir, "daemon.yaml")
	settings, err := os.ReadFile(file)
	noError(t, err)
	saveFile(t, file, string(settings)+"keep: {people: 31d}\n")
	server, err := state.OpenServer(t.Context(), a.database, state.Options{Command: "test"})
	noError(t, err)
	defer server.Close()
	for i, day := range []string{"2020-01-01", time.Now().Format(time.DateOnly)} {
		noError(t, server.Beside(a.id(i)).Append("orders.ndjson",
			fmt.Appendf(nil, `{"time":"%sT00:00:00Z","order":"suspend","by":"anna"}`, day)))
	}
	p := a.start()
	a.until("names that are aged", func(jobs []errands.Job) bool {
		return len(jobs) == 1 && jobs[0].Kind == "retain" && jobs[0].State == "completed"
	}, "--all")
	for i, want := range []bool{false, true} {
		log, err := server.Beside(a.id(i)).Get("orders.ndjson", 1000)
		if noError(t, err); strings.Contains(string(log), "anna") != want {
			t.Errorf("the orders of account %d are %s; want the name there: %v", i, log, want)
		}
	}
	p.end()
}

// TestAMessageOutlivesTheDatabase: one that was sent while the database went away, which nobody could note, goes out
// again with its id, by the process that sent it; and the next goes out as ever.
func TestAMessageOutlivesTheDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	a := newAgencyIn(t, server.Database(t), 1)
	h := a.told()
	a.more = append(a.more, "ADSYNC_DATABASE_LEASE=1m") // which does not end meanwhile
	p := a.start()
	sent := h.next() // and no answer comes
	server.Kill()
	h.answers.Store(http.StatusOK)
	h.cut()
	p.until("msg", "the database does not answer; nothing is sent once the lease ends")
	time.Sleep(10 * time.Second) // River tries to note what became of it, again and again
	server.Run(t)
	if again := h.next(); again != sent {
		t.Errorf("delivered first %+v, then %+v; want the same with one id", sent, again)
	}
	a.edit("Summer")
	if next := h.next(); next.id == sent.id || !strings.Contains(next.body, "applied") {
		t.Errorf("delivered %+v; want what was applied since", next)
	}
	a.until("none but those that are done", func(jobs []errands.Job) bool { return len(jobs) == 0 })
	p.end()
}
