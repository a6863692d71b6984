package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/diag"
	"adsync/internal/review"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/sources/marked"
	"adsync/state"
)

// KnownReviews is what was known last of the reviews of an account.
func KnownReviews(env *Env, p config.Project) *review.Record {
	known, err := review.Load(BesideOf(env, p))
	if err != nil && !errors.Is(err, state.ErrDatabase) && !errors.Is(err, state.ErrAway) { // which end the command
		env.Note("%s", diag.Printable(err.Error()))
	}
	return known
}

// See takes in what a plan has read of reviews.
func See(env *Env, l Loaded, view *reconcile.View) {
	if l.Reviews != nil {
		view.ReviewsOf(env.Clock.OrSystem().Now(), l.Reviews)
	}
}

// ReadReviews asks for the reviews after an apply, and keeps them. That they cannot be
// read ends nothing: what was applied is applied.
func ReadReviews(ctx context.Context, env *Env, l Loaded, agent *reconcile.Agent, report *reconcile.Report) {
	if report == nil || report.Changed() == 0 || ctx.Err() != nil || l.Reviews == nil {
		return
	}
	var written []string
	for _, o := range report.Outcomes {
		if o.Outcome == state.OutcomeApplied {
			written = append(written, o.Address.String())
		}
	}
	known, err := AskReviews(ctx, env, l.Project, agent, Fresh{seen: l.Reviews, written: written}, nil)
	if err != nil {
		NoteReviews(env, err)
	}
	*l.Reviews = *known
}

// Fresh is what a run knows that the kept record does not.
type Fresh struct {
	seen    *review.Record // what its plan has read; nil where there was none
	written []string       // the addresses of what it has written: they are asked for whenever that was last
	Rests   time.Duration  // nothing is asked for so long after the last time
	Anew    bool           // what is in review is asked for whenever that was last
}

// AskReviews asks for the reviews of what the state of a project records, and keeps them.
// tell is given what people were not told yet; nil tells nobody.
func AskReviews(ctx context.Context, env *Env, p config.Project,
	agent *reconcile.Agent, of Fresh, tell func([]review.Line)) (known *review.Record, err error) {
	if env.Reviewing != nil {
		env.Reviewing.Lock()
		defer env.Reviewing.Unlock()
	}
	beside := BesideOf(env, p)
	known, _ = review.Load(beside) // what was damaged is asked anew
	known.Take(of.seen)
	for _, address := range of.written {
		known.Stale(address)
	}
	if of.Anew {
		known.StaleInReview()
	}
	if age := agent.Now().Sub(known.Read); age < 0 || age >= of.Rests {
		err = agent.ReadReviews(ctx, known)
	}
	if tell != nil {
		tell(known.TakeNews())
	}
	if len(known.Ads)+len(known.Changes) == 0 { // nothing to keep, and maybe no folder
		return known, err
	}
	if failure := known.Save(beside); failure != nil {
		err = errors.Join(err, &unkeptReviews{failure})
	}
	return known, err
}

// unkeptReviews says that what was read of the reviews could not be kept.
type unkeptReviews struct{ error }

func (e *unkeptReviews) Unwrap() error { return e.error }

// NoteReviews tells people that the reviews could not be asked for, or not be kept.
func NoteReviews(env *Env, err error) {
	done := "read"
	if _, unkept := errors.AsType[*unkeptReviews](err); unkept {
		done = "kept"
	}
	env.Note("the reviews could not be %s: %s", done, console.OneLine(err))
}

// InReview returns rows that say where their ads stand with the review, as far as that is
// known: for people. Programs have that apart from what became of a row.
func (l Loaded) InReview(rows []marked.RowOutcome) []marked.RowOutcome {
	rows = l.Judged(rows)
	for i := range rows {
		address := rows[i].Address.String()
		if state, known := l.Reviews.State(address); known && state == review.InReview {
			line, _ := l.Reviews.Line(address)
			rows[i].Message = console.JoinLines(rows[i].Message, line.InWords())
		}
	}
	return rows
}

// Judged is InReview without what only waits: it will be over soon, and nobody takes it
// out of the user's own file then.
func (l Loaded) Judged(rows []marked.RowOutcome) []marked.RowOutcome {
	rows = l.Reviewed(rows)
	for i := range rows {
		row := &rows[i]
		address := row.Address.String()
		state, known := l.Reviews.State(address)
		if !known || state != review.Rejected && state != review.Limited {
			continue
		}
		line, _ := l.Reviews.Line(address)
		if went := row.Result == "created" || row.Result == "updated"; row.Result == ResultNoChange ||
			went && state == review.Rejected {
			row.Result, row.Shown = string(state), "" // green would say that all is well
		}
		row.Message = console.JoinLines(row.Message, line.InWords())
	}
	return rows
}

// Reviewed returns rows with what is known of the reviews, in columns of its own.
func (l Loaded) Reviewed(rows []marked.RowOutcome) []marked.RowOutcome {
	rows = slices.Clone(rows)
	for i := range rows {
		row := &rows[i]
		address := row.Address.String()
		if _, known := l.Reviews.State(address); known {
			row.Review, row.Serving = l.Reviews.Cells(address)
		}
	}
	return rows
}

// ResultNoChange is the result of a row with nothing to do.
const ResultNoChange = "no change"
