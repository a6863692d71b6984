package postgres

import (
	"context"
	"fmt"
)

// Attended is what is kept beside the state of an account, as Beside has it, for the process that looks after the
// account: Put and Delete are ErrFenced where another does by now, and ErrOver where the lease of this one has ended.
// The question and the change are one statement, so that nobody who slept in between writes late.
type Attended struct{ *Beside }

// Attended returns what is kept beside the state of an account, for the process that looks after it.
func (d *Database) Attended(account string) Attended { return Attended{d.Beside(account)} }

// stillAttended has the row of the account wait with its next owner until the statement has ended.
const stillAttended = `WITH fence AS (
	SELECT a.name FROM adsync.attendance a JOIN adsync.worker w ON w.id = a.worker
	WHERE a.name = $1 AND w.id = $2 AND w.ends > clock_timestamp() FOR SHARE OF a
), gone AS (
	DELETE FROM adsync.beside b USING fence WHERE b.account = $1 AND b.name = $3
)`

// Put replaces a content as a whole.
func (b Attended) Put(name string, content []byte) error {
	return b.change(name, `, put AS (
	INSERT INTO adsync.beside (account, name, content) SELECT $1, $3, $4 FROM fence
)`, append([]byte{}, content...)) // never null
}

// Delete takes a content away.
func (b Attended) Delete(name string) error { return b.change(name, "") }

func (b Attended) change(name, also string, more ...any) error {
	k, err := key(name)
	if err != nil {
		return err
	}
	worker := b.database.attendance.worker()
	if err := b.database.worker.valid(worker); err != nil {
		return err
	}
	return b.database.twice(context.Background(), func(ctx context.Context) error {
		var attended int
		err := b.database.pool.QueryRow(ctx, stillAttended+also+` SELECT count(*) FROM fence`,
			append([]any{b.account, worker, k}, more...)...).Scan(&attended)
		if err == nil && attended == 0 {
			err = fmt.Errorf("%w: %s", ErrFenced, b.account)
		}
		return err
	})
}

// worker is as which worker this process pulled last.
func (a *Attendance) worker() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.attendedAs
}
