// Package commits reads projects from the history of a git repository.
// checkout.go and commit.go write a commit into a private folder to be read there, revision.go says
// which commit files stand in, origin.go who wrote a value, committed.go what a commit says of the state.
//
// Nothing of the repository is executed or changed.
package commits

import (
	"context"
	"errors"
	"fmt"

	"adsync/internal/steady"
	"adsync/sources/bounded"
	"adsync/sources/config"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// ReadCommit reads the project of a commit, within bounds as Bound takes them.
// Its files are written into a private folder; nothing else is read, and authors
// come from the history of that commit. home is where adsync's state is, as the
// folder goes away with Close.
func ReadCommit(ctx context.Context, at config.Commit, home, bounds string) (*Checkout, error) {
	p := config.Project{State: config.UsualState, At: &at}
	if bounds != "" {
		if err := p.Bound(bounds); err != nil {
			return nil, err
		}
	}
	h, err := openCommit(&at)
	if err != nil {
		return nil, err
	}
	commit, err := h.repository.CommitObject(h.at)
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", at.Hash, err)
	}
	c, err := h.checkout(ctx, p, commit)
	if err != nil {
		return nil, err
	}
	c.Project.Home = home
	top, err := h.tree(commit)
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("read commit %s: %w", at.Hash, err)
	}
	c.obeyStop(top)
	return c, nil
}

func openCommit(c *config.Commit) (*history, error) {
	storage := filesystem.NewStorageWithOptions(steady.Folder(c.Repository),
		cache.NewObjectLRUDefault(), filesystem.Options{LargeObjectThreshold: bounded.MiB})
	repository, err := git.Open(storage, nil)
	if err != nil {
		return nil, fmt.Errorf("open the git repository: %w", err)
	}
	if !plumbing.IsHash(c.Hash) {
		return nil, errors.New("the commit is no full hash; want one")
	}
	return &history{repository, c.Path, plumbing.NewHash(c.Hash)}, nil
}

// head is the commit the project stands at.
func (h *history) head() (plumbing.Hash, error) {
	if !h.at.IsZero() {
		return h.at, nil
	}
	head, err := h.repository.Head()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return head.Hash(), nil
}
