package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/daemoncmd"
	"adsync/internal/daemon"
)

// pausing is a daemon of the quickstart whose page gives orders.
type pausing struct {
	*testing.T
	service       *service
	dir, operator string
	p             *process
	at            string // of the page
	config        string // its daemon.yaml; "": it has the settings that the flags say

	mu   sync.Mutex
	sent []string // requests that may change something, in order
}

// newPausing starts one; more are settings of the account.
func newPausing(t *testing.T, more ...string) *pausing {
	q := &pausing{T: t, service: serveAccount(t)}
	q.dir, q.operator = ownQuickstart(t)
	if len(more) > 0 {
		q.config = filepath.Join(t.TempDir(), "daemon.yaml")
		saveFile(t, q.config, fmt.Sprintf("listen: 127.0.0.1:0\nsettle: 200ms\nevery: 2s\noperator: %s\n"+
			"accounts: [{name: shop, folder: %q, %s}]\n", q.operator, q.dir, strings.Join(more, ", ")))
	}
	q.before(nil)
	q.start()
	q.p.until("msg", "run ended", "class", "applied")
	q.p.until("msg", "run ended", "class", "in_sync")
	return q
}

func (q *pausing) start() {
	q.Helper()
	q.p = startDaemonWith(q.T, q.environment(), q.arguments()...)
	q.at = fmt.Sprint(q.p.until("msg", "the daemon answers")["address"])
}

func (q *pausing) environment() []string {
	return q.service.environment(daemoncmd.EnvDaemonToken + "=" + watchmansToken)
}

func (q *pausing) arguments() []string {
	if q.config != "" {
		return []string{"--config", q.config}
	}
	return []string{"--listen", "127.0.0.1:0", "--settle", "200ms", "--every", "2s", "--operator", q.operator, q.dir}
}

// before has a test see each request that may change something before it is answered.
func (q *pausing) before(see func(*http.Request)) {
	note := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			return false
		}
		q.mu.Lock()
		q.sent = append(q.sent, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/v1"))
		q.mu.Unlock()
		if see != nil {
			see(r)
		}
		return false
	}
	q.service.before.Store(&note)
}

// order sends an order to the daemon.
func (q *pausing) order(path, body string, status int) {
	q.Helper()
	askDaemon(q.T, q.at, "POST", "/api/v1/accounts/shop/"+path, []byte(body), status, nil)
}

func (q *pausing) account() (s daemon.Status) {
	q.Helper()
	askDaemon(q.T, q.at, "GET", "/api/v1/accounts/shop", nil, 200, &s)
	return s
}

// until waits for the account to be so.
func (q *pausing) until(what string, is func(daemon.Status) bool) (s daemon.Status) {
	q.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if s = q.account(); is(s) {
			return s
		}
		if time.Now().After(late) {
			q.Fatalf("the account is not so: %s; it is %+v", what, s)
		}
	}
}

func settled(s daemon.Status) bool { return len(s.Pauses) == 1 && s.Pauses[0].Settled }

// statuses are those of the campaigns by their names.
func (q *pausing) statuses() string {
	q.Helper()
	var list struct {
		Data []struct{ ID, Name, Status string }
	}
	askService(q.T, q.service, http.MethodGet, "/campaigns?limit=100", "", &list)
	var all []string
	for _, c := range list.Data {
		all = append(all, c.Name+" "+c.Status)
	}
	return strings.Join(all, ", ")
}

func (q *pausing) idOf(name string) string {
	q.Helper()
	var list struct{ Data []struct{ ID, Name string } }
	askService(q.T, q.service, http.MethodGet, "/campaigns?limit=100", "", &list)
	for _, c := range list.Data {
		if c.Name == name {
			return c.ID
		}
	}
	q.Fatalf("there is no campaign %s", name)
	return ""
}

// TestOneCampaignIsPausedAndGoesOn: it stays paused whatever the files say of it, other changes go on, and Go on starts
// what the files do not pause.
func TestOneCampaignIsPausedAndGoesOn(t *testing.T) {
	t.Parallel()
	q := newPausing(t)
	before := q.statuses()
	spring := q.idOf("Spring launch")
	q.order("pauses", `{"by":"ann","resource":"no_such","reason":"wrong page"}`, 404)
	q.order("pauses", `{"by":"ann","resource":"`+spring+`"}`, 400)
	q.order("pauses", `{"by":"ann","resource":"`+spring+`","reason":"wrong page"}`, 202)
	s := q.until("paused", settled)
	paused := strings.Replace(before, "Spring launch active", "Spring launch paused", 1)
	if now := q.statuses(); now != paused || now == before {
		t.Fatalf("the campaigns are %s; want %s", now, paused)
	}
	if p := s.Pauses[0]; p.By != "ann" || p.Name != "Spring launch" || p.Paused != 1 || s.Suspended != nil {
		t.Errorf("it says %+v, suspended %+v", p, s.Suspended)
	}
	saveEdit(t, q.dir, "bid: {max: 1.25}", "bid: {max: 1.20}")
	q.until("the bid is applied", func(daemon.Status) bool { return bidOf(t, q.service, "Trail runners") == 1_200_000 })
	if now := q.statuses(); now != paused {
		t.Errorf("after another change the campaigns are %s; want %s", now, paused)
	}
	q.order("pauses/"+s.Pauses[0].ID+"/go-on", `{"by":"bob"}`, 202)
	q.until("it has gone on", func(s daemon.Status) bool { return len(s.Pauses) == 0 })
	if now := q.statuses(); now != before {
		t.Errorf("after Go on the campaigns are %s; want %s", now, before)
	}
	q.order("pauses/"+s.Pauses[0].ID+"/go-on", `{"by":"bob"}`, 409)
	q.until("all is equal", func(s daemon.Status) bool { return s.State == daemon.InSync })
	q.p.end()
}

// TestEverythingIsPausedAndSuspended, and Go on leaves paused what the files pause by then.
func TestEverythingIsPausedAndSuspended(t *testing.T) {
	t.Parallel()
	q := newPausing(t)
	before := q.statuses()
	q.order("pauses", `{"by":"ann","reason":"the shop is down"}`, 202)
	s := q.until("paused", settled)
	if now := q.statuses(); strings.Contains(now, " active") {
		t.Errorf("still active: %s", now)
	}
	if s.Suspended == nil || !strings.Contains(s.Suspended.Reason, "the shop is down") {
		t.Errorf("suspended: %+v; want the reason", s.Suspended)
	}
	saveEdit(t, q.dir, "name: Spring launch\nstatus: active", "name: Spring launch\nstatus: paused")
	q.order("pauses/"+s.Pauses[0].ID+"/go-on", `{"by":"bob"}`, 202)
	q.until("it has gone on", func(s daemon.Status) bool { return len(s.Pauses) == 0 && s.State == daemon.InSync })
	want := strings.Replace(before, "Spring launch active", "Spring launch paused", 1)
	if now := q.statuses(); now != want {
		t.Errorf("after Go on the campaigns are %s; want %s", now, want)
	}
	q.p.end()
}

// TestAPauseOvertakesAnApply: what is under way sends nothing more before the pause.
func TestAPauseOvertakesAnApply(t *testing.T) {
	t.Parallel()
	q := newPausing(t)
	spring := q.idOf("Spring launch")
	reached, release := make(chan bool, 1), make(chan bool)
	var once sync.Once
	q.before(func(*http.Request) {
		once.Do(func() {
			reached <- true
			<-release
		})
	})
	saveFile(t, filepath.Join(q.dir, "extra.yaml"), "kind: campaign\nkey: extra\nname: Extra\nstatus: active\n"+
		"bidding_type: clicks\nbudget: {daily: 5.00}\ntargeting: {countries: [US]}\nad_groups:\n"+
		"  - {key: one, name: One, status: active, bid: {max: 0.50}, context_hints: [people who run]}\n")
	select {
	case <-reached:
	case <-time.After(patience):
		t.Fatal("nothing was sent")
	}
	q.mu.Lock()
	q.sent = nil
	q.mu.Unlock()
	func() {
		defer close(release)
		q.order("pauses", `{"by":"ann","resource":"`+spring+`","reason":"wrong page"}`, 202)
	}()
	q.until("paused", settled)
	q.mu.Lock()
	first := strings.Join(q.sent[:min(1, len(q.sent))], "")
	q.mu.Unlock()
	if !strings.Contains(first, spring) {
		t.Errorf("after the order %q was sent first; want the pause of %s", first, spring)
	}
	q.until("what the apply left is there", func(daemon.Status) bool {
		var groups struct{ Data []adGroup }
		askService(t, q.service, http.MethodGet, "/ad_groups?limit=100", "", &groups)
		return slices.ContainsFunc(groups.Data, func(g adGroup) bool { return g.Name == "One" })
	})
	q.p.end()
}

// TestAPauseSurvivesAKill: the daemon is killed as it sends the pause, or the order to go on.
func TestAPauseSurvivesAKill(t *testing.T) {
	t.Parallel()
	q := newPausing(t)
	before, spring := q.statuses(), q.idOf("Spring launch")
	killed := func(give func()) {
		t.Helper()
		reached, gone := make(chan bool, 1), make(chan bool)
		var once sync.Once
		q.before(func(*http.Request) {
			once.Do(func() {
				reached <- true
				<-gone // it is carried out once the process is
			})
		})
		defer close(gone)
		give()
		select {
		case <-reached:
		case <-time.After(patience):
			t.Fatal("nothing was sent")
		}
		q.before(nil)
		noError(t, q.p.c.Process.Kill())
		<-q.p.ended
	}
	killed(func() { q.order("pauses", `{"by":"ann","resource":"`+spring+`","reason":"wrong page"}`, 202) })
	q.start()
	s := q.until("paused", settled)
	if now := q.statuses(); now == before || s.Pauses[0].Paused != 1 {
		t.Errorf("after the kill the campaigns are %s, and %+v", now, s.Pauses[0])
	}
	killed(func() { q.order("pauses/"+s.Pauses[0].ID+"/go-on", `{"by":"bob"}`, 202) })
	q.start()
	q.until("it has gone on", func(s daemon.Status) bool { return len(s.Pauses) == 0 && s.State == daemon.InSync })
	if now := q.statuses(); now != before {
		t.Errorf("after Go on the campaigns are %s; want %s", now, before)
	}
	q.p.end()
}
