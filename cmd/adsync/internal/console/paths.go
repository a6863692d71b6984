package console

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"adsync/internal/diag"
)

// NameOf is a path as people see it.
func NameOf(name string) string { return diag.Printable(Shorter(name)) }

// Below returns the path of a folder, which need not be there yet, from another
// one; "" where it is not below it.
func Below(root, folder string) (string, error) {
	root, err := resolved(root)
	if err != nil {
		return "", err
	}
	folder, err = resolved(cleanFolder(folder))
	if err != nil {
		return "", err
	}
	inside, err := filepath.Rel(root, folder)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return "", nil
	}
	return inside, nil
}

func cleanFolder(folder string) string {
	if folder == "" {
		return "."
	}
	return folder
}

// resolved follows the links of what is there of a path.
func resolved(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) && name != filepath.Dir(name) {
		parent, err := resolved(filepath.Dir(name))
		return filepath.Join(parent, filepath.Base(name)), err
	}
	return real, err
}
