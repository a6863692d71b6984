package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/daemon"
	"adsync/internal/orders"
)

// The files the daemon of an account keeps in its state folder, beside those of
// package orders.
const (
	ApprovalsName = "approvals.ndjson" // a daemon.Approval a line
	AcceptedName  = "accepted.ndjson"  // a daemon.Acceptance a line
	exposureName  = "exposure.ndjson"  // a daemon.Point a line
)

// Lease is the daemon's hold on the state folder of one account, and what
// people order there.
type Lease struct {
	Folder orders.Folder
	Shared orders.Folder // whose STOP holds for all accounts; "" for none
	// folder that folder lies in, with the files, and that is never made; "" where it lies elsewhere
	Files string
	Say   orders.Daemon

	mu    sync.Mutex
	wrote time.Time          // when say was last written
	good  orders.Equal       // when files and account were last seen to be equal
	holds *orders.Attendance // nil until it was taken
	taken []orders.Ask
}

// ErrUnreachable says that the folder with the files of the account is not there.
var ErrUnreachable = errors.New("the folder with the files is not there")

// Acquire takes the account for this daemon, once, and again where its folder is
// another by now. Where the files' own folder is away nothing is made in its
// place: it may come back, by a name that is free or on a mount.
func (t *Lease) Acquire(sleep func(time.Duration)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holds != nil && t.holds.Stands() {
		return nil
	}
	if t.holds != nil {
		_ = t.holds.End() // nothing of it is left to give back
		t.holds = nil
	}
	if t.Files != "" {
		if _, err := os.Stat(t.Files); errors.Is(err, fs.ErrNotExist) {
			return ErrUnreachable
		}
	}
	holds, err := t.Folder.Attend(sleep)
	if err != nil {
		return err
	}
	t.holds = holds
	return holds.Say(t.Say)
}

// Release gives the account back.
func (t *Lease) Release() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holds == nil {
		return nil
	}
	t.writeEqual()
	err := t.holds.End()
	t.holds = nil
	return err
}

// sayEvery is how often a daemon says that nothing is new.
const sayEvery = 5 * time.Minute

// Shown puts a status where every command can see it. Looks that found nothing
// write only now and then: each write waits for the disk.
func (t *Lease) Shown(s daemon.Status) {
	if s.Running {
		return // busy says so, once it is more than a look
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.Say
	d.Running, d.State, d.Message, d.Last, d.Next, d.Exit = false,
		string(s.State), s.Message, s.Last, s.Next, console.CodeOfClass(s.State)
	d.Commit, d.Uncommitted = s.Revision.Commit, s.Revision.Uncommitted
	d.Answer(t.taken)
	same := t.Say.State == d.State && t.Say.Commit == d.Commit && t.Say.Uncommitted == d.Uncommitted &&
		t.Say.Message == d.Message && !t.Say.Running && len(t.taken) == 0 && time.Since(t.wrote) < sayEvery
	t.taken, t.Say, t.good = nil, d, orders.Equal{At: s.Good, Revision: s.Applied}
	if !same {
		t.write()
	}
}

// Busy says that a run reads and plans.
func (t *Lease) Busy() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Say.Running = true
	t.write()
}

// write writes what the daemon says. mu is held.
func (t *Lease) write() {
	if t.holds != nil {
		_ = t.holds.Say(t.Say) // the next word says it again
		t.writeEqual()
	}
	t.wrote = time.Now()
}

// writeEqual notes when all was equal last. mu is held.
func (t *Lease) writeEqual() {
	if t.holds != nil && t.holds.Stands() && !t.good.At.IsZero() {
		_ = t.Folder.SayEqual(t.good) // the next word says it again
	}
}

// Suspension is the stop that stands: a file STOP, or an order.
func (t *Lease) Suspension(now time.Time) *daemon.Suspension {
	for _, f := range []orders.Folder{t.Folder, t.Shared} {
		if f == "" {
			continue
		}
		if stop := f.Stop(); stop != "" {
			return &daemon.Suspension{By: "a file", Reason: stop + " lies there", File: true}
		}
	}
	return t.Folder.Suspension(now)
}

// Halt is the order that keeps the client from changing anything.
func (t *Lease) Halt() error {
	folders := []orders.Folder{t.Folder}
	if t.Shared != "" {
		folders = append(folders, t.Shared)
	}
	if err := orders.Standing(folders...); err != nil {
		return err
	}
	return t.Folder.Suspended(time.Now())
}

func (t *Lease) Suspend(s daemon.Suspension) error { return t.Folder.Suspend(s) }

func (t *Lease) Resume(now time.Time, by string) error {
	_, err := t.Folder.Resume(now, by)
	return err
}

// Take takes the wishes for a run.
func (t *Lease) Take() (full bool, accept []string) {
	asks := t.Folder.Asks()
	if len(asks) == 0 || t.Folder.Take(asks) != nil {
		return false, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = append(t.taken, asks...)
	for _, a := range asks {
		full = full || a.Full
		if a.Accept != "" {
			accept = append(accept, a.Accept)
		}
	}
	return full, accept
}

// Approvals returns what people allowed, the oldest first.
func (t *Lease) Approvals() ([]daemon.Approval, error) {
	return ReadLines[daemon.Approval](filepath.Join(string(t.Folder), ApprovalsName))
}

func (t *Lease) Approve(a daemon.Approval) error {
	return AppendLine(filepath.Join(string(t.Folder), ApprovalsName), a)
}

// Accept leaves the wish to go on with a commit although history was rewritten.
func (t *Lease) Accept(a daemon.Acceptance) error {
	_, err := t.Folder.Ask(orders.Ask{By: a.By, Note: a.Note, Since: a.Time, Accept: a.Commit})
	return err
}

// Took notes who accepted a commit, of those whose wishes the run took, before it is
// gone on with.
func (t *Lease) Took(commit, before string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.taken {
		if Accepted([]string{a.Accept}, commit) {
			return noteAccepted(t.Folder, daemon.Acceptance{
				Commit: commit, Before: before, By: a.By, Note: a.Note, Time: a.Since,
			})
		}
	}
	return nil
}

// noteAccepted keeps who accepted a commit.
func noteAccepted(folder orders.Folder, a daemon.Acceptance) error {
	if err := os.MkdirAll(string(folder), 0o700); err != nil {
		return err
	}
	return AppendLine(filepath.Join(string(folder), AcceptedName), a)
}

func (t *Lease) Acceptances() ([]daemon.Acceptance, error) {
	return ReadLines[daemon.Acceptance](filepath.Join(string(t.Folder), AcceptedName))
}

func (t *Lease) Exposures() ([]daemon.Point, error) {
	return ReadLines[daemon.Point](filepath.Join(string(t.Folder), exposureName))
}

// keptPoints is how many bytes of exposure are kept; the older half goes first.
const keptPoints = 1 << 20

func (t *Lease) Expose(p daemon.Point) error {
	name := filepath.Join(string(t.Folder), exposureName)
	if about, err := os.Lstat(name); err == nil && about.Size() > keptPoints {
		points, err := ReadLines[daemon.Point](name)
		if err != nil {
			return err
		}
		err = console.WriteFile(name, func(w io.Writer) error {
			for _, p := range points[len(points)/2:] {
				if err := json.NewEncoder(w).Encode(p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return AppendLine(name, p)
}

// AppendLine adds a line to a file of adsync's own, durably. A last line that was
// cut off is ended first.
func AppendLine(name string, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := OwnFile(name); err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	last := make([]byte, 1)
	if about, err := file.Stat(); err == nil && about.Size() > 0 {
		if _, err := file.ReadAt(last, about.Size()-1); err == nil && last[0] != '\n' {
			line = append([]byte("\n"), line...)
		}
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Sync(), file.Close())
}

// ReadLines reads what AppendLine wrote. A line that was cut off by a power cut
// is none.
func ReadLines[T any](name string) ([]T, error) {
	if err := OwnFile(name); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []T
	for line := range bytes.Lines(content) { // of any length: who approves much writes a long one
		var one T
		if json.Unmarshal(line, &one) == nil {
			all = append(all, one)
		}
	}
	return all, nil
}

// OwnFile refuses what is no file: a link would read or write another.
func OwnFile(name string) error {
	about, err := os.Lstat(name)
	if err == nil && !about.Mode().IsRegular() {
		return fmt.Errorf("%s is no plain file; see who put it there, and take it away", name)
	}
	return nil
}

// Accepted reports whether somebody accepted a commit by name.
func Accepted(accepts []string, commit string) bool {
	for _, given := range accepts {
		if len(given) >= 12 && strings.HasPrefix(commit, given) {
			return true
		}
	}
	return false
}
