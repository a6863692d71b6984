package sources

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
	"sync"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
)

// tree is the project's folder while it is read. Everything is opened through
// one os.Root, so that no path leads out of it.
type tree struct {
	project Project
	root    *os.Root
	globs   []bounded.Glob
	bounds  bounded.Limits
	hints   *hintFiles

	mu       sync.Mutex
	attached map[string]string   // slash path of every file referred to, to its SHA-256 or to why it could not be read
	wrong    []diag.Problem      // of the listing that the files are from
	edited   []string            // as wrong
	listed   map[string][]string // names of the files of a folder, once somebody misspelt one

	readBefore map[string]bool // files that are read as they are, without a look at what they are
}

// file is one source as it was read.
type file struct {
	name    string
	content []byte
	hash    string
	problem *diag.Problem // why there is no content
	members bool          // a members file, and so no source
}

func openTree(p Project) (*tree, error) {
	root, err := os.OpenRoot(p.folder())
	if err != nil {
		return nil, err
	}
	t := &tree{
		project: p, root: root, hints: newHintFiles(p.limits().Entries),
		bounds: p.limits(), attached: map[string]string{}, listed: map[string][]string{},
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

func (t *tree) close() { t.root.Close() }

const settleAttempts = 3

// settle reads the set of sources as of one moment: it lists, reads, lists and
// reads again, and takes the set only when both passes agree. Two halves of a
// change are never read together (fault F7).
func (t *tree) settle(ctx context.Context) ([]file, []diag.Problem) {
	var changed string
	for range settleAttempts {
		listed := t.list()
		t.wrong, t.edited = listed.problems, listed.edited
		files := make([]file, len(listed.files))
		total := int64(0)
		for i, name := range listed.files {
			files[i] = t.readSource(ctx, name)
			if total += int64(len(files[i].content)); total > t.bounds.TotalBytes { // it was less when they were listed
				return nil, []diag.Problem{*problemOf(name, t.tooMuch())}
			}
		}
		if ctx.Err() != nil {
			return files, listed.problems // each file says that it was not read
		}
		if changed = t.changedSince(files, t.list().files); changed == "" {
			return files, append(listed.problems, t.unmatched(slices.Concat(listed.files, listed.refused))...)
		}
	}
	return nil, []diag.Problem{{
		Severity: diag.Error, Code: diag.Unreadable, Position: diag.InFile(changed),
		Message: "file changes while it is read; want files that hold still",
		Hint:    "run again when the files are written",
	}}
}

// changedSince returns a file that is not what was read, or "".
func (t *tree) changedSince(files []file, again []string) string {
	for i, f := range files {
		if i >= len(again) || again[i] != f.name || t.hash(f.name) != f.hash {
			return f.name
		}
	}
	if len(again) > len(files) {
		return again[len(files)]
	}
	return ""
}

// unmatched reports each glob of adsync.yaml that includes no file: a source
// that is named and missing is not an empty one.
func (t *tree) unmatched(files []string) []diag.Problem {
	var problems []diag.Problem
	for i, g := range t.globs {
		if i < len(t.project.sourcesAt) && !slices.ContainsFunc(files, g.Matches) {
			problems = append(problems, diag.Problem{
				Severity: diag.Error, Code: diag.NoSources, Position: t.project.sourcesAt[i],
				Message: fmt.Sprintf("sources has %q, and no file is there; want at least one", strings.Join(g, "/")),
			})
		}
	}
	return problems
}

func (t *tree) readSource(ctx context.Context, name string) file {
	if err := ctx.Err(); err != nil {
		return file{
			name: name, problem: problemOf(name, resource.Finding{
				Code: diag.Unreadable, Message: "reading was stopped before this file; want to read every source",
				Hint: err.Error(),
			}),
		}
	}
	content, hash, err := bounded.ReadRegular(t.root, name, t.limitOf(name))
	if err != nil {
		return file{name: name, hash: hash, problem: problemOf(name, bounded.Unreadable(err))}
	}
	return file{name: name, content: content, hash: hash}
}

func (t *tree) limitOf(name string) int64 {
	switch bounded.BoundOf(name) {
	case "workbook":
		return t.bounds.WorkbookBytes
	case "csv":
		return t.bounds.CSVBytes
	}
	return t.bounds.YAMLBytes
}

// hash reads a source again for its SHA-256 alone; "" where it cannot be read.
func (t *tree) hash(name string) string {
	hash, _ := bounded.HashRegular(t.root, name, t.limitOf(name)) // why it cannot is said by who reads it
	return hash
}

// summed is what the sum over all that was read is made of: names and bytes, and what
// among the sources is none.
type summed struct {
	hashes map[string]string // by name
	wrong  []string          // what among the sources is none
}

func (t *tree) summed(files []file) summed {
	s := summed{hashes: maps.Clone(t.attached)}
	for _, f := range files {
		s.hashes[f.name] = f.hash
	}
	for _, name := range t.edited {
		s.hashes[name] = t.hash(name)
	}
	if t.project.File != "" {
		s.hashes[t.project.File] = t.hash(t.project.File)
	}
	for _, p := range t.wrong {
		if p.Severity == diag.Error {
			s.wrong = append(s.wrong, fmt.Sprintf("%s: %s: %s\n", p.Position, p.Message, p.Hint))
		}
	}
	return s
}

// total is the sum, with other hashes for the files of some names.
func (s summed) total(others map[string]string) string {
	total := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s.hashes)) {
		fmt.Fprintf(total, "%d:%s=%s\n", len(name), name, cmp.Or(others[name], s.hashes[name]))
	}
	for _, line := range s.wrong {
		fmt.Fprint(total, line)
	}
	return hex.EncodeToString(total.Sum(nil))
}
