package bounded

import (
	"path"
	"slices"
	"strings"
)

// IsCSV reports whether a file is one of fields with delimiters, by its name.
func IsCSV(file string) bool {
	ext := strings.ToLower(path.Ext(file))
	return ext == ".csv" || ext == ".tsv"
}

// IsTable is true for the files in which people keep lists of people.
func IsTable(name string) bool { return IsCSV(name) || strings.EqualFold(path.Ext(name), ".xlsx") }

// InPrivate reports whether a table lies in a folder named private, where members
// files are. It is never read as a source, not even where the audience that
// names it cannot be read: a problem of a source shows what it says.
func InPrivate(file string) bool {
	return slices.Contains(strings.Split(path.Dir(file), "/"), "private")
}
