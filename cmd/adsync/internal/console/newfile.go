package console

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"adsync/internal/pattern"
	"adsync/sources/tree"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"
)

// NewFile is a file a command makes under a name somebody gave. What stands there
// already stays as it is, but for --force, and for what adsync wrote there before
// and nobody edits.
type NewFile struct {
	Flag  string // that gives the name, for messages
	Name  string
	Force bool
	Ours  func(content []byte) bool // says that what is there is such an output; nil where none is
	other string                    // another way out, for messages
	Never bool                      // the command has no --force
}

// ForceFlag gives a command its flag --force.
func ForceFlag(c *cobra.Command, force *bool) {
	c.Flags().BoolVar(force, "force", false, "replace a file of that name that is there already")
}

// Free refuses a name that something has that stays. An empty file is nobody's
// work: mktemp makes one.
func (n NewFile) Free() error {
	about, err := os.Lstat(n.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return Configuration("%s: %v", n.Flag, err)
	case !about.Mode().IsRegular():
		return Configuration("%s: %s is there, and is no plain file; want the name of a file", n.Flag, NameOf(n.Name))
	case about.Size() == 0:
		return nil
	}
	if lock := tree.LockFile(n.Name); lock != "" {
		return Configuration("%s: %s is open in an editor (%s is there); want it closed, or another name",
			n.Flag, NameOf(n.Name), NameOf(lock))
	}
	if n.Force {
		return nil
	}
	if n.Ours != nil {
		content, err := os.ReadFile(n.Name)
		if err != nil {
			return Configuration("%s: %v", n.Flag, err)
		}
		if n.Ours(content) {
			return nil
		}
	}
	return n.taken()
}

func (n NewFile) taken() error {
	if n.Never {
		return Configuration("%s: %s is there, and adsync did not write it; want another name or folder",
			n.Flag, NameOf(n.Name))
	}
	return Configuration("%s: %s is there already; want another name, or --force to replace it%s",
		n.Flag, NameOf(n.Name), n.other)
}

// Write makes the file as a whole, or not at all. A file that is made meanwhile counts as one that was there before:
// two applies may write one file of results at once.
func (n NewFile) Write(write func(io.Writer) error) error {
	if err := n.Free(); err != nil {
		return err
	}
	var taken error
	err := putFile(n.Name, write, func(file *renameio.PendingFile) error {
		if err := createFile(file, n.Name); !errors.Is(err, fs.ErrExist) {
			return err
		}
		if taken = n.Free(); taken != nil {
			return taken
		}
		return file.CloseAtomicallyReplace()
	})
	if err == nil || taken != nil {
		return taken
	}
	return Configuration("%s: %v", n.Flag, err)
}

// Holds reports whether the file has the content already.
func (n NewFile) Holds(content []byte) bool {
	have, err := os.ReadFile(n.Name)
	return err == nil && bytes.Equal(have, content)
}

// outputs are how the forms of plans, saved plans and reports begin.
var outputs = []*pattern.Pattern{
	pattern.Of(`^\{\s*"format_version": ?[0-9]+,`),
	pattern.Of(`^\{"type":"[a-z]+","format_version":[0-9]+,`),
	pattern.Of("^(<!-- adsync:plan:|### `adsync )"),
	pattern.Of(`^(Possible spend a day:|adsync [a-z-]+ run-[0-9])`),
	pattern.Of(`^::(notice|warning|error) ([^\n:]*,)?title=adsync`),
	pattern.Of(`(?s)^<!DOCTYPE html>.*<title>adsync `),
}

// IsOutput reports whether a file is what adsync wrote for programs and readers:
// such a file is made anew at each run, and holds nothing of anybody's.
func IsOutput(content []byte) bool {
	head := content[:min(len(content), 2000)]
	return slices.ContainsFunc(outputs, func(begins *pattern.Pattern) bool { return begins.Match(head) })
}
