package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"

	"golang.org/x/text/unicode/norm"
)

// attach reads a file of the tree that a value refers to, by its path from the
// folder of the source the value stands in. It is safe for concurrent use.
func (t *tree) attach(name string, at diag.Position) (content []byte, slashPath string, finding *resource.Finding) {
	slashPath, finding = t.attachedPath(name, at.File())
	if finding != nil {
		return nil, "", finding
	}
	if link := linkIn(t.root, slashPath); link != "" {
		t.keepAttached(slashPath, t.trace(slashPath))
		return nil, "", badFile(fmt.Sprintf("file is %q, and %q is a symbolic link; want the file itself", name, link))
	}
	content, hash, err := bounded.ReadRegular(t.root, slashPath, t.bounds.AttachedBytes)
	if err != nil {
		t.keepRefused(slashPath, "", err)
		return nil, "", t.cannotAttach(name, slashPath, err)
	}
	if !t.keepAttached(slashPath, hash) {
		return nil, "", badFile(fmt.Sprintf("file %q changes while it is read; want files that hold still", name))
	}
	return content, slashPath, nil
}

func badFile(message string) *resource.Finding {
	return &resource.Finding{Code: diag.BadFile, Message: message}
}

// attachedPath is the slash path in the tree of a name written in a source.
func attachedPath(name, source string) (string, *resource.Finding) {
	joined := path.Join(path.Dir(source), name)
	if path.IsAbs(name) || strings.ContainsAny(name, "\\:\x00") || joined == ".." || strings.HasPrefix(joined, "../") {
		f := badFile(fmt.Sprintf("file is %q; want a "+
			"path from this file's folder that stays in the project, joined by /", name))
		if own := name[strings.LastIndexAny(name, `/\:`)+1:]; own != "" {
			f.Hint = "put the file beside this one, and write " + own
		}
		return "", f
	}
	return joined, nil
}

// attachedPath is the path of a file as its folder spells it: file systems keep ü
// as one character or as two, and text is read in one form alone.
func (t *tree) attachedPath(name, source string) (string, *resource.Finding) {
	slashPath, finding := attachedPath(name, source)
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

// linkIn gives the first part of a path that is a symbolic link, or "".
func linkIn(root *os.Root, slashPath string) string {
	for i := 0; i <= len(slashPath); i++ {
		if i < len(slashPath) && slashPath[i] != '/' {
			continue
		}
		about, err := root.Lstat(slashPath[:i])
		if err != nil {
			return ""
		}
		if about.Mode()&fs.ModeSymlink != 0 {
			return slashPath[:i]
		}
	}
	return ""
}

func (t *tree) cannotAttach(name, slashPath string, err error) *resource.Finding {
	if !errors.Is(err, fs.ErrNotExist) {
		f := bounded.Unreadable(err)
		if f.Code != diag.TooLarge {
			f.Code = diag.BadFile
		}
		return &resource.Finding{Code: f.Code, Message: fmt.Sprintf("file is %q: %s", name, f.Message), Hint: f.Hint}
	}
	f := badFile(fmt.Sprintf("file is %q, which is not there; want a file of the project", name))
	f.Hint = t.nearestFile(slashPath)
	return f
}

// mostNames is how many files of a folder are looked through for the nearest name.
const mostNames = 1_000

func (t *tree) nearestFile(slashPath string) string {
	return diag.DidYouMean(path.Base(slashPath), t.filesIn(path.Dir(slashPath)))
}

// filesIn lists the files of a folder once; none where there are very many.
func (t *tree) filesIn(folder string) []string {
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
