package commits

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"

	"adsync/sources/bounded"
	"adsync/sources/config"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Merged is a project as it would be once a branch is merged into it.
type Merged struct {
	*Checkout          // nil where Stale has any
	Changed   []string // files of the project that the branch changes, by slash path
	Stale     []string // of those, what was changed otherwise since the branch began, and nobody has merged
	ByForge   bool     // its files are those of the merge that the forge made
}

// Close takes the folder away, where there is one.
func (m *Merged) Close() {
	if m.Checkout != nil {
		m.Checkout.Close()
	}
}

// ErrUnmergeable says that no merge can be made of a branch as it is.
var ErrUnmergeable = errors.New("it cannot be merged")

// ReadMerged returns the project of a commit with the files that a branch changes, whole, as its head has them. merge
// is the merge of both as the forge made it, "" where it has none: its files are read where it is that. Without it
// there is nothing to read where both changed a file. The project file is that of the commit, whatever the branch makes
// of it: what adsync may do is not for a branch to say that nobody has merged. home and bounds are as for ReadCommit.
func ReadMerged(ctx context.Context, at config.Commit, head, merge, home, bounds string) (*Merged, error) {
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
	sides, err := h.sides(ctx, plumbing.NewHash(head), p.State)
	if err != nil {
		return nil, err
	}
	m := &Merged{}
	m.Changed, m.Stale = sides.compare()
	files, of := sides.byFile(m.Changed), sides.head.Hash
	if merge != "" {
		made, err := h.madeOf(ctx, sides, m, plumbing.NewHash(merge), p.State)
		if err != nil {
			return nil, err
		}
		if m.ByForge = made != nil; m.ByForge {
			files, of, m.Stale = made, plumbing.NewHash(merge), nil
		}
	}
	if len(m.Stale) > 0 {
		return m, nil
	}
	if m.Checkout, err = h.checkoutOf(ctx, p, files, of); err != nil {
		return nil, err
	}
	m.Project.Home = home
	top, err := h.tree(sides.at)
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("read commit %s: %w", at.Hash, err)
	}
	m.obeyStop(top)
	return m, nil
}

// entry is what a commit has of a file.
type entry = object.TreeEntry

// sides are the files of the project in the commits that a merge looks at. Of several where the branch began none is
// the one: git merges these first.
type sides struct {
	at, head    *object.Commit
	here, there map[string]entry
	began       []map[string]entry
}

// mostBegan is at how many commits a branch may have begun.
const mostBegan = 16

// compare returns what the branch changes, and of that what was changed otherwise since it began, in order.
func (s *sides) compare() (changed, stale []string) {
	all := maps.Clone(s.there)
	for _, began := range s.began {
		maps.Copy(all, began)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		here, there, began := s.here[name], s.there[name], s.began[0][name]
		several := slices.ContainsFunc(s.began, func(of map[string]entry) bool { return of[name] != began })
		if !several && began == there || several && here == there {
			continue
		}
		changed = append(changed, name)
		if name != config.ProjectFile && here != there && (several || here != began) {
			stale = append(stale, name)
		}
	}
	return changed, stale
}

func (h *history) sides(ctx context.Context, head plumbing.Hash, state string) (s *sides, err error) {
	s = &sides{}
	if s.at, err = h.repository.CommitObject(h.at); err == nil {
		s.head, err = h.repository.CommitObject(head)
	}
	if err != nil {
		return nil, fmt.Errorf("read a commit: %w", err)
	}
	common, err := s.at.MergeBase(s.head)
	if err != nil {
		return nil, fmt.Errorf("find where %s began: %w", head, err)
	}
	if len(common) == 0 || len(common) > mostBegan {
		return nil, fmt.Errorf("%w: %.12s and %.12s have %d newest common commits; want one",
			ErrUnmergeable, h.at, head, len(common))
	}
	read := func(of *object.Commit) map[string]entry {
		files, failure := h.files(ctx, of, state)
		if failure != nil {
			err = errors.Join(err, fmt.Errorf("read commit %s: %w", of.Hash, failure))
		}
		return files
	}
	s.here, s.there = read(s.at), read(s.head)
	for _, commit := range common {
		s.began = append(s.began, read(commit))
	}
	return s, err
}

// files are the files of the project in a commit, by slash path, without adsync's own state.
func (h *history) files(ctx context.Context, commit *object.Commit, state string) (map[string]entry, error) {
	files := map[string]entry{}
	tree, err := h.tree(commit)
	if err != nil || tree == nil {
		return files, err
	}
	walker := object.NewTreeWalker(tree, true, nil)
	defer walker.Close()
	for {
		name, e, err := walker.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if e.Mode.IsFile() && !isBelow(name, state) {
			e.Name = name
			files[name] = e
		}
	}
}

// byFile are the files of the commit, those that the branch changes as its head has them.
func (s *sides) byFile(changed []string) map[string]entry {
	files := maps.Clone(s.here)
	for _, name := range changed {
		if name == config.ProjectFile {
			continue
		}
		if delete(files, name); s.there[name] != (entry{}) {
			files[name] = s.there[name]
		}
	}
	return files
}

// madeOf returns the files of a merge, nil where it is not that of both sides: its parents are others, such as those of
// an older merge, or it has of a file that not both have changed what neither would make of it.
func (h *history) madeOf(ctx context.Context, s *sides, m *Merged, merge plumbing.Hash, state string) (
	map[string]entry, error) {
	commit, err := h.repository.CommitObject(merge)
	if err != nil {
		return nil, fmt.Errorf("read a commit: %w", err)
	}
	if !slices.Equal(commit.ParentHashes, []plumbing.Hash{s.at.Hash, s.head.Hash}) {
		return nil, nil
	}
	files, err := h.files(ctx, commit, state)
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", merge, err)
	}
	plain := s.byFile(m.Changed)
	all := maps.Clone(files)
	maps.Copy(all, plain)
	for name := range all {
		if name != config.ProjectFile && files[name] != plain[name] && !slices.Contains(m.Stale, name) {
			return nil, nil
		}
	}
	if delete(files, config.ProjectFile); plain[config.ProjectFile] != (entry{}) {
		files[config.ProjectFile] = plain[config.ProjectFile]
	}
	return files, nil
}

// checkoutOf writes files, and reads the project that they are at a commit.
func (h *history) checkoutOf(ctx context.Context, p config.Project, files map[string]entry, of plumbing.Hash) (
	_ *Checkout, err error) {
	folder, remove, err := bounded.NewScratch()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if files[dir] != (entry{}) {
				return nil, fmt.Errorf("%w: %q is a file on one side, and a folder on the other", ErrUnmergeable, dir)
			}
		}
	}
	w, err := newTreeWriter(folder, p)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	for _, name := range names {
		blob, err := h.repository.BlobObject(files[name].Hash)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", name, err)
		}
		file := object.NewFile(name, files[name].Mode, blob)
		if err := errors.Join(ctx.Err(), w.write(name, file.Mode, file)); err != nil {
			return nil, fmt.Errorf("commit %.12s: %w", of, err)
		}
	}
	return readFolder(folder, p, of, remove), nil
}

// Contains reports whether a commit is another, or came from it.
func Contains(at config.Commit, other string) (bool, error) {
	h, err := openCommit(&at)
	if err != nil {
		return false, err
	}
	newer, err := h.repository.CommitObject(h.at)
	if err != nil {
		return false, fmt.Errorf("read a commit: %w", err)
	}
	older, err := h.repository.CommitObject(plumbing.NewHash(other))
	if err != nil {
		return false, fmt.Errorf("read a commit: %w", err)
	}
	return older.IsAncestor(newer)
}
