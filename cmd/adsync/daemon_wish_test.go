package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// heldBack is a service that answers the first change only once it is let go.
type heldBack struct {
	service http.Handler
	once    sync.Once
	came    chan struct{}
	letGo   chan struct{}
}

func (h *heldBack) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		h.once.Do(func() { close(h.came); <-h.letGo })
	}
	h.service.ServeHTTP(w, r)
}

// busyAgency is an agency of one account whose daemon is in the middle of a run that makes its campaign, "Spring".
func busyAgency(t *testing.T) (*agency, *process, *heldBack) {
	t.Helper()
	a := newAgency(t, 1)
	service, err := url.Parse(strings.TrimSuffix(a.url, "/v1"))
	noError(t, err)
	h := &heldBack{
		service: httputil.NewSingleHostReverseProxy(service), came: make(chan struct{}), letGo: make(chan struct{}),
	}
	line := httptest.NewServer(h)
	t.Cleanup(line.Close)
	saveFile(t, filepath.Join(a.dir, "operator-0.yaml"), fmt.Sprintf(
		"base_url: %s/v1\ncredentials: {file: key-0}\ndatabase: {env: TEST_DATABASE}\n"+
			"policy: {max_daily_exposure: 1000}\n", line.URL))
	p := a.start()
	<-h.came // the run has the account, and waits for the service
	return a, p, h
}

// applies has a person apply the files of the one account, of its folder or as from says. asked is called once the
// daemon is asked to hand the account over.
func (a *agency) applies(wait string, asked func(), from ...string) (out, said string, err error) {
	a.t.Helper()
	if len(from) == 0 {
		from = []string{filepath.Join(a.dir, "shop-0")}
	}
	c := asAdsync(append([]string{"apply", "--yes", "--wait", wait, "--operator",
		filepath.Join(a.dir, "operator-0.yaml")}, from...)...)
	c.Env = append(append(c.Env, "HOME="+a.t.TempDir()), a.environment()...)
	var printed strings.Builder
	c.Stdout = &printed
	stderr, failure := c.StderrPipe()
	noError(a.t, failure)
	noError(a.t, c.Start())
	a.t.Cleanup(func() { _ = c.Process.Kill() })
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		said += lines.Text() + "\n"
		if strings.Contains(lines.Text(), "asked to hand the account over") {
			asked()
		}
	}
	err = c.Wait()
	return printed.String(), said, err
}

// TestAnApplyAsksTheDaemonToHandOver: a person's apply that finds a run of a daemon asks it to end, says so, and goes
// on once what was sent is heard of, with the files as they are by then; then the daemon has the account again. With
// --wait 0 it ends with 10 at once.
func TestAnApplyAsksTheDaemonToHandOver(t *testing.T) {
	t.Parallel()
	a, p, h := busyAgency(t)
	_, said, err := a.applies("0", func() { t.Error("with --wait 0 it asks for the account") })
	if err == nil || err.Error() != "exit status 10" {
		t.Errorf("apply --wait 0 = %v; want exit status 10\n%s", err, said)
	}

	out, said, err := a.applies("5m", func() {
		a.edit("Late Spring") // which the apply has not read
		close(h.letGo)
	})
	if err != nil || !strings.Contains(said, "the files are read once more") {
		t.Fatalf("apply = %v; want that it asks, reads again and goes on\n%s", err, said)
	}
	if !strings.Contains(out, "Late Spring 0") {
		t.Errorf("apply carried out:\n%s\nwant what was saved while it waited for the account", out)
	}
	a.await("Late Spring", 1)
	a.edit("Summer")
	a.await("Summer", 1)
	p.end()
}

// TestAnApplyFromGitThatWaitedHasTheNewestCommit: somebody pushes while an apply of a repository waits for the account.
func TestAnApplyFromGitThatWaitedHasTheNewestCommit(t *testing.T) {
	t.Parallel()
	a, p, h := busyAgency(t)
	repository := filepath.Join(a.dir, "..", "ads.git")
	for _, args := range [][]string{{"init", "-q", "--bare", repository}, {"init", "-q", a.dir}} {
		noError(t, exec.Command("git", args...).Run())
	}
	a.commit("Spring")
	out, said, err := a.applies("5m", func() {
		a.edit("Late Spring")
		a.commit("later")
		close(h.letGo)
	}, "--git", repository, "--ref", "main", "--path", "shop-0")
	if err != nil || !strings.Contains(out, "Late Spring 0") {
		t.Errorf("apply = %v; want that it carries out the commit that came meanwhile\n%s\n%s", err, out, said)
	}
	a.await("Late Spring", 1)
	p.end()
}

// TestFilesThatBrokeWhileAnApplyWaited: an apply carries out nothing of files that cannot be read any more, or that
// have come to name another account, and says which of these it is.
func TestFilesThatBrokeWhileAnApplyWaited(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ what, project, code, said string }{
		{"broken", "account: {id: [\n", "exit status 3", "(ADS1003)"},
		{"of another account", "account: {id: adacct_777, currency: USD, timezone: UTC}\n", "exit status 11",
			"the files have come to name another account; run again"},
	} {
		t.Run(row.what, func(t *testing.T) {
			t.Parallel()
			a, p, h := busyAgency(t)
			_, said, err := a.applies("5m", func() {
				saveFile(t, filepath.Join(a.dir, "shop-0", "adsync.yaml"), row.project)
				close(h.letGo)
			})
			if err == nil || err.Error() != row.code || !strings.Contains(said, row.said) {
				t.Errorf("apply = %v; want %s, and %q in\n%s", err, row.code, row.said, said)
			}
			p.end()
		})
	}
}
