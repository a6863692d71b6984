// Package orders holds what people order of the adsync of one account, beside its
// state, so that orders work with a daemon and without one, and in a folder with a
// network and without: STOP (nothing is sent while it lies there), suspend.json
// (nothing is sent until then), pause-….json (what delivers is paused first),
// ask-….json (a run is asked for), and daemon.json (what the daemon of the account says
// of itself).
//
// It refuses to know accounts, plans and the service. Its invariant: an order to
// stop that cannot be read stands.
package orders

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"adsync/state/kv"
)

// The names of orders.
const (
	StopName    = "STOP"         // the kill switch; what is in it does not matter
	SuspendName = "suspend.json" // a Suspension
	DaemonName  = "daemon.json"  // a Daemon; daemon.lock beside it says whether it lives
	lockName    = "daemon.lock"
	askPrefix   = "ask-"
)

// largest is how much of a file is read.
const largest = 64 << 10

// Place is where the orders of one account lie: beside its state. STOP may also lie in
// a folder that several accounts share.
type Place struct {
	kv.Store
	Lock Lock // that the daemon of the account holds
	// Fenced is the same for the daemon of the account: nothing is changed once another has it. nil where the lock
	// alone says so.
	Fenced kv.Store
}

// InFolder is a place whose orders are files.
func InFolder(f kv.Folder) Place { return Place{Store: f, Lock: lockFile{f}} }

// Folder is InFolder of a folder by its path.
func Folder(dir string) Place { return InFolder(kv.Folder{Dir: dir}) }

// Suspension is a stop that somebody ordered: plans are made, nothing is sent.
type Suspension struct {
	By     string    `json:"by"`
	From   string    `json:"-"` // as of Ordered, which keeps it
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
func (p Place) Suspend(s Suspension) error {
	s.File = false
	if err := p.write(SuspendName, s); err != nil {
		return fmt.Errorf("suspend: %w", err)
	}
	if err := p.note(Ordered{Time: s.Since, Order: Suspend, By: s.By, From: s.From,
		Reason: s.Reason, Until: s.Until}); err != nil {
		return fmt.Errorf("the suspension stands, and who ordered it cannot be noted: %w", err)
	}
	return nil
}

// Suspension returns the suspension that stands at a moment, nil where none does.
// One that cannot be read stands.
func (p Place) Suspension(now time.Time) *Suspension {
	var s Suspension
	switch err := p.read(SuspendName, &s); {
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

// Resume takes the suspension away, and gives the one that stood. Who did so, from where and why is noted first.
func (p Place) Resume(o Ordered) (*Suspension, error) {
	stood := p.Suspension(o.Time)
	if stood != nil {
		o.Time, o.Order = o.Time.UTC().Truncate(time.Second), Resume
		if err := p.note(o); err != nil {
			return stood, fmt.Errorf("resume: %w", err)
		}
	}
	if err := p.Delete(SuspendName); err != nil {
		return stood, fmt.Errorf("resume: %w", err)
	}
	return stood, nil
}

// Stop returns where STOP lies, "" where there is none. Whatever has that name counts,
// and so does a place nobody can look into.
func (p Place) Stop() string {
	where, _ := p.stop()
	return where
}

// stop is Stop; unasked is why nobody can say whether it lies there.
func (p Place) stop() (where string, unasked error) {
	_, err := p.Get(StopName, largest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case errors.Is(err, kv.ErrUnreachable):
		unasked = err
	}
	return p.Where(StopName), unasked
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
func Standing(places ...Place) error {
	for _, p := range places {
		switch where, unasked := p.stop(); {
		case unasked != nil:
			return Stopped(fmt.Sprintf("nobody can say whether STOP stands, so nothing is sent: %v", unasked))
		case where != "":
			return Stopped(where + " lies there: nothing is sent until it is taken away")
		}
	}
	return nil
}

// Suspended gives ErrSuspended while a suspension of the folder stands, nil where
// none does.
func (p Place) Suspended(now time.Time) error {
	if s := p.Suspension(now); s != nil {
		return order{ErrSuspended, s.String() + "; adsync resume lifts it"}
	}
	return nil
}

func (p Place) write(name string, content any) error {
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	return p.Put(name, append(text, '\n'))
}

func (p Place) read(name string, into any) error {
	text, err := p.Get(name, largest)
	if err != nil {
		return err
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(into); err != nil {
		return fmt.Errorf("%s cannot be read: %w", p.Where(name), err)
	}
	return nil
}
