package resultcopy

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"adsync/internal/pattern"
)

// Shelf is where the copies of an account lie.
type Shelf struct {
	Beside string // the folder of the workbooks, beside which their copies lie; "" for Folder
	Folder string // where they lie otherwise
	Runs   string // what is kept of each run, a folder a run
}

// keptRuns is how many runs are kept.
const keptRuns = 20

func (s Shelf) name(of string) string {
	return filepath.Join(cmp.Or(s.Beside, s.Folder), filepath.FromSlash(NameOf(of)))
}

// Current is what the copy of a workbook says that lies there and nobody has saved since.
func (s Shelf) Current(of string) (Copy, bool) {
	for n := range mostNames {
		c, found := at(numbered(s.name(of), n+1))
		switch {
		case found == nothing:
			return Copy{}, false
		case found == copyOfOurs && !c.Edited && c.Of == of:
			return c, true
		}
	}
	return Copy{}, false
}

// Put makes a copy of a workbook the one that lies there. It returns its name, and those
// of the files that had the name and stay. The group of the folder may read it.
func (s Shelf) Put(of string, content []byte) (name string, stays []string, err error) {
	for range 3 {
		name, stays, err = Place(s.name(of), of)
		if err != nil {
			return "", stays, err
		}
		if err = write(name, content); !errors.Is(err, fs.ErrExist) { // else somebody made a file of that name
			break
		}
	}
	if err != nil {
		return "", stays, err
	}
	return name, stays, s.takeFormer(of, name)
}

// takeFormer takes copies away that lie under other names of the same workbook: they say
// what was before. One that somebody saved stays.
func (s Shelf) takeFormer(of, but string) (err error) {
	for n := range mostNames {
		name := numbered(s.name(of), n+1)
		if c, found := at(name); name != but && found == copyOfOurs && !c.Edited && c.Of == of {
			err = errors.Join(err, os.Remove(name))
		}
	}
	return err
}

// Keep keeps what is filled into a folder as that of a run, whole or not at all, beside
// those of the runs before; of all of them the newest stay. It returns the folder.
func (s Shelf) Keep(at time.Time, run string, fill func(folder string) error) (kept string, err error) {
	if err := makeShared(s.Runs); err != nil {
		return "", err
	}
	left, _ := filepath.Glob(filepath.Join(s.Runs, unfinished+"*")) // of a pattern that is one
	for _, folder := range left {
		if err := os.RemoveAll(folder); err != nil {
			return "", err
		}
	}
	folder, err := os.MkdirTemp(s.Runs, unfinished)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder) // nothing, once it has its name
	share(folder, 0o750)
	if err := fill(folder); err != nil {
		return "", err
	}
	kept = filepath.Join(s.Runs, at.UTC().Format(runTime)+"-"+run)
	for n := 2; ; n++ {
		if _, err := os.Lstat(kept); err != nil {
			break // nothing is there, or renaming says what is wrong
		}
		kept = filepath.Join(s.Runs, fmt.Sprintf("%s-%s-%d", at.UTC().Format(runTime), run, n))
	}
	if err := os.Rename(folder, kept); err != nil {
		return "", err
	}
	return kept, s.drop()
}

const (
	unfinished = ".new-" // what a process that was killed left
	runTime    = "2006-01-02T150405Z"
)

var runFolder = pattern.Of(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}Z-`)

// Age takes away what is kept of runs before a moment, and returns of how many.
func (s Shelf) Age(before time.Time) (gone int, err error) {
	runs, err := s.runs()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, run := range runs {
		if at, wrong := time.Parse(runTime, run[:len("2006-01-02T150405Z")]); wrong != nil || !at.Before(before) {
			continue
		}
		if failed := os.RemoveAll(filepath.Join(s.Runs, run)); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		gone++
	}
	return gone, err
}

// drop takes away all but the newest runs.
func (s Shelf) drop() error {
	runs, err := s.runs()
	for len(runs) > keptRuns {
		err, runs = errors.Join(err, os.RemoveAll(filepath.Join(s.Runs, runs[0]))), runs[1:]
	}
	return err
}

// runs are the folders of runs, the oldest first. Folders of other names are not adsync's.
func (s Shelf) runs() (runs []string, err error) {
	entries, err := os.ReadDir(s.Runs) // in the order of their names, which is that of the runs
	for _, entry := range entries {
		if entry.IsDir() && runFolder.MatchString(entry.Name()) {
			runs = append(runs, entry.Name())
		}
	}
	return runs, err
}

// write puts a file in the place of a copy, or where nothing is, whole or not at all.
func write(name string, content []byte) error {
	folder := filepath.Dir(name)
	if err := makeShared(folder); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, ".adsync-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // nothing, once it has its name
	_, err = file.Write(content)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	share(file.Name(), 0o640)
	if _, found := at(name); found == copyOfOurs {
		return os.Rename(file.Name(), name)
	}
	err = os.Link(file.Name(), name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(name); err == nil { // a file system without links
		return fs.ErrExist
	}
	return os.Rename(file.Name(), name)
}

// makeShared makes a folder, and those above it that are missing, each readable by the
// group of the one it is in.
func makeShared(folder string) error {
	if _, err := os.Stat(folder); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeShared(filepath.Dir(folder)); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	share(folder, 0o750)
	return nil
}

// share lets the group of the folder read what lies in it. Where adsync is not in that
// group, its own group may read it.
func share(name string, mode fs.FileMode) {
	if about, err := os.Stat(filepath.Dir(name)); err == nil {
		if of, is := about.Sys().(*syscall.Stat_t); is {
			_ = os.Chown(name, -1, int(of.Gid))
		}
	}
	_ = os.Chmod(name, mode) // it is adsync's own
}

// ShareAll lets the group of a folder read some files in it, and without names all of
// them, and those in folders in it.
func ShareAll(folder string, names ...string) error {
	for _, name := range names {
		share(filepath.Join(folder, name), 0o640)
	}
	if len(names) > 0 {
		return nil
	}
	return filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || name == folder:
			return err
		case entry.IsDir():
			share(name, 0o750)
		default:
			share(name, 0o640)
		}
		return nil
	})
}
