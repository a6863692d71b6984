package branch

import (
	"context"
	"sync"

	"adsync/internal/gitstore"
)

// At is a branch in a repository. It is opened when it is asked first.
func At(c gitstore.Config) Repository { return &repository{config: c} }

type repository struct {
	config gitstore.Config
	once   sync.Once
	store  *gitstore.Store
	err    error
}

func (r *repository) open() (*gitstore.Store, error) {
	r.once.Do(func() { r.store, r.err = gitstore.Open(r.config) })
	return r.store, r.err
}

func (r *repository) Tip(ctx context.Context, branch string) (gitstore.Tip, error) {
	s, err := r.open()
	if err != nil {
		return gitstore.Tip{}, err
	}
	return s.Tip(ctx, branch)
}

func (r *repository) Swap(ctx context.Context, from string, a gitstore.Answer) (string, error) {
	s, err := r.open()
	if err != nil {
		return "", err
	}
	return s.Swap(ctx, from, a)
}

func (r *repository) Address() string {
	s, err := r.open()
	if err != nil {
		return "a repository that cannot be opened"
	}
	return s.Address()
}
