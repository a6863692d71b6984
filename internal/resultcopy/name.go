package resultcopy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ending is how the name of a copy that lies beside its workbook ends, before .xlsx.
const ending = " (adsync results)"

// Ignored is the pattern under which git leaves such copies alone.
const Ignored = "* (adsync results*).xlsx"

// NameOf is the name of the copy of a workbook beside it.
func NameOf(file string) string {
	end := filepath.Ext(file)
	return strings.TrimSuffix(file, end) + ending + end
}

// mostNames is how many names are tried for a copy.
const mostNames = 100

// numbered is a name, or another like it: q4 (adsync results 2).xlsx.
func numbered(name string, n int) string {
	if n < 2 {
		return name
	}
	end := filepath.Ext(name)
	stem := strings.TrimSuffix(name, end)
	if open, ours := strings.CutSuffix(stem, ")"); ours && strings.HasSuffix(stem, ending) {
		return fmt.Sprintf("%s %d)%s", open, n, end)
	}
	return fmt.Sprintf("%s (%d)%s", stem, n, end)
}

// Place returns the first of the names of a copy that is free, or has a copy of the same
// workbook that nobody has saved since; of is "" for any workbook. Everything else stays,
// and its names are in stays.
func Place(name, of string) (place string, stays []string, err error) {
	for n := range mostNames {
		candidate := numbered(name, n+1)
		c, found := at(candidate)
		switch {
		case found == nothing, found == copyOfOurs && !c.Edited && (of == "" || c.Of == of):
			return candidate, stays, nil
		}
		stays = append(stays, candidate)
	}
	return "", stays, fmt.Errorf("%d files are in the place of %s", mostNames, filepath.Base(name))
}

// found is what lies under a name.
type found uint8

const (
	nothing found = iota
	somethingElse
	copyOfOurs
)

func at(name string) (Copy, found) {
	about, err := os.Lstat(name)
	switch {
	case os.IsNotExist(err):
		return Copy{}, nothing
	case err != nil || !about.Mode().IsRegular():
		return Copy{}, somethingElse
	}
	handle, err := os.Open(name)
	if err != nil {
		return Copy{}, somethingElse
	}
	defer handle.Close()
	if c, is := Read(handle, about.Size()); is {
		return c, copyOfOurs
	}
	return Copy{}, somethingElse
}

// IsEdited reports whether a copy with results lies under a name that somebody saved since
// adsync wrote it.
func IsEdited(name string) bool {
	c, found := at(name)
	return found == copyOfOurs && c.Edited
}
