package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// A process that lives through a promotion can prove what the new server has. The log is one line: where the last
// heartbeat that was acknowledged is there, so is all that anybody committed before it. What was committed in the
// seconds after it is there as well where every standby there was had to have a commit before it was acknowledged.

// heard is what the database said as it acknowledged a heartbeat.
type heard struct {
	at    position
	ends  time.Time // of the lease
	whole bool      // a commit waits for every standby there is
}

// heardNow are its columns. How many standbys have to answer is 1, or the number before their names.
const heardNow = clusterNow + `, ` + timelineNow + `,
	current_setting('synchronous_commit') IN ('on', 'remote_apply') AND current_setting('synchronous_standby_names') <> ''
	AND (SELECT count(*) FROM pg_stat_replication) BETWEEN 1 AND coalesce(substring(
		current_setting('synchronous_standby_names') FROM '(?i)^\s*(?:first|any)?\s*(\d+)\s*\(')::bigint, 1)`

func (h *heard) columns() []any { return []any{&h.at.cluster, &h.at.timeline, &h.whole} }

// crossing is a promotion that this process saw from both sides.
type crossing struct {
	from, to position
	kept     bool // all that was acknowledged before the last heartbeat is there
	whole    bool // so is all that was acknowledged after it
}

func (c crossing) String() string {
	text := fmt.Sprintf("the database was promoted, from timeline %d to %d: ", c.from.timeline, c.to.timeline)
	switch {
	case c.whole:
		return text + "all that was acknowledged is there, as every standby had it; all accounts go on"
	case c.kept:
		return text + "all is there up to the last heartbeat of this process, and nobody can say what came after it; " +
			"accounts go on that this process wrote last"
	}
	return text + "it does not have what this process wrote last; accounts wait for adsync state accept"
}

// witness remembers what the database said last, and what it saw of promotions.
type witness struct {
	vouch func(context.Context, crossing) error // that all accounts are whole
	tell  func(string)                          // nil: nobody is told

	mu      sync.Mutex
	worker  int64
	heard   heard
	crossed []crossing
	owed    []crossing // that nobody has vouched for yet
}

// hears notes an acknowledged heartbeat of a worker; before is until when the lease lasted by the database, nil where
// it knew none.
func (w *witness) hears(worker int64, before *time.Time, now heard) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cross(before, now)
	w.worker, w.heard = worker, now
}

// cross notes a promotion since the last word. mu is held.
func (w *witness) cross(before *time.Time, now heard) {
	if w.worker == 0 || now.at == w.heard.at {
		return
	}
	c := crossing{from: w.heard.at, to: now.at}
	c.kept = c.from.cluster == c.to.cluster && before != nil && !before.Before(w.heard.ends)
	if c.whole = c.kept && w.heard.whole; c.whole {
		w.owed = append(w.owed, c)
	}
	w.crossed = append(w.crossed, c)
	if w.tell != nil {
		w.tell(c.String())
	}
}

// last is until when the lease of a worker lasted by the last word of the database.
func (w *witness) last(worker int64) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.worker != worker {
		return time.Time{}
	}
	return w.heard.ends
}

// look asks what the database has of this worker, where it was promoted since the last word. It changes nothing.
func (w *witness) look(ctx context.Context, pool *pgxpool.Pool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.worker == 0 {
		return nil
	}
	var before *time.Time
	var now heard
	err := pool.QueryRow(ctx, `SELECT (SELECT ends FROM adsync.worker WHERE id = $1), `+heardNow, w.worker).
		Scan(append([]any{&before}, now.columns()...)...)
	if err != nil || now.at == w.heard.at {
		return err
	}
	w.cross(before, now)
	now.ends = w.heard.ends // what is wanted of the next heartbeat is as before
	w.heard = now
	return nil
}

// crossing returns what this process saw of the promotion between two positions.
func (w *witness) crossing(from, to position) (c crossing, seen bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.crossed {
		if c.from == from && c.to == to {
			return c, true
		}
	}
	return c, false
}

// vouchOwed has the accounts go on of which it is proved that nothing is lost, for everybody. What fails is tried
// again with the next heartbeat.
func (w *witness) vouchOwed(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.owed) > 0 && w.vouch(ctx, w.owed[0]) == nil {
		w.owed = w.owed[1:]
	}
}
