// Package orders holds what people order of the adsync of one account, as files
// in its state folder, so that orders work with a daemon and without one, with a
// network and without: STOP (nothing is sent while it lies there), suspend.json
// (nothing is sent until then), ask-….json (a run is asked for), and daemon.json
// (what the daemon of the account says of itself).
//
// It refuses to know accounts, plans and the service. Its invariant: an order to
// stop that cannot be read stands.
package orders

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// The files of orders.
const (
	StopName    = "STOP"         // the kill switch; what is in it does not matter
	SuspendName = "suspend.json" // a Suspension
	DaemonName  = "daemon.json"  // a Daemon; daemon.lock beside it says whether it lives
	lockName    = "daemon.lock"
	askPrefix   = "ask-"
)

// largest is how much of a file is read.
const largest = 64 << 10

// Folder is where the orders of one account lie: its state folder. STOP may also
// lie in another that several accounts share.
type Folder string

func (f Folder) path(name string) string { return filepath.Join(string(f), name) }

// Suspension is a stop that somebody ordered: plans are made, nothing is sent.
type Suspension struct {
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until,omitzero"` // zero: until somebody resumes it
	File   bool      `json:"file,omitempty"` // a file STOP lies there
}

// String returns `suspended by anna since 2026-01-02 15:04 UTC until 17:04 UTC: reason`.
func (s Suspension) String() string {
	text := "suspended"
	if s.By != "" {
		text += " by " + s.By
	}
	if !s.Since.IsZero() {
		text += " since " + minute(s.Since)
	}
	if !s.Until.IsZero() {
		text += " until " + minute(s.Until)
	}
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	return text
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// Suspend puts a suspension in the place of the one before.
func (f Folder) Suspend(s Suspension) error {
	s.File = false
	if err := f.write(SuspendName, s); err != nil {
		return fmt.Errorf("suspend: %w", err)
	}
	if err := f.note(Ordered{Time: s.Since, Order: Suspend, By: s.By, Reason: s.Reason, Until: s.Until}); err != nil {
		return fmt.Errorf("the suspension stands, and who ordered it cannot be noted: %w", err)
	}
	return nil
}

// Suspension returns the suspension that stands at a moment, nil where none does.
// One that cannot be read stands.
func (f Folder) Suspension(now time.Time) *Suspension {
	var s Suspension
	switch err := f.read(SuspendName, &s); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &Suspension{
			Reason: fmt.Sprintf("%v; as nobody can say otherwise, it counts; adsync resume takes it away", err),
		}
	case !s.Until.IsZero() && !now.Before(s.Until):
		return nil
	}
	return &s
}

// Resume takes the suspension away, and gives the one that stood. Who did so is noted
// first.
func (f Folder) Resume(now time.Time, by string) (*Suspension, error) {
	stood := f.Suspension(now)
	if stood != nil {
		if err := f.note(Ordered{Time: now.UTC().Truncate(time.Second), Order: Resume, By: by}); err != nil {
			return stood, fmt.Errorf("resume: %w", err)
		}
	}
	if err := f.remove(SuspendName); err != nil {
		return stood, fmt.Errorf("resume: %w", err)
	}
	return stood, nil
}

// Stop returns the path of the file STOP, "" where there is none. Whatever has that
// name counts, and so does a folder nobody can look into.
func (f Folder) Stop() string {
	path := f.path(StopName)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return path
}

// ErrStop is the order of a file STOP, ErrSuspended that of a suspension.
var (
	ErrStop      = errors.New("a file STOP")
	ErrSuspended = errors.New("a suspension")
)

// order is an order as people read it.
type order struct {
	kind error
	text string
}

func (o order) Error() string { return o.text }
func (o order) Unwrap() error { return o.kind }

// Stopped is ErrStop, in words that say where the file lies.
func Stopped(text string) error { return order{ErrStop, text} }

// Standing gives ErrStop while a file STOP lies in one of the folders, nil where
// none does.
func Standing(folders ...Folder) error {
	for _, f := range folders {
		if path := f.Stop(); path != "" {
			return Stopped(path + " lies there: nothing is sent until it is taken away")
		}
	}
	return nil
}

// Suspended gives ErrSuspended while a suspension of the folder stands, nil where
// none does.
func (f Folder) Suspended(now time.Time) error {
	if s := f.Suspension(now); s != nil {
		return order{ErrSuspended, s.String() + "; adsync resume lifts it"}
	}
	return nil
}

// write puts a file in its place as a whole, and on the disk.
func (f Folder) write(name string, content any) error {
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	if err := f.regular(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := renameio.WriteFile(f.path(name), append(text, '\n'), 0o600, renameio.WithTempDir(string(f))); err != nil {
		return err
	}
	return f.sync()
}

func (f Folder) read(name string, into any) error {
	if err := f.regular(name); err != nil {
		return err
	}
	file, err := os.OpenFile(f.path(name), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largest+1))
	if err != nil {
		return err
	}
	if len(text) > largest {
		return fmt.Errorf("%s is over %d KiB; want a file of adsync's", f.path(name), largest>>10)
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(into); err != nil {
		return fmt.Errorf("%s cannot be read: %w", f.path(name), err)
	}
	return nil
}

// regular refuses what is no file: a link would read or write another.
func (f Folder) regular(name string) error {
	about, err := os.Lstat(f.path(name))
	if err == nil && !about.Mode().IsRegular() {
		return fmt.Errorf("%s is no plain file; see who put it there, and take it away", f.path(name))
	}
	return err
}

func (f Folder) remove(name string) error {
	err := os.Remove(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, f.sync())
}

// sync has the folder itself outlast a power cut.
func (f Folder) sync() error {
	dir, err := os.Open(string(f))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
