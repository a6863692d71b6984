package orders

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Daemon is what the daemon of an account says of itself in its state folder. It
// holds no secret.
type Daemon struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Version string    `json:"version,omitempty"`
	Account string    `json:"account"` // as the daemon names it
	Since   time.Time `json:"since"`
	Listen  string    `json:"listen,omitempty"` // where its page is; "" where it does not listen
	Shared  string    `json:"shared,omitempty"` // the folder whose STOP holds for all its accounts

	Running bool      `json:"running"`
	State   string    `json:"state,omitempty"` // how the last run ended, a daemon.Class
	Message string    `json:"message,omitempty"`
	Exit    int       `json:"exit"` // what adsync apply would have ended with
	Last    time.Time `json:"last,omitzero"`
	Next    time.Time `json:"next,omitzero"`

	Commit      string `json:"commit,omitempty"`      // of the files that were read last; "" outside of git
	Uncommitted int    `json:"uncommitted,omitempty"` // how many of them are not as it has them

	Answered []string `json:"answered,omitempty"` // the ids of the newest wishes whose run has ended
}

// mostAnswered is how many ids are kept.
const mostAnswered = 32

// Answer notes wishes whose run has ended.
func (d *Daemon) Answer(asks []Ask) {
	for _, a := range asks {
		d.Answered = append(d.Answered, a.ID)
	}
	d.Answered = slices.Clone(d.Answered[max(0, len(d.Answered)-mostAnswered):])
}

// Attendance is the hold of a daemon on an account. The kernel ends it with the
// process, however that ends.
type Attendance struct {
	folder Folder
	lock   *os.File
}

// ErrAttended says that another daemon looks after the account.
var ErrAttended = errors.New("another daemon looks after this account")

// How often the lock is tried, and how long is waited between: who only looks
// holds it for a moment.
const (
	tries = 5
	pause = 20 * time.Millisecond
)

// Attend takes the account for this daemon. It is ErrAttended while another has
// it.
func (f Folder) Attend(sleep func(time.Duration)) (*Attendance, error) {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(f.path(lockName), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	for try := 1; errors.Is(err, unix.EWOULDBLOCK) && try < tries; try++ {
		sleep(pause)
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrAttended
		if d, _, there := f.Daemon(); there == nil {
			err = fmt.Errorf("%w: process %d on %s since %s", ErrAttended, d.PID, d.Host, minute(d.Since))
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return &Attendance{f, lock}, nil
}

// Stands reports whether the folder is still the one that was taken: another may have been
// put in its place, which another daemon could take.
func (a *Attendance) Stands() bool {
	there, err := os.Lstat(a.folder.path(lockName))
	if err != nil {
		return false
	}
	ours, err := a.lock.Stat()
	return err == nil && os.SameFile(there, ours)
}

// Say writes what the daemon says of itself, where the folder still is the one that
// was taken.
func (a *Attendance) Say(d Daemon) error {
	if !a.Stands() {
		return fmt.Errorf("%s is not the folder that was taken", a.folder)
	}
	return a.folder.write(DaemonName, d)
}

// End takes away what it said, and gives the account back. What stands in the
// place of the folder by now it leaves as it is.
func (a *Attendance) End() error {
	if !a.Stands() {
		return a.lock.Close()
	}
	return errors.Join(a.folder.remove(DaemonName), a.lock.Close())
}

// equalName is the file in which stands when files and account were last seen to be
// equal. It outlives a daemon.
const equalName = "equal.json"

// Revision is a version of the files.
type Revision struct {
	Commit  string    `json:"commit,omitempty"`  // full hash; "" outside of git
	Branch  string    `json:"branch,omitempty"`  // or tag
	Author  string    `json:"author,omitempty"`  // name only
	Subject string    `json:"subject,omitempty"` // first line of its message
	Time    time.Time `json:"time,omitzero"`
	Content string    `json:"content,omitempty"` // hash over all files read
	// Uncommitted counts the files that are not as Commit has them: of a folder in a git
	// work tree, whose files count as they are.
	Uncommitted int `json:"uncommitted,omitempty"`
}

// Equal is when files and account were last seen to be equal, and the version of the
// files that was.
type Equal struct {
	At       time.Time `json:"at"`
	Revision Revision  `json:"revision,omitzero"`
}

// UnmarshalJSON reads the time alone as well, which earlier versions wrote.
func (e *Equal) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte(`"`)) {
		return json.Unmarshal(text, &e.At)
	}
	type plain Equal
	return json.Unmarshal(text, (*plain)(e))
}

// SayEqual notes when files and account were last seen to be equal.
func (f Folder) SayEqual(e Equal) error {
	e.At = e.At.UTC()
	return f.write(equalName, e)
}

// Equal is when they were; zero where nobody said, or said a time that is yet to come.
func (f Folder) Equal(now time.Time) (e Equal) {
	if err := f.read(equalName, &e); err != nil || e.At.After(now) {
		return Equal{}
	}
	return e
}

// Daemon returns what the daemon of the account last said, and whether it lives. It
// is fs.ErrNotExist where none said anything.
func (f Folder) Daemon() (d Daemon, lives bool, err error) {
	if err := f.read(DaemonName, &d); err != nil {
		return d, false, err
	}
	lock, err := os.OpenFile(f.path(lockName), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return d, false, nil
	}
	if err != nil {
		return d, false, err
	}
	defer lock.Close()
	switch err := unix.Flock(int(lock.Fd()), unix.LOCK_SH|unix.LOCK_NB); {
	case err == nil:
		return d, false, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return d, true, nil
	default:
		return d, false, err
	}
}
