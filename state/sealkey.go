package state

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// sealKeyName is the file of the key that seals what leaves the folder and comes
// back, such as a saved plan.
const sealKeyName = "seal-key"

// sealKeyBytes is how long the key is.
const sealKeyBytes = 32

// SealKey returns the key of a state's folder. A folder without one gets a key
// where it may be made, and gives fs.ErrNotExist where not. Two processes that
// make it at the same time get the same one.
func SealKey(dir string, mayMake bool) ([]byte, error) {
	name := filepath.Join(dir, sealKeyName)
	key, err := readSealKey(name)
	if !errors.Is(err, fs.ErrNotExist) || !mayMake {
		return key, err
	}
	if err := makeSealKey(dir, name); err != nil {
		return nil, fmt.Errorf("make %s: %w", name, err)
	}
	return readSealKey(name)
}

func readSealKey(name string) ([]byte, error) {
	about, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !about.Mode().IsRegular() || about.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%w: %s is %v; want a file only its owner reads (0600)", ErrUnusable, name, about.Mode())
	}
	key, err := os.ReadFile(name)
	if err == nil && len(key) != sealKeyBytes {
		return nil, fmt.Errorf("%w: %s has %d bytes; want %d: put back the file, or remove it and save plans again",
			ErrDamaged, name, len(key), sealKeyBytes)
	}
	return key, err
}

// makeSealKey writes the key beside its name and links it there: whoever comes
// second finds the first one's.
func makeSealKey(dir, name string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, sealKeyName+".*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := io.CopyN(file, rand.Reader, sealKeyBytes); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
