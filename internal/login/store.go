package login

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/zalando/go-keyring"
	"golang.org/x/sys/unix"
)

// errNone is a place that keeps no tokens.
var errNone = errors.New("no tokens are kept")

// Keeper is where tokens are kept: a file, or the keyring of the system beside a file that is locked.
type Keeper struct {
	file   string
	inRing bool
}

// InFile keeps tokens in a file that its owner alone reads.
func InFile(name string) Keeper { return Keeper{file: name} }

// InKeyring keeps tokens in the keyring of the system; the file of the name is its lock.
func InKeyring(name string) Keeper { return Keeper{name, true} }

// ringName is the name of the program in the keyring.
const ringName = "adsync"

func (k Keeper) String() string {
	if k.inRing {
		return "the keyring of the system"
	}
	return k.file
}

// user is the name of the tokens in the keyring.
func (k Keeper) user() string { return filepath.Base(k.file) }

func (k Keeper) read() (Tokens, error) {
	if !k.inRing {
		return readFile(k.file)
	}
	text, err := keyring.Get(ringName, k.user())
	if errors.Is(err, keyring.ErrNotFound) {
		return Tokens{}, errNone
	}
	if err != nil {
		return Tokens{}, fmt.Errorf("%s cannot be read: %w", k, err)
	}
	t, err := decode([]byte(text))
	if err != nil {
		return t, fmt.Errorf("%s %w", k, err)
	}
	return t, nil
}

// mostBytes is the largest file of tokens.
const mostBytes = 64 << 10

func readFile(name string) (Tokens, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return Tokens{}, errNone
	}
	if err != nil {
		return Tokens{}, err
	}
	defer file.Close()
	about, err := file.Stat()
	switch {
	case err != nil:
		return Tokens{}, err
	case !about.Mode().IsRegular():
		return Tokens{}, fmt.Errorf("%s is no plain file; want the file that adsync login wrote", name)
	case about.Mode().Perm()&0o077 != 0:
		return Tokens{}, fmt.Errorf("%s has mode %#o, so that others may use the login; "+
			"want it for its owner alone: chmod 600, and log in anew", name, about.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(file, mostBytes))
	if err != nil {
		return Tokens{}, err
	}
	t, err := decode(text)
	if err != nil {
		return t, fmt.Errorf("%s %w; log in anew: adsync login", name, err)
	}
	return t, nil
}

func (k Keeper) beside() string { return k.file + ".new" }

// recover puts tokens in their place that a process had written, and was killed before it could.
func (k Keeper) recover() error {
	if k.inRing {
		return nil
	}
	_, err := readFile(k.beside())
	switch {
	case errors.Is(err, errNone):
		return nil
	case err != nil: // cut off before they were whole: the ones in place are still those in use
		return os.Remove(k.beside())
	}
	return k.place()
}

// room is what is put on the disk before new tokens are asked for, so that a full disk is met then.
const room = 16 << 10

// ahead makes the file for new tokens, before they are asked for.
func (k Keeper) ahead() error {
	if k.inRing {
		return nil
	}
	return k.put(bytes.Repeat([]byte{' '}, room), os.O_TRUNC)
}

func (k Keeper) put(text []byte, how int) error {
	file, err := os.OpenFile(k.beside(), os.O_WRONLY|os.O_CREATE|unix.O_NOFOLLOW|how, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(text, 0)
	if err == nil && how == 0 {
		err = file.Truncate(int64(len(text)))
	}
	return errors.Join(err, file.Chmod(0o600), file.Sync(), file.Close())
}

// write is back once the tokens are on the disk, in place of what was there.
func (k Keeper) write(t Tokens) error {
	text, err := t.encode()
	if err != nil {
		return err
	}
	if k.inRing {
		if err := keyring.Set(ringName, k.user(), string(text)); err != nil {
			return fmt.Errorf("%s does not take them: %w", k, err)
		}
		return nil
	}
	if err := k.put(text, 0); err != nil {
		return err
	}
	return k.place()
}

func (k Keeper) place() error {
	if err := os.Rename(k.beside(), k.file); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(k.file))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// remove takes the tokens away.
func (k Keeper) remove() error {
	if k.inRing {
		if err := keyring.Delete(ringName, k.user()); err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return fmt.Errorf("%s cannot be changed: %w", k, err)
		}
		return nil
	}
	return errors.Join(absent(os.Remove(k.beside())), absent(os.Remove(k.file)))
}

func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// lockPause is how long is waited between looks at a lock that another process has.
const lockPause = 50 * time.Millisecond

// lock takes the lock of the tokens, which the kernel gives back when a process ends, however it ends.
func (k Keeper) lock(ctx context.Context, sleep func(context.Context, time.Duration) error) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(k.file), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(k.file+".lock", os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		switch err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case nil:
			return func() { _ = file.Close() }, nil // reading and writing went through other files
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			if err := sleep(ctx, lockPause); err != nil {
				return nil, errors.Join(err, file.Close())
			}
		default:
			return nil, errors.Join(fmt.Errorf("lock %s: %w; want a local file system", file.Name(), err), file.Close())
		}
	}
}
