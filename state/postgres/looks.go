package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Standing is what a look at an account asks of the database.
type Standing struct {
	Serial    int64  // of its state, 0 where there is none
	Ordered   bool   // STOP, a suspension or a wish for a run lies beside it, or one of them beside all accounts
	Approvals string // another with each approval
}

// Standing returns what stands of an account now, by a question that writes nothing. Looks that ask within a second
// share one question: it begins after each of them asked.
func (a *Attendance) Standing(ctx context.Context, account string) (Standing, error) {
	q := a.looks.join(account, func(q *question) {
		q.standing, q.err = a.standing(context.WithoutCancel(ctx), q.accounts)
	})
	select {
	case <-q.answered:
		return q.standing[account], q.err
	case <-ctx.Done():
		return Standing{}, context.Cause(ctx)
	}
}

// looksEvery is how far apart the questions of looks are.
const looksEvery = time.Second

// looks gathers looks that ask at about the same time.
type looks struct {
	mu    sync.Mutex
	asked time.Time // when the last question began
	next  *question // that is not asked yet; nil: there is none
}

// question is one for the accounts of several looks.
type question struct {
	accounts []string
	answered chan struct{} // closed once it is
	standing map[string]Standing
	err      error
}

// join has the next question be about an account, too. ask answers it.
func (l *looks) join(account string, ask func(*question)) *question {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		q := &question{answered: make(chan struct{})}
		l.next = q
		time.AfterFunc(time.Until(l.asked.Add(looksEvery)), func() {
			l.begin()
			ask(q)
			close(q.answered)
		})
	}
	l.next.accounts = append(l.next.accounts, account)
	return l.next
}

// begin closes the next question for further accounts.
func (l *looks) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next, l.asked = nil, time.Now()
}

func (a *Attendance) standing(ctx context.Context, accounts []string) (map[string]Standing, error) {
	standing := make(map[string]Standing, len(accounts))
	err := a.database.twice(ctx, func(ctx context.Context) error {
		rows, err := a.database.pool.Query(ctx, `SELECT of.account, coalesce(h.serial, 0),
			EXISTS (SELECT FROM adsync.beside WHERE account = '' AND `+isOrder+`)
				OR EXISTS (SELECT FROM adsync.beside b WHERE b.account = of.account AND `+isOrder+`),
			coalesce((SELECT string_agg(part || ' ' || xmin, ' ' ORDER BY part) FROM adsync.beside b
				WHERE b.account = of.account AND name = 'approvals.ndjson'), '')
			FROM unnest($1::text[]) AS of (account) LEFT JOIN adsync.head h ON h.account = of.account`, accounts)
		if err != nil {
			return err
		}
		var account string
		var s Standing
		_, err = pgx.ForEachRow(rows, []any{&account, &s.Serial, &s.Ordered, &s.Approvals}, func() error {
			standing[account] = s
			return nil
		})
		return err
	})
	return standing, err
}
