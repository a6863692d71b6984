package daemon

import (
	"errors"

	"adsync/internal/words/catalogue"
)

// The errors of a Desk. A page says those of the catalogue.
var (
	ErrNoAccount   error = catalogue.Text("failed.no-account")
	ErrNoRun       error = catalogue.Text("failed.no-run")
	ErrNoLook      error = catalogue.Text("failed.no-look")
	ErrNoFile      error = catalogue.Text("failed.no-file")
	ErrNoUploads   error = catalogue.Text("failed.no-uploads")
	ErrNotPushed   error = catalogue.Text("failed.not-pushed")
	ErrNotOpened   error = catalogue.Text("failed.not-opened")
	ErrMoved       error = catalogue.Text("failed.moved")
	ErrNotNow      error = catalogue.Text("failed.not-now")
	ErrNotValid    error = catalogue.Text("failed.not-valid")
	ErrOtherCommit       = errors.New("that commit does not wait to be accepted")
	ErrElsewhere   error = catalogue.Text("failed.elsewhere")
	ErrAway              = errors.New("the database does not answer")
	ErrOtherPlan         = errors.New("the plan asks for something else by now")
)
