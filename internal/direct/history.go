package direct

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/state"
)

// Store is what of the state a verb is recorded in.
type Store interface {
	NextSequence(ctx context.Context) (int64, error)
	RecordRun(ctx context.Context, run state.Run) error
}

// History records verbs.
type History struct {
	Store Store
	Now   func() time.Time
	By    string // who runs the command
}

// UnknownError is a verb whose fate is not known: the service may have done it.
type UnknownError struct {
	Verb  Verb
	Run   string // its name in the history
	Cause error
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("whether the service has done it is unknown (%s in adsync history): %v", e.Run, e.Cause)
}

func (e *UnknownError) Unwrap() error { return e.Cause }

// began begins the names of verbs among those of the runs.
const began = "direct-"

// IsVerb reports whether an entry among the runs is a direct verb.
func IsVerb(run string) bool { return strings.HasPrefix(run, began) }

// Told takes the summary of an entry apart: which verb, and what became of it.
func Told(summary string) (verb, rest string) {
	for _, v := range verbs {
		if rest, is := strings.CutPrefix(summary, v.Name+of); is {
			return v.Name, rest
		}
	}
	return "", summary
}

const of = " of "

// Do sends by send and records the verb before and after it. what is for what, and send returns what
// came of it: names and ids, never a secret, the service's words or anything of a person, as both stand
// in the history. An error that leaves the fate of the request unknown comes back as UnknownError.
func (h History) Do(ctx context.Context, v Verb, what string,
	send func(ctx context.Context) (result string, err error)) error {
	sequence, err := h.Store.NextSequence(ctx)
	if err != nil {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	run := state.Run{ID: fmt.Sprintf("%s%06d", began, sequence), Started: h.Now()}
	tell := func(ended string) error {
		run.Summary = fmt.Sprintf("%s%s%s: %s by %s, %s", v.Name, of, diag.Printable(what), diag.Printable(ended),
			diag.Printable(h.By), run.Started.UTC().Format(time.RFC3339))
		return h.Store.RecordRun(context.WithoutCancel(ctx), run)
	}
	if err := tell("unknown, as no answer is recorded"); err != nil {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	result, failure := send(ctx)
	run.Finished = h.Now()
	switch {
	case failure == nil:
		return recorded(tell(strings.TrimSuffix("done, "+result, ", ")), run.ID)
	case neverApplied(failure):
		return errors.Join(failure, recorded(tell(refused(failure)), run.ID))
	}
	lost := tell("unknown, " + unread(failure))
	return errors.Join(&UnknownError{v, run.ID, failure}, recorded(lost, run.ID))
}

// neverApplied reports whether the service surely did not do it. Only an error of the client, or a
// refusal of the guard, can say so.
func neverApplied(err error) bool {
	return errors.Is(err, ErrNotItsEndpoint) || errors.Is(err, ErrNotDone) || adsapi.AppliedOf(err) == adsapi.Never
}

// ErrNotDone is for errors of a sender of its own that leave no doubt: nothing was done.
var ErrNotDone = errors.New("nothing was done")

// refused says in words of adsync's own how a request failed that did nothing.
func refused(err error) string {
	e, ok := errors.AsType[*adsapi.Error](err)
	switch {
	case errors.Is(err, ErrNotDone):
		return "not done"
	case !ok, e.Status == 0:
		return "not sent"
	}
	return "refused, " + answered(e)
}

// unread says how a request failed that may have been carried out.
func unread(err error) string {
	if e, ok := errors.AsType[*adsapi.Error](err); ok && e.Status != 0 {
		return answered(e)
	}
	return "no answer was read"
}

func answered(e *adsapi.Error) string {
	return fmt.Sprintf("answer %d %s", e.Status, http.StatusText(e.Status))
}

func recorded(err error, run string) error {
	if err != nil {
		return fmt.Errorf("what became of %s cannot be recorded, and history shows it as unknown: %w", run, err)
	}
	return nil
}

// RefusesInput reports whether the service says that what it was asked for is wrong: what it names, or
// how. Its other refusals are of the credential or of the moment.
func RefusesInput(err error) bool {
	e, ok := errors.AsType[*adsapi.Error](err)
	return ok && slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict,
		http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}, e.Status)
}
