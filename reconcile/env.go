package reconcile

import (
	"context"
	"log/slog"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/state"
)

// Env is what every room of this package needs: the service, the state, the
// descriptions of the kinds, the clock, and who hears of it.
type Env struct {
	Service *adsapi.Client
	Store   state.Store
	Schemas resource.Schemas
	Account state.Account // as the files declare it; empty fields are not compared
	Zone    *time.Location
	Given   map[resource.Address]string // ids the files give: they decide between several of one name

	// People is the list behind a members file's "sha256:…" value.
	People func(digest string) (People, error)

	Progress func(Progress)
	Notice   func(string) // what a person has to hear at once; nil: nobody listens
	Logger   *slog.Logger
	Now      func() time.Time
	Sleep    func(context.Context, time.Duration) error

	InFlight *InFlight       // what is under way; nil: it is not watched
	Crash    func(cause any) // ends the process after a panic of a goroutine of this package; nil: nobody catches it
	Breaks   *Breaks         // in the place of Crash: the panic goes on in the goroutine that called this package

	paused bool // the ad account itself, when it was last read
}

// Progress is how far a long piece of work is.
type Progress struct {
	Stage string // "refresh", "check", "apply", "read back"
	Done  int
	Total int // 0 when unknown
}
