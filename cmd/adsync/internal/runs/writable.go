package runs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
)

// writable refuses to write a plan over what it was made from, over what may be a
// source where nothing could be read, over adsync's own state, and over what is no
// plain file: a file put in the place of a device is there for everybody.
func writable(l session.Loaded, flag, file string) error {
	about, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return console.Configuration("%s: %v", flag, err)
	}
	if !about.Mode().IsRegular() {
		return console.Configuration("%s: %s is there, and is no plain file; want the name of a file",
			flag, console.NameOf(file))
	}
	inside, err := console.Below(l.Project.Root, file)
	if err != nil {
		return console.Configuration("%s: %v", flag, err)
	}
	if wasRead(l, filepath.ToSlash(inside)) {
		return console.Configuration("%s: %s is a source that was read; want another name", flag, console.NameOf(file))
	}
	if strings.HasPrefix(filepath.ToSlash(inside), l.Project.State+"/") {
		return console.Configuration("%s: %s is in the folder of adsync's own state; want another folder",
			flag, console.NameOf(file))
	}
	return nil
}

// wasRead is true for every file of the project that counts: those that were read
// and, as a plan that failed read none of them, what is named like a source.
func wasRead(l session.Loaded, inside string) bool {
	if inside == "" {
		return false
	}
	if slices.Contains(l.Desired.Files, inside) {
		return true
	}
	named := []string{".yaml", ".yml", ".csv", ".tsv", ".xlsx"}
	return len(l.Desired.Files) == 0 && slices.Contains(named, strings.ToLower(filepath.Ext(inside)))
}

// OutputFile is a file for what a plan or a report says. It is never put over what the
// plan was made from, over what may be a source where nothing could be read, or
// over adsync's own state, whatever is forced.
func OutputFile(l session.Loaded, flag, name string, force bool) (console.NewFile, error) {
	return console.NewFile{Flag: flag, Name: name, Force: force, Ours: console.IsOutput}, writable(l, flag, name)
}
