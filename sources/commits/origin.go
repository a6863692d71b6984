package commits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/config"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Given is one value of the files.
type Given struct {
	Address   resource.Address
	Attribute string
	Value     resource.Value
}

// Origin is the commit that gave a value what it is. The zero Origin is not
// known: the history is too long to look through, or is not here.
type Origin struct {
	Commit      string // full hash
	Author      string // name, without the address
	At          time.Time
	Uncommitted bool // it is in the files, and in no commit yet
}

// InRepository reports whether the files may have commits to ask.
func InRepository(p config.Project) bool {
	_, err := historyOf(p)
	return !errors.Is(err, errNoRepository)
}

// OriginsOf says of each value which commit gave it what it is: the last one whose
// parents say something else. Files are read as they were, not their lines, so
// that the cell of a workbook has an author as the line of a text has, and what
// comes from defaults or a template has that of those. It ends with the
// context: what is not found by then is not known.
func OriginsOf(p config.Project, ctx context.Context, schemas resource.Schemas, given []Given) ([]Origin, error) {
	origins := make([]Origin, len(given))
	h, err := historyOf(p)
	if errors.Is(err, errNoRepository) {
		return origins, nil
	}
	if err != nil {
		return origins, err
	}
	head, err := h.head()
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return origins, nil // nothing is committed yet
	}
	if err != nil {
		return origins, fmt.Errorf("read the git revision: %w", err)
	}
	commit, err := h.repository.CommitObject(head)
	if err != nil {
		return origins, fmt.Errorf("read commit %s: %w", head, err)
	}
	s := &search{
		history: h, project: p, schemas: schemas, given: given, origins: origins, read: map[plumbing.Hash]reading{},
	}
	if err := s.from(ctx, commit); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return origins, err
	}
	return origins, nil
}

// mostCommits bounds how far back is looked, and so what is in memory.
const mostCommits = 10_000

// search follows values back through the commits.
type search struct {
	*history
	project config.Project
	schemas resource.Schemas
	given   []Given
	origins []Origin
	read    map[plumbing.Hash]reading // by tree
	open    []pending
}

// reading is what the files of a commit say. Of files with errors it may be a
// part: what is not there may have been said.
type reading struct {
	files *resource.Snapshot
	whole bool
}

// had reports whether the files had the value, and whether that is known.
func (r reading) had(g Given) (had, known bool) {
	before := r.files.Get(g.Address)
	if before == nil {
		return false, r.whole
	}
	return before.Value(g.Attribute).Equal(g.Value), true
}

// pending is a commit that has some of the values.
type pending struct {
	commit *object.Commit
	values []int // of given
}

func (s *search) from(ctx context.Context, head *object.Commit) error {
	now, err := s.at(ctx, head)
	if err != nil {
		return err
	}
	committed := make([]int, 0, len(s.given))
	for i, g := range s.given {
		had, known := now.had(g)
		if had {
			committed = append(committed, i)
		}
		s.origins[i].Uncommitted = known && !had
	}
	s.add(head, committed)
	for range mostCommits {
		if len(s.open) == 0 {
			return nil
		}
		next := s.open[0]
		s.open = s.open[1:]
		if err := s.step(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// add notes that a commit has the values. The newest commit comes first, so that
// one that is reached on two ways is looked at once.
func (s *search) add(commit *object.Commit, values []int) {
	if len(values) == 0 {
		return
	}
	for i := range s.open {
		if s.open[i].commit.Hash == commit.Hash {
			s.open[i].values = append(s.open[i].values, values...)
			return
		}
	}
	at, _ := slices.BinarySearchFunc(s.open, commit, func(p pending, c *object.Commit) int {
		return cmp.Or(c.Committer.When.Compare(p.commit.Committer.When), 1)
	})
	s.open = slices.Insert(s.open, at, pending{commit, values})
}

// step hands the values on to the parents that have them already; the commit is
// the origin of the rest. A parent that is not here, as in a shallow clone, may
// have had them: nothing is known then.
func (s *search) step(ctx context.Context, p pending) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	left := p.values
	for _, hash := range p.commit.ParentHashes {
		parent, err := s.repository.CommitObject(hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read commit %s: %w", hash, err)
		}
		var passed []int
		passed, left, err = s.split(ctx, p.commit, parent, left)
		if err != nil {
			return err
		}
		s.add(parent, passed)
	}
	for _, i := range left {
		s.origins[i] = Origin{
			Commit: p.commit.Hash.String(), Author: diag.Printable(p.commit.Author.Name), At: p.commit.Author.When,
		}
	}
	return nil
}

// split sorts out which values the parent has already. What the files of the
// parent say is not known where they cannot be read: it may be the same.
func (s *search) split(ctx context.Context, child,
	parent *object.Commit, values []int) (passed, left []int, err error) {
	if len(values) == 0 {
		return nil, nil, nil
	}
	same, err := s.sameFolder(child, parent)
	if err != nil || same {
		return values, nil, err
	}
	before, err := s.at(ctx, parent)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range values {
		if had, known := before.had(s.given[i]); had || !known {
			passed = append(passed, i)
			continue
		}
		left = append(left, i)
	}
	return passed, left, nil
}

func (s *search) sameFolder(a, b *object.Commit) (bool, error) {
	left, err := s.tree(a)
	if err != nil {
		return false, fmt.Errorf("read commit %s: %w", a.Hash, err)
	}
	right, err := s.tree(b)
	if err != nil {
		return false, fmt.Errorf("read commit %s: %w", b.Hash, err)
	}
	return left != nil && right != nil && left.Hash == right.Hash, nil
}

// at returns what the files of a commit say.
func (s *search) at(ctx context.Context, commit *object.Commit) (reading, error) {
	tree, err := s.tree(commit)
	if err != nil {
		return reading{}, fmt.Errorf("read commit %s: %w", commit.Hash, err)
	}
	if tree == nil {
		return reading{&resource.Snapshot{}, true}, nil
	}
	if known, ok := s.read[tree.Hash]; ok {
		return known, nil
	}
	c, err := s.checkout(ctx, s.project, commit)
	if err != nil {
		return reading{}, err
	}
	defer c.Close()
	if diag.HasErrors(c.Problems) {
		return reading{}, nil
	}
	d := sources.Load(ctx, c.Project, s.schemas)
	if err := ctx.Err(); err != nil {
		return reading{}, err
	}
	r := reading{d.Snapshot, !diag.HasErrors(d.Problems)}
	s.read[tree.Hash] = r
	return r, nil
}
