package reports

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/notify"
	"adsync/internal/report"
	"adsync/internal/report/schedule"
	"adsync/sources/config"
	"adsync/state/kv"
)

// place is where reports of an account are sent, and in which form.
type place struct {
	notify.Destination
	format string // "": the place has a form of its own
	attach string // xlsx, or "" for nothing
}

// Scheduled are the reports of an account that are sent at their hours.
type Scheduled struct {
	Env     *session.Env
	Project config.Project
	Name    string
	Page    string   // address of the account's page; "" where there is none
	Kept    kv.Store // what is kept beside the state: figures, and what was sent
	Log     *slog.Logger
	Turns   chan struct{} // takes who makes a report: a few at once
	Plans   []schedule.Plan
	Picture func(ctx context.Context, sum string) ([]byte, error) // of the files by its sum

	places [][]place // of each plan, in the order of its places
}

// Plan takes the reports of an account as they are configured. destination reads the secrets of a place.
func (s *Scheduled) Plan(all []config.Report, destination func(config.Notify) (notify.Destination, error)) error {
	for i := range all {
		r := &all[i]
		plan := schedule.Plan{Day: r.Day, At: r.At, Span: r.Span}
		var places []place
		for _, n := range r.To {
			to, err := destination(n)
			if err == nil {
				err = to.Check()
			}
			if err != nil {
				return fmt.Errorf("report of %s: %w", r.Position, err)
			}
			to.Name = n.Form + " of " + r.Position.String() // a person has no name in the log
			one := place{Destination: to, format: r.Format.Value}
			if one.format == "" {
				one.format = config.UsualFormat(n.Form)
			}
			if n.Form == "email" {
				one.attach = r.Attach.Value
			}
			plan.To, places = append(plan.To, to.Identity()), append(places, one)
		}
		s.Plans, s.places = append(s.Plans, plan), append(s.places, places)
	}
	return nil
}

// Watch returns what sends the reports for as long as it runs. bell rings whenever figures were read. queue has a
// report sent by whichever process, by its key; nil where this one sends it.
func (s *Scheduled) Watch(bell <-chan struct{}, queue func(ctx context.Context, key string) error) *schedule.Watch {
	send := s.send
	if queue != nil {
		send = func(ctx context.Context, d schedule.Due) error { return queue(ctx, d.Key(s.Plans)) }
	}
	return &schedule.Watch{
		Plans: s.Plans, Kept: figures.Kept{Store: s.Kept}, Now: s.now, Bell: bell, Send: send,
		Wait: func(attempt int, err error) time.Duration { return max(notify.Backoff(attempt), notify.After(err)) },
		Note: func(err error) { s.Log.Warn("a report could not be sent; it is tried again", "error", err) },
	}
}

func (s *Scheduled) now() time.Time { return s.Env.Clock.OrSystem().Now() }

// send sends a report from this process, a few at once.
func (s *Scheduled) send(ctx context.Context, d schedule.Due) error {
	select {
	case s.Turns <- struct{}{}:
		defer func() { <-s.Turns }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.sends(ctx, d, func(place string, is schedule.Sent, _ error) error {
		return schedule.Note(s.Kept, place, d.Span, is)
	})
}

// Ended writes down what became of a report: that it arrived, was refused for good or, without an end, that it goes
// again. place is the identity of where it went.
type Ended func(place string, days insights.Span, is schedule.Sent, refused error) error

// Queued sends a report that a watch has queued by its key, where it is still to be sent. ended is called where it
// returns nil.
func (s *Scheduled) Queued(ctx context.Context, key string, ended Ended) error {
	kept := figures.Kept{Store: s.Kept}
	index, err := kept.Index()
	if err != nil {
		return err
	}
	now, _ := index.Now(s.now())
	d, found := schedule.Find(s.Plans, key, now.Location())
	if !found {
		return errors.New("this daemon's configuration does not have the report")
	}
	place := s.Plans[d.Plan].To[d.To]
	sent, err := schedule.Read(s.Kept)
	if err != nil {
		return err
	}
	is := sent.Of(place, d.Span)
	switch {
	case !is.Ended.IsZero():
		return ended(place, d.Span, is, nil)
	case !now.Before(d.Ends):
		return ended(place, d.Span, is, fmt.Errorf("the report of %s was not sent by %s", d.Span,
			d.Ends.Format("2006-01-02 15:04 MST")))
	}
	return s.sends(ctx, d, func(place string, is schedule.Sent, refused error) error {
		if is.Ended.IsZero() {
			return schedule.Note(s.Kept, place, d.Span, is)
		}
		return ended(place, d.Span, is, refused)
	})
}

// sends sends a report, and has it written down before and after.
func (s *Scheduled) sends(ctx context.Context, d schedule.Due,
	note func(place string, is schedule.Sent, refused error) error) error {
	to := &s.places[d.Plan][d.To]
	place := to.Identity()
	sent, err := schedule.Read(s.Kept)
	if err != nil {
		return err
	}
	m, err := s.message(ctx, d)
	if err != nil {
		return err
	}
	is := sent.Of(place, d.Span)
	if is.Begun.IsZero() {
		is.Begun = s.now().UTC().Truncate(time.Second)
	}
	if err := note(place, is, nil); err != nil { // from here a crash sends it again, under its id
		return err
	}
	m.Reached = is.Reached
	failed := notify.Send(ctx, &to.Destination, m)
	is.Reached = m.Reached
	if failed == nil || notify.Refused(failed) {
		is.Ended, is.Refused = s.now().UTC().Truncate(time.Second), failed != nil
	}
	if err := note(place, is, failed); err != nil {
		return err
	}
	return s.said(to, d, failed)
}

// said logs what became of a report, and returns the error of an attempt that may be made again.
func (s *Scheduled) said(to *place, d schedule.Due, failed error) error {
	switch {
	case failed == nil:
		s.Log.Info("a report was sent", "to", to.Name, "days", d.Span.String())
	case notify.Refused(failed):
		s.Log.Error("a report was refused; it is not sent again",
			"to", to.Name, "days", d.Span.String(), "error", failed)
		return nil
	}
	return failed
}

// message is a report as its place reads it.
func (s *Scheduled) message(ctx context.Context, d schedule.Due) (*notify.Message, error) {
	kept := figures.Kept{Store: s.Kept}
	index, err := kept.Index()
	if err != nil {
		return nil, err
	}
	now, _ := index.Now(s.now())
	to := &s.places[d.Plan][d.To]
	of := account{env: s.Env, project: s.Project, name: s.Name}
	if drawn(to.format) || to.attach != "" {
		of.reads = s.Picture
	}
	f := report.Facts{Page: s.Page, Due: d.Hour}
	made, err := of.kept(ctx, kept, d.Span, now, f)
	if err != nil {
		return nil, err
	}
	m := &notify.Message{
		ID: idOf(made.Account.ID, to.Identity(), d.Span.String()), Time: now, Account: s.Name, Page: s.Page,
		Title: "report of " + d.Span.String(), Topics: []notify.Topic{notify.Reports},
	}
	for _, part := range made.Short() {
		section := notify.Section{Topic: notify.Reports, Title: part.Title, More: part.More}
		for _, text := range part.Lines {
			section.Items = append(section.Items, notify.Item{Text: text})
		}
		m.Sections = append(m.Sections, section)
	}
	m.Report, err = to.carried(made)
	return m, err
}

// idOf is the id of a report: the same for each attempt, by whichever process.
func idOf(account, place, days string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", account, place, days))
	return fmt.Sprintf("%x", sum[:13])
}

// workbook is the type of a workbook.
const workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// carried is a report in the forms of a place.
func (p *place) carried(made *report.Report) (*notify.Report, error) {
	r := &notify.Report{}
	var failed error
	form := func(name string) []byte {
		var b bytes.Buffer
		if err := made.Write(&b, name); failed == nil {
			failed = err
		}
		return b.Bytes()
	}
	switch {
	case p.Form == notify.Email:
		r.Text = string(form("markdown"))
		if p.format == "html" {
			var page bytes.Buffer
			pictures, err := made.Mail(&page)
			failed = cmp.Or(failed, err)
			r.HTML = page.String()
			for _, e := range pictures {
				r.Embedded = append(r.Embedded, notify.File{Name: e.Name, Type: "image/jpeg", Content: e.JPEG})
			}
		}
	case p.format == "json":
		r.JSON = form("json")
	case p.format == "markdown":
		r.Markdown = string(form("markdown"))
	}
	if p.attach != "" {
		name := fmt.Sprintf("report %s.xlsx", made.Until)
		r.Attached = []notify.File{{Name: name, Type: workbook, Content: form("xlsx")}}
	}
	return r, failed
}
