package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// holder is what the lock file says of the process that holds it. The kernel
// holds the lock and gives it back when the process ends, however it ends; the
// text is for people and decides nothing.
type holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// lock takes the folder for this process; closing the file gives it back.
func lock(path string, now time.Time) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	if err := flock(file); err != nil {
		return nil, errors.Join(refusal(file, err), file.Close())
	}
	host, err := os.Hostname()
	if err != nil {
		host = "an unnamed host"
	}
	text, err := json.Marshal(holder{os.Getpid(), host, now.UTC()})
	if err == nil {
		err = overwrite(file, text)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrUnusable, err), file.Close())
	}
	return file, nil
}

func flock(file *os.File) error {
	for {
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EINTR {
			return err
		}
	}
}

func overwrite(file *os.File, text []byte) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt(append(text, '\n'), 0)
	return err
}

func refusal(file *os.File, err error) error {
	if err != unix.EWOULDBLOCK {
		return fmt.Errorf("%w: lock %s: %w; want a local file system", ErrUnusable, file.Name(), err)
	}
	var h holder
	text, err := io.ReadAll(io.LimitReader(file, 4096))
	if err != nil || json.Unmarshal(text, &h) != nil {
		return fmt.Errorf("%w by another process; wait until it has ended", ErrLocked)
	}
	return fmt.Errorf("%w by process %d on %s since %s; wait until it has ended", ErrLocked, h.PID, h.Host, h.Since.Format(time.RFC3339))
}
