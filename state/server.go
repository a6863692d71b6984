package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"adsync/state/kv"
	"adsync/state/postgres"

	"github.com/jackc/pgx/v5"
)

// Server is a PostgreSQL database that holds the states of many accounts, for any number of processes on any number
// of machines. It is safe for concurrent use.
type Server struct {
	states   Database
	database *postgres.Database // for what is beside the states: pages of daemons, errands; nil in a test's twin
}

// Lease is what a store in a database gives beside: this process holds the account for as long as the database hears
// of it.
type Lease interface {
	// Valid is an error once nothing may be sent for the account any more. It asks nobody.
	Valid() error
	// TakenOver reports whether who held the account before, or lately, did not give it back: it may have had something
	// under way.
	TakenOver() bool
}

// OpenServer connects to a database by its address, such as postgres://adsync@db.internal/adsync, and brings its
// tables to this program's format.
func OpenServer(ctx context.Context, address string, o Options) (*Server, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "an unnamed host"
	}
	d, err := postgres.Open(ctx, address, postgres.Options{
		Host: host, PID: os.Getpid(), Command: o.Command, Version: o.Version, Lease: o.Lease,
		Notice: o.Promoted,
	})
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", ofDatabase(err))
	}
	return &Server{states: InPostgres{d}, database: d}, nil
}

// NewServer returns the states in a database that is no server.
func NewServer(d Database) *Server { return &Server{states: d} }

// Close gives back every account this process holds.
func (s *Server) Close() error { return s.states.Close() }

// Open opens the state of an account for this process alone, and makes it where there is none. It is ErrLocked while
// another process has it open, on whichever machine. With o.Sleep it waits for the lease of one that was killed.
func (s *Server) Open(ctx context.Context, account string, o Options) (Store, error) {
	l, err := s.open(ctx, account, o)
	if err == nil {
		if err = l.here(); err != nil {
			err = errors.Join(err, l.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the state of %s: %w", account, ofDatabase(err))
	}
	return l, nil
}

func (s *Server) open(ctx context.Context, account string, o Options) (*leased, error) {
	lineage, err := o.lineage()
	if err != nil {
		return nil, err
	}
	a, err := s.claim(ctx, account, postgres.Head{Format: formatVersion, Lineage: lineage, Serial: 1}, o)
	if err != nil {
		return nil, err
	}
	l, err := s.opened(ctx, a, o)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return l, nil
}

// opened is the store of an account that was claimed.
func (s *Server) opened(ctx context.Context, a Claimed, o Options) (_ *leased, err error) {
	c := newContents()
	if c.header, err = headerOf(a.Head()); err != nil {
		return nil, err
	}
	err = a.Sums(ctx, func(class_, key string, sum uint64, size int) error {
		c.note(record{class(class_), key}, sum, size)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := wholeAs(a.Head(), c.tally); err != nil {
		return nil, cmp.Or(ofDatabase(a.Owned(ctx)), err)
	}
	e := &rows{account: a}
	l := newLedger(e, c, o)
	e.left = &l.contents
	return &leased{newStore(l), a}, nil
}

// claimPause is how long is waited between two looks at who holds an account.
const claimPause = 100 * time.Millisecond

// claim takes an account. A process that holds it, and whose lease a heartbeat puts off, lives; the lease of another is
// waited for.
func (s *Server) claim(ctx context.Context, account string, fresh postgres.Head, o Options) (Claimed, error) {
	var ends time.Time
	for {
		a, err := s.states.Claim(ctx, account, fresh)
		held, isHeld := errors.AsType[*postgres.HeldError](err)
		switch {
		case !isHeld, o.Sleep == nil, ctx.Err() != nil, held.Holder.Ends.IsZero():
			return a, err
		case ends.IsZero():
			if ends = held.Holder.Ends; o.Waiting != nil {
				o.Waiting(held.Error())
			}
		case !held.Holder.Ends.Equal(ends):
			return nil, err
		}
		o.Sleep(claimPause)
	}
}

// OpenReadOnly returns the state of an account as it is now, whoever holds it. An account that is not there has an
// empty state.
func (s *Server) OpenReadOnly(ctx context.Context, account string) (Store, error) {
	return onlyRead(account, true, func(visit visitor) (postgres.Head, error) {
		return s.states.Snapshot(ctx, account, visit)
	})
}

// OpenHistory returns the runs of an account as they are now, whoever holds it, and the report of one of them; "" of
// none. All else is not there: a page of an account costs what it shows, and not what the account holds.
func (s *Server) OpenHistory(ctx context.Context, account, run string) (Store, error) {
	return s.openPart(ctx, account, []string{string(classPlace), string(classRun), string(classHead)}, run)
}

// OpenMirror returns the account as it was last read, whoever holds it, and nothing else of its state.
func (s *Server) OpenMirror(ctx context.Context, account string) (Store, error) {
	return s.openPart(ctx, account, []string{string(classPlace), string(classMirror)}, "")
}

// openPart opens what an account has of some classes, and the report of a run; "" of none.
func (s *Server) openPart(ctx context.Context, account string, classes []string, run string) (Store, error) {
	if s.database == nil { // a test's twin
		return s.OpenReadOnly(ctx, account)
	}
	return onlyRead(account, false, func(visit visitor) (postgres.Head, error) {
		return s.database.Part(ctx, account, classes, string(classReport), run, visit)
	})
}

type visitor = func(class, key, value string, sum uint64) error

// onlyRead is the store of records that are read once. Of a part nobody can tell whether it is whole.
func onlyRead(account string, whole bool, records func(visitor) (postgres.Head, error)) (Store, error) {
	m, c := memory{}, newContents()
	c.header = Header{Format: formatVersion}
	var proof summer
	h, err := records(func(class_, key, value string, sum uint64) error {
		r := record{class(class_), key}
		c.note(r, sum, len(value))
		m.apply(write{record: r, value: value})
		return proved(&proof, r, value, sum)
	})
	switch {
	case errors.Is(err, postgres.ErrNothing):
		err = nil
	case err == nil:
		if c.header, err = headerOf(h); err == nil && whole {
			err = wholeAs(h, c.tally)
		}
	}
	l := newLedger(m, c, Options{})
	l.readOnly = true
	if err == nil {
		err = l.here()
	}
	if err != nil {
		return nil, fmt.Errorf("open the state of %s: %w", account, ofDatabase(err))
	}
	return newStore(l), nil
}

// SerialOf returns how many commits the state of an account has seen, 0 where there is none.
func (s *Server) SerialOf(ctx context.Context, account string) (int64, error) {
	serial, err := s.states.Serial(ctx, account)
	return serial, ofDatabase(err)
}

// HeldBy says who has the state of an account.
func (s *Server) HeldBy(ctx context.Context, account string) (Holding, error) {
	h, held, err := s.states.HeldBy(ctx, account)
	return holdingOf(h, held), ofDatabase(err)
}

// Accept takes the state of an account for whole although its database may have gone back in time, and notes who says
// so. What was lost may have gone out under numbers that the state has forgotten: none of them is given again. Before,
// recollect puts into the state what can be found again, and says so; nil: nothing is looked for.
func (s *Server) Accept(ctx context.Context, account, by string, o Options,
	recollect func(Store) (found string, err error)) (h Header, err error) {
	a, err := s.states.ClaimLost(ctx, account)
	if errors.Is(err, postgres.ErrNothing) {
		return h, fmt.Errorf("%w of %s in the database", ErrNone, account)
	}
	if err != nil {
		return h, ofDatabase(err)
	}
	l, err := s.opened(ctx, a, o)
	if err != nil {
		return h, errors.Join(err, a.Close())
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	found := ""
	if recollect != nil {
		if found, err = recollect(l); err != nil {
			return h, err
		}
		found = "; " + found
	}
	n, err := l.passOver(mostLost)
	if err != nil {
		return h, err
	}
	now := l.now()
	err = l.RecordRun(ctx, Run{ID: fmt.Sprintf("%s%06d", AcceptPrefix, n), Started: now, Finished: now,
		Summary: fmt.Sprintf("state accepted at commit %d by %s, %s%s",
			l.Header().Serial, by, now.UTC().Format(time.RFC3339), found)})
	if err != nil {
		return h, err
	}
	return l.Header(), ofDatabase(a.Accept(ctx))
}

// AcceptPrefix begins the names of those entries among the runs that say who accepted a state.
const AcceptPrefix = "accept-"

// mostLost is how many numbers are passed over: more than a database loses.
const mostLost = 1_000_000

// passOver raises the counter, and returns the number it gives.
func (l *ledger) passOver(n int64) (number int64, err error) {
	err = l.change(func(b *batch) error {
		if number, err = b.next("sequence"); err == nil {
			number += n
			b.put(classCounter, "sequence", strconv.FormatInt(number, 10))
		}
		return err
	})
	return number, err
}

// Behind names the standbys that may be behind what was acknowledged, so that a promotion may lose it.
func (s *Server) Behind(ctx context.Context) ([]string, error) {
	names, err := s.states.Behind(ctx)
	return names, ofDatabase(err)
}

// Pooled reports whether a pooler such as PgBouncer stands before the server.
func (s *Server) Pooled() bool { return s.database.Pooled() }

// Beside returns what is kept beside the state of an account, and of the account "" what is kept for all of them.
func (s *Server) Beside(account string) kv.Store { return beside{s.states.Beside(account)} }

// Attended returns what is kept beside the state of an account, for the process that looks after the account: what it
// puts there or deletes is ErrLocked once another process does.
func (s *Server) Attended(account string) kv.Store {
	if s.database == nil { // a test's twin, of one process
		return s.Beside(account)
	}
	return attended{beside{s.database.Attended(account)}}
}

// attended says of what is refused that another process has the account.
type attended struct{ beside }

func (b attended) Put(name string, content []byte) error { return lostTo(b.beside.Put(name, content)) }

func (b attended) Delete(name string) error { return lostTo(b.beside.Delete(name)) }

func lostTo(err error) error {
	if errors.Is(err, postgres.ErrFenced) || errors.Is(err, postgres.ErrOver) {
		return ofDatabase(err)
	}
	return err
}

// Together changes what is kept beside the state of an account, and whatever else is done in the transaction: all of it
// or nothing. Who changes so by the same name waits until it has ended.
func (s *Server) Together(ctx context.Context, account, name string,
	do func(ctx context.Context, tx pgx.Tx, b kv.Store) error) error {
	var failed error
	b := s.database.Beside(account)
	err := b.Together(ctx, name, func(ctx context.Context, tx pgx.Tx, b *postgres.Beside) error {
		failed = do(ctx, tx, beside{b})
		return failed
	})
	if failed != nil {
		return failed
	}
	return ofDatabase(err)
}

// Process is this process, among those that share a database.
type Process = postgres.Process

// Process returns this process.
func (s *Server) Process() Process { return s.database.Process() }

// beside says of what cannot be asked or written whether that is because the database does not answer.
type beside struct{ kv.Store }

func (b beside) Get(name string, most int) ([]byte, error) {
	content, err := b.Store.Get(name, most)
	if postgres.IsAway(err) {
		err = fmt.Errorf("%s %w: %w", name, kv.ErrUnreachable, ofDatabase(err))
	}
	return content, err
}

func (b beside) Put(name string, content []byte) error { return answered(b.Store.Put(name, content)) }

func (b beside) Secret(name string, fresh []byte) ([]byte, error) {
	content, err := b.Store.Secret(name, fresh)
	return content, answered(err)
}

func (b beside) Append(name string, line []byte) error { return answered(b.Store.Append(name, line)) }

func (b beside) Rewrite(name string, change func(content []byte) []byte) error {
	return answered(b.Store.Rewrite(name, change))
}

func (b beside) Delete(name string) error { return answered(b.Store.Delete(name)) }

func (b beside) Names(prefix string) ([]string, error) {
	names, err := b.Store.Names(prefix)
	return names, answered(err)
}

// answered is ErrAway where the database does not answer, and any other error as it is.
func answered(err error) error {
	if postgres.IsAway(err) {
		return ofDatabase(err)
	}
	return err
}

// Slots counts the requests of all processes that ask a service from one network address.
type Slots struct{ slots *postgres.Slots }

// Slots returns the ledger of an address, which is known by whatever name its processes share; nil where the database
// is a test's twin.
func (s *Server) Slots(address string) *Slots {
	if s.database == nil {
		return nil
	}
	return &Slots{postgres.SlotsOf(s.database, address)}
}

// Take asks for permits to send requests to an endpoint, as adsapi.Ledger has it.
func (s *Slots) Take(
	ctx context.Context, endpoint string, waiting, recent int) (permits int, lasts, again time.Duration, err error) {
	permits, lasts, again, err = s.slots.Take(ctx, endpoint, waiting, recent)
	return permits, lasts, again, ofDatabase(err)
}

// Share is what this process looks after, as of one pull.
type Share = postgres.Share

// Configure has the database know the accounts that daemons look after.
func (s *Server) Configure(ctx context.Context, accounts []string) error {
	return ofDatabase(s.states.Attendance().Configure(ctx, accounts))
}

// Pull takes accounts that nobody looks after, up to a fair share, and returns which this process looks after.
func (s *Server) Pull(ctx context.Context, accounts []string) (Share, error) {
	share, err := s.states.Attendance().Pull(ctx, accounts)
	return share, ofDatabase(err)
}

// GiveBack leaves an account to others.
func (s *Server) GiveBack(ctx context.Context, account string) error {
	return ofDatabase(s.states.Attendance().GiveBack(ctx, account))
}

// Attends reports whether this process looks after an account, as of its last pull and by its lease. It asks nobody.
func (s *Server) Attends(account string) bool { return s.states.Attendance().Attends(account) }

// AttendedBy says who looks after an account.
func (s *Server) AttendedBy(ctx context.Context, account string) (Holding, error) {
	h, attended, err := s.states.Attendance().AttendedBy(ctx, account)
	return holdingOf(h, attended), ofDatabase(err)
}

// Standing returns what stands of an account now, by one question.
func (s *Server) Standing(ctx context.Context, account string) (Standing, error) {
	standing, err := s.states.Attendance().Standing(ctx, account)
	return standing, ofDatabase(err)
}

// Ordered returns a fingerprint of the orders that stand or wait, by account; those of all accounts stand under "".
func (s *Server) Ordered(ctx context.Context) (map[string]string, error) {
	ordered, err := s.states.Attendance().Ordered(ctx)
	return ordered, ofDatabase(err)
}

// What a look at an account asks of the database; what daemons tell each other of the accounts they look after; and who
// is logged in at their pages.
type (
	Standing = postgres.Standing
	Views    = postgres.Views
	View     = postgres.View
	Told     = postgres.Told
	Query    = postgres.Query
	Total    = postgres.Total
	Sessions = postgres.Sessions
)

// Views returns what daemons tell of their accounts.
func (s *Server) Views() *Views { return s.database.Views() }

// Sessions returns who is logged in at the pages of the daemons.
func (s *Server) Sessions() *Sessions { return postgres.SessionsOf(s.database) }

func holdingOf(h postgres.Holder, held bool) Holding {
	return Holding{Held: held, Known: h.Host != "", Holder: Holder{
		PID: h.PID, Host: h.Host, Since: h.Since, Command: h.Command, Version: h.Version,
	}}
}

// leased is a store whose account is this process's until it is closed, or until its lease ends.
type leased struct {
	*store
	Claimed
}

// Close gives the account back.
func (l *leased) Close() error { return l.store.Close() }

// headerOf is the header of a head. The formats of a state in a database are those of this program and no older.
func headerOf(h postgres.Head) (Header, error) {
	if h.Format > formatVersion {
		return Header{}, fmt.Errorf(
			"%w: its format is %d; want at most %d: use the adsync that wrote it, or a newer one", ErrNewer,
			h.Format, formatVersion)
	}
	return Header{
		Format: formatVersion, Lineage: h.Lineage, Serial: h.Serial,
		Account: Account{ID: h.BoundTo, Currency: h.Currency, TimeZone: h.TimeZone},
	}, nil
}

// wholeAs holds the records against what the head says of them.
func wholeAs(h postgres.Head, t tally) error {
	if h.Records != t.rows || h.Digest != t.digest {
		return fmt.Errorf("%w: it has %d records, and its head says %d, or says others; %s",
			ErrDamaged, t.rows, h.Records, restoreDatabase)
	}
	return nil
}

// restoreDatabase says how to go on after damage or loss in a database.
const restoreDatabase = "put the database back from a copy, or remove the state of the account from it and run " +
	"`adsync apply --allow adopt`, which binds what the account already holds"

// ofDatabase returns which of our errors an error of a database is.
func ofDatabase(err error) error {
	held, isHeld := errors.AsType[*postgres.HeldError](err)
	switch {
	case err == nil, CodeOf(err) != "", errors.Is(err, context.Canceled):
		return err
	case isHeld:
		return fmt.Errorf("%w by %w; wait until it has ended", ErrLocked, held)
	case errors.Is(err, postgres.ErrFenced), errors.Is(err, postgres.ErrOver):
		return fmt.Errorf("%w by another process: %w", ErrLocked, err)
	case postgres.IsAway(err):
		return fmt.Errorf("%w: %w", ErrAway, err)
	case errors.Is(err, postgres.ErrLost):
		return fmt.Errorf(
			"%w: %w; look at what the account holds, then `adsync state accept` goes on with what is there",
			ErrLost, err)
	case errors.Is(err, postgres.ErrOlder):
		return fmt.Errorf("%w: %w", ErrLocked, err)
	case errors.Is(err, postgres.ErrNewer):
		return fmt.Errorf("%w: %w", ErrNewer, err)
	}
	return fmt.Errorf("%w: %w", ErrDatabase, err)
}
