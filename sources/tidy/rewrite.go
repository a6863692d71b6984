// Package tidy rewrites users' files without changing what they say, or only as they agreed.
// format.go puts files in order, fix.go makes repairs that are safe, accept.go takes over values of
// the service; rewrite.go reads, checks and saves what each of them makes.
//
// A rewrite that would mean anything else than wanted is refused, and the file stays as it is.
package tidy

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/tree"
)

// Rewrite is what a file of a project would become.
type Rewrite struct {
	File     string // slash-separated, relative to the project's folder
	Before   []byte
	After    []byte         // equal to Before where nothing changes
	Fixes    []Fix          // of files whose changes are cells or values, one by one
	Problems []diag.Problem // why the file, or a part of it, is left as it is

	hash string
}

// Fix is one value that is written another way.
type Fix struct {
	Position diag.Position `json:"position"`
	Was      string        `json:"was"`
	Is       string        `json:"is"`
	Why      string        `json:"why"`
}

// Changes reports whether the file would become another.
func (r Rewrite) Changes() bool { return !bytes.Equal(r.Before, r.After) }

// SourceFiles lists what the project's folder holds: its own file and its sources.
func SourceFiles(p config.Project) ([]string, []diag.Problem) {
	t, err := tree.Open(p)
	if err != nil {
		return nil, []diag.Problem{{Severity: diag.Error, Code: diag.Unreadable,
			Message: "folder " + p.Root + " cannot be opened; want a folder with sources", Hint: bounded.Reason(err)}}
	}
	defer t.Close()
	found := t.List()
	if p.File != "" {
		found.Files = append([]string{p.File}, found.Files...)
	}
	return found.Files, found.Problems
}

// rewriter reads files of a project to make others of them.
type rewriter struct {
	tree    *tree.Tree
	project config.Project
	in      draft.Input
}

// remake gives a file its new content, or the problems why it has none.
type remake func(ctx context.Context, w *rewriter, r *Rewrite)

// rewritesOf runs make over the named files. A file that cannot be read, and one
// that make breaks off over, has a problem and stays as it is.
func rewritesOf(p config.Project, ctx context.Context, schemas resource.Schemas,
	files []string, make remake) ([]Rewrite, error) {
	t, err := tree.Open(p)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	env, err := p.Env()
	if err != nil { // said where the project is read; days are not looked at here
		env = resource.Env{Currency: p.Account.Currency, Zone: time.UTC}
	}
	w := &rewriter{
		tree: t, project: p, in: draft.Input{
			Schemas: schemas, Env: env, Bounds: t.Bounds,
			Layout: p.Layout, Words: draft.NewVocabularies(schemas), Attach: unread,
		},
	}
	var all []Rewrite
	for _, name := range files {
		all = append(all, w.rewrite(ctx, name, make))
	}
	return all, nil
}

// unread stands for files that texts refer to: what they hold does not change.
func unread(name string, _ diag.Position) ([]byte, string, *resource.Finding) {
	return []byte("content of " + name + "\n"), name, nil
}

func (w *rewriter) rewrite(ctx context.Context, name string, make remake) (r Rewrite) {
	r.File = name
	if link := bounded.LinkIn(w.tree.Root, name); link != "" {
		r.fail(resource.Finding{
			Code: diag.Unreadable, Message: fmt.Sprintf("%q is a symbolic link; want the file itself", link),
		})
		return r
	}
	content, hash, err := bounded.ReadRegular(w.tree.Root, name, w.tree.Bounds.OfSource(name))
	if err != nil {
		r.fail(bounded.Unreadable(err))
		return r
	}
	r.Before, r.After, r.hash = content, content, hash
	defer func() {
		if cause := recover(); cause != nil {
			r.After = r.Before
			r.fail(resource.Finding{
				Code:    diag.Damaged,
				Message: fmt.Sprintf("file cannot be followed (%v); want a simpler way of writing it", cause),
			})
		}
	}()
	make(ctx, w, &r)
	if int64(len(r.After)) > w.tree.Bounds.OfSource(name) {
		r.After = r.Before
		r.fail(bounded.Limit("split it into several files",
			resource.EnoughMiB(bounded.BoundOf(name), 2*w.tree.Bounds.OfSource(name)),
			"file would be over %s; want at most that", xlsx.Size(w.tree.Bounds.OfSource(name))))
	}
	return r
}

func (r *Rewrite) fail(f resource.Finding) { r.failAt(diag.InFile(r.File), f) }

func (r *Rewrite) failAt(at diag.Position, f resource.Finding) {
	r.Problems = append(r.Problems, bounded.ProblemAt(at, f))
}

// read reads content as the source it is.
func (w *rewriter) read(ctx context.Context, name string, content []byte) draft.Result {
	return tree.ReadOne(ctx, tree.File{Name: name, Content: content}, w.in)
}

// Save puts a file's new content in its place, whole or not at all, with the
// permissions it has. It refuses a file that is open in an editor or is no
// longer what was read, and a symbolic link.
func Save(p config.Project, r Rewrite) error {
	root, err := os.OpenRoot(p.Folder())
	if err != nil {
		return err
	}
	defer root.Close()
	_, err = r.save(root, time.Time{})
	return err
}

// save does so, and returns the name the former file is kept under, "" where it is not.
func (r *Rewrite) save(root *os.Root, at time.Time) (kept string, err error) {
	if !r.Changes() {
		return "", nil
	}
	place := r.replacement(root, at)
	if _, err := place.Read(); err != nil {
		return "", err
	}
	return place.Write(r.After)
}

// Put puts a file in the place of the one with the sum base, which stays beside it under the time at, or where base is
// "" in a place that is free. It returns the name of the former one, "" for none.
func Put(p config.Project, file, base string, content []byte, at time.Time) (kept string, err error) {
	root, err := os.OpenRoot(p.Folder())
	if err != nil {
		return "", err
	}
	defer root.Close()
	if link := bounded.LinkIn(root, file); link != "" {
		return "", fmt.Errorf("%s is a symbolic link; want what it stands for", diag.Printable(link))
	}
	place := tree.Replacement{Root: root, Name: file, Hash: base, Limit: bounded.Defaults().TotalBytes, At: at}
	if base == "" {
		return "", place.Make(content)
	}
	if _, err := place.Read(); err != nil {
		return "", err
	}
	return place.Write(content)
}

func (r *Rewrite) replacement(root *os.Root, at time.Time) tree.Replacement {
	return tree.Replacement{
		Root: root, Name: r.File, Hash: r.hash, Limit: int64(max(len(r.Before), len(r.After))), At: at,
	}
}
