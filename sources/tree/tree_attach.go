package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync"

	"adsync/internal/diag"
	"adsync/internal/members"
	"adsync/internal/resource"
	"adsync/sources/attach"
	"adsync/sources/bounded"
	"adsync/sources/draft"

	"golang.org/x/text/unicode/norm"
)

// attachments are the files that values refer to, while the sources are read.
type attachments struct {
	root   *os.Root
	bounds bounded.Limits

	mu       sync.Mutex
	Attached map[string]string   // slash path of every file referred to, to its SHA-256 or to why it could not be read
	listed   map[string][]string // names of the files of a folder, once somebody misspelt one
}

// Attach reads a file of the tree that a value refers to, by its path from the
// folder of the source the value stands in. It is safe for concurrent use.
func (t *attachments) Attach(name string, at diag.Position) (content []byte,
	slashPath string, finding *resource.Finding) {
	slashPath, finding = t.AttachedPath(name, at.File())
	if finding != nil {
		return nil, "", finding
	}
	if link := bounded.LinkIn(t.root, slashPath); link != "" {
		t.keepAttached(slashPath, t.trace(slashPath))
		return nil, "", draft.BadFile(fmt.Sprintf("file is %q, and %q is a symbolic link; want the file itself",
			name, link))
	}
	content, hash, err := bounded.ReadRegular(t.root, slashPath, t.bounds.AttachedBytes)
	if err != nil {
		t.keepRefused(slashPath, "", err)
		return nil, "", t.cannotAttach(name, slashPath, err)
	}
	if !t.keepAttached(slashPath, hash) {
		return nil, "", draft.BadFile(fmt.Sprintf("file %q changes while it is read; want files that hold still", name))
	}
	return content, slashPath, nil
}

// AttachedPath is the path of a file as its folder spells it: file systems keep ü
// as one character or as two, and text is read in one form alone.
func (t *attachments) AttachedPath(name, source string) (string, *resource.Finding) {
	slashPath, finding := draft.AttachedPath(name, source)
	if finding != nil {
		return "", finding
	}
	for _, spelled := range []string{slashPath, norm.NFC.String(slashPath), norm.NFD.String(slashPath)} {
		if _, err := t.root.Lstat(spelled); err == nil {
			return spelled, nil
		}
	}
	return slashPath, nil
}

func (t *attachments) cannotAttach(name, slashPath string, err error) *resource.Finding {
	if !errors.Is(err, fs.ErrNotExist) {
		f := bounded.Unreadable(err)
		if f.Code != diag.TooLarge {
			f.Code = diag.BadFile
		}
		return &resource.Finding{Code: f.Code, Message: fmt.Sprintf("file is %q: %s", name, f.Message), Hint: f.Hint}
	}
	f := draft.BadFile(fmt.Sprintf("file is %q, which is not there; want a file of the project", name))
	f.Hint = t.nearestFile(slashPath)
	return f
}

func (t *attachments) nearestFile(slashPath string) string {
	return diag.DidYouMean(path.Base(slashPath), t.filesIn(path.Dir(slashPath)))
}

// filesIn lists the files of a folder once; none where there are very many.
func (t *attachments) filesIn(folder string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if names, listed := t.listed[folder]; listed {
		return names
	}
	var names []string
	entries, err := fs.ReadDir(t.root.FS(), folder)
	for _, e := range entries {
		if err == nil && !e.IsDir() && len(entries) <= mostNames {
			names = append(names, e.Name())
		}
	}
	t.listed[folder] = names
	return names
}

// mostNames is how many files of a folder are looked through for the nearest name.
const mostNames = 1_000

// ReadMembers reads a members file of the tree under an identifier.
func (t *attachments) ReadMembers(name, slashPath string, as members.Identifier) attach.MembersFile {
	if link := bounded.LinkIn(t.root, slashPath); link != "" {
		t.keepAttached(slashPath, t.trace(slashPath))
		return attach.RefusedMembers(draft.BadFile(fmt.Sprintf("file is %q, "+
			"and %q is a symbolic link; want the file itself",
			name, link)))
	}
	list, hash, err := attach.ReadMembersFile(t.root, slashPath, as, t.bounds)
	if err != nil {
		t.keepRefused(slashPath, hash, err)
	}
	var f *members.Fault
	switch {
	case errors.As(err, &f):
		return attach.RefusedMembers(attach.FaultyMembers(name, f))
	case err != nil:
		return attach.RefusedMembers(t.cannotAttach(name, slashPath, err))
	case !t.keepAttached(slashPath, hash):
		return attach.RefusedMembers(draft.BadFile(fmt.Sprintf("file %q changes "+
			"while it is read; want files that hold still", name)))
	}
	m := attach.MembersFile{
		Digest: list.Digest(), Counts: list.Counts,
		Rejections: append([]members.Rejection{}, list.Rejections...), Findings: attach.JudgeMembers(name, list),
	}
	for _, f := range m.Findings {
		m.Failed = m.Failed || f.Severity != diag.Warning
	}
	return m
}

// keepAttached remembers a file that a value refers to; false where it was
// another before.
func (t *attachments) keepAttached(slashPath, hash string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before, read := t.Attached[slashPath]; read && before != hash {
		return false
	}
	t.Attached[slashPath] = hash
	return true
}
