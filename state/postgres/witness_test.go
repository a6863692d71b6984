package postgres

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"
)

// watcher is a process that lives through a promotion; it wrote act_1. Another that is gone by then wrote act_2.
type watcher struct {
	*Database
	server, standby *pgtest.Server

	mu   sync.Mutex
	told []string
}

func newWatcher(t *testing.T, waits bool, lease time.Duration) *watcher {
	t.Helper()
	w := &watcher{server: pgtest.Start(t, "fsync=off")}
	w.standby = w.server.Standby(t)
	if waits {
		w.server.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
		w.server.Exec(t, "postgres", "SELECT pg_reload_conf()")
		w.standby.Exec(t, "postgres", "SELECT 1")
	}
	var err error
	w.Database, err = Open(t.Context(), w.server.URL("postgres", w.standby), Options{Host: "here",
		Lease: lease, Notice: func(text string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.told = append(w.told, text)
		}})
	noError(t, err)
	t.Cleanup(func() { w.Close() })
	a := claim(t, w.Database, "act_1")
	noError(t, next(a, "one"))
	noError(t, a.Close())
	other := open(t, w.server.URL("postgres"), 0)
	b := claim(t, other, "act_2")
	noError(t, next(b, "two"))
	noError(t, b.Close())
	noError(t, other.Close())
	w.heartbeat(t)
	return w
}

// heartbeat waits for one to be acknowledged.
func (w *watcher) heartbeat(t *testing.T) {
	t.Helper()
	id, _ := w.worker.current()
	for before := w.worker.said.last(id); w.worker.said.last(id).Equal(before); {
		time.Sleep(10 * time.Millisecond) // by its own clock
		if t.Context().Err() != nil {
			t.Fatal("no heartbeat")
		}
	}
}

// promote has the standby take over, and waits until the process has seen that.
func (w *watcher) promote(t *testing.T) {
	t.Helper()
	w.server.Kill()
	w.standby.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = ''")
	w.standby.Promote(t)
}

func (w *watcher) wantTold(t *testing.T, part string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.told) != 1 || !strings.Contains(w.told[0], part) {
		t.Errorf("it is said %q; want once that %s", w.told, part)
	}
}

// Where every commit waited for the standby that was promoted, all accounts go on, for processes too that were not
// there: one that was has said so.
func TestWhoLivesThroughAPromotionVouchesForAllAccounts(t *testing.T) {
	w := newWatcher(t, true, 6*time.Second)
	w.promote(t)
	w.wantVouched(t)
}

// It says so too where the promotion took longer than its lease, although it holds nothing by then.
func TestWhoseLeaseEndedMeanwhileVouches(t *testing.T) {
	w := newWatcher(t, true, time.Second)
	id, _ := w.worker.current()
	w.server.Kill()
	time.Sleep(time.Until(w.worker.said.last(id))) // by the clock of the database
	w.promote(t)
	w.wantVouched(t)
	if id, _ := w.worker.current(); id != 0 {
		t.Errorf("it is the worker %d; want none, as it asked for nothing", id)
	}
}

// wantVouched waits until others may go on with the account that is another's.
func (w *watcher) wantVouched(t *testing.T) {
	t.Helper()
	stranger := open(t, w.standby.URL("postgres"), 0)
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) { // until it was said
		a, err := stranger.Claim(t.Context(), "act_2", fresh())
		if err == nil {
			noError(t, a.Close())
			break
		}
		if !errors.Is(err, ErrLost) || time.Now().After(until) {
			t.Fatalf("Claim = %v, want it once somebody has vouched", err)
		}
	}
	w.wantTold(t, "all that was acknowledged is there")
}

// Where commits did not wait, nobody knows what came after the last heartbeat: who wrote an account last goes on with
// it, and all others wait for a person.
func TestAnAccountThatAnotherWroteMayBeLost(t *testing.T) {
	w := newWatcher(t, false, 6*time.Second)
	w.standby.AwaitReplay(t, w.server)
	w.promote(t)
	a, err := w.Claim(t.Context(), "act_1", fresh())
	noError(t, err)
	noError(t, a.Close())
	_, err = w.Claim(t.Context(), "act_2", fresh())
	wantError(t, "Claim of an account that another process wrote", err, ErrLost)
	_, err = open(t, w.standby.URL("postgres"), 0).Claim(t.Context(), "act_2", fresh())
	wantError(t, "Claim by who was not there", err, ErrLost)
	w.wantTold(t, "up to the last heartbeat")
}

// A standby that lacks the last heartbeat may lack what others wrote before it, whatever it has of this process.
func TestAPromotionThatLostAHeartbeatIsNoticed(t *testing.T) {
	w := newWatcher(t, false, 6*time.Second)
	w.standby.AwaitReplay(t, w.server)
	w.standby.Kill()
	w.heartbeat(t)
	w.server.Kill()
	w.standby.Run(t)
	w.standby.Promote(t)
	for _, account := range []string{"act_1", "act_2"} {
		_, err := w.Claim(t.Context(), account, fresh())
		wantError(t, "Claim of "+account, err, ErrLost)
	}
	w.wantTold(t, "does not have what this process wrote last")
}
