package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Holder is what the lock file says of the process that holds it. The kernel
// holds the lock and gives it back when the process ends, however it ends; the
// text is for people and decides nothing. A process that ends well takes it away.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`
	Command string    `json:"command,omitempty"`
	Version string    `json:"version,omitempty"`
}

// String returns `process 7 on host since 2026-01-02T15:04:05Z (adsync apply, version 1.2)`.
func (h Holder) String() string {
	text := fmt.Sprintf("process %d on %s since %s", h.PID, h.Host, h.Since.Format(time.RFC3339))
	switch {
	case h.Command != "" && h.Version != "":
		text += fmt.Sprintf(" (%s, version %s)", h.Command, h.Version)
	case h.Command != "":
		text += fmt.Sprintf(" (%s)", h.Command)
	}
	return text
}

// Holding is who has a state.
type Holding struct {
	Held   bool   // the kernel's word
	Known  bool   // the lock file names somebody
	Holder Holder // who: holds it, or held it and was killed
}

// How often the lock is tried before another process is said to hold it, and how
// long is waited between: who only looks holds it for a moment.
const (
	lockTries = 5
	lockPause = 20 * time.Millisecond
)

// lock takes the folder for this process; closing the file gives it back.
func lock(path string, o Options) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	if err := takeLock(file, o.Sleep); err != nil {
		return nil, errors.Join(refusal(file, err), file.Close())
	}
	host, err := os.Hostname()
	if err != nil {
		host = "an unnamed host"
	}
	text, err := json.Marshal(Holder{os.Getpid(), host, o.Now().UTC(), o.Command, o.Version})
	if err == nil {
		err = overwrite(file, append(text, '\n'))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrUnusable, err), file.Close())
	}
	return file, nil
}

func takeLock(file *os.File, sleep func(time.Duration)) error {
	err := flock(file, unix.LOCK_EX)
	for try := 1; err == unix.EWOULDBLOCK && sleep != nil && try < lockTries; try++ {
		sleep(lockPause)
		err = flock(file, unix.LOCK_EX)
	}
	return err
}

func flock(file *os.File, how int) error {
	for {
		if err := unix.Flock(int(file.Fd()), how|unix.LOCK_NB); err != unix.EINTR {
			return err
		}
	}
}

func overwrite(file *os.File, text []byte) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt(text, 0)
	return err
}

// unlock takes the text away and gives the lock back. What was closed before
// stays closed.
func unlock(file *os.File) error {
	err := errors.Join(overwrite(file, nil), file.Close())
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

func refusal(file *os.File, err error) error {
	if err != unix.EWOULDBLOCK {
		return fmt.Errorf("%w: lock %s: %w; want a local file system", ErrUnusable, file.Name(), err)
	}
	h, known := readHolder(file)
	if !known {
		return fmt.Errorf("%w by another process; wait until it has ended", ErrLocked)
	}
	return fmt.Errorf("%w by %s; wait until it has ended", ErrLocked, h)
}

func readHolder(file *os.File) (h Holder, known bool) {
	text, err := io.ReadAll(io.LimitReader(file, 4096))
	return h, err == nil && json.Unmarshal(text, &h) == nil
}

// HeldBy says who has the state in a folder. It takes nothing.
func HeldBy(dir string) (Holding, error) {
	if err := folder(dir).plain(); err != nil {
		return Holding{}, err
	}
	file, err := os.Open(filepath.Join(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return Holding{}, nil
	}
	if err != nil {
		return Holding{}, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	defer file.Close()
	var h Holding
	h.Holder, h.Known = readHolder(file)
	switch err := flock(file, unix.LOCK_SH); err {
	case nil:
		return h, nil
	case unix.EWOULDBLOCK:
		h.Held = true
		return h, nil
	default:
		return h, refusal(file, err)
	}
}

// Unlock takes away what a process that was killed has left in the lock file, and
// gives what it was. While a process holds the lock it is ErrLocked, however old
// the text is: only the kernel says when a process has ended.
func Unlock(dir string) (Holding, error) {
	if err := folder(dir).plain(); err != nil {
		return Holding{}, err
	}
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return Holding{}, nil
	}
	if err != nil {
		return Holding{}, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	if err := flock(file, unix.LOCK_EX); err != nil {
		return Holding{}, errors.Join(refusal(file, err), file.Close())
	}
	h, known := readHolder(file)
	return Holding{Known: known, Holder: h}, unlock(file)
}
