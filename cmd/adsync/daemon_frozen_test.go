package main

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/testing/pgtest"
)

var (
	frozenLease = flag.Duration("frozen-lease", sharedLease, "lease of the daemons of which one freezes")
	frozenFor   = flag.Duration("frozen-for", 0, "how much longer what it had sent takes to arrive")
)

// onTheWay is a service that what is sent reaches late: once it is armed, the next change.
type onTheWay struct {
	service http.Handler
	armed   atomic.Bool
	left    chan struct{} // it has been sent
	letGo   chan struct{}
	arrived chan struct{}
}

func (o *onTheWay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && o.armed.CompareAndSwap(true, false) {
		close(o.left)
		<-o.letGo
		defer close(o.arrived)
	}
	o.service.ServeHTTP(w, r)
}

// TestWhatAFrozenDaemonHadSentIsPutRight: a daemon stops in the middle of sending a change. Another takes its account
// over, decides what became of the change, and sends a newer one. Then the first one arrives, and the daemon wakes: the
// account comes to what the files say, with nobody's help, and nothing is held.
func TestWhatAFrozenDaemonHadSentIsPutRight(t *testing.T) {
	t.Parallel()
	a := newAgencyIn(t, pgtest.Database(t), 1, func(one *emulator.Account) { one.Features.Bulk = false })
	a.more = []string{"ADSYNC_DATABASE_LEASE=" + frozenLease.String()}
	service, err := url.Parse(strings.TrimSuffix(a.url, "/v1"))
	noError(t, err)
	o := &onTheWay{service: httputil.NewSingleHostReverseProxy(service),
		left: make(chan struct{}), letGo: make(chan struct{}), arrived: make(chan struct{})}
	line := httptest.NewServer(o)
	t.Cleanup(func() { line.CloseClientConnections(); line.Close() })
	saveFile(t, filepath.Join(a.dir, "operator-0.yaml"), fmt.Sprintf(
		"base_url: %s/v1\ncredentials: {file: key-0}\npolicy: {max_daily_exposure: 1000}\n", line.URL))

	first := a.start()
	a.await("Spring", 1)
	o.armed.Store(true)
	a.edit("Summer")
	<-o.left
	noError(t, first.c.Process.Signal(syscall.SIGSTOP))
	second := a.start()
	a.edit("Autumn")
	a.await("Autumn", 1)
	before := a.renames(0)
	time.Sleep(*frozenFor)
	close(o.letGo)
	<-o.arrived
	noError(t, first.c.Process.Signal(syscall.SIGCONT))
	for began := time.Now(); a.renames(0) < before+2; time.Sleep(100 * time.Millisecond) { // other processes work
		if time.Since(began) > time.Minute {
			t.Fatalf("the campaign was renamed %d times more; want by what came late, and back", a.renames(0)-before)
		}
	}
	a.await("Autumn", 1)
	second.until("msg", "run ended", "class", "applied")
	a.edit("Winter")
	a.await("Winter", 1)
	first.end()
	second.end()
}
