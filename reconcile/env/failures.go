package env

import (
	"context"
	"errors"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/state"
)

// Stops reports whether an error concerns every request, not this one.
func Stops(err error) bool {
	return errors.Is(err, adsapi.ErrReadOnly) || errors.Is(err, adsapi.ErrHalted) ||
		errors.Is(err, adsapi.ErrUnleased) || errors.Is(err, adsapi.ErrUnauthorized) ||
		errors.Is(err, adsapi.ErrUnavailable) || errors.Is(err, context.Canceled)
}

// Stopping returns an error that concerns every request, nil for others.
func Stopping(err error) error {
	if Stops(err) {
		return err
	}
	return nil
}

// NeverApplied is the outcome of what surely did not happen: refused, or not
// sent because somebody interrupted.
func NeverApplied(o state.OperationOutcome, failure error) state.OperationOutcome {
	o.Outcome, o.Code, o.Message = state.OutcomeFailed, string(diag.ServiceRefused), failure.Error()
	o.Final = RefusesContent(failure)
	switch {
	case errors.Is(failure, context.Canceled):
		o.Outcome, o.Code, o.Message = state.OutcomeSkipped,
			string(diag.OperationSkipped), "interrupted before it was sent"
	case errors.Is(failure, adsapi.ErrUnauthorized):
		o.Code = string(diag.Unauthorized)
	case errors.Is(failure, adsapi.ErrUnavailable):
		o.Code = string(diag.ServiceUnavailable)
	}
	return o
}

// UnlessStopped drops an error that only says that there is no audit log.
func UnlessStopped(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, adsapi.ErrUnavailable) {
		return err
	}
	return nil
}

// RefusesContent reports whether an answer is about what was sent, so that the same
// would be refused again: not about the key, the account, or the moment.
func RefusesContent(err error) bool {
	var refused *adsapi.Error
	return errors.As(err, &refused) && (refused.Status == 400 || refused.Status == 413 || refused.Status == 422)
}
