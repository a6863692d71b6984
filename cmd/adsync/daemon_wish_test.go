package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
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

// TestAnApplyAsksTheDaemonToHandOver: a person's apply that finds a run of a daemon asks it to end, says so, and goes
// on once what was sent is heard of, with the files as they are by then; then the daemon has the account again. With
// --wait 0 it ends with 10 at once.
func TestAnApplyAsksTheDaemonToHandOver(t *testing.T) {
	t.Parallel()
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

	var out strings.Builder
	apply := func(wait string) (said *bufio.Scanner, end func() error) {
		out.Reset()
		c := asAdsync("apply", "--yes", "--wait", wait, "--operator", filepath.Join(a.dir, "operator-0.yaml"),
			filepath.Join(a.dir, "shop-0"))
		c.Env = append(append(c.Env, "HOME="+t.TempDir()), a.environment()...)
		c.Stdout = &out
		err, failure := c.StderrPipe()
		noError(t, failure)
		noError(t, c.Start())
		t.Cleanup(func() { _ = c.Process.Kill() })
		return bufio.NewScanner(err), c.Wait
	}
	said, end := apply("0")
	for said.Scan() {
		if strings.Contains(said.Text(), "hand the account over") {
			t.Errorf("with --wait 0 it says: %s", said.Text())
		}
	}
	if err := end(); err == nil || err.Error() != "exit status 10" {
		t.Errorf("apply --wait 0 = %v; want exit status 10", err)
	}

	said, end = apply("5m")
	asked, text := false, ""
	for said.Scan() {
		text += said.Text() + "\n"
		if !asked && strings.Contains(said.Text(), "asked to hand the account over") {
			asked = true
			a.edit("Late Spring") // which the apply has not read
			close(h.letGo)
		}
	}
	if err := end(); err != nil || !asked {
		t.Fatalf("apply = %v, asked %t; want that it asks and goes on\n%s", err, asked, text)
	}
	if !strings.Contains(out.String(), "Late Spring 0") {
		t.Errorf("apply carried out:\n%s\nwant what was saved while it waited for the account", out.String())
	}
	a.await("Late Spring", 1)
	a.edit("Summer")
	a.await("Summer", 1)
	p.end()
}
