package watch

import (
	"sync"
	"time"
)

// Still follows a sum over the names and bytes of files until it holds still:
// between two equal sums that lie Settle apart nobody was in the middle of a
// save. Between them a file may be emptied, away, or half written by whatever
// saves it (faults F2 and F3).
type Still struct {
	Settle  time.Duration
	Sum     func() string    // of what is there now; what cannot be read has a sum of its own
	Changed func(sum string) // is told of every sum that has held still and is not the one before
	Now     func() time.Time // the clock; nil is the system's

	mu    sync.Mutex
	sum   string
	since time.Time // when sum was first seen
	seen  time.Time // when it was last seen
	told  string
}

// Look takes the sum, and says when it wants another look; 0 is in no hurry. It
// is the Look of a Watcher.
func (s *Still) Look() (again time.Duration) {
	sum := s.Sum()
	again, changed := s.take(sum)
	if changed {
		s.Changed(sum)
	}
	return again
}

func (s *Still) take(sum string) (again time.Duration, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if sum != s.sum || s.since.IsZero() {
		s.sum, s.since = sum, now
	}
	s.seen = now
	if sum == s.told {
		return 0, false
	}
	if held := now.Sub(s.since); held < s.Settle {
		return s.Settle - held, false
	}
	s.told = sum
	return 0, true
}

// Holds reports whether a sum has held still, as far as is known: nobody has to be
// told of it any more.
func (s *Still) Holds(sum string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.sum == sum && s.seen.Sub(s.since) >= s.Settle
	if held {
		s.told = sum
	}
	return held
}

// Took says that somebody else has seen a sum hold still: nobody is told of it.
func (s *Still) Took(sum string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = sum
}

func (s *Still) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}
