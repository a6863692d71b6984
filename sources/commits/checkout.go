package commits

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"adsync/internal/diag"
	"adsync/sources/bounded"
	"adsync/sources/config"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Checkout is a project as a commit has it, in a private folder of its own that
// Close takes away.
type Checkout struct {
	Project  config.Project
	Problems []diag.Problem // of its project file
	Commit   string         // full hash

	remove func()
}

// Close takes the folder away.
func (c *Checkout) Close() { c.remove() }

// ErrBeyondBounds says that a commit holds more than is read.
var ErrBeyondBounds = errors.New("it is beyond the bounds")

// errNoRepository says that a project is in no git repository.
var errNoRepository = errors.New("the folder is in no git repository")

// ReadCheckout returns the project as it was at a revision, such as origin/main, a
// tag or a hash. Nothing of the work tree is touched, no filter, hook or
// attribute of the repository is run, and no file leads out of the folder.
func ReadCheckout(p config.Project, ctx context.Context, revision string) (*Checkout, error) {
	h, err := historyOf(p)
	if err != nil {
		return nil, err
	}
	commit, err := h.commit(revision)
	if err != nil {
		return nil, err
	}
	return h.checkout(ctx, p, commit)
}

// ReadBase returns the project as it was where HEAD left a revision: at their
// newest common commit.
func ReadBase(p config.Project, ctx context.Context, revision string) (*Checkout, error) {
	h, err := historyOf(p)
	if err != nil {
		return nil, err
	}
	theirs, err := h.commit(revision)
	if err != nil {
		return nil, err
	}
	at, err := h.head()
	if err != nil {
		return nil, fmt.Errorf("read the git revision: %w", err)
	}
	ours, err := h.repository.CommitObject(at)
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", at, err)
	}
	common, err := ours.MergeBase(theirs)
	if err != nil || len(common) == 0 {
		return nil, fmt.Errorf("HEAD and %q have no "+
			"common commit here; want the whole history, as git fetch --unshallow gets it", revision)
	}
	return h.checkout(ctx, p, common[0])
}

func (h *history) commit(revision string) (*object.Commit, error) {
	hash, err := h.repository.ResolveRevision(plumbing.Revision(revision))
	if err != nil {
		return nil, fmt.Errorf("git revision is %q; want a branch, tag or commit of this repository: %w", revision, err)
	}
	commit, err := h.repository.CommitObject(*hash)
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", hash, err)
	}
	return commit, nil
}

// history is the repository a project stands in.
type history struct {
	repository *git.Repository
	prefix     string        // slash path from the repository's top to the project, "." at the top
	at         plumbing.Hash // where the project stands in a repository without a work tree
}

func historyOf(p config.Project) (*history, error) {
	if p.At != nil {
		return openCommit(p.At)
	}
	repository, err := git.PlainOpenWithOptions(p.Root,
		&git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return nil, errNoRepository
	}
	if err != nil {
		return nil, fmt.Errorf("open the git repository: %w", err)
	}
	prefix, err := insideRepository(repository, p.Root)
	if err != nil {
		return nil, err
	}
	return &history{repository: repository, prefix: prefix}, nil
}

// tree is the folder of the project in a commit; nil where it was not there yet.
func (h *history) tree(commit *object.Commit) (*object.Tree, error) {
	top, err := commit.Tree()
	if err != nil || h.prefix == "." {
		return top, err
	}
	inside, err := top.Tree(h.prefix)
	if errors.Is(err, object.ErrDirectoryNotFound) || errors.Is(err, object.ErrEntryNotFound) {
		return nil, nil
	}
	return inside, err
}

func (h *history) checkout(ctx context.Context, p config.Project, commit *object.Commit) (_ *Checkout, err error) {
	tree, err := h.tree(commit)
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", commit.Hash, err)
	}
	folder, remove, err := bounded.NewScratch()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	if tree != nil {
		if err := writeTree(ctx, tree, folder, p); err != nil {
			return nil, fmt.Errorf("commit %.12s: %w", commit.Hash, err)
		}
	}
	return readFolder(folder, p, commit.Hash, remove), nil
}

// readFolder reads the project of a folder with the files of a commit.
func readFolder(folder string, p config.Project, commit plumbing.Hash, remove func()) *Checkout {
	c := &Checkout{Commit: commit.String(), remove: remove}
	start := folder
	if p.File != config.ProjectFile && isRegular(filepath.Join(folder, p.File)) {
		start = filepath.Join(folder, p.File)
	}
	c.Project, c.Problems = config.ReadProject(start)
	c.Project.Bounds = p.Bounds
	if p.At != nil {
		c.Project.At = &config.Commit{Repository: p.At.Repository, Path: p.At.Path, Hash: c.Commit}
	}
	return c
}

func isRegular(name string) bool {
	about, err := os.Lstat(name)
	return err == nil && about.Mode().IsRegular()
}

// writeTree writes the files of a tree below a folder. Links are written as
// links, which no reader follows out of the folder; submodules and adsync's own
// state are left out.
func writeTree(ctx context.Context, tree *object.Tree, folder string, p config.Project) error {
	w, err := newTreeWriter(folder, p)
	if err != nil {
		return err
	}
	defer w.root.Close()
	walker := object.NewTreeWalker(tree, true, nil)
	defer walker.Close()
	for {
		name, entry, err := walker.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if !entry.Mode.IsFile() || isBelow(name, p.State) {
			continue
		}
		blob, err := tree.TreeEntryFile(&entry)
		if err != nil {
			return fmt.Errorf("read %q: %w", name, err)
		}
		if err := w.write(name, entry.Mode, blob); err != nil {
			return err
		}
	}
}

// treeWriter writes files below a folder, as many bytes as a project may have.
type treeWriter struct {
	root  *os.Root
	most  int64
	total int64
}

func newTreeWriter(folder string, p config.Project) (*treeWriter, error) {
	root, err := os.OpenRoot(folder)
	return &treeWriter{root: root, most: p.FileLimits().TotalBytes}, err
}

func (w *treeWriter) write(name string, mode filemode.FileMode, blob *object.File) error {
	if w.total += blob.Size; w.total > w.most {
		return fmt.Errorf("%w: files are over %d MiB with %q; want less in all",
			ErrBeyondBounds, w.most/bounded.MiB, name)
	}
	err := writeBlob(w.root, name, mode, blob)
	if errors.Is(err, syscall.ENAMETOOLONG) {
		return fmt.Errorf("%w: the name %.40q… is longer than one can be here", ErrBeyondBounds, name)
	}
	if err != nil {
		return fmt.Errorf("write %q: %w", name, err)
	}
	return nil
}

func isBelow(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/")
}

func writeBlob(root *os.Root, name string, mode filemode.FileMode, blob *object.File) error {
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if mode == filemode.Symlink {
		target, err := blob.Contents()
		if err != nil {
			return err
		}
		return root.Symlink(target, name)
	}
	content, err := blob.Reader()
	if err != nil {
		return err
	}
	defer content.Close()
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return errors.Join(err, out.Close())
}
