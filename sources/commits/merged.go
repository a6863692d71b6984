package commits

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"adsync/sources/bounded"
	"adsync/sources/config"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Merged is a project as it would be once a branch is merged into it.
type Merged struct {
	*Checkout          // nil where Stale has any
	Base      string   // the commit where the branch began, full hash
	Changed   []string // files of the project that the branch changes, by slash path
	Stale     []string // of those, what was changed otherwise since the branch began
}

// Close takes the folder away, where there is one.
func (m *Merged) Close() {
	if m.Checkout != nil {
		m.Checkout.Close()
	}
}

// ReadMerged returns the project of a commit with the files that a branch changes, whole, as its head has them. The
// project file is that of the commit, whatever the branch makes of it: what adsync may do is not for a branch to say
// that nobody has merged. Where both changed a file there is nothing to read. home and bounds are as for ReadCommit.
func ReadMerged(ctx context.Context, at config.Commit, head, home, bounds string) (*Merged, error) {
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
	m := &Merged{Base: sides.base.Hash.String(), Changed: sides.changed()}
	for _, name := range m.Changed {
		here := sides.here[name]
		if name != config.ProjectFile && here != sides.began[name] && here != sides.there[name] {
			m.Stale = append(m.Stale, name)
		}
	}
	if len(m.Stale) > 0 {
		return m, nil
	}
	if m.Checkout, err = h.checkoutWith(ctx, p, sides, m.Changed); err != nil {
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

// sides are the files of the project in three commits.
type sides struct {
	at, base, head     *object.Commit
	here, began, there map[string]entry
}

// changed returns what the branch changes, in order.
func (s *sides) changed() (names []string) {
	all := maps.Clone(s.began)
	maps.Copy(all, s.there)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if s.began[name] != s.there[name] {
			names = append(names, name)
		}
	}
	return names
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
	if len(common) == 0 {
		return nil, fmt.Errorf("%.12s and %.12s have no common commit", h.at, head)
	}
	s.base = common[0]
	for _, of := range []struct {
		commit *object.Commit
		files  *map[string]entry
	}{{s.at, &s.here}, {s.base, &s.began}, {s.head, &s.there}} {
		if *of.files, err = h.files(ctx, of.commit, state); err != nil {
			return nil, fmt.Errorf("read commit %s: %w", of.commit.Hash, err)
		}
	}
	return s, nil
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

// checkoutWith writes the files of the commit, those that the branch changes as its head has them.
func (h *history) checkoutWith(ctx context.Context, p config.Project, s *sides, changed []string) (
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
	files := maps.Clone(s.here)
	for _, name := range changed {
		if name == config.ProjectFile {
			continue
		}
		if delete(files, name); s.there[name] != (entry{}) {
			files[name] = s.there[name]
		}
	}
	w, err := newTreeWriter(folder, p)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		blob, err := h.repository.BlobObject(files[name].Hash)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", name, err)
		}
		file := object.NewFile(name, files[name].Mode, blob)
		if err := errors.Join(ctx.Err(), w.write(name, file.Mode, file)); err != nil {
			return nil, fmt.Errorf("commit %.12s: %w", s.head.Hash, err)
		}
	}
	return readFolder(folder, p, s.head.Hash, remove), nil
}
