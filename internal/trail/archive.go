package trail

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Document is a file of an archive that is written for it.
type Document struct {
	Name  string
	Write func(io.Writer) error
}

// Archive writes documents, and below state/ every plain file of a folder but those that
// are left out, as one zip file that its owner alone reads. The file is on the disk and
// was read once more when it returns; one that is there is never replaced, and one that
// failed is removed.
func Archive(name string, documents []Document, folder string, leave []string) (err error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	names, err := fill(file, documents, folder, leave)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := readBack(name, names); err != nil {
		return fmt.Errorf("read %s once more: %w", name, err)
	}
	return nil
}

func fill(to io.Writer, documents []Document, folder string, leave []string) (names []string, err error) {
	z := zip.NewWriter(to)
	add := func(name string, write func(io.Writer) error) error {
		w, err := z.Create(name)
		if err == nil {
			err = write(w)
		}
		names = append(names, name)
		return err
	}
	for _, d := range documents {
		if err := add(d.Name, d.Write); err != nil {
			return nil, err
		}
	}
	err = filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		below, err := filepath.Rel(folder, at)
		if err != nil || slices.Contains(leave, below) {
			return err
		}
		return add(path.Join("state", filepath.ToSlash(below)), func(w io.Writer) error { return copyFile(w, at) })
	})
	return names, errors.Join(err, z.Close())
}

func copyFile(w io.Writer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, file)
	return errors.Join(err, file.Close())
}

// readBack reads every file of an archive with its sum.
func readBack(name string, names []string) (err error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	if len(z.File) != len(names) {
		return fmt.Errorf("it has %d files; want %d", len(z.File), len(names))
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err == nil {
			_, err = io.Copy(io.Discard, r)
			err = errors.Join(err, r.Close())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}
