package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestG18ANewerCommitTakesBackWhatIsNotSentYet: a mistake that is taken back while it is
// applied is not sent; what both commits say is, and the next run is of the newer one.
func TestG18ANewerCommitTakesBackWhatIsNotSentYet(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	r := hostRepository(t, work)
	p, at, _ := r.serveFrom(s, operator, "  webhook: {secret: {env: HOOK}}\n")
	p.until("msg", "run ended", "class", "applied")
	reached, release := make(chan bool, 1), make(chan bool)
	var once sync.Once
	var sent atomic.Bool
	hold := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = readCloser{bytes.NewReader(body)}
		sent.Store(sent.Load() || bytes.Contains(body, []byte("A mistake")) &&
			!bytes.Contains(body, []byte(`"validate_only":true`)))
		once.Do(func() {
			reached <- true
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		return false
	}
	s.before.Store(&hold)
	saveEdit(t, work, "name: Day hikers", "name: A mistake")
	r.save("budget: {daily: 50.00}", "budget: {daily: 45.00}", "Two changes") // the decrease goes first
	push(t, at, "refs/heads/main")
	<-reached
	r.save("name: A mistake", "name: Day hikers", "Take one of them back")
	newer := r.git("rev-parse", "HEAD")
	push(t, at, "refs/heads/main")
	p.until("msg", "commit "+newer[:12]+" came while its predecessor is applied")
	close(release)
	line := p.until("msg", "run ended", "class", "transient")
	if got := fmt.Sprint(line["message"]); !strings.Contains(got, "1 applied") || !strings.Contains(got, "1 skipped") {
		t.Errorf("the run ends with %q; want one change applied and one left out", got)
	}
	line = p.until("msg", "run ended", "class", "in_sync")
	if line["commit"] != newer {
		t.Errorf("the next run is of %v; want the newer commit, %s", line["commit"], newer)
	}
	if sent.Load() {
		t.Error("the mistake was sent; want it left out")
	}
	p.end()
}
