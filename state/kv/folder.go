package kv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// Folder keeps contents as files of a folder. What is there and is no plain file is neither read nor replaced: a link
// would lead to another, and a pipe would keep everybody waiting.
type Folder struct {
	Dir string
	// Within is a folder in which Dir lies and that is never made: it may be back later, by a name that is free or on
	// a mount. "" is none.
	Within string
}

// Where returns the path of a file.
func (f Folder) Where(name string) string { return filepath.Join(f.Dir, filepath.FromSlash(name)) }

// ErrAway says that the folder around is not there.
var ErrAway = errors.New("the folder with the files is not there")

// Make makes the folder where it is not there.
func (f Folder) Make() error {
	if f.Within != "" {
		if _, err := os.Stat(f.Within); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", f.Within, ErrAway)
		}
	}
	return os.MkdirAll(f.Dir, 0o700)
}

// Get reads a file.
func (f Folder) Get(name string, most int) ([]byte, error) {
	file, err := f.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, int64(most)+1))
	if err == nil && len(content) > most {
		return nil, fmt.Errorf("%s is over %d KiB; want a file of adsync's", f.Where(name), most>>10)
	}
	return content, err
}

// Put replaces a file as a whole.
func (f Folder) Put(name string, content []byte) error {
	if err := f.prepare(name); err != nil {
		return err
	}
	dir := filepath.Dir(f.Where(name))
	if err := renameio.WriteFile(f.Where(name), content, 0o600, renameio.WithTempDir(dir)); err != nil {
		return err
	}
	return f.sync(name)
}

// Secret reads a file that others must not read.
func (f Folder) Secret(name string, fresh []byte) ([]byte, error) {
	content, err := f.secret(name)
	if fresh == nil || !errors.Is(err, fs.ErrNotExist) {
		return content, err
	}
	if err := f.link(name, fresh); err != nil {
		return nil, fmt.Errorf("make %s: %w", f.Where(name), err)
	}
	return f.secret(name)
}

func (f Folder) secret(name string) ([]byte, error) {
	file, err := f.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if about.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s is %v; want a file only its owner reads (0600)", f.Where(name), about.Mode())
	}
	return io.ReadAll(io.LimitReader(file, Most))
}

// link writes a file beside its name and links it there: whoever comes second finds the first one's.
func (f Folder) link(name string, content []byte) error {
	if err := f.prepare(name); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(f.Where(name)), "."+path.Base(name)+".*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(content)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), f.Where(name)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return f.sync(name)
}

// Append adds a line to a file. A last line that was cut off is ended first.
func (f Folder) Append(name string, line []byte) error {
	err := checkLine(line)
	if err == nil {
		err = f.prepare(name)
	}
	if err != nil {
		return err
	}
	file, err := f.lock(name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil {
		return err
	}
	text := append(slices.Clone(line), '\n')
	last := []byte{'\n'}
	if size := about.Size(); size > 0 {
		if _, err := file.ReadAt(last, size-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' {
		text = append([]byte{'\n'}, text...)
	}
	if _, err := file.Write(text); err != nil {
		return err
	}
	if about.Size() > 0 { // else its name may be new
		return file.Sync()
	}
	return errors.Join(file.Sync(), f.sync(name))
}

// Rewrite replaces a file as a whole while nobody appends to it.
func (f Folder) Rewrite(name string, change func(content []byte) []byte) error {
	file, err := f.lock(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		if change(nil) == nil {
			return nil
		}
		if err = f.prepare(name); err == nil {
			file, err = f.lock(name, os.O_RDWR|os.O_CREATE)
		}
	}
	if err != nil {
		return err
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	if content = change(content); content == nil {
		return nil
	}
	return f.Put(name, content)
}

// lock opens a file, and keeps others from doing so until it is closed. Where it was replaced meanwhile the one that
// is there by now is opened.
func (f Folder) lock(name string, flags int) (*os.File, error) {
	for {
		file, err := f.open(name, flags)
		if err != nil {
			return nil, err
		}
		for err = unix.EINTR; err == unix.EINTR; {
			err = unix.Flock(int(file.Fd()), unix.LOCK_EX)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", f.Where(name), err), file.Close())
		}
		ours, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		if there, err := os.Lstat(f.Where(name)); err == nil && os.SameFile(ours, there) {
			return file, nil
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}

// Delete removes a file, whatever it is, or a folder with all that is in it.
func (f Folder) Delete(name string) error {
	name, all := strings.CutSuffix(name, "/")
	remove := os.Remove
	if all {
		remove = os.RemoveAll
	}
	err := f.passable(name)
	if err == nil {
		err = remove(f.Where(name))
	}
	if err == nil {
		err = f.sync(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Names returns the plain files whose paths begin so.
func (f Folder) Names(prefix string) ([]string, error) {
	var names []string
	var list func(below string) error
	list = func(below string) error {
		var entries []fs.DirEntry
		err := f.passable(below + "x") // a name in it
		if err == nil {
			entries, err = os.ReadDir(f.Where(below))
		}
		for _, entry := range entries {
			name := below + entry.Name()
			switch {
			case !strings.HasPrefix(name, prefix), checkName(name) != nil: // as of what is not put in its place yet
			case entry.IsDir():
				err = errors.Join(err, list(name+"/"))
			case entry.Type().IsRegular():
				names = append(names, name)
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // or went away meanwhile
			return nil
		}
		return err
	}
	err := list(prefix[:strings.LastIndexByte(prefix, '/')+1])
	slices.Sort(names)
	return names, err
}

// open opens a plain file.
func (f Folder) open(name string, flags int) (*os.File, error) {
	if err := f.plain(name); err != nil && (flags&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	return os.OpenFile(f.Where(name), flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
}

// plain refuses what is there and is no plain file.
func (f Folder) plain(name string) error {
	if err := f.passable(name); err != nil {
		return err
	}
	about, err := os.Lstat(f.Where(name))
	if err == nil && !about.Mode().IsRegular() {
		err = odd(f.Where(name), "plain file")
	}
	return err
}

// passable refuses a name on whose way something is no folder.
func (f Folder) passable(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	for i, letter := range name {
		if letter != '/' {
			continue
		}
		about, err := os.Lstat(f.Where(name[:i]))
		if err == nil && !about.IsDir() {
			err = odd(f.Where(name[:i]), "folder")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func odd(path, want string) error {
	return fmt.Errorf("%s is no %s; see who put it there, and take it away", path, want)
}

// prepare makes the folders on the way to a name, and refuses what is there and is no plain file.
func (f Folder) prepare(name string) error {
	if err := f.plain(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := f.Make(); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Dir(f.Where(name)), 0o700)
}

// sync has the folders on the way to a name outlast a power cut.
func (f Folder) sync(name string) error {
	for name != "." {
		name = path.Dir(name)
		dir, err := os.Open(f.Where(name))
		if err != nil {
			return err
		}
		if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
			return err
		}
	}
	return nil
}
