package bounded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// scratchName begins the name of every folder for the parts of a workbook that
// do not fit in memory while it is written. What is in them is private.
const scratchName = "adsync-workbook-"

// NewScratch makes a folder only this user can read, and takes away those that
// processes left behind that were killed (fault W25). A folder is in use as long as
// somebody holds its lock, which ends with the process.
func NewScratch() (folder string, remove func(), err error) {
	sweepScratch()
	for range 3 {
		folder, err = os.MkdirTemp("", scratchName)
		if err != nil {
			return "", nil, fmt.Errorf("make a folder for the workbook's parts: %w", err)
		}
		lock, err := lockFolder(folder)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EWOULDBLOCK) {
			continue // somebody else took it for left behind before it was locked
		}
		if err != nil {
			return "", nil, fmt.Errorf("lock the folder for the workbook's parts: %w", err)
		}
		return folder, func() { os.RemoveAll(folder); lock.Close() }, nil
	}
	return "", nil, fmt.Errorf("make a folder for the " +
		"workbook's parts: others take it away; want a folder of temporary files that holds still")
}

func sweepScratch() {
	left, err := filepath.Glob(filepath.Join(os.TempDir(), scratchName+"*"))
	if err != nil {
		return
	}
	for _, folder := range left {
		lock, err := lockFolder(folder)
		if err != nil {
			continue // in use, or another user's
		}
		os.RemoveAll(folder)
		lock.Close()
	}
}

// lockFolder takes the lock of a folder that is still there.
func lockFolder(folder string) (*os.File, error) {
	lock, err := os.OpenFile(folder, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, err
	}
	if _, err := os.Lstat(folder); err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}
