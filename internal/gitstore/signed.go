package gitstore

import (
	"context"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// signed wants the signature of somebody known on the tip, and on every commit that
// came with it since the accepted one, those that merges brought in as well: who
// signs a commit, or a merge, may not have looked at what is beneath it. It names
// who signed the tip.
func (s *Store) signed(ctx context.Context, r *Revision, before record) error {
	allowed, err := readSigners(s.config.Signers)
	if err != nil {
		return err
	}
	came, err := s.since(ctx, plumbing.NewHash(before.Accepted), plumbing.NewHash(r.Commit))
	if err != nil {
		return err
	}
	if r.Signer, err = allowed.signerOf(s.objects, came[0], s.config.Signers); err != nil {
		return err
	}
	var first error
	wrong := 0
	for _, commit := range came[1:] {
		if _, err := allowed.signerOf(s.objects, commit, s.config.Signers); err != nil {
			first, wrong = err, wrong+1 // the oldest is said
		}
	}
	if first == nil {
		return nil
	}
	more := ""
	if wrong > 1 {
		more = fmt.Sprintf(", as do %d more that are no better", wrong-1)
	}
	return refuse(ClassOf(first), "%v; it came between %.12s, which was accepted last, and %.12s%s",
		first, before.Accepted, r.Commit, more)
}

// since returns the tip, and after it what is in its history and not in that of the
// accepted commit, newer before older along each line. Before anything was accepted
// that is the tip alone, which then stands for all that is before it.
func (s *local) since(ctx context.Context, accepted, tip plumbing.Hash) ([]*object.Commit, error) {
	first, err := s.commit(tip)
	if err != nil || accepted.IsZero() || accepted == tip || !s.have(accepted) { // somebody has to accept the last
		return []*object.Commit{first}, err
	}
	if came := s.straight(first, accepted); came != nil {
		return came, nil
	}
	known := map[plumbing.Hash]bool{}
	if err := s.walk(ctx, accepted, known, func(*object.Commit) {}); err != nil {
		return nil, err
	}
	came := []*object.Commit{}
	if err := s.walk(ctx, tip, known, func(c *object.Commit) { came = append(came, c) }); err != nil {
		return nil, err
	}
	if len(came) == 0 { // it went back
		came = append(came, first)
	}
	return came, nil
}

// straight returns the commits of a history without merges up to the accepted one; nil
// where it is not so simple.
func (s *local) straight(from *object.Commit, accepted plumbing.Hash) (came []*object.Commit) {
	for commit := from; commit.NumParents() == 1; {
		came = append(came, commit)
		if commit.ParentHashes[0] == accepted {
			return came
		}
		parent, err := object.GetCommit(s.objects, commit.ParentHashes[0])
		if err != nil {
			return nil
		}
		commit = parent
	}
	return nil
}

// walk visits a commit and all that is before it, but for what is seen, and notes
// what it saw.
func (s *local) walk(ctx context.Context, from plumbing.Hash,
	seen map[plumbing.Hash]bool, visit func(*object.Commit)) error {
	open := []plumbing.Hash{from}
	for ; len(open) > 0; open = open[1:] {
		if seen[open[0]] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return s.wrap(ctx, Transient, "walk through the history of", err)
		}
		commit, err := s.commit(open[0])
		if err != nil {
			return err
		}
		seen[commit.Hash] = true
		visit(commit)
		open = append(open, commit.ParentHashes...)
	}
	return nil
}
