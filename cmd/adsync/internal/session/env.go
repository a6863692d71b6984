package session

import (
	"context"
	"sync"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/sources/config"
)

// Env is the environment of one command: its console, its clock, its files, its service.
type Env struct {
	console.Console
	Passes  Passing
	Clock   Clock
	Backing Backing
	Git     *GitSource // nil where a folder is read

	Middleware Middleware // stands before the emulator in this process; nil: nothing does

	Databases *Databases          // with states, that this process has opened
	Database  config.KeyReference // where the daemon's configuration says that the states lie; zero where it does not
	Addresses *Addresses          // which other accounts of this process ask from, too; nil: there are none
	Address   string              // what the daemon's configuration calls the network address; "": nothing

	// HandOver is how long a daemon is waited for that has the account in a database, and is asked to hand it over;
	// zero: nobody is asked
	HandOver time.Duration

	DraftsCount bool // workbooks that are drafts are read as if they were ready

	Direct bool // a state in a database is done without: what is done is noted in a folder of this machine

	Daemon bool  // no state lies on a branch
	Unkept error // why what the command did is not where its state lies

	OnSecret func(secret string) // is told of each credential that is read; nil: nobody blots it out
	// guards the record of reviews, which a daemon's own reads keep too; nil: nobody else does
	Reviewing *sync.Mutex
}

// Clock is the time in which the service is spoken to: who sleeps moves it. The
// zero clock is the system's.
type Clock struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
}

// OrSystem returns the clock, or that of the system where it is zero.
func (c Clock) OrSystem() Clock {
	if c.Now == nil {
		return Clock{time.Now, Sleep}
	}
	return c
}

// Sleep waits for a time, or until the context ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
