package gitstore

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// movement compares two commits by their history, all of which is here.
func (s *local) movement(ctx context.Context, accepted, tip plumbing.Hash) (Movement, error) {
	switch accepted {
	case plumbing.ZeroHash:
		_, err := s.reaches(ctx, tip, plumbing.ZeroHash) // the history must be whole
		return firstSeen, err
	case tip:
		return unmoved, nil
	}
	if forward, err := s.reaches(ctx, tip, accepted); err != nil || forward {
		return fastForward, err
	}
	if !s.have(accepted) { // another machine fetched it: it is not known what came before it
		return elsewhere, nil
	}
	if back, err := s.reaches(ctx, accepted, tip); err != nil || back {
		return rewind, err
	}
	return rewrite, nil
}

// reaches walks back from a commit and says whether it comes to another one. A
// commit that is not here is an error: without it nothing is known.
func (s *local) reaches(ctx context.Context, from, to plumbing.Hash) (bool, error) {
	seen := map[plumbing.Hash]bool{from: true}
	open := []plumbing.Hash{from}
	for len(open) > 0 {
		if err := ctx.Err(); err != nil {
			return false, s.wrap(ctx, Transient, "walk through the history of", err)
		}
		hash := open[0]
		open = open[1:]
		if hash == to {
			return true, nil
		}
		commit, err := object.GetCommit(s.objects, hash)
		if err != nil {
			return false, refuse(Input, "the history of %s is cut off before %s: %v; want all of it",
				s.address, short(hash), err)
		}
		for _, parent := range commit.ParentHashes {
			if !seen[parent] {
				seen[parent] = true
				open = append(open, parent)
			}
		}
	}
	return false, nil
}
