package branch

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"adsync/internal/gitstore"
	"adsync/state"
)

// Repository is the branch in its repository.
type Repository interface {
	// Tip returns where the branch stands, and the files there; no commit where there is no such branch. A repository
	// that cannot be asked is an error.
	Tip(ctx context.Context, branch string) (gitstore.Tip, error)
	// Swap makes a commit upon one, and moves the branch from there to it, unless it stands elsewhere:
	// gitstore.ErrRaced. A file of nil goes. The commit is given also where it is not known whether it has arrived.
	Swap(ctx context.Context, from string, a gitstore.Answer) (commit string, err error)
	Address() string
}

// Branch is where the state of one account lies.
type Branch struct {
	Repository Repository
	Name       string // of the branch, such as adsync/state
	Account    string
	Dir        string            // for the state folder of a run, and what this machine has seen of the branch
	Key        signer            // signs what is pushed; nil: it can be read alone, and is not verified
	Job        string            // what the pipeline calls this job; "" for nothing
	Notice     func(text string) // is told what a reader should know of the branch; nil: nobody is

	told bool
}

// String returns `the branch adsync/state of https://…`.
func (b *Branch) String() string {
	return fmt.Sprintf("the branch %s of %s", b.Name, b.Repository.Address())
}

// How long a lock lasts that is not renewed, how often it is, and how far the clocks of two runners may be apart.
const (
	lasts  = 15 * time.Minute
	renew  = 4 * time.Minute
	apart  = time.Minute
	fresh  = 5 * time.Minute // how old the moment of sending on the branch may be when something is sent
	folder = "work"
)

// LeastKey is how many bytes the key has at least.
const LeastKey = 32

// Verified reports whether what is read is held against the key.
func (b *Branch) Verified() bool { return len(b.Key) > 0 }

// tip reads the branch as it stands now. Without a commit there is none.
func (b *Branch) tip(ctx context.Context) (snapshot, error) {
	at, err := b.Repository.Tip(ctx, b.Name)
	if err != nil {
		return snapshot{}, failed(err, "%s cannot be read, and is not taken for an empty one: %v", b, err)
	}
	if at.Commit == "" {
		return snapshot{}, nil
	}
	if at.Files[headName] == nil {
		return snapshot{}, fmt.Errorf("%w: %s has no %s; want a branch that adsync made, or a new name: "+
			"adsync state begin", state.ErrDamaged, b, headName)
	}
	s, err := b.read(at.Commit, at.Parent, at.Files)
	if err == nil {
		err = b.remember(s)
	}
	return s, err
}

// seen is the newest commit of the branch that this machine knows.
type seen struct {
	Lineage string `json:"lineage"`
	Serial  int64  `json:"serial"`
	Commit  string `json:"commit"`
}

// remember refuses a branch that was put back since this machine saw it, and notes where it stands.
func (b *Branch) remember(s snapshot) error {
	now := seen{s.head.State.Lineage, s.head.Serial, s.commit}
	path := seenIn(b.Dir)
	text, err := os.ReadFile(path)
	var last seen
	if err == nil && json.Unmarshal(text, &last) == nil && last.Lineage == now.Lineage &&
		(last.Serial > now.Serial || last.Serial == now.Serial && last.Commit != now.Commit) {
		return b.damaged("it stands at push %d, commit %.12s, and was at push %d, commit %.12s, before",
			now.Serial, now.Commit, last.Serial, last.Commit)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", state.ErrUnusable, err)
	}
	if last == now {
		return nil
	}
	if text, err = json.Marshal(now); err == nil {
		err = errors.Join(os.MkdirAll(b.Dir, 0o700), os.WriteFile(path, text, 0o600))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", state.ErrUnusable, err)
	}
	return nil
}

func seenIn(dir string) string { return filepath.Join(dir, "seen.json") }

// absent says that there is no record, and what to do.
func (b *Branch) absent() error {
	return fmt.Errorf("%w: %s is not there; adsync state begin makes it, for an account that adsync has not "+
		"worked on, and adsync state copy folder branch brings a record along", state.ErrNone, b)
}

// OpenReadOnly returns the state as the branch has it now, whoever works on it. A branch that is not there is an empty
// state, and Notice is told so.
func (b *Branch) OpenReadOnly(ctx context.Context) (state.Store, error) {
	at, err := b.tip(ctx)
	if err != nil {
		return nil, err
	}
	h, rows := state.Header{}, []state.Row(nil)
	if at.commit != "" {
		if h, rows, err = b.rowsOf(at); err != nil {
			return nil, err
		}
	}
	note := ""
	switch {
	case at.commit == "":
		note = b.String() + " is not there: what follows is as without any record; " +
			"nothing can be applied before adsync state begin"
	case !b.Verified():
		note = b.String() + " is not verified: no key is at hand; adsync apply verifies it"
	}
	if note != "" && b.Notice != nil && !b.told {
		b.told = true
		b.Notice(note)
	}
	return state.OfRows(h, rows)
}

// SerialOf returns how many commits the state has seen, 0 where there is none.
func (b *Branch) SerialOf(ctx context.Context) (int64, error) {
	at, err := b.tip(ctx)
	return at.head.State.Serial, err
}

// HeldBy says which run has the account, or had it and did not give it back.
func (b *Branch) HeldBy(ctx context.Context) (state.Holding, error) {
	at, err := b.tip(ctx)
	l := at.head.Lock
	if err != nil || l == nil {
		return state.Holding{}, err
	}
	return state.Holding{
		Held: time.Now().Before(l.Expires), Known: true,
		Holder: state.Holder{PID: l.PID, Host: l.Host, Since: l.Since, Command: l.Command, Version: l.Version},
	}, nil
}

// Begin makes the branch, with an empty state. It refuses one that is there.
func (b *Branch) Begin(ctx context.Context, o state.Options) error {
	at, err := b.tip(ctx)
	switch {
	case err != nil:
		return err
	case at.commit != "":
		return fmt.Errorf("%s is there already, with commit %d of the state: nothing was begun",
			b, at.head.State.Serial)
	case !b.Verified():
		return b.keyless()
	}
	s, err := state.NewMemory(o)
	if err != nil {
		return err
	}
	after, files, err := b.next(at, s.Header(), nil, nil)
	if err != nil {
		return err
	}
	_, err = b.swap(ctx, after, files, "begin the record of "+b.Account)
	return err
}

// swap pushes the files of a snapshot.
func (b *Branch) swap(ctx context.Context, s snapshot, files map[string][]byte, message string) (snapshot, error) {
	commit, err := b.Repository.Swap(ctx, s.head.After, gitstore.Answer{Branch: b.Name, Files: files, Message: message})
	s.commit = commit
	if err == nil {
		err = b.remember(s)
	}
	return s, err
}

func (b *Branch) keyless() error {
	return fmt.Errorf("%w: no key signs what is pushed to %s; want the key of the apply environment",
		state.ErrUnusable, b)
}

// Open takes the account for this run, by a commit of its own, and opens its state in a folder. It is [state.ErrLocked]
// while another run has the account, and where another was faster.
func (b *Branch) Open(ctx context.Context, o state.Options) (*Store, error) {
	at, err := b.tip(ctx)
	switch {
	case err != nil:
		return nil, err
	case at.commit == "":
		return nil, b.absent()
	case !b.Verified():
		return nil, b.keyless()
	}
	before := at.head.Lock
	if at, err = b.take(ctx, at, o); err != nil {
		return nil, err
	}
	s, err := b.opened(ctx, at, before, o)
	if err != nil {
		_, unlocked := b.lock(context.WithoutCancel(ctx), at, nil)
		return nil, errors.Join(err, unlocked)
	}
	return s, nil
}

// take locks the account for this run.
func (b *Branch) take(ctx context.Context, at snapshot, o state.Options) (snapshot, error) {
	now := clock(o)()
	if before := at.head.Lock; before != nil && now.Before(before.Expires.Add(apart)) {
		return at, b.lockedBy(*before)
	}
	return b.lock(ctx, at, newLock(b.Job, now, o))
}

func clock(o state.Options) func() time.Time {
	if o.Now == nil {
		return time.Now
	}
	return o.Now
}

func newLock(job string, now time.Time, o state.Options) *holder {
	host, err := os.Hostname()
	if err != nil {
		host = "an unnamed host"
	}
	random := make([]byte, 6)
	_, _ = rand.Read(random) // never fails
	now = now.UTC().Truncate(time.Second)
	return &holder{
		Owner: hex.EncodeToString(random), Host: host, PID: os.Getpid(), Job: job,
		Command: o.Command, Version: o.Version, Since: now, Expires: now.Add(lasts),
	}
}

// lockedBy says who has the account, and what to do.
func (b *Branch) lockedBy(l holder) error {
	return fmt.Errorf("%w: %s is locked by %s; wait until it has ended, or, where that run is surely dead: "+
		"adsync unlock --owner %s", state.ErrLocked, b, l, l.Owner)
}

// lock writes who has the account, or that nobody has.
func (b *Branch) lock(ctx context.Context, at snapshot, l *holder) (snapshot, error) {
	message := "unlock"
	if l != nil {
		message = "lock for run " + l.Owner
	}
	after, files, err := b.relocked(at, l)
	if err != nil {
		return at, err
	}
	after, err = b.swap(ctx, after, files, message)
	if errors.Is(err, gitstore.ErrRaced) {
		return at, b.raced(ctx)
	}
	if err != nil {
		return at, failed(err, "%s cannot be written: %v", b, err)
	}
	return after, nil
}

// raced says who was faster.
func (b *Branch) raced(ctx context.Context) error {
	at, err := b.tip(ctx)
	if err != nil {
		return err
	}
	l := at.head.Lock
	if l == nil {
		return fmt.Errorf("%w: somebody else moved %s at the same time; run adsync again", state.ErrLocked, b)
	}
	return b.lockedBy(*l)
}

// Locked says which run has the account: an error that names it, nil where none has, and why that is not known.
func (b *Branch) Locked(ctx context.Context) (locked, err error) {
	at, err := b.tip(ctx)
	if err == nil && at.head.Lock != nil {
		locked = b.lockedBy(*at.head.Lock)
	}
	return locked, err
}

// Unlock takes away the lock of a run that is dead, by the name it has. The run, should it live, sends nothing more
// once it pushes, or its lock would have expired.
func (b *Branch) Unlock(ctx context.Context, owner string) error {
	at, err := b.tip(ctx)
	switch {
	case err != nil:
		return err
	case at.head.Lock == nil || at.head.Lock.Owner != owner:
		return fmt.Errorf("%s is not locked by run %s: nothing was changed", b, owner)
	case !b.Verified():
		return b.keyless()
	}
	_, err = b.lock(ctx, at, nil)
	return err
}

// fill puts the state of the branch into the folder of this run.
func (b *Branch) fill(ctx context.Context, at snapshot, o state.Options) error {
	h, rows, err := b.rowsOf(at)
	if err != nil {
		return err
	}
	return state.Fill(ctx, b.folder(), h, rows, o)
}

func (b *Branch) folder() string { return filepath.Join(b.Dir, folder) }

// failure is an error of the repository, and the one of package state that it is.
type failure struct {
	text string
	of   error
	kind error
}

func failed(of error, text string, args ...any) error {
	kind := state.ErrUnusable
	if gitstore.ClassOf(of) == gitstore.Transient {
		kind = state.ErrAway
	}
	return &failure{fmt.Sprintf(text, args...), of, kind}
}

func (f *failure) Error() string   { return f.text }
func (f *failure) Unwrap() []error { return []error{f.kind, f.of} }
