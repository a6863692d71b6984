package orders

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"adsync/state/kv"

	"golang.org/x/sys/unix"
)

// lockFile is the lock of an account whose orders are files. The kernel ends it with the
// process.
type lockFile struct{ folder kv.Folder }

// How often the lock is tried, and how long is waited between: who only looks
// holds it for a moment.
const (
	tries = 5
	pause = 20 * time.Millisecond
)

func (l lockFile) open(flags int) (*os.File, error) {
	return os.OpenFile(l.folder.Where(lockName), flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
}

func (l lockFile) Take(sleep func(time.Duration)) (Held, error) {
	if err := l.folder.Make(); err != nil {
		return nil, err
	}
	file, err := l.open(os.O_RDWR | os.O_CREATE)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	for try := 1; errors.Is(err, unix.EWOULDBLOCK) && try < tries; try++ {
		sleep(pause)
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrAttended
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return heldFile{l, file}, nil
}

func (l lockFile) Taken() (bool, error) {
	file, err := l.open(os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	err = unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// heldFile is a lock file that this process has locked.
type heldFile struct {
	lockFile
	file *os.File
}

// Stands reports whether the folder is still the one that was taken: another may have been
// put in its place, which another daemon could take.
func (h heldFile) Stands() bool {
	there, err := os.Lstat(h.folder.Where(lockName))
	if err != nil {
		return false
	}
	ours, err := h.file.Stat()
	return err == nil && os.SameFile(there, ours)
}

func (h heldFile) End() error { return h.file.Close() }
