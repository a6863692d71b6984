package main

import (
	"context"
	"errors"

	"adsync/internal/adsapi"
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

// exitTable is the table the README shows, row by row.
var exitTable = []struct {
	code    int
	meaning string
}{
	{exitDone, "done, or nothing to do"},
	{exitInternal, "internal error"},
	{exitPending, "changes pending (with --detailed-exitcode)"},
	{exitInvalid, "input invalid"},
	{exitUsage, "usage or configuration"},
	{exitPermission, "credentials or permission"},
	{exitRefused, "refused by policy"},
	{exitStale, "plan is stale"},
	{exitPartial, "applied in part"},
	{exitUnknown, "an outcome is unknown"},
	{exitLocked, "locked by another adsync"},
	{exitUnavailable, "service unavailable"},
	{exitInterrupted, "interrupted"},
}

// exit is an error that knows its code. An empty message prints nothing: the
// command has said it already.
type exit struct {
	code    int
	message string
}

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
