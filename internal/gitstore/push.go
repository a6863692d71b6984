package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
)

// Answer is what adsync says into the repository: files, as one commit on a
// branch of adsync's own.
type Answer struct {
	Branch string // short name below the prefix, such as adsync/results
	Base   string // commit a new branch begins at; "" for one with a history of its own
	// by slash path from the top of the repository; one of nil goes, and the other files of the branch stay
	Files   map[string][]byte
	Message string
	Author  Author // zero for adsync <adsync@localhost>
	By      string // name of who wrote it, where that is not Author, who commits it
	// Afresh has the branch hold the files of Base and these, and none that it had: what it was stays in its history.
	// A branch whose last commit somebody else made is refused.
	Afresh bool
}

// Author is who a commit says it is by.
type Author struct{ Name, Email string }

// Pushed is where an answer is.
type Pushed struct {
	Branch string
	Commit string // full hash
	Same   bool   // the branch said that already; nothing was pushed
}

// pushAttempts is how often a push that was raced is made again.
const pushAttempts = 5

// Push commits an answer to its branch. The watched ref and whatever is outside
// the prefix are refused. Nothing is ever forced: where somebody else was
// faster, the commit is made again upon theirs.
func (s *Store) Push(ctx context.Context, a Answer) (Pushed, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	if err := s.checkAnswer(a); err != nil {
		return Pushed{}, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Pushed{}, err
	}
	defer unlock()
	defer s.reopen()
	for range pushAttempts {
		pushed, err := s.pushOnce(ctx, a)
		if !errors.Is(err, ErrRaced) {
			return pushed, err
		}
	}
	return Pushed{}, refuse(Transient, "%s of %s moved during each of %d pushes; want it to hold still",
		a.Branch, s.address, pushAttempts)
}

func checkPrefix(prefix string) (string, error) {
	prefix = cmp.Or(prefix, "adsync/")
	if !strings.HasSuffix(prefix, "/") || plumbing.NewBranchReferenceName(prefix+"x").Validate() != nil {
		return "", refuse(Configuration, "the prefix of adsync's branches is %q; want one such as adsync/", prefix)
	}
	return prefix, nil
}

func (s *Store) checkAnswer(a Answer) error {
	name := plumbing.NewBranchReferenceName(a.Branch)
	if err := checkBranch(a.Branch, s.config.AnswerPrefix); err != nil {
		return err
	}
	switch {
	case a.Branch == s.config.Ref || name.String() == s.config.Ref:
		return refuse(Configuration, "%s is the branch that is watched; want answers on another", a.Branch)
	case len(a.Files) == 0:
		return refuse(Configuration, "there is no file to push to %s; want at least one", a.Branch)
	}
	for file := range a.Files {
		if err := checkFile(file); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) pushOnce(ctx context.Context, a Answer) (Pushed, error) {
	p, err := s.dial(ctx, s)
	if err != nil {
		return Pushed{}, err
	}
	defer p.close()
	name := plumbing.NewBranchReferenceName(a.Branch)
	tip, err := s.branchTip(ctx, p, name)
	if err != nil {
		return Pushed{}, err
	}
	end, err := s.reading(ctx)
	if err != nil {
		return Pushed{}, err
	}
	defer end()
	made, err := s.commitAnswer(ctx, a, tip)
	if err != nil {
		return Pushed{}, err
	}
	if made.commit == tip {
		return Pushed{a.Branch, tip.String(), true}, nil
	}
	refs, err := p.advertised(ctx, pushing)
	if err != nil {
		return Pushed{}, err
	}
	// The server compares Old with where the branch stands by then.
	command := &packp.Command{Name: name, Old: tip, New: made.commit}
	if err := p.update(ctx, refs, command, s.packed(made.hashes)); err != nil {
		if err := s.refused(ctx, p, command, err); err != nil {
			return Pushed{}, err
		}
	}
	return Pushed{a.Branch, made.commit.String(), false}, nil
}

// branchTip finds where the branch stands, and gets what it holds.
func (s *Store) branchTip(ctx context.Context, p peer, name plumbing.ReferenceName) (plumbing.Hash, error) {
	refs, err := p.advertised(ctx, fetching)
	if errors.Is(err, errNoCommit) {
		return plumbing.ZeroHash, nil
	}
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if watched, err := s.refName(refs); err == nil && watched == name.String() {
		return plumbing.ZeroHash,
			refuse(Configuration, "%s is the branch that is watched; want answers on another", name.Short())
	}
	tip := refs.References[name.String()]
	if tip.IsZero() || s.have(tip) {
		return tip, nil
	}
	record, err := s.readRecord()
	if err != nil {
		return tip, err
	}
	return tip, s.receive(ctx, p, refs, []plumbing.Hash{tip}, s.haves(record.Accepted))
}

// packed is a pack of some objects, made while it is read.
func (s *local) packed(hashes []plumbing.Hash) io.ReadCloser {
	read, write := io.Pipe()
	go func() { // ends with the pack, or when its reader is closed
		encode(write, s.objects, hashes)
	}()
	return read
}

// refused tells a push that was raced from one that is not permitted, by asking
// where the branch stands now.
func (s *Store) refused(ctx context.Context, p peer, command *packp.Command, failure error) error {
	if errors.Is(failure, ErrRaced) {
		return ErrRaced
	}
	refs, err := p.advertised(ctx, pushing)
	if err != nil {
		return failure
	}
	switch refs.References[command.Name.String()] {
	case command.New:
		return nil // it arrived, and only the answer was lost
	case command.Old:
		return failure
	}
	return ErrRaced
}

// made is a commit and the objects that came with it.
type made struct {
	commit plumbing.Hash
	hashes []plumbing.Hash
}

// commitAnswer makes the commit upon a tip, or gives the tip where that says the
// same already.
func (s *Store) commitAnswer(ctx context.Context, a Answer, tip plumbing.Hash) (made, error) {
	by := object.Signature{
		Name: cmp.Or(a.Author.Name, "adsync"), Email: cmp.Or(a.Author.Email, "adsync@localhost"),
		When: s.config.Now().UTC().Truncate(time.Second),
	}
	upon, after, err := parents(ctx, &s.local, a, by, tip)
	if err != nil {
		return made{}, err
	}
	before, err := treeOf(&s.local, upon)
	if err != nil {
		return made{}, err
	}
	g := grower{objects: s.objects}
	tree, err := g.put(before, a.Files)
	if err != nil {
		return made{}, s.wrap(ctx, Input, "make a commit for", err)
	}
	if slices.Equal(after, []plumbing.Hash{tip}) {
		if now, err := treeOf(&s.local, tip); err != nil || now == tree {
			return made{commit: tip}, err
		}
	}
	author := by
	author.Name = cmp.Or(a.By, by.Name)
	commit := &object.Commit{Author: author, Committer: by, Message: strings.TrimSpace(a.Message) + "\n",
		TreeHash: tree, ParentHashes: after}
	hash, err := g.write(commit)
	if err != nil {
		return made{}, s.wrap(ctx, Transient, "make a commit for", err)
	}
	return made{hash, g.written}, nil
}

// parents returns the commit whose files an answer begins with, zero for none, and those that its commit comes after.
func parents(ctx context.Context, s *local, a Answer, by object.Signature,
	tip plumbing.Hash) (upon plumbing.Hash, of []plumbing.Hash, err error) {
	base := plumbing.NewHash(a.Base)
	switch {
	case tip.IsZero() && a.Base == "":
		return plumbing.ZeroHash, nil, nil
	case tip.IsZero():
		return base, []plumbing.Hash{base}, nil
	case !a.Afresh:
		return tip, []plumbing.Hash{tip}, nil
	}
	if merged, err := s.reaches(ctx, base, tip); err != nil || merged {
		return base, []plumbing.Hash{base}, err
	}
	last, err := s.commit(tip)
	if err != nil {
		return base, nil, err
	}
	if last.Committer.Name != by.Name || last.Committer.Email != by.Email {
		return base, nil, refuse(Held, "somebody else made the last commit of %s of %s; "+
			"want that branch merged or deleted", a.Branch, s.address)
	}
	if newest, err := s.reaches(ctx, tip, base); err != nil || newest {
		return base, []plumbing.Hash{tip}, err
	}
	return base, []plumbing.Hash{tip, base}, nil
}

// treeOf returns the tree of a commit; that of none is zero.
func treeOf(s *local, commit plumbing.Hash) (plumbing.Hash, error) {
	if commit.IsZero() {
		return commit, nil
	}
	c, err := s.commit(commit)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return c.TreeHash, nil
}

func (p Pushed) String() string { return fmt.Sprintf("%s at %.12s", p.Branch, p.Commit) }
