// Package newkey takes a key from the one answer that shows it to a file that its owner alone reads.
//
// It refuses to replace a file that it was not told to, and to put a key anywhere else. Its one
// invariant: once Keep has returned without an error the key is on the disk, in the file or
// beside it, until somebody removes it.
package newkey

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"adsync/internal/secret"
)

// Made is a key as the answer shows it.
type Made struct {
	Key secret.Text
	ID  string // of the key in the audit log; "" where the answer does not say
}

// Decode reads the answer to the creation of a key. Its errors quote nothing of it.
func Decode(answer []byte) (Made, error) {
	var wire struct {
		Key     string `json:"api_key"`
		Account string `json:"service_account_id"`
	}
	if err := json.Unmarshal(answer, &wire); err != nil || wire.Key == "" {
		return Made{}, errors.New("the answer shows no key in api_key")
	}
	return Made{secret.New(wire.Key), wire.Account}, nil
}

// File is where a key goes: beside its name first, then to it.
type File struct {
	name   string
	beside *os.File
}

// Ahead makes the file beside the name, before a key is asked for: where it cannot be made nothing
// is. One that is there may hold a key of an earlier attempt, and is left.
func Ahead(name string) (*File, error) {
	beside, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s.new is there, and may hold a key of an earlier attempt; "+
			"look into it, and remove it", name)
	}
	if err != nil {
		return nil, err
	}
	return &File{name, beside}, beside.Chmod(0o600)
}

// Beside is the name of the file beside the name.
func (f *File) Beside() string { return f.beside.Name() }

// Keep writes a key, and is back once it is on the disk.
func (f *File) Keep(key secret.Text) error {
	if _, err := f.beside.WriteString(key.Reveal() + "\n"); err != nil {
		return err
	}
	return errors.Join(f.beside.Sync(), syncFolder(f.name))
}

// Place puts the file at its name in one step: in place of what is there, or only where nothing is.
func (f *File) Place(replace bool) error {
	if err := f.beside.Close(); err != nil {
		return err
	}
	if !replace {
		if err := os.Link(f.beside.Name(), f.name); err != nil {
			return err
		}
		return errors.Join(os.Remove(f.beside.Name()), syncFolder(f.name))
	}
	return errors.Join(os.Rename(f.beside.Name(), f.name), syncFolder(f.name))
}

// Drop removes the file beside the name. It is for one that no key was written to.
func (f *File) Drop() error {
	return errors.Join(f.beside.Close(), os.Remove(f.beside.Name()))
}

func syncFolder(name string) error {
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
