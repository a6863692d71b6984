package state

import (
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
)

// Who opens a state waits for the lease of a process that was killed, and not for one that lives.
func TestTheLeaseOfAKilledProcessIsWaitedFor(t *testing.T) {
	address := pgtest.Database(t)
	first, err := OpenServer(t.Context(), address, Options{Lease: time.Second})
	must(t, err)
	defer first.Close()
	held, err := first.Open(t.Context(), "act_1", Options{})
	must(t, err)
	second, err := OpenServer(t.Context(), address, Options{})
	must(t, err)
	defer second.Close()

	waiting := Options{Sleep: time.Sleep} // the database's clock runs by itself
	_, err = second.Open(t.Context(), "act_1", waiting)
	wantError(t, "Open of what a process holds that lives", err, ErrLocked)
	_, err = first.Open(t.Context(), "act_1", waiting)
	wantError(t, "Open of what this process holds", err, ErrLocked)

	// a worker of whom no heartbeat comes
	db, err := pgx.Connect(t.Context(), address)
	must(t, err)
	defer db.Close(t.Context())
	_, err = db.Exec(t.Context(), `WITH killed AS (
			INSERT INTO adsync.worker (host, pid, command, version, since, ends)
			VALUES ('there', 7, 'adsync apply', '1', now(), now() + interval '1 second') RETURNING id
		) UPDATE adsync.head SET worker = (SELECT id FROM killed)`)
	must(t, err)
	_, err = second.Open(t.Context(), "act_1", Options{})
	wantError(t, "Open that does not wait", err, ErrLocked)
	var told []string
	waiting.Waiting = func(holder string) { told = append(told, holder) }
	taken, err := second.Open(t.Context(), "act_1", waiting)
	if len(told) != 1 || !strings.HasPrefix(told[0], "process 7 on there") {
		t.Errorf("told while it waits: %q; want once who is waited for", told)
	}
	if err != nil {
		t.Fatalf("Open of what a killed process held = %v; want it once the lease has ended", err)
	}
	if !taken.(Lease).TakenOver() {
		t.Error("the state was taken over, and nobody says so")
	}
	must(t, taken.Close())
	must(t, held.Close())
}
