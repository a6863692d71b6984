package sources

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// tree is the project's folder while it is read. Everything is opened through
// one os.Root, so that no path leads out of it.
type tree struct {
	project Project
	root    *os.Root
	globs   []glob
	bounds  bounds
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
		project: p, root: root, hints: newHintFiles(p.limits().entries),
		bounds: p.limits(), attached: map[string]string{}, listed: map[string][]string{},
	}
	for _, pattern := range p.Sources {
		g, err := newGlob(pattern)
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
			if total += int64(len(files[i].content)); total > t.bounds.totalBytes { // it was less when they were listed
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

// changedSince gives a file that is not what was read, or "".
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
		if i < len(t.project.sourcesAt) && !slices.ContainsFunc(files, g.matches) {
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
	content, hash, err := readRegular(t.root, name, t.limitOf(name))
	if err != nil {
		return file{name: name, hash: hash, problem: problemOf(name, unreadable(err))}
	}
	return file{name: name, content: content, hash: hash}
}

func problemOf(name string, f resource.Finding) *diag.Problem {
	p := problemAt(diag.InFile(name), f)
	return &p
}

func (t *tree) limitOf(name string) int64 {
	switch boundOf(name) {
	case "workbook":
		return t.bounds.workbookBytes
	case "csv":
		return t.bounds.csvBytes
	}
	return t.bounds.yamlBytes
}

// boundOf is the name of the bound a source's size is held to.
func boundOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".xlsx", ".xlsm", ".xltm", ".xlsb", ".xls", ".ods", ".numbers":
		return "workbook"
	case ".csv", ".tsv":
		return "csv"
	case ".yaml", ".yml":
		return "yaml"
	}
	return "attached"
}

// hash reads a source again for its SHA-256 alone; "" where it cannot be read.
func (t *tree) hash(name string) string {
	hash, _ := hashRegular(t.root, name, t.limitOf(name)) // why it cannot is said by who reads it
	return hash
}

// hashRegular gives the SHA-256 of a regular file of at most limit bytes in hex.
func hashRegular(root *os.Root, name string, limit int64) (string, error) {
	handle, err := openRegular(root, name)
	if err != nil {
		return "", err
	}
	defer handle.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(handle, limit+1))
	if err != nil {
		return "", err
	}
	if n > limit {
		return "", tooLarge(boundOf(name), n, limit)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// tooLarge is the error of a file beyond its bound.
func tooLarge(bound string, size, limit int64) error {
	return &resource.Limit{
		Message: fmt.Sprintf("file is over %s; want a smaller one", xlsx.Size(limit)),
		Hint:    "split it into several files", Bound: resource.EnoughMiB(bound, max(size, limit)),
	}
}

var errNotRegular = errors.New("not a regular file")

// openRegular opens a regular file and nothing else; a pipe or device does not
// block it.
func openRegular(root *os.Root, name string) (*os.File, error) {
	handle, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	about, err := handle.Stat()
	if err != nil || !about.Mode().IsRegular() {
		handle.Close()
		return nil, cmp.Or(err, errNotRegular)
	}
	return handle, nil
}

// readRegular reads a regular file of at most limit bytes and gives its SHA-256
// in hex.
func readRegular(root *os.Root, name string, limit int64) (content []byte, hash string, err error) {
	handle, err := openRegular(root, name)
	if err != nil {
		return nil, "", err
	}
	defer handle.Close()
	about, err := handle.Stat()
	if err != nil {
		return nil, "", err
	}
	if about.Size() > limit {
		return nil, "", tooLarge(boundOf(name), about.Size(), limit)
	}
	content = make([]byte, 0, about.Size()+1)
	for int64(len(content)) <= limit {
		n, err := handle.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		if errors.Is(err, io.EOF) {
			sum := sha256.Sum256(content)
			return content, hex.EncodeToString(sum[:]), nil
		}
		if err != nil {
			return nil, "", err
		}
		if len(content) == cap(content) {
			content = slices.Grow(content, 4096)
		}
	}
	return nil, "", tooLarge(boundOf(name), limit, limit)
}

// unreadable says to a person why a source has no content.
func unreadable(err error) resource.Finding {
	if limit := resource.LimitIn(err); limit != nil {
		return *limit
	}
	switch {
	case errors.Is(err, errNotRegular):
		return resource.Finding{Code: diag.Unreadable, Message: "is not a regular file; want one"}
	case errors.Is(err, fs.ErrPermission):
		return resource.Finding{
			Code: diag.Unreadable, Message: "file cannot be read: permission denied; want to read every source",
		}
	case errors.Is(err, fs.ErrNotExist):
		return resource.Finding{Code: diag.Unreadable, Message: "file is gone; want it there until it is read"}
	}
	return resource.Finding{
		Code: diag.Unreadable, Message: "file cannot be read; want to read every source", Hint: reason(err),
	}
}

// reason is the system's own word for an error, without path or operation.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
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
