package daemon

import "errors"

// The errors of a Desk.
var (
	ErrNoAccount   = errors.New("no account of that name")
	ErrNoRun       = errors.New("no run of that name")
	ErrNoLook      = errors.New("no file can be dropped here: the account is read from git, and a change of it is a commit")
	ErrOtherCommit = errors.New("that commit does not wait to be accepted")
	ErrOtherPlan   = errors.New("the plan is another by now")
)
