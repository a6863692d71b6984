package gitstore

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
)

// ErrRaced says that somebody else moved the branch in between.
var ErrRaced = errors.New("the branch has moved")

// Tip is where a branch stands, and all that is there.
type Tip struct {
	Commit string // full hash; "" where there is no such branch
	Parent string // the first one; "" where it has none
	Files  map[string][]byte
}

// Tip returns where a branch of adsync's own stands now. A repository that does not answer is an error, and one
// without the branch is not.
func (s *Store) Tip(ctx context.Context, branch string) (Tip, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	if err := checkBranch(branch, s.config.AnswerPrefix); err != nil {
		return Tip{}, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Tip{}, err
	}
	defer unlock()
	defer s.reopen()
	p, err := s.dial(ctx, s)
	if err != nil {
		return Tip{}, err
	}
	defer p.close()
	tip, err := s.branchTip(ctx, p, plumbing.NewBranchReferenceName(branch))
	if err != nil || tip.IsZero() {
		return Tip{}, err
	}
	end, err := s.reading(ctx)
	if err != nil {
		return Tip{}, err
	}
	defer end()
	return tipAt(ctx, &s.local, tip)
}

func tipAt(ctx context.Context, s *local, at plumbing.Hash) (Tip, error) {
	commit, err := s.commit(at)
	if err != nil {
		return Tip{}, err
	}
	tip := Tip{Commit: at.String(), Files: map[string][]byte{}}
	if len(commit.ParentHashes) > 0 {
		tip.Parent = commit.ParentHashes[0].String()
	}
	tree, err := object.GetTree(s.objects, commit.TreeHash)
	if err != nil {
		return Tip{}, s.wrap(ctx, Input, "read", err)
	}
	err = tree.Files().ForEach(func(f *object.File) error {
		if len(tip.Files) >= s.config.Limits.Files {
			return refuse(Input, "the branch holds more than %d files; want one of adsync's own", s.config.Limits.Files)
		}
		if !f.Mode.IsRegular() {
			return nil
		}
		content, err := f.Reader()
		if err != nil {
			return err
		}
		defer content.Close()
		tip.Files[f.Name], err = io.ReadAll(during{ctx, content})
		return err
	})
	if err != nil {
		return Tip{}, s.wrap(ctx, Input, "read", err)
	}
	return tip, nil
}

// Swap makes a commit upon another, and moves the branch from there to it: ErrRaced where it stands elsewhere by then.
// A file of nil goes. "" is the parent of the first commit. It is one attempt, and nothing is ever forced. The commit
// is given also where it is not known whether it has arrived.
func (s *Store) Swap(ctx context.Context, from string, a Answer) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	if err := s.checkAnswer(a); err != nil {
		return "", err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	defer s.reopen()
	end, err := s.reading(ctx)
	if err != nil {
		return "", err
	}
	defer end()
	made, err := s.commitAnswer(ctx, a, plumbing.NewHash(from))
	if err != nil {
		return "", err
	}
	p, err := s.dial(ctx, s)
	if err != nil {
		return "", err
	}
	defer p.close()
	refs, err := p.advertised(ctx, pushing)
	if err != nil {
		return "", err
	}
	command := &packp.Command{
		Name: plumbing.NewBranchReferenceName(a.Branch), Old: plumbing.NewHash(from), New: made.commit,
	}
	if refs.References[command.Name.String()] != command.Old {
		return "", ErrRaced
	}
	if err := p.update(ctx, refs, command, s.packed(made.hashes)); err != nil {
		err = s.refused(ctx, p, command, err)
		return made.commit.String(), err
	}
	return made.commit.String(), nil
}

// checkBranch refuses a branch that is not adsync's own.
func checkBranch(branch, prefix string) error {
	name := plumbing.NewBranchReferenceName(branch)
	if !strings.HasPrefix(branch, prefix) || name.Validate() != nil {
		return refuse(Configuration, "the branch is %q; want one below %s", branch, prefix)
	}
	return nil
}

// OriginOf returns the address a clone on this machine came from.
func OriginOf(dir string) (string, error) {
	repository, err := git.PlainOpenWithOptions(dir,
		&git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if err != nil {
		return "", refuse(Configuration, "%s is in no git repository: %v", dir, err)
	}
	origin, err := repository.Remote("origin")
	if err != nil || len(origin.Config().URLs) == 0 {
		return "", refuse(Configuration, "the repository of %s has no remote named origin", dir)
	}
	return origin.Config().URLs[0], nil
}
