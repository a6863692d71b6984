// Package env is what every room of reconcile shares: the service, the state, the clock and
// who hears of it (env.go), what is under way and must stop in time (inflight.go), and
// goroutines that break off (panic.go).
//
// It refuses an account that is not the one of the files and the state.
package env

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
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

	Paused bool   // the ad account itself, when it was last read
	Brand  string // what people see as who advertises, by then
	Icon   string // address of that one's icon, by then; "" without one
}

// Progress is how far a long piece of work is.
type Progress struct {
	Stage string // "refresh", "check", "apply", "read back"
	Done  int
	Total int // 0 when unknown
}

// CheckAccount holds the credential's account against the files and the state
// (invariant 12), before anything else is read.
func (a *Env) CheckAccount(ctx context.Context) error {
	live, err := a.Service.Account(ctx)
	if err != nil {
		return fmt.Errorf("read the ad account: %w", err)
	}
	if err := SameAccount(live, a.Account); err != nil {
		return err
	}
	a.Paused, a.Brand, a.Icon = live.Status == pausedAccount, live.Brand, live.Icon
	a.Account = state.Account{ID: live.ID, Currency: live.Currency, TimeZone: live.TimeZone}
	zone, err := time.LoadLocation(live.TimeZone)
	if err != nil {
		return fmt.Errorf("time zone of the ad account is %q; want an IANA name: %w", live.TimeZone, err)
	}
	a.Zone = zone
	if err := a.Store.Bind(ctx, a.Account); err != nil {
		return err
	}
	return a.shareSubmissions(ctx)
}

// shareSubmissions has the service's limit of submissions hold for all processes
// of this state, one after the other. One that only reads leaves no trace.
func (a *Env) shareSubmissions(ctx context.Context) error {
	submitted, err := a.Store.Submitted(ctx)
	if err != nil {
		return err
	}
	a.Service.ShareSubmissions(submitted, func(ctx context.Context, at time.Time) error {
		return IgnoreReadOnly(a.Store.RecordSubmitted(context.WithoutCancel(ctx), at))
	})
	return nil
}

// Tell says what a person has to hear at once.
func (a *Env) Tell(format string, args ...any) {
	if a.Notice != nil {
		a.Notice(fmt.Sprintf(format, args...))
	}
}

func (a *Env) ShowProgress(stage string, done, total int) {
	a.SignOfLife()
	if a.Progress != nil {
		a.Progress(Progress{Stage: stage, Done: done, Total: total})
	}
}

func IgnoreReadOnly(err error) error {
	if errors.Is(err, state.ErrReadOnly) {
		return nil
	}
	return err
}

// pausedAccount is the status of an ad account of which nothing is delivered.
const pausedAccount = "paused"

// SameAccount reports whether an account is the one the files are for, in what they say
// of it; its error is a [WrongAccountError].
func SameAccount(live adsapi.Account, files state.Account) error {
	for _, c := range []struct{ field, have, want string }{
		{"id", live.ID, files.ID}, {"currency", live.Currency, files.Currency},
		{"time zone", live.TimeZone, files.TimeZone},
	} {
		if c.want != "" && c.have != c.want {
			return &WrongAccountError{c.field, c.have, c.want}
		}
	}
	return nil
}

// WrongAccountError means that the key belongs to another account than the files.
type WrongAccountError struct{ Field, Have, Want string }

func (e *WrongAccountError) Error() string {
	return fmt.Sprintf("the key's account has %s %q; the files want %q: nothing was changed (%s)",
		e.Field, e.Have, e.Want, diag.WrongAccount)
}

// People is what is uploaded of a members file.
type People struct {
	Content []byte // one hash a line
	As      string // the sort of identifier that was hashed
}

// TrustWindow is how long a key is trusted to name the same request at the
// service; afterwards only reading back decides (design.md section 7).
const TrustWindow = 20 * time.Minute

// ClockSlack is how far ahead of now a moment that was noted may be: clocks are
// set back by as much.
const ClockSlack = time.Minute

// Day is how far back limits look.
const Day = 24 * time.Hour

// Decisions is how the names of what people decided begin among those of the runs.
const Decisions = "resolve-"

// IsDecision reports whether an entry among the runs is what a person decided.
func IsDecision(run string) bool {
	return strings.HasPrefix(run, Decisions) || strings.HasPrefix(run, state.AcceptPrefix)
}
