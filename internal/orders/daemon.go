package orders

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Daemon is what the daemon of an account says of itself beside its state. It
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

	Drafts []string `json:"drafts,omitempty"` // workbooks that are drafts, and what waits in each
	Passed []string `json:"passed,omitempty"` // measured spend of more than is allowed

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

// Lock is what a daemon holds an account by, so that no other does. It ends with the
// process, however that ends.
type Lock interface {
	// Take is ErrAttended while another process has it. It may sleep while somebody only looks.
	Take(sleep func(time.Duration)) (Held, error)
	// Taken reports whether a process has it.
	Taken() (bool, error)
}

// Held is a lock that this process has taken.
type Held interface {
	// Stands reports whether no other process can take it.
	Stands() bool
	End() error
}

// Attendance is the hold of a daemon on an account.
type Attendance struct {
	Held
	place Place
}

// ErrAttended says that another daemon looks after the account.
var ErrAttended = errors.New("another daemon looks after this account")

// Attend takes the account for this daemon. It is ErrAttended while another has
// it.
func (p Place) Attend(sleep func(time.Duration)) (*Attendance, error) {
	held, err := p.Lock.Take(sleep)
	if errors.Is(err, ErrAttended) {
		if d, _, there := p.Daemon(); there == nil {
			err = fmt.Errorf("%w: process %d on %s since %s", ErrAttended, d.PID, d.Host, minute(d.Since))
		}
	}
	if err != nil {
		return nil, err
	}
	return &Attendance{held, p}, nil
}

// Say writes what the daemon says of itself, where it still has the account.
func (a *Attendance) Say(d Daemon) error {
	if !a.Stands() {
		return fmt.Errorf("%s is not what was taken", a.place.Where(""))
	}
	return a.place.write(DaemonName, d)
}

// End takes away what it said, and gives the account back. What another says by now it
// leaves as it is.
func (a *Attendance) End() (err error) {
	if a.Stands() {
		err = a.place.Delete(DaemonName)
	}
	return errors.Join(err, a.Held.End())
}

// equalName is where it is kept when files and account were last seen to be equal. It
// outlives a daemon.
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
func (p Place) SayEqual(e Equal) error {
	e.At = e.At.UTC()
	return p.write(equalName, e)
}

// Equal is when they were; zero where nobody said, or said a time that is yet to come.
func (p Place) Equal(now time.Time) (e Equal) {
	if err := p.read(equalName, &e); err != nil || e.At.After(now) {
		return Equal{}
	}
	return e
}

// Daemon returns what the daemon of the account last said, and whether it lives. It
// is fs.ErrNotExist where none said anything.
func (p Place) Daemon() (d Daemon, lives bool, err error) {
	if err := p.read(DaemonName, &d); err != nil {
		return d, false, err
	}
	lives, err = p.Lock.Taken()
	return d, lives, err
}
