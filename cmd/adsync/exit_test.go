package main

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/gitstore"
	"adsync/internal/runview"
	"adsync/reconcile"
	"adsync/state"

	"github.com/google/go-cmp/cmp"
)

// TestExitCodesAreFrozen: scripts of users depend on these numbers. A code may
// be added; none may change its number or its meaning.
func TestExitCodesAreFrozen(t *testing.T) {
	frozen := []struct {
		code    int
		meaning string
	}{
		{0, "done, or nothing to do"},
		{1, "internal error"},
		{2, "changes pending (with --detailed-exitcode)"},
		{3, "input invalid"},
		{4, "usage or configuration"},
		{5, "credentials or permission"},
		{6, "refused by policy"},
		{7, "plan is stale"},
		{8, "applied in part"},
		{9, "an outcome is unknown"},
		{10, "locked by another adsync"},
		{11, "service unavailable"},
		{130, "interrupted"},
	}
	type row struct {
		Code    int
		Meaning string
	}
	var want, have []row
	for _, f := range frozen {
		want = append(want, row{f.code, f.meaning})
	}
	for _, f := range console.ExitTable {
		have = append(have, row{f.Code, f.Meaning})
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("exit codes changed (-frozen +code):\n%s", diff)
	}
	if shown := [...]int{runview.ExitDone, runview.ExitRefused,
		runview.ExitPartial, runview.ExitUnknown}; shown != [...]int{console.ExitDone,
		console.ExitRefused, console.ExitPartial, console.ExitUnknown} {
		t.Errorf("history and page put other codes in words: %v", shown)
	}
}

func TestEveryErrorHasItsExitCode(t *testing.T) {
	stopped, stop := context.WithCancel(context.Background())
	stop()
	running := context.Background()
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		want int
	}{
		{"a mistake of adsync", running, errors.New("index out of range"), 1},
		{"what a command decided itself", running, console.ExitWith(6, ""), 6},
		{"a command line that is wrong", running, console.Configuration("no key"), 4},
		{"problems found before the first change", running, &reconcile.InvalidError{}, 3},
		{"a key that is wrong or revoked", running, adsapi.ErrUnauthorized, 5},
		{"a key of another account", running, &reconcile.WrongAccountError{Field: "id"}, 5},
		{"an order to stop", running, adsapi.ErrHalted, 6},
		{"a service that does not answer", running, adsapi.ErrUnavailable, 11},
		{"a server of git that does not", running, session.GitExit(&gitstore.Error{Class: gitstore.Transient}), 11},
		{"a state somebody else has open", running, state.ErrLocked, 10},
		{"a state of another account", running, state.ErrForeign, 4},
		{"a state that is damaged", running, state.ErrDamaged, 4},
		{"a state that is lost", running, state.ErrLost, 4},
		{"a state that was copied elsewhere", running, state.ErrMoved, 4},
		{"a place without a state", running, state.ErrNone, 4},
		{"a state of a newer adsync", running, state.ErrNewer, 4},
		{"a folder that cannot be written", running, state.ErrUnusable, 4},
		{"a disk that failed", running, state.ErrSuspect, 4},
		{"an interrupt, whatever broke because of it", stopped, adsapi.ErrUnavailable, 130},
		{"an interrupt after the verdict", stopped, console.ExitWith(9, ""), 9},
	} {
		wrapped := fmt.Errorf("read the live account: %w", c.err)
		if have := console.ExitCode(c.ctx, wrapped); have != c.want {
			t.Errorf("%s: exitCode(%v) = %d, want %d", c.name, wrapped, have, c.want)
		}
	}
}
