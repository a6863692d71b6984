// Package state keeps what adsync has to remember between runs: the journal of
// steps, the last-applied record with the ids it is bound to, the account it
// belongs to, and a handful of facts about that account.
//
// It refuses to decide anything: it neither knows a kind nor sends a request. A
// state that is damaged, lost, of another account, newer than the program or
// held by someone else is an error, never an empty state. Its one invariant:
// what a call acknowledged is durable, and every later load holds all of it or
// refuses (faults.md, invariant 19).
//
// Open journal.go first (Begin: before a request is sent), then move.go (how a step goes on)
// and step.go (the points it goes through). last.go is the last-applied record, used.go
// approvals that were used, retire.go removes a whole state, copy.go copies one between a folder
// and a database. Beneath: ledger.go has all rules, over engine.go, whose records sqlite.go
// keeps and codec.go writes; load.go refuses what is damaged, lock.go a second writer,
// durable.go a database that is older than what was acknowledged.
package state

import (
	"context"
	"io"
	"log/slog"
	"time"

	"adsync/internal/resource"
)

// formatVersion is the layout this program writes and the newest it reads.
const formatVersion = 5

// Header says which state this is.
type Header struct {
	Format  int
	Lineage string // random, fixed at creation; "" for a state that was never written
	Serial  int64  // rises by one with every commit
	Account Account
}

// Account is what a state is bound to: the id, the currency (ISO 4217) and the
// time zone (IANA) of the ad account.
type Account struct {
	ID       string
	Currency string
	TimeZone string
}

// Applied is what an apply left at an address: it becomes the last-applied
// record and the binding of the address to the service's id.
type Applied struct {
	Address    resource.Address
	ID         string              // "" keeps the id that is recorded
	ParentID   string              // "" keeps the parent's id that is recorded
	Attributes resource.Attributes // what was sent
	Normal     resource.Attributes // the form the service gave, where it is another
	// Replace takes both for the whole record. Otherwise they are merged by name,
	// and an attribute that is given anew loses the normal form it had.
	Replace bool
	// First is of a create: what is recorded of the same id stays, as it came after it, however late the
	// create is recorded.
	First bool
	Uses  []string // keys of what was agreed to and is done with the record alone
}

// NotCreated is a create that was sent under a key and surely made nothing.
type NotCreated struct {
	Address resource.Address
	Key     string
	Sum     string // hash of what was sent
}

// Run is one pass: read, plan, apply, verify.
type Run struct {
	ID       string
	Read     time.Time // when it began to look; zero in a record of an older adsync, and of what is no apply
	Started  time.Time
	Finished time.Time // zero while it runs, or where it was killed
	PlanHash string
	Summary  string
	Settled  bool   // it has ended, it paused nothing, and nothing of any run was open by then
	Head     []byte // what the history shows, as RecordReport was given it; nil without a report
}

// Blocked is a quarantined resource: a failure that trying again cannot cure is
// not sent again until the input changes.
type Blocked struct {
	Address   resource.Address
	InputHash string // of the row that failed, and of what was live
	Code      string
	Message   string
	Since     time.Time // zero is now
	Run       string    // that was refused first; "" in a record of an older adsync
	Asked     string    // that was refused last; "" in a record of an older adsync
}

// Options are the clock, the randomness and the log of a store. The zero
// Options take the system's clock and randomness and log nothing.
type Options struct {
	Now    func() time.Time
	Sleep  func(time.Duration) // between tries of the lock; nil: the lock is tried once
	Random io.Reader           // 16 bytes are read when a state is created
	Log    *slog.Logger        // warnings about the folder

	Command string // what this process is, for who finds the state locked
	Version string

	// Waiting is told once who has the state, where it is waited for whether that process lives; nil: nobody is told.
	Waiting func(holder string)
	// Promoted is told that a database was promoted, and what it kept, at any time; nil: nobody is.
	Promoted func(text string)
	Lease    time.Duration // how long a process is waited for that a database does not hear of; zero is 30 seconds
}

// Store is the state of one account. It is safe for concurrent use.
//
// Every call that writes is one transaction, durable when it returns. Calls
// that record what has already happened do not stop at a cancelled context;
// Begin and Bind do. When a commit fails, nothing is known of the disk any
// more: that call and every later write give ErrSuspect.
type Store interface {
	Journal
	Record
	Facts
	History

	Header() Header

	// Bind records the account at first use; afterwards an account with another
	// id, currency or time zone is ErrForeign. A read-only store compares only.
	Bind(ctx context.Context, account Account) error

	Close() error
}

// Journal is what was sent and what became of it, step by step.
type Journal interface {
	// Begin journals steps at the point intent. It refuses an id that was used
	// (errExists), and a key that was sent with other bytes or to another path
	// (errKeyUsed; faults.md, invariant 4).
	Begin(ctx context.Context, steps ...Step) error

	// Announce tells of steps that are about to begin side by side, one after the other or not at all, with the bytes
	// and keys they have by then or fewer. A store that is kept elsewhere takes all of them there at once.
	Announce(ctx context.Context, steps ...Step) error

	// Move journals the next point of a step; errMove is a move the life cycle
	// does not have. Only Finish reaches bound.
	Move(ctx context.Context, stepID string, to Point, update Update) error

	// Finish records outcomes, bindings and last-applied, and moves the step to
	// bound, all in one transaction. Where an outcome is unknown the step moves to
	// unknown: what is known of the others is recorded all the same.
	Finish(ctx context.Context, stepID string, applied []Applied, outcomes []OperationOutcome) error

	// Heads returns the open steps without their bodies and operations, oldest first:
	// those of a large apply are as large as the account.
	Heads(ctx context.Context) ([]Step, error)

	// Open returns the steps that are neither closed nor abandoned, oldest first; where
	// ids are given, those of them alone.
	Open(ctx context.Context, ids ...string) ([]Step, error)

	// Operations returns those of an open step, without its body; none of another.
	Operations(ctx context.Context, stepID string) ([]Operation, error)

	// Late returns what recovery found sent and not decided within a day: whatever became of it then, it may still
	// arrive. RecordLate adds what it does not know yet.
	Late(ctx context.Context) ([]Late, error)
	RecordLate(ctx context.Context, late []Late) error

	// Used returns the serial of the state with which each consent was used last, by the
	// key of what was agreed to: with the intent of a step, or with a record.
	Used(ctx context.Context) (map[string]int64, error)

	// Wrote returns the last writes that the service confirmed in an answer, oldest first:
	// of a resource its create and one update at the most.
	Wrote(ctx context.Context) ([]Wrote, error)

	// Submitted returns when jobs were last submitted to the account, oldest first, as
	// far as the service's limit of submissions asks for it; RecordSubmitted adds one.
	Submitted(ctx context.Context) ([]time.Time, error)
	RecordSubmitted(ctx context.Context, at time.Time) error
}

// Record is what was applied last, and the lives and keys of addresses.
type Record interface {
	// Last returns the last-applied resources; Resource.ID is the binding.
	Last(ctx context.Context) (*resource.Snapshot, error)

	// Bindings returns the ids of those addresses that are bound.
	Bindings(ctx context.Context, addresses []resource.Address) (map[resource.Address]string, error)
	Record(ctx context.Context, applied []Applied) error

	// Forget drops record and binding, and with them ends the life of what was
	// recorded: the next create there is another.
	Forget(ctx context.Context, addresses []resource.Address) error

	// Rename puts records, bindings and quarantines under other addresses. The
	// next create at an old address begins another life of it.
	Rename(ctx context.Context, renamed []Renamed) error

	// Generation numbers the lives of an address, for the keys of its creates.
	// It starts at 1; Advance, and what ends a life, raise it.
	Generation(ctx context.Context, address resource.Address) (int, error)
	Advance(ctx context.Context, addresses []resource.Address) error

	// NotCreated returns the creates that were sent under the key of an address and
	// surely made nothing: the same bytes go under it again, others under the next.
	// RecordNotCreated adds some; the end of a life drops them.
	NotCreated(ctx context.Context) (map[resource.Address]NotCreated, error)
	RecordNotCreated(ctx context.Context, unmade []NotCreated) error

	// NextSequence returns 1, 2, 3, …: each number once in the life of the state.
	NextSequence(ctx context.Context) (int64, error)
}

// Facts are what is known of the account and its service beside what was applied.
type Facts interface {
	// Files returns the file ids of this account by source: "sha256:…" or a URL.
	Files(ctx context.Context) (map[string]string, error)
	RecordFile(ctx context.Context, source, fileID string) error

	// Capabilities returns what was found out; what is not in the map is not known.
	Capabilities(ctx context.Context) (map[resource.Capability]bool, error)
	RecordCapability(ctx context.Context, capability resource.Capability, there bool) error

	// Asked returns when each of them was found out.
	Asked(ctx context.Context) (map[resource.Capability]time.Time, error)

	// Mirror returns the account as it was last read for incremental refreshes, the
	// zero Mirror where it was not; RecordMirror puts another in its place, and
	// Await notes ids that are about to be changed.
	Mirror(ctx context.Context) (Mirror, error)
	MirrorHead(ctx context.Context) (Mirror, error) // without the resources
	RecordMirror(ctx context.Context, m Mirror) error
	Await(ctx context.Context, ids []string) error

	// Waiting returns the edits the last apply saw and did not carry out, and
	// RecordWaiting puts others in their place.
	Waiting(ctx context.Context) (*resource.Snapshot, error)
	RecordWaiting(ctx context.Context, waiting *resource.Snapshot) error

	// Reverted returns how many applies in a row have written an attribute back
	// that somebody changes at the service, as numbers; RecordReverted puts others
	// in their place.
	Reverted(ctx context.Context) (*resource.Snapshot, error)
	RecordReverted(ctx context.Context, reverted *resource.Snapshot) error

	// Blocked returns the addresses that nothing is sent for, each with why.
	Blocked(ctx context.Context) (map[resource.Address]Blocked, error)
	Block(ctx context.Context, blocked []Blocked) error
	Unblock(ctx context.Context, addresses []resource.Address) error
}

// History is what was done: moves of spend, runs and their reports.
type History interface {
	// Moves returns what applies set out to do to spend since a moment, oldest
	// first; RecordMove adds one.
	Moves(ctx context.Context, since time.Time) ([]Move, error)
	RecordMove(ctx context.Context, move Move) error

	// Credits returns what applies left since a moment for the rest of their plans, oldest
	// first; RecordCredits puts others in their place.
	Credits(ctx context.Context, since time.Time) ([]Credit, error)
	RecordCredits(ctx context.Context, credits []Credit) error

	// RecordRun writes a run, in place of the one with the same id. The newest
	// 1,000 are kept, and those that left a step open. It leaves the head alone.
	RecordRun(ctx context.Context, run Run) error

	// Runs returns the newest runs first; a limit of 0 gives all.
	Runs(ctx context.Context, limit int) ([]Run, error)

	// RecordReport keeps the report of a run in place of the one there is, and
	// its head, which Runs gives.
	RecordReport(ctx context.Context, run string, head []byte, report func(io.Writer) error) error

	// Report returns the report of a run. It is ErrNoReport where none was kept, or
	// where it was the oldest of too many.
	Report(ctx context.Context, run string) ([]byte, error)
}
