package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/review"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/state"
)

// knownReviews is what was known last of the reviews of an account.
func (a *app) knownReviews(p sources.Project) *review.Record {
	known, err := review.Load(p.StateFolder())
	if err != nil {
		a.note("%s", diag.Printable(err.Error()))
	}
	return known
}

// see takes in what a plan has read of reviews.
func (a *app) see(l loaded, view *reconcile.View) error {
	if l.reviews == nil {
		return nil
	}
	return reconcile.ReviewsOf(view, a.clock.orSystem().now(), l.reviews)
}

// readReviews asks for the reviews after an apply, and keeps them. That they cannot be
// read ends nothing: what was applied is applied.
func (a *app) readReviews(ctx context.Context, l loaded, agent *reconcile.Agent, report *reconcile.Report) {
	if report == nil || report.Changed() == 0 || ctx.Err() != nil || l.reviews == nil {
		return
	}
	var written []string
	for _, o := range report.Outcomes {
		if o.Outcome == state.OutcomeApplied {
			written = append(written, o.Address.String())
		}
	}
	known, err := a.askReviews(ctx, l.project.StateFolder(), agent, fresh{seen: l.reviews, written: written}, nil)
	if err != nil {
		a.note("the reviews could not be read: %s", oneLine(err))
	}
	*l.reviews = *known
}

// fresh is what a run knows that the kept record does not.
type fresh struct {
	seen    *review.Record // what its plan has read; nil where there was none
	written []string       // the addresses of what it has written: they are asked for whenever that was last
	rests   time.Duration  // nothing is asked for so long after the last time
}

// askReviews asks for the reviews of what is recorded in a state folder, and keeps them.
// tell is given what people were not told yet; nil tells nobody.
func (a *app) askReviews(ctx context.Context, folder string,
	agent *reconcile.Agent, of fresh, tell func([]review.Line)) (known *review.Record, err error) {
	if a.reviewing != nil {
		a.reviewing.Lock()
		defer a.reviewing.Unlock()
	}
	known, _ = review.Load(folder) // what was damaged is asked anew
	known.Take(of.seen)
	for _, address := range of.written {
		known.Stale(address)
	}
	if age := agent.Now().Sub(known.Read); age < 0 || age >= of.rests {
		err = agent.ReadReviews(ctx, known)
	}
	if tell != nil {
		tell(known.TakeNews())
	}
	if len(known.Ads)+len(known.Changes) == 0 { // nothing to keep, and maybe no folder
		return known, err
	}
	return known, errors.Join(err, known.Save(folder))
}

// inReview gives rows that say where their ads stand with the review, as far as that is
// known: for people. Programs have that apart from what became of a row.
func (l loaded) inReview(rows []sources.RowOutcome) []sources.RowOutcome {
	rows = l.judged(rows)
	for i := range rows {
		if line, known := l.reviews.Line(rows[i].Address.String()); known && line.State == review.InReview {
			rows[i].Message = joinLines(rows[i].Message, line.InWords())
		}
	}
	return rows
}

// judged is inReview without what only waits: it will be over soon, and nobody takes it
// out of the user's own file then.
func (l loaded) judged(rows []sources.RowOutcome) []sources.RowOutcome {
	rows = slices.Clone(rows)
	for i := range rows {
		row := &rows[i]
		line, known := l.reviews.Line(row.Address.String())
		if !known {
			continue
		}
		row.Review, row.Serving = l.reviews.Cells(row.Address.String())
		if line.State != review.Rejected && line.State != review.Limited {
			continue
		}
		if went := row.Result == "created" || row.Result == "updated"; row.Result == resultNoChange ||
			went && line.State == review.Rejected {
			row.Result, row.Shown = string(line.State), "" // green would say that all is well
		}
		row.Message = joinLines(row.Message, line.InWords())
	}
	return rows
}

// resultNoChange is the result of a row with nothing to do.
const resultNoChange = "no change"

// reviewText is what status says of the reviews: how many ads are not approved, and of
// those that were rejected or limited each.
func (d *statusDocument) reviewText() string {
	if d.Review == nil {
		return ""
	}
	var b strings.Builder
	counts := cmp.Or(planview.ReviewCounts(d.Review), plural(d.Review.Approved, "ad")+" approved")
	fmt.Fprintf(&b, "review       %s", counts)
	if d.ReviewRead != nil {
		fmt.Fprintf(&b, ", read %s", utc(*d.ReviewRead))
	}
	b.WriteByte('\n')
	for _, l := range d.Review.Ads {
		if l.State != review.InReview {
			fmt.Fprintf(&b, "  %s (%s)  %s\n", l.Called(), l.Address, l.Text())
		}
	}
	return b.String()
}
