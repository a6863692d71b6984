package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writable refuses to write a plan over what it was made from, over what may be a
// source where nothing could be read, over adsync's own state, and over what is no
// plain file: a file put in the place of a device is there for everybody.
func writable(l loaded, flag, file string) error {
	about, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return configuration("%s: %v", flag, err)
	}
	if !about.Mode().IsRegular() {
		return configuration("%s: %s is there, and is no plain file; want the name of a file", flag, nameOf(file))
	}
	inside, err := below(l.project.Root, file)
	if err != nil {
		return configuration("%s: %v", flag, err)
	}
	if wasRead(l, filepath.ToSlash(inside)) {
		return configuration("%s: %s is a source that was read; want another name", flag, nameOf(file))
	}
	if strings.HasPrefix(filepath.ToSlash(inside), l.project.State+"/") {
		return configuration("%s: %s is in the folder of adsync's own state; want another folder", flag, nameOf(file))
	}
	return nil
}

// wasRead is true for every file of the project that counts: those that were read
// and, as a plan that failed read none of them, what is named like a source.
func wasRead(l loaded, inside string) bool {
	if inside == "" {
		return false
	}
	if slices.Contains(l.desired.Files, inside) {
		return true
	}
	named := []string{".yaml", ".yml", ".csv", ".tsv", ".xlsx"}
	return len(l.desired.Files) == 0 && slices.Contains(named, strings.ToLower(filepath.Ext(inside)))
}
