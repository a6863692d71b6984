package postgres

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
)

// holds are the accounts that this process has open.
type holds struct {
	database *Database

	mu   sync.Mutex
	open map[string]bool
	owed map[string]int64 // workers, by the accounts that could not be given back
}

// Close gives the account back. Where the database does not take it, a heartbeat does later.
func (a *Account) Close() error {
	h := &a.database.holds
	defer h.letGo(a.name)
	err := h.giveBack(context.Background(), a.name, a.worker, func() bool { return false })
	h.owe(a.name, a.worker, err)
	return err
}

// hold notes that this process opens an account; false where it has it open.
func (h *holds) hold(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[name] {
		return false
	}
	h.open[name] = true
	return true
}

func (h *holds) letGo(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, name)
}

// giveBack has the database say that a worker does not hold an account, unless this process has it open by then.
func (h *holds) giveBack(ctx context.Context, name string, worker int64, open func() bool) error {
	return h.database.inTransaction(ctx, func(ctx context.Context, tx pgx.Tx) error {
		// The row first. A claim that is under way is waited for, one that comes waits, and each has noted before that
		// the account is open.
		var owner *int64
		err := tx.QueryRow(ctx, `SELECT worker FROM adsync.head WHERE account = $1 FOR UPDATE`, name).Scan(&owner)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && (owner == nil || *owner != worker || open()) {
			return nil
		}
		if err == nil {
			_, err = tx.Exec(ctx, `UPDATE adsync.head SET worker = NULL WHERE account = $1`, name)
		}
		return err
	})
}

// owe notes that an account was not given back.
func (h *holds) owe(name string, worker int64, failed error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if failed != nil {
		h.owed[name] = worker
	}
}

// repay gives back what is owed. What this process has open again is given back when it is closed.
func (h *holds) repay(ctx context.Context) {
	for name, worker := range h.owing() {
		h.owe(name, worker, h.giveBack(ctx, name, worker, func() bool { return h.isOpen(name) }))
	}
}

// owing takes what is owed.
func (h *holds) owing() map[string]int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	owed := h.owed
	h.owed = map[string]int64{}
	return owed
}

func (h *holds) isOpen(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open[name]
}
