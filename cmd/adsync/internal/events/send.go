package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/cmd/adsync/internal/verbs"
	"adsync/internal/adsapi"
	"adsync/internal/conversions"
	"adsync/internal/diag"
	"adsync/internal/direct"
	"adsync/sources/config"

	"github.com/spf13/cobra"
)

// sendFlags are those of conversions send.
type sendFlags struct {
	dir, pixel, source string
	results            string
	again, leave       []string
	perRequest         int
	check, skip, yes   bool
}

func send(env *session.Env) *cobra.Command {
	var f sendFlags
	c := &cobra.Command{
		Use:   "send FILE",
		Short: "Send the conversion events of a file",
		Long: `Send the events of a CSV file, a file of JSON lines (.jsonl) or the first sheet of a workbook,
one a row, to the address that events_url of the operator's file names, by the conversion API
key of events_credentials. E-mail addresses and telephone numbers go out hashed, as those of
members files do, and stay in no log, journal or result.

A request has up to 1,000 events, a batch, and is taken whole or not at all. What became of
each is kept, by the digest of the file and its rows: run it again and it goes on where it
stopped, and what was taken is not sent twice. Where no answer comes nobody knows whether a
batch has arrived: it is listed, and goes again only where --again names it, since the service
may count an event twice. --leave settles it as it is.

--check reads the file and says what the service would refuse; nothing is sent.`,
		Example: "  adsync conversions send orders.csv --check\n" +
			"  adsync conversions send orders.csv --pixel pixel/web-shop --yes\n" +
			"  adsync conversions send orders.csv --pixel pixel/web-shop --again 3 --yes",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.perRequest < 1 || f.perRequest > conversions.MostEvents {
				return console.Usage(c, fmt.Errorf("--per-request is %d; want 1 to %d", f.perRequest,
					conversions.MostEvents))
			}
			if f.pixel == "" && !f.check {
				return console.Usage(c, errors.New("want --pixel, whose events they are"))
			}
			again, err := conversions.ParseChoice(f.again)
			if err != nil {
				return console.Usage(c, fmt.Errorf("--again: %w", err))
			}
			leave, err := conversions.ParseChoice(f.leave)
			if err != nil {
				return console.Usage(c, fmt.Errorf("--leave: %w", err))
			}
			return (&sender{env: env, flags: f, name: args[0], again: again, leave: leave}).run(c.Context())
		},
	}
	c.Flags().StringVar(&f.pixel, "pixel", "", "id of the pixel, or the address of one that was applied")
	c.Flags().StringVar(&f.source, "action-source", "", "where events happened that do not say it, such as offline")
	c.Flags().BoolVar(&f.check, "check", false, "say what would be refused, and send nothing")
	c.Flags().BoolVar(&f.skip, "skip-invalid", false, "send the other rows where some cannot go")
	c.Flags().StringSliceVar(&f.again, "again", nil, "send batches of unknown fate again: numbers, or all")
	c.Flags().StringSliceVar(&f.leave, "leave", nil, "settle batches of unknown fate as they are: numbers, or all")
	c.Flags().IntVar(&f.perRequest, "per-request", conversions.MostEvents, "how many events a request has at the most")
	c.Flags().StringVar(&f.results, "results", "", "file with a result a row (default: in the results of the state)")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	dirFlag(c, &f.dir)
	env.Outputs(c, "text", "json")
	return c
}

// sender is one run of conversions send.
type sender struct {
	env          *session.Env
	flags        sendFlags
	name         string
	again, leave conversions.Choice

	project config.Project
	file    *conversions.File
	survey  *conversions.Survey
	journal *conversions.Journal // nil with --check
	to      *conversions.Sender
}

func (s *sender) run(ctx context.Context) (err error) {
	if s.project, err = session.ProjectOf(s.env, s.flags.dir); err != nil {
		return err
	}
	of, err := s.project.Env()
	if err != nil {
		return err
	}
	s.file, err = conversions.Open(s.name, conversions.Reading{Zone: of.Zone, ActionSource: s.flags.source,
		Workbook: s.project.FileLimits().Workbook()})
	if err != nil {
		return s.unreadable(err)
	}
	defer func() { session.Closed(s.env, "file of events", s.file.Close()) }()
	now := s.env.Clock.OrSystem().Now()
	if s.survey, err = conversions.Look(ctx, s.file, s.flags.perRequest, now); err != nil {
		return s.unreadable(err)
	}
	s.tellProblems()
	switch {
	case s.flags.check:
		return s.end(ctx, nil)
	case s.survey.Events() == 0, s.survey.Invalid > 0 && !s.flags.skip:
		return errors.Join(console.ExitWith(console.ExitInvalid, fmt.Sprintf("%s cannot go, and nothing was sent; "+
			"mend them, or send the others by --skip-invalid",
			diag.Counted(s.survey.Invalid, "row", "rows"))))
	}
	return s.connected(ctx)
}

// unreadable is an error of the file. Nothing of what stands in it is in there.
func (s *sender) unreadable(err error) error {
	if fault, ok := errors.AsType[*conversions.Fault](err); ok {
		return console.ExitWith(console.ExitInvalid, fmt.Sprintf("%s: %v", diag.Printable(s.name), fault))
	}
	return fmt.Errorf("%s: %w", diag.Printable(s.name), err)
}

func (s *sender) tellProblems() {
	for _, p := range s.survey.Problems {
		s.env.Note("%s:%d: %s", diag.Printable(s.name), p.Row, p.Message)
	}
	if more := s.survey.Invalid - len(s.survey.Problems); more > 0 {
		s.env.Note("and %s more", diag.Counted(more, "row", "rows"))
	}
}

// connected opens the state and the address, and sends what is due.
func (s *sender) connected(ctx context.Context) error {
	address, key, err := session.EventsTo(ctx, s.env, s.project)
	if err != nil {
		return err
	}
	pixel, err := s.pixel(ctx)
	if err != nil {
		return err
	}
	d, err := verbs.Open(ctx, s.env, s.project, direct.Named("conversions send"))
	if err != nil {
		return err
	}
	defer d.End()
	clock := s.env.Clock.OrSystem()
	s.to = &conversions.Sender{URL: address, Key: key, Pixel: pixel, UserAgent: "adsync/" + console.Release,
		Carry: d.Verb.Carry, Halt: d.Halted, Now: clock.Now, Sleep: clock.Sleep, Transport: s.env.Backing.Transport}
	folder := filepath.Join(s.project.StateFolder(), "conversions")
	s.journal, err = conversions.OpenJournal(folder, s.name, pixel, s.survey, s.flags.perRequest)
	if errors.Is(err, conversions.ErrChanged) {
		return console.ExitWith(console.ExitStale, fmt.Sprintf("%s: nothing was sent: %v", diag.Printable(s.name), err))
	}
	if err != nil {
		return console.Configuration("%v", err)
	}
	defer func() { session.Closed(s.env, "journal of events", s.journal.Close()) }()
	if err := s.settle(); err != nil {
		return err
	}
	return s.end(ctx, s.deliver(ctx, d))
}

// pixel is the id that events carry. The service is asked only where an address is given.
func (s *sender) pixel(ctx context.Context) (string, error) {
	if !strings.Contains(s.flags.pixel, "/") {
		return s.flags.pixel, nil
	}
	opened := &session.Session{}
	defer opened.End()
	client, err := session.Dial(s.env, opened, s.project, adsapi.Config{ReadOnly: true})
	if err != nil {
		return "", err
	}
	return pixelOf(ctx, s.env, s.project, client, s.flags.pixel)
}

// settle leaves what is to be left, and refuses choices of what is not unknown.
func (s *sender) settle() error {
	if err := s.again.Check(s.journal); err != nil {
		return console.Configuration("--again: %v", err)
	}
	if err := s.leave.Check(s.journal); err != nil {
		return console.Configuration("--leave: %v", err)
	}
	if !s.leave.Any() {
		return nil
	}
	return s.journal.Leave(s.survey, s.leave, s.to.Now())
}

// deliver asks, sends, and has the history say so.
func (s *sender) deliver(ctx context.Context, d *verbs.Direct) error {
	batches, events := s.journal.Due(s.survey, s.again)
	if batches == 0 {
		return nil
	}
	what := fmt.Sprintf("%s of %s in %s to pixel %s", diag.Counted(events, "event", "events"), s.survey.Digest,
		diag.Counted(batches, "batch", "batches"), diag.Printable(s.to.Pixel))
	question := fmt.Sprintf("%s of %s go to %s, for pixel %s.", diag.Counted(events, "event", "events"),
		diag.Printable(s.name), diag.Printable(s.to.URL.Host), diag.Printable(s.to.Pixel))
	if err := d.Consent(ctx, s.flags.yes, question); err != nil {
		return err
	}
	var ended error
	err := d.Do(ctx, what, func(ctx context.Context) (string, error) {
		ended = conversions.Send(ctx, s.file, s.survey, s.journal, s.to, s.again)
		document := conversions.Document(s.survey, s.journal)
		switch e := document.Events; {
		case e.Unknown > 0:
			return "", s.unknown(document)
		case e.Taken == 0 && ended != nil:
			return "", errors.Join(direct.ErrNotDone, ended)
		default:
			return fmt.Sprintf("%d of %d events taken", e.Taken, s.survey.Events()), nil
		}
	})
	if ended != nil && err == nil {
		err = ended
	}
	return err
}

// unknown says which batches may have arrived.
func (s *sender) unknown(d conversions.SendDocument) error {
	batches := d.Of(conversions.Unknown)
	return fmt.Errorf("no answer came to %s of the file (%s): they may have arrived or not; "+
		"--again sends them again, which may count events twice, and --leave settles them as they are",
		diag.Counted(len(batches), "batch", "batches"), conversions.Numbers(batches))
}

// end writes the results and says what became of the events. failure is what ended the sending early.
func (s *sender) end(ctx context.Context, failure error) error {
	d := conversions.Document(s.survey, s.journal)
	d.File, d.Checked = s.name, s.flags.check
	if s.to != nil {
		d.Pixel, d.Host = s.to.Pixel, s.to.URL.Host
	}
	var err error
	if d.Results, err = s.writeResults(context.WithoutCancel(ctx)); err != nil {
		return errors.Join(failure, err)
	}
	if s.env.Flags.Output == "json" {
		err = s.env.PrintJSON(d)
	} else {
		err = s.print(d)
	}
	if failure = ofSending(failure); failure != nil || err != nil {
		return errors.Join(failure, err)
	}
	switch {
	case d.Events.Unknown > 0:
		return console.ExitWith(console.ExitUnknown, s.unknown(d).Error())
	case s.flags.check && d.Invalid > 0:
		return console.ExitWith(console.ExitInvalid, "")
	case d.Events.Refused+d.Events.Late > 0 || d.Invalid > 0:
		return console.ExitWith(console.ExitPartial, "")
	}
	return nil
}

// ofSending is an error of sending with its exit code.
func ofSending(err error) error {
	for class, code := range map[error]int{conversions.ErrNoConnection: console.ExitUnavailable,
		conversions.ErrRefused: console.ExitPermission, conversions.ErrChanged: console.ExitStale} {
		if errors.Is(err, class) && console.ExitCode(context.Background(), err) == console.ExitInternal {
			return console.ExitWith(code, err.Error())
		}
	}
	return err
}

// writeResults writes the file of results and returns its name; with --check only where one is named.
func (s *sender) writeResults(ctx context.Context) (name string, err error) {
	if name = s.flags.results; name == "" {
		if s.flags.check {
			return "", nil
		}
		digest := strings.TrimPrefix(s.survey.Digest, "sha256:")
		name = filepath.Join(s.project.StateFolder(), "results", "conversions-"+digest[:12]+".csv")
	}
	file := console.NewFile{Flag: "--results", Name: name, Never: true, Ours: func(content []byte) bool {
		return bytes.HasPrefix(content, []byte(conversions.ResultsBegin))
	}}
	now := s.env.Clock.OrSystem().Now()
	return name, file.Write(func(w io.Writer) error {
		return conversions.WriteResults(ctx, w, s.file, s.survey, s.journal, now)
	})
}

func (s *sender) print(d conversions.SendDocument) error {
	switch {
	case d.Checked && s.survey.Events() == 0:
		_, err := fmt.Fprintf(s.env.Out, "%s: %s, none of which can go. Nothing was sent.\n",
			diag.Printable(d.File), diag.Counted(d.Rows, "row", "rows"))
		return err
	case d.Checked:
		_, err := fmt.Fprintf(s.env.Out, "%s: %s, %d of them cannot go; %s would go in %s. Nothing was sent.\n",
			diag.Printable(d.File), diag.Counted(d.Rows, "row", "rows"), d.Invalid,
			diag.Counted(s.survey.Events(), "event", "events"), diag.Counted(len(d.Batches), "batch", "batches"))
		return err
	}
	text := fmt.Sprintf("%s: %s to %s, pixel %s: %d taken", diag.Printable(d.File),
		diag.Counted(s.survey.Events(), "event", "events"), diag.Printable(d.Host), diag.Printable(d.Pixel),
		d.Events.Taken)
	for _, of := range []struct {
		n    int
		word string
	}{{d.Events.Unknown, "unknown"}, {d.Events.Refused, "refused"}, {d.Events.Late, "too old"},
		{d.Events.Left, "left as they are"}, {d.Events.Waiting, "not sent"}} {
		if of.n > 0 {
			text += fmt.Sprintf(", %d %s", of.n, of.word)
		}
	}
	if d.Invalid > 0 {
		text += fmt.Sprintf("; %s left out", diag.Counted(d.Invalid, "row", "rows"))
	}
	if _, err := fmt.Fprintln(s.env.Out, text+"."); err != nil {
		return err
	}
	for _, b := range d.Batches {
		if b.Fate != string(conversions.Refused) || b.Code == "" {
			continue
		}
		at := ""
		if b.Row > 0 {
			at = fmt.Sprintf(", for row %d", b.Row)
		}
		s.env.Note("batch %d (rows %d to %d) was refused: %s%s", b.Number, b.FirstRow, b.LastRow, b.Code, at)
	}
	s.env.Note("a result a row: %s", diag.Printable(d.Results))
	return nil
}
