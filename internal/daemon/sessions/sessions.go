// Package sessions keeps who is logged in at the page of one daemon, in memory and, where a file is named, across
// its restarts.
//
// It refuses to know cookies: it keeps hashes, of which nobody can make a cookie. Its one invariant: a session
// that ended never counts again, also where the file could not be written.
package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/renameio/v2"
)

// most is how many people are logged in at most.
const most = 1000

// Kept has the sessions of one daemon.
type Kept struct {
	now  func() time.Time
	file string // "" for memory alone

	mu  sync.Mutex
	all map[[sha256.Size]byte]session
}

// session is what was noted of it, and until when it counts.
type session struct {
	text string
	ends time.Time
}

// InMemory returns sessions that end with the process.
func InMemory(now func() time.Time) *Kept {
	return &Kept{now: now, all: map[[sha256.Size]byte]session{}}
}

// document is the file. It has no secret in it; who is logged in is nobody else's to know.
type document struct {
	FormatVersion int    `json:"format_version"`
	Sessions      []line `json:"sessions"`
}

type line struct {
	Hash string    `json:"hash"`
	Text string    `json:"text"`
	Ends time.Time `json:"ends"`
}

const formatVersion = 1

// Open returns the sessions of a file, which need not be there yet. With an error they are those that could be read:
// whoever is missing logs in again.
func Open(file string, now func() time.Time) (*Kept, error) {
	k := InMemory(now)
	k.file = file
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	var d document
	if err == nil {
		err = json.Unmarshal(content, &d)
	}
	if err == nil && d.FormatVersion != formatVersion {
		err = fmt.Errorf("%s has format_version %d; want %d", file, d.FormatVersion, formatVersion)
	}
	if err != nil {
		return k, err
	}
	for _, one := range d.Sessions {
		var hash [sha256.Size]byte
		if b, err := hex.DecodeString(one.Hash); err == nil && copy(hash[:], b) == len(hash) {
			k.all[hash] = session{one.Text, one.Ends}
		}
	}
	return k, nil
}

// Begin notes a text of who has logged in, by the hash of what their cookie holds.
func (k *Kept) Begin(_ context.Context, hash [sha256.Size]byte, text string, lasts time.Duration) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tidy(k.now())
	k.all[hash] = session{text, k.now().Add(lasts)}
	return k.write()
}

// tidy drops the sessions that are over, and the nearest to its end where there
// are too many.
func (k *Kept) tidy(now time.Time) {
	var oldest [sha256.Size]byte
	var ends time.Time
	for hash, one := range k.all {
		switch {
		case !now.Before(one.ends):
			delete(k.all, hash)
		case ends.IsZero() || one.ends.Before(ends):
			oldest, ends = hash, one.ends
		}
	}
	if len(k.all) >= most {
		delete(k.all, oldest)
	}
}

// Of returns what was noted of a session; "" where there is none, or none any more.
func (k *Kept) Of(_ context.Context, hash [sha256.Size]byte) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	one := k.all[hash]
	if !k.now().Before(one.ends) {
		return "", nil
	}
	return one.text, nil
}

// All returns what was noted of the sessions there are.
func (k *Kept) All(context.Context) (map[[sha256.Size]byte]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	all, now := map[[sha256.Size]byte]string{}, k.now()
	for hash, one := range k.all {
		if now.Before(one.ends) {
			all[hash] = one.text
		}
	}
	return all, nil
}

// End ends a session. With an error it is over in this process, and would be back after a restart.
func (k *Kept) End(_ context.Context, hash [sha256.Size]byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, there := k.all[hash]; !there {
		return nil
	}
	delete(k.all, hash)
	return k.write()
}

// write replaces the file, so that a kill leaves the one before or this one.
func (k *Kept) write() error {
	if k.file == "" {
		return nil
	}
	d := document{FormatVersion: formatVersion, Sessions: []line{}}
	for hash, one := range k.all {
		d.Sessions = append(d.Sessions, line{hex.EncodeToString(hash[:]), one.text, one.ends})
	}
	content, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(k.file), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(k.file, append(content, '\n'), 0o600)
}
