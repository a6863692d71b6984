package config

import (
	"os"
	"path/filepath"
)

// FindProject returns the project a file or folder belongs to, and its slash path
// in it: that of the nearest folder above with an adsync.yaml, down from the
// top of its git repository, else the folder itself.
func FindProject(name string) (root, inside string, err error) {
	folder, err := filepath.Abs(name)
	if err != nil {
		return "", "", err
	}
	about, err := os.Stat(folder)
	if err != nil {
		return "", "", err
	}
	target := folder
	if !about.IsDir() {
		folder = filepath.Dir(folder)
	}
	root = folder
	for at := folder; ; at = filepath.Dir(at) {
		if isThere(filepath.Join(at, ProjectFile)) {
			root = at
			break
		}
		if isThere(filepath.Join(at, ".git")) || at == filepath.Dir(at) {
			break
		}
	}
	inside, err = filepath.Rel(root, target)
	return root, filepath.ToSlash(inside), err
}

func isThere(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
