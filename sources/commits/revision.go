package commits

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"adsync/sources"
	"adsync/sources/attach"
	"adsync/sources/config"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Revision is where in a git history the files of a project stand. The zero
// Revision is a folder outside any repository.
type Revision struct {
	Commit string `json:"commit"` // full hash of HEAD
	// of the project in the repository, which positions count from; absent at its top
	Path        string   `json:"path,omitempty"`
	Uncommitted []string `json:"uncommitted"` // sources whose bytes are not those of the commit, sorted
}

// RevisionOf compares the sources with the commit they stand in. Blobs are read
// from the commit and bytes from the files; git's own idea of what is modified
// is not asked, as it knows filters and clocks (faults G17 and G22). A line
// break of another system is no difference.
func RevisionOf(p config.Project, read []sources.Source) (Revision, error) {
	if p.At != nil {
		// nothing else was read
		return Revision{Commit: p.At.Hash, Path: beneathTop(p.At.Path), Uncommitted: []string{}}, nil
	}
	repository, err := git.PlainOpenWithOptions(p.Root, &git.PlainOpenOptions{DetectDotGit: true})
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return Revision{}, nil
	}
	if err != nil {
		return Revision{}, fmt.Errorf("open the git repository: %w", err)
	}
	head, err := repository.Head()
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return Revision{}, nil // nothing is committed yet
	}
	if err != nil {
		return Revision{}, fmt.Errorf("read the git revision: %w", err)
	}
	commit, err := repository.CommitObject(head.Hash())
	if err != nil {
		return Revision{}, fmt.Errorf("read commit %s: %w", head.Hash(), err)
	}
	prefix, err := insideRepository(repository, p.Root)
	if err != nil {
		return Revision{}, err
	}
	r := Revision{Commit: head.Hash().String(), Path: beneathTop(prefix), Uncommitted: []string{}}
	for _, source := range read {
		same, err := isCommitted(p, commit, prefix, source.File)
		if err != nil {
			return r, err
		}
		if !same {
			r.Uncommitted = append(r.Uncommitted, source.File)
		}
	}
	return r, nil
}

// beneathTop is empty for the top itself.
func beneathTop(prefix string) string {
	if prefix == "." {
		return ""
	}
	return prefix
}

// insideRepository is the slash path from the repository's top to the project.
func insideRepository(repository *git.Repository, root string) (string, error) {
	tree, err := repository.Worktree()
	if err != nil {
		return "", fmt.Errorf("read the git work tree: %w", err)
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	if absolute, err = filepath.EvalSymlinks(absolute); err != nil {
		return "", err
	}
	top, err := filepath.EvalSymlinks(tree.Filesystem.Root())
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(top, absolute)
	return filepath.ToSlash(relative), err
}

func isCommitted(p config.Project, commit *object.Commit, prefix, file string) (bool, error) {
	committed, err := commit.File(filepath.ToSlash(filepath.Join(prefix, file)))
	if errors.Is(err, object.ErrFileNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s of the commit: %w", file, err)
	}
	reader, err := committed.Reader()
	if err != nil {
		return false, fmt.Errorf("read %s of the commit: %w", file, err)
	}
	defer reader.Close()
	blob, err := io.ReadAll(reader)
	if err != nil {
		return false, fmt.Errorf("read %s of the commit: %w", file, err)
	}
	content, err := attach.ReadImageFile(p, file)
	if err != nil {
		return false, nil // it is gone or cannot be read: not what is committed
	}
	return bytes.Equal(unixLines(blob), unixLines(content)), nil
}

func unixLines(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }
