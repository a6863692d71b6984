package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/orders"
)

// The files the daemon of an account keeps in its state folder, beside those of
// package orders.
const (
	approvalsName = "approvals.ndjson" // a daemon.Approval a line
	acceptedName  = "accepted.ndjson"  // a daemon.Acceptance a line
	exposureName  = "exposure.ndjson"  // a daemon.Point a line
)

// attendant is the daemon's hold on the state folder of one account, and what
// people order there.
type attendant struct {
	folder orders.Folder
	shared orders.Folder // whose STOP holds for all accounts; "" for none
	// folder that folder lies in, with the files, and that is never made; "" where it lies elsewhere
	files string
	say   orders.Daemon

	mu    sync.Mutex
	wrote time.Time          // when say was last written
	good  orders.Equal       // when files and account were last seen to be equal
	holds *orders.Attendance // nil until it was taken
	taken []orders.Ask
}

// errAway says that the folder with the files of the account is not there.
var errAway = errors.New("the folder with the files is not there")

// attend takes the account for this daemon, once, and again where its folder is
// another by now. Where the files' own folder is away nothing is made in its
// place: it may come back, by a name that is free or on a mount.
func (t *attendant) attend(sleep func(time.Duration)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holds != nil && t.holds.Stands() {
		return nil
	}
	if t.holds != nil {
		_ = t.holds.End() // nothing of it is left to give back
		t.holds = nil
	}
	if t.files != "" {
		if _, err := os.Stat(t.files); errors.Is(err, fs.ErrNotExist) {
			return errAway
		}
	}
	holds, err := t.folder.Attend(sleep)
	if err != nil {
		return err
	}
	t.holds = holds
	return holds.Say(t.say)
}

// end gives the account back.
func (t *attendant) end() error {
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

// shown puts a status where every command can see it. Looks that found nothing
// write only now and then: each write waits for the disk.
func (t *attendant) shown(s daemon.Status) {
	if s.Running {
		return // busy says so, once it is more than a look
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.say
	d.Running, d.State, d.Message, d.Last, d.Next, d.Exit = false,
		string(s.State), s.Message, s.Last, s.Next, codeOfClass(s.State)
	d.Commit, d.Uncommitted = s.Revision.Commit, s.Revision.Uncommitted
	d.Answer(t.taken)
	same := t.say.State == d.State && t.say.Commit == d.Commit && t.say.Uncommitted == d.Uncommitted &&
		t.say.Message == d.Message && !t.say.Running && len(t.taken) == 0 && time.Since(t.wrote) < sayEvery
	t.taken, t.say, t.good = nil, d, orders.Equal{At: s.Good, Revision: s.Applied}
	if !same {
		t.write()
	}
}

// busy says that a run reads and plans.
func (t *attendant) busy() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.say.Running = true
	t.write()
}

// write writes what the daemon says. mu is held.
func (t *attendant) write() {
	if t.holds != nil {
		_ = t.holds.Say(t.say) // the next word says it again
		t.writeEqual()
	}
	t.wrote = time.Now()
}

// writeEqual notes when all was equal last. mu is held.
func (t *attendant) writeEqual() {
	if t.holds != nil && t.holds.Stands() && !t.good.At.IsZero() {
		_ = t.folder.SayEqual(t.good) // the next word says it again
	}
}

// Suspension is the stop that stands: a file STOP, or an order.
func (t *attendant) Suspension(now time.Time) *daemon.Suspension {
	for _, f := range []orders.Folder{t.folder, t.shared} {
		if f == "" {
			continue
		}
		if stop := f.Stop(); stop != "" {
			return &daemon.Suspension{By: "a file", Reason: stop + " lies there", File: true}
		}
	}
	return t.folder.Suspension(now)
}

// halt is the order that keeps the client from changing anything.
func (t *attendant) halt() error {
	folders := []orders.Folder{t.folder}
	if t.shared != "" {
		folders = append(folders, t.shared)
	}
	if err := orders.Standing(folders...); err != nil {
		return err
	}
	return t.folder.Suspended(time.Now())
}

func (t *attendant) Suspend(s daemon.Suspension) error { return t.folder.Suspend(s) }

func (t *attendant) Resume(now time.Time, by string) error {
	_, err := t.folder.Resume(now, by)
	return err
}

// Take takes the wishes for a run.
func (t *attendant) Take() (full bool, accept []string) {
	asks := t.folder.Asks()
	if len(asks) == 0 || t.folder.Take(asks) != nil {
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

// Approvals gives what people allowed, the oldest first.
func (t *attendant) Approvals() ([]daemon.Approval, error) {
	return readLines[daemon.Approval](filepath.Join(string(t.folder), approvalsName))
}

func (t *attendant) Approve(a daemon.Approval) error {
	return appendLine(filepath.Join(string(t.folder), approvalsName), a)
}

// accept leaves the wish to go on with a commit although history was rewritten.
func (t *attendant) accept(a daemon.Acceptance) error {
	_, err := t.folder.Ask(orders.Ask{By: a.By, Note: a.Note, Since: a.Time, Accept: a.Commit})
	return err
}

// took notes who accepted a commit, of those whose wishes the run took, before it is
// gone on with.
func (t *attendant) took(commit, before string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.taken {
		if accepted([]string{a.Accept}, commit) {
			return noteAccepted(t.folder, daemon.Acceptance{
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
	return appendLine(filepath.Join(string(folder), acceptedName), a)
}

func (t *attendant) acceptances() ([]daemon.Acceptance, error) {
	return readLines[daemon.Acceptance](filepath.Join(string(t.folder), acceptedName))
}

func (t *attendant) Exposures() ([]daemon.Point, error) {
	return readLines[daemon.Point](filepath.Join(string(t.folder), exposureName))
}

// keptPoints is how many bytes of exposure are kept; the older half goes first.
const keptPoints = 1 << 20

func (t *attendant) Expose(p daemon.Point) error {
	name := filepath.Join(string(t.folder), exposureName)
	if about, err := os.Lstat(name); err == nil && about.Size() > keptPoints {
		points, err := readLines[daemon.Point](name)
		if err != nil {
			return err
		}
		err = writeFile(name, func(w io.Writer) error {
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
	return appendLine(name, p)
}

// appendLine adds a line to a file of adsync's own, durably. A last line that was
// cut off is ended first.
func appendLine(name string, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := ownFile(name); err != nil {
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

// readLines reads what appendLine wrote. A line that was cut off by a power cut
// is none.
func readLines[T any](name string) ([]T, error) {
	if err := ownFile(name); err != nil {
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

// ownFile refuses what is no file: a link would read or write another.
func ownFile(name string) error {
	about, err := os.Lstat(name)
	if err == nil && !about.Mode().IsRegular() {
		return fmt.Errorf("%s is no plain file; see who put it there, and take it away", name)
	}
	return nil
}
