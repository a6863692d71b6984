package forge

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Shared returns a repository that lists its pull requests no more often than once in a time, for all who ask.
func Shared(r Repository, age time.Duration) Repository {
	return &shared{Repository: r, age: age, lists: map[string]*list{}}
}

type shared struct {
	Repository
	age time.Duration

	mu    sync.Mutex
	lists map[string]*list // by branch
}

// list is what was listed of a branch.
type list struct {
	mu    sync.Mutex
	at    time.Time
	pulls []Pull
	more  error // ErrMore, or nil
}

// Open implements Repository. Of several who ask at once one lists.
func (s *shared) Open(ctx context.Context, branch string) ([]Pull, error) {
	l := s.of(branch)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.at.IsZero() && time.Since(l.at) < s.age {
		return l.pulls, l.more
	}
	pulls, err := s.Repository.Open(ctx, branch)
	if err != nil && !errors.Is(err, ErrMore) {
		return nil, err
	}
	l.at, l.pulls, l.more = time.Now(), pulls, err
	return pulls, err
}

func (s *shared) of(branch string) *list {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lists[branch] == nil {
		s.lists[branch] = &list{}
	}
	return s.lists[branch]
}
