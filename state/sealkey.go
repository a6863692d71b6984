package state

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"adsync/state/kv"
)

// sealKeyName is the key that seals what leaves the state and comes back, such as a saved
// plan.
const sealKeyName = "seal-key"

// sealKeyBytes is how long the key is.
const sealKeyBytes = 32

// SealKey returns the key that is kept beside a state. Where there is none one is made if
// it may be, and else it is fs.ErrNotExist. Two processes that make it at the same time get
// the same one.
func SealKey(beside kv.Store, mayMake bool) ([]byte, error) {
	var fresh []byte
	if mayMake {
		fresh = make([]byte, sealKeyBytes)
		_, _ = rand.Read(fresh) // never fails
	}
	key, err := beside.Secret(sealKeyName, fresh)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	case len(key) != sealKeyBytes:
		return nil, fmt.Errorf("%w: %s has %d bytes; want %d: put back the file, or remove it and save plans again",
			ErrDamaged, beside.Where(sealKeyName), len(key), sealKeyBytes)
	}
	return key, nil
}
