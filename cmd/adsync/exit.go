package main

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
	exitDone        = 0   // done, or nothing to do
	exitInternal    = 1   // a fault of adsync
	exitPending     = 2   // changes pending, with --detailed-exitcode
	exitInvalid     = 3   // the files are not valid
	exitUsage       = 4   // usage or configuration
	exitPermission  = 5   // credentials or permission
	exitRefused     = 6   // refused by policy
	exitStale       = 7   // the plan is stale
	exitPartial     = 8   // applied in part
	exitUnknown     = 9   // an outcome is unknown
	exitLocked      = 10  // locked
	exitUnavailable = 11  // service unavailable
	exitInterrupted = 130 // interrupted
)

// exitTable is the table the README shows, row by row, and what the daemon waits
// for after a run that would have ended so.
var exitTable = []struct {
	code    int
	meaning string
	class   daemon.Class
}{
	{exitDone, "done, or nothing to do", daemon.InSync},
	{exitInternal, "internal error", daemon.Internal},
	{exitPending, "changes pending (with --detailed-exitcode)", daemon.InSync},
	{exitInvalid, "input invalid", daemon.Input},
	{exitUsage, "usage or configuration", daemon.Misplaced},
	{exitPermission, "credentials or permission", daemon.Credentials},
	{exitRefused, "refused by policy", daemon.Held},
	{exitStale, "plan is stale", daemon.Transient},
	{exitPartial, "applied in part", daemon.Partial},
	{exitUnknown, "an outcome is unknown", daemon.Undecided},
	{exitLocked, "locked by another adsync", daemon.Locked},
	{exitUnavailable, "service unavailable", daemon.Transient},
	{exitInterrupted, "interrupted", daemon.Stopped},
}

// exit is an error that knows its code. An empty message prints nothing: the
// command has said it already.
type exit struct {
	code    int
	message string
}

// exitWith returns an error that ends the process with a code.
func exitWith(code int, message string) *exit { return &exit{code, message} }

func (e *exit) Error() string { return e.message }

// exitCode finds the code of any error a command ends with.
func exitCode(ctx context.Context, err error) int {
	var known *exit
	if errors.As(err, &known) {
		return known.code
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	var wrong *reconcile.WrongAccountError
	var invalid *reconcile.InvalidError
	switch {
	case errors.As(err, &wrong):
		return exitPermission
	case errors.As(err, &invalid):
		return exitInvalid
	}
	for _, class := range errorClasses {
		if errors.Is(err, class.err) {
			return class.code
		}
	}
	return exitInternal
}

// errorClasses are looked through in order.
var errorClasses = []struct {
	err  error
	code int
}{
	{adsapi.ErrUnauthorized, exitPermission},
	{adsapi.ErrHalted, exitRefused},
	{adsapi.ErrUnavailable, exitUnavailable},
	{state.ErrLocked, exitLocked},
	{reconcile.ErrStale, exitStale},
	{state.ErrForeign, exitUsage},
	{state.ErrLost, exitUsage},
	{state.ErrNewer, exitUsage},
	{state.ErrUnusable, exitUsage},
	{state.ErrSuspect, exitUsage},
	{context.Canceled, exitInterrupted},
}

// classOfError finds what the daemon waits for after a run that an error ended.
func classOfError(ctx context.Context, err error) daemon.Class {
	if errors.Is(err, adsapi.ErrHalted) {
		return daemon.Suspended
	}
	return classOfExit(exitCode(ctx, err))
}

func classOfExit(code int) daemon.Class {
	for _, row := range exitTable {
		if row.code == code {
			return row.class
		}
	}
	return daemon.Internal
}

// codeOfClass is what adsync apply would have ended with.
func codeOfClass(class daemon.Class) int {
	switch class {
	case "", daemon.Applied:
		return exitDone
	case daemon.Suspended:
		return exitRefused
	case daemon.Transient:
		return exitUnavailable
	}
	for _, row := range exitTable {
		if row.class == class {
			return row.code
		}
	}
	return exitInternal
}
