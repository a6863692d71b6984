package schedule

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"adsync/internal/figures"
	"adsync/internal/insights"
)

// Due is a report that is to be sent to a place.
type Due struct {
	Plan, To int // index of the plan, and of the place in it
	Span     insights.Span
	Hour     time.Time // when it was due, in the zone of the account
	Ends     time.Time // until when it may be sent
}

// Key names a report among those of an account, for any process that has the same plans.
func (d *Due) Key(plans []Plan) string {
	p := &plans[d.Plan]
	return strings.Join([]string{p.To[d.To], p.Span, d.Hour.Format(time.DateOnly)}, " ")
}

// Find returns the report that a key names; false where no plan has it. zone is that of the account.
func Find(plans []Plan, key string, zone *time.Location) (d Due, found bool) {
	words := strings.Split(key, " ")
	if len(words) != 3 {
		return d, false
	}
	day, err := time.Parse(time.DateOnly, words[2])
	if err != nil {
		return d, false
	}
	for i := range plans {
		p := &plans[i]
		to := slices.Index(p.To, words[0])
		if to < 0 || p.Span != words[1] || !p.on(day.Date()) {
			continue
		}
		d = Due{Plan: i, To: to}
		year, month, date := day.Date()
		d.Hour, d.Ends = p.hour(year, month, date, zone)
		d.Span, err = p.span(d.Hour)
		return d, err == nil
	}
	return d, false
}

// Watch has the reports of an account sent at their hours, for as long as it runs.
type Watch struct {
	Plans []Plan
	Kept  figures.Kept // its store has the record, too
	Now   func() time.Time
	Bell  <-chan struct{} // rings whenever figures were read

	// Send sends a report, or has it sent, and writes that down. Its error is of an attempt that may be made again,
	// after Wait.
	Send func(ctx context.Context, d Due) error
	Wait func(attempt int, err error) time.Duration
	Note func(error) // is told of an error that is another than the last

	began time.Time
	tries map[string]try // when something may be sent again, by place and days
	said  string
}

type try struct {
	n    int
	next time.Time
}

// How long the figures of a report are waited for after its hour, and after a start; and how long a watch rests at
// most, as clocks are set.
const (
	figuresMost = 2 * time.Hour
	startMost   = 20 * time.Minute
	beforeEnd   = 5 * time.Minute
	restMost    = 10 * time.Minute
)

// Run sends until the context ends.
func (w *Watch) Run(ctx context.Context) {
	w.began, w.tries = w.Now(), map[string]try{}
	for ctx.Err() == nil {
		timer := time.NewTimer(w.look(ctx))
		select {
		case <-w.Bell:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// look sends what is due, and returns how long nothing else is.
func (w *Watch) look(ctx context.Context) time.Duration {
	index, err := w.Kept.Index()
	if err != nil {
		w.note(err)
		return restMost
	}
	now, known := index.Now(w.Now())
	if !known { // nothing was read of the account yet, and nobody knows its zone
		return restMost
	}
	sent, err := Read(w.Kept.Store)
	if err != nil {
		w.note(err)
		return restMost
	}
	maps.DeleteFunc(w.tries, func(_ string, t try) bool { return now.Sub(t.next) > 24*time.Hour })
	rest := restMost
	for i := range w.Plans {
		p := &w.Plans[i]
		rest = min(rest, p.next(now).Sub(now))
		hour, ends, due := p.due(now)
		if !due {
			continue
		}
		span, err := p.span(hour)
		if err != nil {
			w.note(err)
			continue
		}
		if most := w.waits(&index, span, hour, ends); now.Before(most) {
			rest = min(rest, most.Sub(now))
			continue
		}
		for to, place := range p.To {
			if s := sent.Of(place, span); s.Ended.IsZero() {
				rest = min(rest, w.send(ctx, place, Due{i, to, span, hour, ends}))
			}
		}
	}
	return max(rest, time.Second)
}

// waits returns until when the figures of a report are waited for: the zero time where each day that is over was read
// after its end.
func (w *Watch) waits(index *figures.Index, span insights.Span, hour, ends time.Time) (most time.Time) {
	today := hour.Format(time.DateOnly)
	for day, err := time.Parse(time.DateOnly, span.From); err == nil; day = day.AddDate(0, 0, 1) {
		date := day.Format(time.DateOnly)
		if date > span.To || date >= today {
			return time.Time{}
		}
		over := wall(day.Year(), day.Month(), day.Day()+1, 0, hour.Location())
		if taken, known := index.Taken[date]; !known || taken < over.Unix() {
			break
		}
	}
	most = hour.Add(figuresMost)
	if start := w.began.Add(startMost); most.Before(start) {
		most = start
	}
	if last := ends.Add(-beforeEnd); last.Before(most) {
		most = last
	}
	return most
}

// send sends one report where it may be tried, and returns after what time it may be tried again.
func (w *Watch) send(ctx context.Context, place string, d Due) time.Duration {
	key, now := place+" "+name(d.Span), w.Now()
	t := w.tries[key]
	if now.Before(t.next) {
		return t.next.Sub(now)
	}
	err := w.Send(ctx, d)
	if err == nil {
		w.tries[key] = try{next: d.Ends} // sent or queued: a person may have taken it back from there
		return restMost
	}
	if ctx.Err() != nil {
		return restMost
	}
	w.note(err)
	t.n++
	wait := w.Wait(t.n, err)
	t.next = w.Now().Add(wait)
	w.tries[key] = t
	return wait
}

// note tells of an error, once.
func (w *Watch) note(err error) {
	if text := err.Error(); text != w.said {
		w.Note(err)
		w.said = text
	}
}
