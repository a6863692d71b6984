package daemon

import "errors"

// The errors of a Desk.
var (
	ErrNoAccount   = errors.New("no account of that name")
	ErrNoRun       = errors.New("no run of that name")
	ErrNoLook      = errors.New("no file can be looked at yet: none of the account's own was read")
	ErrNoFile      = errors.New("the account is not read from a file of that name")
	ErrNoUploads   = errors.New("the configuration lets no files be sent for this account (uploads)")
	ErrNotPushed   = errors.New("the file could not be pushed")
	ErrNotOpened   = errors.New("the file is pushed, and the forge did not open a pull request of it")
	ErrMoved       = errors.New("somebody changed this file since you looked; nothing was sent")
	ErrNotNow      = errors.New("the file cannot be planned now")
	ErrNotValid    = errors.New("the file cannot be planned as the account's other files are now")
	ErrOtherCommit = errors.New("that commit does not wait to be accepted")
	ErrElsewhere   = errors.New("another daemon works on this account, and only that one can look at a file for it")
	ErrAway        = errors.New("the database does not answer")
	ErrOtherPlan   = errors.New("the plan asks for something else by now")
)
