package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// plain refuses a folder in which one of the state's files is something else: a
// link that a commit or another user put there would have adsync empty the file
// it leads to, and a pipe would keep it waiting for ever.
func (f folder) plain() error {
	for _, name := range []string{
		lockName, markName, probeName, databaseName,
		databaseName + "-wal", databaseName + "-shm", databaseName + "-journal",
		databaseName + ".new", markName + ".new",
	} {
		about, err := os.Lstat(f.path(name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnusable, err)
		}
		if !about.Mode().IsRegular() {
			return fmt.Errorf("%w: %s is no file of adsync's but %s; see who put it there, and take it away",
				ErrUnusable, f.path(name), described(about.Mode()))
		}
	}
	return nil
}

func described(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a link to another place"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m.IsDir():
		return "a folder"
	}
	return "something special"
}
