package reconcile

import (
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/reconcile/apply"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/recover"
	"adsync/reconcile/send"
	"adsync/state"
)

// What callers of this package fill in and get back, under the names by which they know it.
type (
	Breaks            = env.Breaks
	Env               = env.Env
	InFlight          = env.InFlight
	People            = env.People
	Progress          = env.Progress
	WrongAccountError = env.WrongAccountError

	AuditChange         = live.AuditChange
	AuditEntry          = live.AuditEntry
	AuditQuery          = live.AuditQuery
	Import              = live.Import
	Known               = live.Known
	KnownRows           = live.KnownRows
	Reading             = live.Reading
	Span                = live.Span
	UnknownAddressError = live.UnknownAddressError
	Writer              = live.Writer

	Undecided = send.Undecided

	Bulk      = apply.Bulk
	Event     = apply.Event
	Options   = apply.Options
	Outcome   = apply.Outcome
	Preflight = apply.Preflight
	Report    = apply.Report
	View      = apply.View

	Decision  = recover.Decision
	Evidence  = recover.Evidence
	Recovered = recover.Recovered
)

// What an outcome and an event may say, and for how long something holds.
const (
	OpSettled   = apply.OpSettled
	OutcomeHeld = apply.OutcomeHeld
	QuietFor    = live.QuietFor
	RunCounted  = apply.RunCounted
	RunStarted  = apply.RunStarted
	StepMoved   = apply.StepMoved
	TrustWindow = env.TrustWindow
	WaveChecked = apply.WaveChecked
	WaveStarted = apply.WaveStarted
)

// The errors callers tell apart.
var (
	ErrOtherID  = recover.ErrOtherID
	ErrStale    = env.ErrStale
	ErrUnproven = recover.ErrUnproven
)

// RecoveryRules returns the table of recovery, in the order in which its rows are tried.
func RecoveryRules() []recover.RecoveryRule { return recover.RecoveryRules() }

// IsDecision reports whether an entry among the runs is what a person decided.
func IsDecision(run string) bool { return env.IsDecision(run) }

// UndecidedOf returns the operations of open steps that may have had an effect,
// and whose outcome the journal does not hold.
func UndecidedOf(schemas resource.Schemas, steps []state.Step) []Undecided {
	return send.UndecidedOf(schemas, steps)
}

// SameAccount returns a [WrongAccountError] where an account is not the one the files are for, in what
// they say of it.
func SameAccount(account adsapi.Account, files state.Account) error {
	return env.SameAccount(account, files)
}

// Mirrored returns the resources of some kinds as a mirror has them; what cannot be read is left out.
func Mirrored(schemas resource.Schemas, m state.Mirror, zone *time.Location) []*resource.Resource {
	return live.Mirrored(schemas, m, zone)
}

// Settled returns the head of a mirror to which nothing has come for QuietFor, with its newest entry alone.
func Settled(m state.Mirror) state.Mirror { return live.Settled(m) }
