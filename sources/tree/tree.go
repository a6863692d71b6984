// Package tree reads the files of a project's folder as of one moment.
// tree.go reads and sums them, listing.go finds them, aside.go sets copies with results aside,
// readall.go gives each to its reader, tree_attach.go reads what values refer to, replace.go writes a file anew.
//
// It follows no link, leaves the folder for nothing, and never reads two halves of a change.
package tree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// Tree is the project's folder while it is read. Everything is opened through
// one os.Root, so that no path leads out of it.
type Tree struct {
	Project config.Project
	Root    *os.Root
	globs   []bounded.Glob
	Bounds  bounded.Limits
	Hints   *draft.HintFiles

	attachments

	wrong  []diag.Problem // of the listing that the files are from
	edited []string       // as wrong

	readBefore map[string]bool // files that are read as they are, without a look at what they are
}

// File is one source as it was read.
type File struct {
	Name    string
	Content []byte
	Hash    string
	Problem *diag.Problem // why there is no content
	Members bool          // a members file, and so no source
}

// Open opens the folder of a project.
func Open(p config.Project) (*Tree, error) {
	root, err := os.OpenRoot(p.Folder())
	if err != nil {
		return nil, err
	}
	t := &Tree{
		Project: p, Root: root, Hints: draft.NewHintFiles(p.FileLimits().Entries),
		Bounds: p.FileLimits(), attachments: attachments{
			root: root, bounds: p.FileLimits(), Attached: map[string]string{}, listed: map[string][]string{},
		},
	}
	for _, pattern := range p.Sources {
		g, err := bounded.NewGlob(pattern)
		if err != nil {
			root.Close()
			return nil, fmt.Errorf("sources has %q: %w", pattern, err)
		}
		t.globs = append(t.globs, g)
	}
	return t, nil
}

// Close closes the folder.
func (t *Tree) Close() { t.Root.Close() }

const settleAttempts = 3

// Settle reads the set of sources as of one moment: it lists, reads, lists and
// reads again, and takes the set only when both passes agree. Two halves of a
// change are never read together (fault F7).
func (t *Tree) Settle(ctx context.Context) ([]File, []diag.Problem) {
	var changed string
	for range settleAttempts {
		listed := t.List()
		t.wrong, t.edited = listed.Problems, listed.edited
		files := make([]File, len(listed.Files))
		total := int64(0)
		for i, name := range listed.Files {
			files[i] = t.readSource(ctx, name)
			if total += int64(len(files[i].Content)); total > t.Bounds.TotalBytes { // it was less when they were listed
				return nil, []diag.Problem{*draft.ProblemOf(name, t.tooMuch())}
			}
		}
		if ctx.Err() != nil {
			return files, listed.Problems // each file says that it was not read
		}
		if changed = t.changedSince(files, t.List().Files); changed == "" {
			return files, append(listed.Problems, t.unmatched(slices.Concat(listed.Files, listed.refused))...)
		}
	}
	return nil, []diag.Problem{{
		Severity: diag.Error, Code: diag.Unreadable, Position: diag.InFile(changed),
		Message: "file changes while it is read; want files that hold still",
		Hint:    "run again when the files are written",
	}}
}

// changedSince returns a file that is not what was read, or "".
func (t *Tree) changedSince(files []File, again []string) string {
	for i, f := range files {
		if i >= len(again) || again[i] != f.Name || t.hash(f.Name) != f.Hash {
			return f.Name
		}
	}
	if len(again) > len(files) {
		return again[len(files)]
	}
	return ""
}

// unmatched reports each glob of adsync.yaml that includes no file: a source
// that is named and missing is not an empty one.
func (t *Tree) unmatched(files []string) []diag.Problem {
	var problems []diag.Problem
	for i, g := range t.globs {
		if i < len(t.Project.SourcesAt) && !slices.ContainsFunc(files, g.Matches) {
			problems = append(problems, diag.Problem{
				Severity: diag.Error, Code: diag.NoSources, Position: t.Project.SourcesAt[i],
				Message: fmt.Sprintf("sources has %q, and no file is there; want at least one", strings.Join(g, "/")),
			})
		}
	}
	return problems
}

func (t *Tree) readSource(ctx context.Context, name string) File {
	if err := ctx.Err(); err != nil {
		return File{
			Name: name, Problem: draft.ProblemOf(name, resource.Finding{
				Code: diag.Unreadable, Message: "reading was stopped before this file; want to read every source",
				Hint: err.Error(),
			}),
		}
	}
	content, hash, err := bounded.ReadRegular(t.Root, name, t.Bounds.OfSource(name))
	if err != nil {
		return File{Name: name, Hash: hash, Problem: draft.ProblemOf(name, bounded.Unreadable(err))}
	}
	return File{Name: name, Content: content, Hash: hash}
}

// ReadAgain reads a source that was read before. One that is another by now is in motion.
func (t *Tree) ReadAgain(ctx context.Context, f File) File {
	if f.Problem != nil {
		return f
	}
	again := t.readSource(ctx, f.Name)
	if again.Problem == nil && again.Hash != f.Hash {
		again.Content, again.Problem = nil, draft.ProblemOf(f.Name, resource.Finding{
			Code: diag.Unreadable, Message: "file changes while it is read; want files that hold still",
			Hint: "run again when the files are written",
		})
	}
	again.Hash = f.Hash
	return again
}

// hash reads a source again for its SHA-256 alone; "" where it cannot be read.
func (t *Tree) hash(name string) string {
	hash, _ := bounded.HashRegular(t.Root, name, t.Bounds.OfSource(name)) // why it cannot is said by who reads it
	return hash
}

// Summed is what the sum over all that was read is made of: names and bytes, and what
// among the sources is none.
type Summed struct {
	Hashes map[string]string // by name
	wrong  []string          // what among the sources is none
}

// Summed returns what the sum over files is made of.
func (t *Tree) Summed(files []File) Summed {
	s := Summed{Hashes: maps.Clone(t.Attached)}
	for _, f := range files {
		s.Hashes[f.Name] = f.Hash
	}
	for _, name := range t.edited {
		s.Hashes[name] = t.hash(name)
	}
	if t.Project.File != "" {
		s.Hashes[t.Project.File] = t.hash(t.Project.File)
	}
	for _, p := range t.wrong {
		if p.Severity == diag.Error {
			s.wrong = append(s.wrong, fmt.Sprintf("%s: %s: %s\n", p.Position, p.Message, p.Hint))
		}
	}
	return s
}

// Total is the sum, with other hashes for the files of some names, which may be new.
func (s Summed) Total(others map[string]string) string {
	total := sha256.New()
	names := slices.AppendSeq(slices.Collect(maps.Keys(s.Hashes)), maps.Keys(others))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		fmt.Fprintf(total, "%d:%s=%s\n", len(name), name, cmp.Or(others[name], s.Hashes[name]))
	}
	for _, line := range s.wrong {
		fmt.Fprint(total, line)
	}
	return hex.EncodeToString(total.Sum(nil))
}
