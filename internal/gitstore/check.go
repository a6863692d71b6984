package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"adsync/internal/diag"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// check refuses what nobody known signed, and a project that is not
// there or not only of files.
func (s *Store) check(ctx context.Context, r *Revision, before record) error {
	commit, err := s.commit(plumbing.NewHash(r.Commit))
	if err != nil {
		return err
	}
	if s.config.Signers != "" {
		if err := s.signed(ctx, r, before); err != nil {
			return err
		}
	}
	tree, err := s.project(commit, before)
	if err != nil {
		return err
	}
	return s.checkTree(ctx, commit, tree)
}

// project finds the folder of the project in a commit.
func (s *Store) project(commit *object.Commit, before record) (*object.Tree, error) {
	top, err := commit.Tree()
	if err != nil {
		return nil, refuse(Input, "commit %s of %s cannot be read whole: %v; want all of its files",
			short(commit.Hash), s.address, err)
	}
	if s.config.SubPath == "." {
		return top, nil
	}
	entry, err := top.FindEntry(s.config.SubPath)
	if err == nil && entry.Mode != filemode.Dir {
		return nil, refuse(Input, "%s in commit %s is %s; want a folder",
			quoted(s.config.SubPath), short(commit.Hash), modeName(entry.Mode))
	}
	if err != nil {
		return nil, refuse(Input, "commit %s has no folder %s%s; want one of: %s",
			short(commit.Hash), quoted(s.config.SubPath), s.hadIt(before), folders(top))
	}
	tree, err := top.Tree(s.config.SubPath)
	if err != nil {
		return nil, refuse(Input, "folder %s of commit %s cannot be read: %v; want all of its files",
			quoted(s.config.SubPath), short(commit.Hash), err)
	}
	return tree, nil
}

// hadIt tells a folder that was removed from one that was misspelt.
func (s *Store) hadIt(before record) string {
	if before.Accepted == "" {
		return ""
	}
	commit, err := s.commit(plumbing.NewHash(before.Accepted))
	if err != nil {
		return ""
	}
	if top, err := commit.Tree(); err == nil {
		if _, err := top.FindEntry(s.config.SubPath); err == nil {
			return fmt.Sprintf(", which %.12s, the one accepted last, had", before.Accepted)
		}
	}
	return ""
}

func folders(top *object.Tree) string {
	var names []string
	for _, e := range top.Entries {
		if e.Mode == filemode.Dir {
			names = append(names, diag.Printable(e.Name))
		}
	}
	if len(names) > 5 {
		names = append(names[:5], fmt.Sprintf("and %d others", len(names)-5))
	}
	return cmp.Or(strings.Join(names, ", "), "there are none")
}

// checkTree wants files and folders only, at least one, each of them here.
func (s *Store) checkTree(ctx context.Context, commit *object.Commit, tree *object.Tree) error {
	var wrong []string
	files, seen := 0, 0
	here := map[plumbing.Hash]bool{} // to look once for what many paths lead to
	walker := object.NewTreeWalker(tree, true, nil)
	defer walker.Close()
	for {
		name, entry, err := walker.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && ctx.Err() == nil {
			return refuse(Input, "commit %s of %s has a path that cannot be: %v; want plain names",
				short(commit.Hash), s.address, err)
		}
		if ctx.Err() != nil {
			return s.wrap(ctx, Transient, "look through", ctx.Err())
		}
		if seen++; seen > s.config.Limits.Files { // one folder that is there many times over takes no room in a pack
			return refuse(Input, "commit %s has over %d files and folders in %s; want fewer",
				short(commit.Hash), s.config.Limits.Files, quoted(s.config.SubPath))
		}
		switch {
		case entry.Mode == filemode.Dir:
		case entry.Mode == filemode.Symlink || entry.Mode == filemode.Submodule:
			wrong = append(wrong, fmt.Sprintf("%s is %s",
				quoted(path.Join(s.config.SubPath, name)), modeName(entry.Mode)))
		case !here[entry.Hash] && !s.have(entry.Hash):
			wrong = append(wrong, fmt.Sprintf("%s is not in what the server gave",
				quoted(path.Join(s.config.SubPath, name))))
		default:
			here[entry.Hash] = true
			files++
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		if len(wrong) > 5 {
			wrong = append(wrong[:5], fmt.Sprintf("and %d others", len(wrong)-5))
		}
		return refuse(Input, "commit %s: %s; want files only", short(commit.Hash), strings.Join(wrong, ", "))
	}
	if files == 0 {
		return refuse(Input, "commit %s has no file in %s; want the "+
			"files of the project: nothing is taken for an empty account", short(commit.Hash), quoted(s.config.SubPath))
	}
	return nil
}

func modeName(m filemode.FileMode) string {
	switch m {
	case filemode.Symlink:
		return "a symbolic link"
	case filemode.Submodule:
		return "a submodule"
	case filemode.Dir:
		return "a folder"
	}
	return "a file"
}

func quoted(name string) string { return `"` + diag.Printable(name) + `"` }
