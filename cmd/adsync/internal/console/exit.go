package console

import (
	"context"
	"errors"

	"adsync/internal/adsapi"
	"adsync/internal/daemon"
	"adsync/reconcile"
	"adsync/state"
)

// The exit codes of design.md section 10. They are frozen by a test.
const (
	ExitDone        = 0   // done, or nothing to do
	ExitInternal    = 1   // a fault of adsync
	ExitPending     = 2   // changes pending, with --detailed-exitcode
	ExitInvalid     = 3   // the files are not valid
	ExitUsage       = 4   // usage or configuration
	ExitPermission  = 5   // credentials or permission
	ExitRefused     = 6   // refused by policy
	ExitStale       = 7   // the plan is stale
	ExitPartial     = 8   // applied in part
	ExitUnknown     = 9   // an outcome is unknown
	ExitLocked      = 10  // locked
	ExitUnavailable = 11  // service unavailable
	ExitInterrupted = 130 // interrupted
)

// ExitTable is the table of docs/use/reference.md, row by row, and what the daemon waits
// for after a run that would have ended so.
var ExitTable = []struct {
	Code    int
	Meaning string
	class   daemon.Class
}{
	{ExitDone, "done, or nothing to do", daemon.InSync},
	{ExitInternal, "internal error", daemon.Internal},
	{ExitPending, "changes pending (with --detailed-exitcode)", daemon.InSync},
	{ExitInvalid, "input invalid", daemon.Input},
	{ExitUsage, "usage or configuration", daemon.Misplaced},
	{ExitPermission, "credentials or permission", daemon.Credentials},
	{ExitRefused, "refused by policy", daemon.Held},
	{ExitStale, "plan is stale", daemon.Transient},
	{ExitPartial, "applied in part", daemon.Partial},
	{ExitUnknown, "an outcome is unknown", daemon.Undecided},
	{ExitLocked, "locked by another adsync", daemon.Locked},
	{ExitUnavailable, "service unavailable", daemon.Transient},
	{ExitInterrupted, "interrupted", daemon.Stopped},
}

// Exit is an error that knows its code. An empty message prints nothing: the
// command has said it already.
type Exit struct {
	Code    int
	Message string
}

// ExitWith returns an error that ends the process with a code.
func ExitWith(code int, message string) *Exit { return &Exit{code, message} }

func (e *Exit) Error() string { return e.Message }

// ExitCode finds the code of any error a command ends with.
func ExitCode(ctx context.Context, err error) int {
	var known *Exit
	if errors.As(err, &known) {
		return known.Code
	}
	if ctx.Err() != nil {
		return ExitInterrupted
	}
	var wrong *reconcile.WrongAccountError
	var invalid *reconcile.InvalidError
	switch {
	case errors.As(err, &wrong):
		return ExitPermission
	case errors.As(err, &invalid):
		return ExitInvalid
	}
	for _, class := range errorClasses {
		if errors.Is(err, class.err) {
			return class.code
		}
	}
	return ExitInternal
}

// errorClasses are looked through in order.
var errorClasses = []struct {
	err  error
	code int
}{
	{adsapi.ErrUnauthorized, ExitPermission},
	{adsapi.ErrHalted, ExitRefused},
	{adsapi.ErrUnavailable, ExitUnavailable},
	{state.ErrLocked, ExitLocked},
	{state.ErrAway, ExitUnavailable},
	{adsapi.ErrUnleased, ExitLocked},
	{reconcile.ErrStale, ExitStale},
	{state.ErrForeign, ExitUsage},
	{state.ErrDamaged, ExitUsage},
	{state.ErrLost, ExitUsage},
	{state.ErrMoved, ExitUsage},
	{state.ErrNone, ExitUsage},
	{state.ErrNewer, ExitUsage},
	{state.ErrUnusable, ExitUsage},
	{state.ErrDatabase, ExitUsage},
	{state.ErrSuspect, ExitUsage},
	{context.Canceled, ExitInterrupted},
}

// ClassOfError finds what the daemon waits for after a run that an error ended.
func ClassOfError(ctx context.Context, err error) daemon.Class {
	if errors.Is(err, adsapi.ErrHalted) {
		return daemon.Suspended
	}
	return ClassOfExit(ExitCode(ctx, err))
}

// ClassOfExit returns what the daemon waits for after an exit code.
func ClassOfExit(code int) daemon.Class {
	for _, row := range ExitTable {
		if row.Code == code {
			return row.class
		}
	}
	return daemon.Internal
}

// CodeOfClass is what adsync apply would have ended with.
func CodeOfClass(class daemon.Class) int {
	switch class {
	case "", daemon.Applied:
		return ExitDone
	case daemon.Suspended:
		return ExitRefused
	case daemon.Transient:
		return ExitUnavailable
	}
	for _, row := range ExitTable {
		if row.class == class {
			return row.Code
		}
	}
	return ExitInternal
}
