// Package ledger keeps a delivery book for each account and feeds it from the
// mutation log, which is the account's history.
//
// It changes nothing in the world. A book is worked out when somebody asks, and
// goes on from where it was. Its invariant: whoever asks inside View or Update of
// an account sees every slot that ended by now, under every change of that
// account that was logged.
package ledger

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"adsync/internal/emulator/delivery"
	"adsync/internal/emulator/world"
)

// Ledger is the books of one emulator. It is the world's Spending.
type Ledger struct {
	world  *world.World
	review world.Review
	seed   uint64

	mu    sync.Mutex // of what follows; taken after an account's lock, never before
	seen  int64      // Seq of the last log entry that was read
	books map[string]*book
}

// book is one account's book and the log entries it has not taken in.
type book struct {
	mu sync.Mutex
	*delivery.Book
	standing standing
	broken   error            // an entry that could not be read; final
	waiting  []world.Mutation // guarded by Ledger.mu
}

// New is the ledger of a world. The reviewer and seed are those of the emulator.
func New(w *world.World, review world.Review, seed uint64) *Ledger {
	return &Ledger{world: w, review: review, seed: seed, books: map[string]*book{}}
}

// Read runs fn on the account's book as of now. It is called inside View or
// Update of the account, and fn must not enter either.
func (l *Ledger) Read(a *world.Account, now time.Time, fn func(*delivery.Book) error) error {
	b, entries, err := l.take(a.ID)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if b.Book == nil {
		l.begin(b, a.Profile(), entries)
	}
	for _, m := range entries {
		if err := l.enter(b, m); err != nil {
			b.broken = errors.Join(b.broken, fmt.Errorf("read log entry %d: %w", m.Seq, err))
		}
	}
	if b.broken != nil {
		return b.broken
	}
	b.RunTo(now)
	return fn(b.Book)
}

// take reads the log to its end and gives the account's book, locked, with the
// entries that are new to it.
func (l *Ledger) take(id string) (*book, []world.Mutation, error) {
	l.mu.Lock()
	b := l.of(id)
	l.mu.Unlock()
	b.mu.Lock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.follow(); err != nil {
		b.mu.Unlock()
		return nil, nil, err
	}
	entries := b.waiting
	b.waiting = nil
	return b, entries, nil
}

func (l *Ledger) of(id string) *book {
	b := l.books[id]
	if b == nil {
		b = &book{}
		l.books[id] = b
	}
	return b
}

const logPage = 5000

func (l *Ledger) follow() error {
	for {
		page, err := l.world.Mutations(l.seen, logPage)
		if err != nil {
			return fmt.Errorf("read mutation log: %w", err)
		}
		for _, m := range page {
			l.seen = m.Seq
			if delivers[m.Resource] {
				b := l.of(m.AccountID)
				b.waiting = append(b.waiting, m)
			}
		}
		if len(page) < logPage {
			return nil
		}
	}
}

// Spent is the micros an account spent in local days from since to before until
// (YYYY-MM-DD). It is called inside View or Update. A log that cannot be read is
// a panic, which undoes the request.
func (l *Ledger) Spent(a *world.Account, since, until string) (micros int64) {
	err := l.Read(a, l.world.Clock.Now(), func(b *delivery.Book) error {
		micros = b.Spent(since, until)
		return nil
	})
	if err != nil {
		panic(fmt.Sprintf("account %s: spend: %v", a.ID, err))
	}
	return micros
}

// Exhausted reports whether a campaign's budget stops it today. It is called
// inside View or Update.
func (l *Ledger) Exhausted(a *world.Account, campaignID string) (yes bool) {
	err := l.Read(a, l.world.Clock.Now(), func(b *delivery.Book) error {
		yes = b.Exhausted(campaignID)
		return nil
	})
	if err != nil {
		panic(fmt.Sprintf("account %s: budgets: %v", a.ID, err))
	}
	return yes
}

var _ world.Spending = (*Ledger)(nil)
