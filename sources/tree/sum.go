package tree

import (
	"errors"
	"io/fs"
	"slices"

	"adsync/sources/bounded"
	"adsync/sources/config"
)

// SumOf returns what Desired.Hash is while the files are as they were: the sum over
// the names and bytes of adsync.yaml, of the sources there are now, and of the
// others that were read or should have been (Desired.Files). Nothing is parsed.
// Where something is wrong, the sum is another once it is mended: a folder that
// cannot be read, a link among the sources and a file that is missing have sums
// of their own.
func SumOf(p config.Project, read []string) string {
	t, err := Open(p)
	if err != nil {
		return "the folder cannot be opened: " + bounded.Reason(err)
	}
	defer t.Close()
	t.readBefore = map[string]bool{}
	for _, name := range read {
		t.readBefore[name] = true
	}
	listed := t.List()
	t.wrong, t.edited = listed.Problems, listed.edited
	for _, name := range read {
		if !slices.Contains(listed.Files, name) && name != p.File {
			t.Attached[name] = t.trace(name)
		}
	}
	files := make([]File, len(listed.Files))
	for i, name := range listed.Files {
		files[i] = File{Name: name, Hash: t.hash(name)}
	}
	return t.Summed(files).Total(nil)
}

// trace is what a file that a value refers to gives to the sum: its SHA-256, else
// why it cannot be read.
func (t *attachments) trace(slashPath string) string {
	if link := bounded.LinkIn(t.root, slashPath); link != "" {
		return link + " is a link"
	}
	hash, err := bounded.HashRegular(t.root,
		slashPath, max(t.bounds.AttachedBytes, t.bounds.MembersBytes, t.bounds.WorkbookBytes))
	if err != nil {
		return bounded.Reason(err)
	}
	return hash
}

// keepRefused remembers a file that a value refers to and that was not taken: by
// its hash where it was read, else as trace does.
func (t *attachments) keepRefused(slashPath, hash string, err error) {
	var unread *fs.PathError
	switch {
	case errors.As(err, &unread), errors.Is(err, bounded.ErrNotRegular):
		hash = bounded.Reason(err)
	case hash == "": // it is over its own bound
		hash = t.trace(slashPath)
	}
	t.keepAttached(slashPath, hash)
}
