package branch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"adsync/internal/gitstore"
	"adsync/state"
)

// Store is the state of an account that a run has taken. What it writes is on the disk of the runner, and goes to the
// branch before something is sent that the branch does not know of, and when it is closed.
type Store struct {
	state.Store
	branch *Branch
	now    func() time.Time
	sleep  func(time.Duration)
	taken  bool // a run before did not give the account back

	stop func()         // ends the renewal
	over sync.WaitGroup // of the renewal

	pushing    sync.Mutex // one push at a time; guards what is below
	at         snapshot   // as the branch stands
	closed     bool
	doubtful   *snapshot             // a push that may have arrived
	steps      map[string]digest     // bytes of the steps begun in this run
	onBranch   map[string]digest     // bytes of the steps the branch says were sent
	announced  map[string]state.Step // not begun yet
	journalled time.Time             // when the journal was pushed last: what it has not sent goes by it

	mu   sync.Mutex // guards what is below
	lock holder
	lost error // why nothing may be sent any more
}

// digest is what a step sends: its key, path and bytes. The zero one is of a step of an earlier run.
type digest [sha256.Size]byte

func digestOf(s state.Step) digest {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %x", s.Key, s.Path, sha256.Sum256(s.Body)))
}

// opened fills the folder of the run, and opens it.
func (b *Branch) opened(ctx context.Context, at snapshot, before *holder, o state.Options) (*Store, error) {
	if err := b.fill(ctx, at, o); err != nil {
		return nil, err
	}
	inner, err := state.Open(ctx, b.folder(), o)
	if err != nil {
		return nil, err
	}
	s := &Store{
		Store: inner, branch: b, now: clock(o), sleep: o.Sleep, taken: before != nil, at: at, lock: *at.head.Lock,
		steps: map[string]digest{}, onBranch: map[string]digest{}, announced: map[string]state.Step{},
	}
	if s.sleep == nil { // it is tried again at once
		s.sleep = func(time.Duration) {}
	}
	left, err := inner.Heads(ctx)
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	for _, step := range left {
		s.onBranch[step.ID] = digest{}
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.over.Go(func() { s.renewals(renewing) })
	return s, nil
}

// Valid is an error once nothing may be sent any more.
func (s *Store) Valid() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil && s.now().After(s.lock.Expires.Add(-apart)) {
		return fmt.Errorf("%w: the lock of run %s on %s was not renewed in time; nothing more is sent",
			state.ErrLocked, s.lock.Owner, s.branch)
	}
	return s.lost
}

// TakenOver reports whether a run before this one did not end.
func (s *Store) TakenOver() bool { return s.taken }

// Begin journals steps.
func (s *Store) Begin(ctx context.Context, steps ...state.Step) error {
	if err := s.Store.Begin(ctx, steps...); err != nil {
		return err
	}
	s.pushing.Lock()
	defer s.pushing.Unlock()
	for _, step := range steps {
		s.steps[step.ID] = digestOf(step)
		delete(s.announced, step.ID)
	}
	return nil
}

// Announce notes steps, so that the first of them takes the others along to the branch.
func (s *Store) Announce(_ context.Context, steps ...state.Step) error {
	s.pushing.Lock()
	defer s.pushing.Unlock()
	s.announced = make(map[string]state.Step, len(steps))
	for _, step := range steps {
		s.announced[step.ID] = step
	}
	return nil
}

// Move journals the next point of a step. Before it is sent, the branch has its bytes and its key.
func (s *Store) Move(ctx context.Context, stepID string, to state.Point, update state.Update) error {
	if to == state.Sent {
		if err := s.reach(ctx, stepID, update.SentAt); err != nil {
			return fmt.Errorf("push the journal before step %q is sent: %w", stepID, err)
		}
	}
	return s.Store.Move(ctx, stepID, to, update)
}

// RecordRun writes a run. One that begins and has no plan is sent without a step: the branch has it before.
func (s *Store) RecordRun(ctx context.Context, run state.Run) error {
	if err := s.Store.RecordRun(ctx, run); err != nil || !run.Finished.IsZero() || run.PlanHash != "" {
		return err
	}
	s.pushing.Lock()
	defer s.pushing.Unlock()
	if err := s.Valid(); err != nil {
		return err
	}
	return s.pushJournal(ctx, run.Started)
}

// reach has the branch hold a step that is sent at a moment.
func (s *Store) reach(ctx context.Context, stepID string, at time.Time) error {
	s.pushing.Lock()
	defer s.pushing.Unlock()
	if err := s.Valid(); err != nil {
		return err
	}
	known, there := s.onBranch[stepID]
	mine, begun := s.steps[stepID]
	if there && (!begun || known == mine && at.Sub(s.journalled) < fresh) {
		return nil
	}
	return s.pushJournal(ctx, at)
}

// pushJournal pushes the state as it is once all that is journalled and announced was sent.
func (s *Store) pushJournal(ctx context.Context, at time.Time) error {
	var ahead []state.Step
	for _, step := range s.announced {
		ahead = append(ahead, step)
	}
	return s.push(ctx, "journal of run "+s.lock.Owner, func(lock *holder) (snapshot, map[string][]byte, error) {
		h, rows, err := state.RowsAhead(ctx, s.Store, ahead, at)
		if err != nil {
			return snapshot{}, nil, err
		}
		return s.branch.next(s.at, h, rows, lock)
	}, func() {
		s.journalled = at
		for id, sum := range s.steps {
			s.onBranch[id] = sum
		}
		for _, step := range ahead {
			s.onBranch[step.ID] = digestOf(step)
		}
	})
}

// How often a push is tried whose answer did not come, and how long is waited between.
const (
	pushTries = 3
	pushPause = 2 * time.Second
)

// push makes a push and waits until the server has acknowledged it.
func (s *Store) push(ctx context.Context, message string,
	files func(lock *holder) (snapshot, map[string][]byte, error), done func()) error {
	for try := 1; ; try++ {
		lock := s.lock
		lock.Expires = s.now().UTC().Truncate(time.Second).Add(lasts)
		err := s.pushOnce(ctx, message, &lock, files)
		if err == nil {
			s.held(lock)
			done()
			return nil
		}
		if errors.Is(err, state.ErrLocked) {
			return s.lose(err)
		}
		if try == pushTries || ctx.Err() != nil || gitstore.ClassOf(err) != gitstore.Transient {
			return failed(err, "%s cannot be written: %v", s.branch, err)
		}
		s.sleep(pushPause)
	}
}

func (s *Store) pushOnce(ctx context.Context, message string, lock *holder,
	files func(lock *holder) (snapshot, map[string][]byte, error)) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	after, content, err := files(lock)
	if err != nil {
		return err
	}
	after, err = s.branch.swap(ctx, after, content, message)
	switch {
	case err == nil:
		s.at = after
	case errors.Is(err, gitstore.ErrRaced):
		return s.branch.raced(context.WithoutCancel(ctx))
	case after.commit != "":
		s.doubtful = &after
	}
	return err
}

// settle finds out whether a push has arrived whose answer was lost.
func (s *Store) settle(ctx context.Context) error {
	if s.doubtful == nil {
		return nil
	}
	at, err := s.branch.Repository.Tip(ctx, s.branch.Name)
	if err != nil {
		return err
	}
	if at.Commit == s.doubtful.commit {
		s.at = *s.doubtful
	}
	s.doubtful = nil
	return nil
}

func (s *Store) held(lock holder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lock = lock
}

// lose has the run send nothing more.
func (s *Store) lose(why error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = fmt.Errorf("this run lost the account, and sends nothing more: %w", why)
	return s.lost
}

// renewals puts the end of the lock off for as long as the run lasts.
func (s *Store) renewals(ctx context.Context) {
	tick := time.NewTicker(renew)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.renew(ctx)
		}
	}
}

// renew pushes a later end. Where that fails it is tried again with the next tick, and Valid ends the run in time.
func (s *Store) renew(ctx context.Context) {
	s.pushing.Lock()
	defer s.pushing.Unlock()
	if s.Valid() != nil || s.now().Sub(s.lock.Expires.Add(-lasts)) < renew {
		return
	}
	_ = s.push(ctx, "run "+s.lock.Owner+" goes on", func(lock *holder) (snapshot, map[string][]byte, error) {
		return s.branch.relocked(s.at, lock)
	}, func() {})
}

// Close pushes what the run has left, gives the account back with the same push, and closes the folder.
func (s *Store) Close() error {
	s.stop()
	s.over.Wait()
	s.pushing.Lock()
	defer s.pushing.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.lost
	if err == nil {
		err = s.end(context.Background())
	}
	return errors.Join(err, s.Store.Close())
}

func (s *Store) end(ctx context.Context) error {
	h, rows, err := state.Rows(s.Store)
	if err != nil {
		return err
	}
	err = s.push(ctx, "end of run "+s.lock.Owner, func(*holder) (snapshot, map[string][]byte, error) {
		return s.branch.next(s.at, h, rows, nil)
	}, func() {})
	if err != nil {
		return fmt.Errorf("what this run did is not on the branch: the next run, once the lock has ended at %s, "+
			"finds it out at the service: %w", s.lock.Expires.Format(time.RFC3339), err)
	}
	return nil
}
