package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"

	"adsync/sources"

	"github.com/spf13/cobra"
)

// newFile is a file a command makes under a name somebody gave. What stands there
// already stays as it is, but for --force, and for what adsync wrote there before
// and nobody edits.
type newFile struct {
	flag  string // that gives the name, for messages
	name  string
	force bool
	ours  func(content []byte) bool // says that what is there is such an output; nil where none is
	other string                    // another way out, for messages
	never bool                      // the command has no --force
}

func forceFlag(c *cobra.Command, force *bool) {
	c.Flags().BoolVar(force, "force", false, "replace a file of that name that is there already")
}

// free refuses a name that something has that stays. An empty file is nobody's
// work: mktemp makes one.
func (n newFile) free() error {
	about, err := os.Lstat(n.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return configuration("%s: %v", n.flag, err)
	case !about.Mode().IsRegular():
		return configuration("%s: %s is there, and is no plain file; want the name of a file", n.flag, nameOf(n.name))
	case about.Size() == 0:
		return nil
	}
	if lock := sources.LockFile(n.name); lock != "" {
		return configuration("%s: %s is open in an editor (%s is there); want it closed, or another name",
			n.flag, nameOf(n.name), nameOf(lock))
	}
	if n.force {
		return nil
	}
	if n.ours != nil {
		content, err := os.ReadFile(n.name)
		if err != nil {
			return configuration("%s: %v", n.flag, err)
		}
		if n.ours(content) {
			return nil
		}
	}
	return n.taken()
}

func (n newFile) taken() error {
	if n.never {
		return configuration("%s: %s is there, and adsync did not write it; want another name or folder",
			n.flag, nameOf(n.name))
	}
	return configuration("%s: %s is there already; want another name, or --force to replace it%s",
		n.flag, nameOf(n.name), n.other)
}

// write makes the file as a whole, or not at all.
func (n newFile) write(write func(io.Writer) error) error {
	if err := n.free(); err != nil {
		return err
	}
	put := createFile
	if _, err := os.Lstat(n.name); err == nil {
		put = writeFile
	}
	switch err := put(n.name, write); {
	case errors.Is(err, fs.ErrExist): // made by somebody else meanwhile
		return n.taken()
	case err != nil:
		return configuration("%s: %v", n.flag, err)
	}
	return nil
}

// holds reports whether the file has the content already.
func (n newFile) holds(content []byte) bool {
	have, err := os.ReadFile(n.name)
	return err == nil && bytes.Equal(have, content)
}

// outputs are how the forms of plans, saved plans and reports begin.
var outputs = []*regexp.Regexp{
	regexp.MustCompile(`^\{\s*"format_version": ?[0-9]+,`),
	regexp.MustCompile(`^\{"type":"[a-z]+","format_version":[0-9]+,`),
	regexp.MustCompile("^(<!-- adsync:plan:|### `adsync )"),
	regexp.MustCompile(`^(Possible spend a day:|adsync [a-z-]+ run-[0-9])`),
	regexp.MustCompile(`^::(notice|warning|error) ([^\n:]*,)?title=adsync`),
	regexp.MustCompile(`^<!DOCTYPE html>(?s:.{0,1000})<title>adsync `),
}

// isOutput reports whether a file is what adsync wrote for programs and readers:
// such a file is made anew at each run, and holds nothing of anybody's.
func isOutput(content []byte) bool {
	head := content[:min(len(content), 2000)]
	return slices.ContainsFunc(outputs, func(begins *regexp.Regexp) bool { return begins.Match(head) })
}

// outputFile is a file for what a plan or a report says. It is never put over what the
// plan was made from, over what may be a source where nothing could be read, or
// over adsync's own state, whatever is forced.
func outputFile(l loaded, flag, name string, force bool) (newFile, error) {
	return newFile{flag: flag, name: name, force: force, ours: isOutput}, writable(l, flag, name)
}
