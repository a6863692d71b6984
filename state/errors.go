package state

import (
	"errors"

	"adsync/internal/diag"
)

// The errors of a state. Every error of this package that a person has to act
// on is one of them (errors.Is), and its text says what to do.
var (
	ErrLocked   = errors.New("state is in use")
	ErrDamaged  = errors.New("state is damaged")
	ErrLost     = errors.New("state is lost")
	ErrForeign  = errors.New("state belongs to another account")
	ErrNewer    = errors.New("state was written by a newer adsync")
	ErrUnusable = errors.New("state folder cannot be used")
	ErrDatabase = errors.New("state database cannot be used")
	ErrAway     = errors.New("state database does not answer")
	ErrSuspect  = errors.New("state is suspect after a failed write")
	ErrMoved    = errors.New("state was copied")
	ErrNone     = errors.New("there is no state")
	ErrReadOnly = errors.New("state is open for reading only")
	errClosed   = errors.New("state is closed")

	errMove    = errors.New("step cannot make this move")
	errExists  = errors.New("step is in the journal already")
	errNoStep  = errors.New("step is not in the journal")
	errKeyUsed = errors.New("key was sent with other bytes")
)

var codes = []struct {
	err  error
	code diag.Code
}{
	{ErrLocked, diag.Locked},
	{ErrDamaged, diag.StateDamaged},
	{ErrLost, diag.StateDamaged},
	{ErrNewer, diag.StateDamaged},
	{ErrForeign, diag.ForeignState},
	{ErrMoved, diag.StateElsewhere},
	{ErrNone, diag.StateElsewhere},
	{ErrUnusable, diag.StateUnwritten},
	{ErrDatabase, diag.StateUnwritten},
	{ErrAway, diag.StateUnwritten},
	{ErrSuspect, diag.StateUnwritten},
}

// CodeOf returns the code that explains an error of this package, "" where it is
// a mistake of the program.
func CodeOf(err error) diag.Code {
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return ""
}

// restore says how to go on after damage or loss.
const restore = "put the folder back from a copy, " +
	"or move it away and run `adsync apply --allow adopt`, which binds what the account already holds"
