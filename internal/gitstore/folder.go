package gitstore

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/google/renameio/v2"
)

// The files that keep processes, and sources of one process, apart. The kernel gives a lock
// back when the process dies.
const (
	lockName     = "lock"     // of a source: one fetch or push at a time
	fetchingName = "fetching" // of a folder of objects: who brings more of them
	readingName  = "reading"  // of a folder of objects: who reads; packs go when nobody does
	// names, in the folder of a source, the folder of its objects where it shares that
	sharedName = "shared"
)

// lock keeps others from fetching for this source.
func (s *local) lock(ctx context.Context) (unlock func(), err error) {
	return lockFile(ctx, filepath.Join(s.config.Dir, lockName), syscall.LOCK_EX)
}

// Reading keeps the packs there are until it is ended.
func (s *local) Reading(ctx context.Context) (end func(), err error) {
	return lockFile(ctx, filepath.Join(s.folder, readingName), syscall.LOCK_SH)
}

// reading is Reading for the store itself.
func (s *local) reading(ctx context.Context) (end func(), err error) {
	end, err = s.Reading(ctx)
	if err == nil {
		s.reopen() // others may have put it together anew meanwhile
	}
	return end, err
}

func lockFile(ctx context.Context, name string, how int) (unlock func(), err error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		unlock, err := tryLock(name, how)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, &Error{
				Class: Transient, cause: ctx.Err(),
				text: "another adsync fetches into the store " + filepath.Dir(name) + "; want it to end",
			}
		case <-tick.C:
		}
	}
}

// tryLock locks a file without waiting: EWOULDBLOCK where somebody else has it.
func tryLock(name string, how int) (unlock func(), err error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, refuse(Configuration, "the store cannot be locked: %v", err)
	}
	err = syscall.EINTR
	for errors.Is(err, syscall.EINTR) {
		err = syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	}
	if err == nil {
		return func() { file.Close() }, nil
	}
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, err
	}
	return nil, refuse(Configuration, "the store cannot be locked: %v", err)
}

// openFolder finds the folder of the objects: that which is shared, also by a command that
// is given the folder of the source alone.
func (s *local) openFolder() error {
	name := filepath.Join(s.config.Dir, sharedName)
	if err := os.MkdirAll(s.config.Dir, 0o700); err != nil {
		return refuse(Configuration, "the store cannot be made: %v", err)
	}
	if s.config.Shared == nil {
		s.folder = s.config.Dir
		folder := SharedBy(s.config.Dir)
		if _, err := os.Stat(filepath.Join(folder, "repository", "HEAD")); folder != "" && err == nil {
			s.folder = folder
		}
		return nil
	}
	s.folder = s.config.Shared.dir
	text := s.folder
	if near, err := filepath.Rel(s.config.Dir, s.folder); err == nil { // the state may be moved
		text = near
	}
	if before, err := os.ReadFile(name); err == nil && strings.TrimSpace(string(before)) == text {
		return nil
	}
	if err := renameio.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
		return refuse(Configuration, "the store cannot be made: %v", err)
	}
	return nil
}

// SharedBy returns the folder of the objects that a source shares, by the source's own
// folder; "" where it shares none.
func SharedBy(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, sharedName))
	folder := strings.TrimSpace(string(text))
	if err != nil || folder == "" || filepath.IsAbs(folder) {
		return folder
	}
	return filepath.Join(dir, folder)
}

// takeOver brings what a source kept for itself into the folder that it shares now, where
// that lacks the commit it accepted last, and takes the rest away.
func (s *Store) takeOver(ctx context.Context, accepted string) error {
	old := filepath.Join(s.config.Dir, "repository")
	if _, err := os.Stat(old); s.folder == s.config.Dir || err != nil {
		return nil
	}
	unlock, err := lockFile(ctx, filepath.Join(s.folder, fetchingName), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer unlock()
	s.reopen()
	packs, err := filepath.Glob(filepath.Join(old, "objects", "pack", "pack-*.pack"))
	if accepted == "" || s.have(plumbing.NewHash(accepted)) {
		packs = nil
	}
	for _, name := range packs {
		err = errors.Join(err, s.copyPack(ctx, name))
	}
	if err == nil {
		err = os.RemoveAll(old)
	}
	if err != nil {
		return s.wrap(ctx, Transient, "take over the store of", err)
	}
	return nil
}

func (s *Store) copyPack(ctx context.Context, name string) error {
	from, err := os.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	folder := filepath.Join(s.Dir(), "objects", "pack")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	part, err := s.create(folder, scratchPrefix)
	if err != nil {
		return err
	}
	defer part.Close()
	if _, err := io.Copy(part, during{ctx, from}); err != nil {
		return err
	}
	_, err = s.install(ctx, folder, part, unbounded)
	return err
}
