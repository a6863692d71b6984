package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/report"

	"github.com/spf13/cobra"
)

// flags are those of report.
type flags struct {
	named session.NamedFlags
	span  string
	out   string
	force bool
}

// Command returns the command adsync report.
func Command(env *session.Env) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "report [FOLDER]",
		Short: "Report a week, or another span: figures against the span before, budgets, ads, changes, what waits",
		Long: `Report what the account did in a span of days: figures against the span before, spend against budgets, the best and
the worst ads, what the service rejected, what was changed and by whom, and what waits. The figures are those that the
daemon keeps; where it has kept none of these days, the service is asked. Nothing is changed.`,
		Example: `  adsync report --span last-week -o html --out week.html
  adsync report --span last-month -o xlsx --out month.xlsx`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(env, c, args) },
	}
	f.named.Register(c)
	c.Flags().StringVar(&f.span, "span", "last-week", insights.Spans)
	c.Flags().StringVar(&f.out, "out", "", "file to write (default: standard output)")
	console.ForceFlag(c, &f.force)
	env.Outputs(c, report.Forms...)
	return c
}

func (f *flags) run(env *session.Env, c *cobra.Command, args []string) error {
	if env.Flags.Output == "xlsx" && f.out == "" && console.IsTerminal(env.Out) {
		return console.Usage(c, errors.New("a workbook does not belong on a terminal; use --out FILE"))
	}
	file := console.NewFile{Flag: "--out", Name: f.out, Force: f.force}
	if f.out != "" {
		if err := file.Free(); err != nil {
			return err
		}
	}
	if _, err := spanOf(f.span, time.Now()); err != nil { // what needs no account is refused first
		return console.Usage(c, err)
	}
	made, err := f.report(env, c, args)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		if env.Flags.Output == "json" {
			w = &console.VisibleLines{To: w}
		}
		return made.Write(w, env.Flags.Output)
	}
	if f.out == "" {
		return write(env.Out)
	}
	if err := file.Write(write); err != nil {
		return err
	}
	env.Note("%s: %s", diag.Printable(f.out), diag.Printable(made.Title()))
	return nil
}

// spanOf reads a span of days.
func spanOf(name string, now time.Time) (insights.Span, error) {
	span, err := insights.NamedSpan(name, now)
	switch {
	case err != nil:
		return span, err
	case len(span.From) != len(time.DateOnly):
		return span, fmt.Errorf("--span is %q; a report is of days: want such as 2026-11-01..2026-11-15", name)
	}
	from, _ := time.Parse(time.DateOnly, span.From) // both were read
	if to, _ := time.Parse(time.DateOnly, span.To); to.Sub(from) >= mostDays*24*time.Hour {
		return span, fmt.Errorf("--span is %q; want at most %d days", name, mostDays)
	}
	return span, nil
}

// mostDays is how many days a report is of at most, so that the span before is kept too.
const mostDays = figures.KeptDays / 2

// report makes it of what the daemon keeps or, where it has none of the days, of what the service says.
func (f *flags) report(env *session.Env, c *cobra.Command, args []string) (*report.Report, error) {
	project, err := session.ProjectAt(env, c, args, f.named)
	if err != nil {
		return nil, err
	}
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	name := cmp.Or(f.named.Account, nameOf(cmp.Or(f.named.State, dir)))
	of := account{env: env, project: project, name: name}
	if drawn(env.Flags.Output) && !f.named.Given() {
		of.reads = picturesOf(env, project)
	}
	kept := figures.Kept{Store: session.BesideOf(env, project)}
	index, err := kept.Index()
	if err != nil {
		return nil, err
	}
	now, has := index.Now(env.Clock.OrSystem().Now())
	span, err := spanOf(f.span, now)
	if err != nil {
		return nil, console.Usage(c, err)
	}
	if has && holds(index, span) {
		return of.kept(c.Context(), kept, span, now, report.Facts{})
	}
	if f.named.Given() {
		return nil, console.Configuration("no day of %s is kept of this account; "+
			"want a span that the daemon has read, or the folder of the files, by which the service is asked", span)
	}
	return f.asked(c.Context(), c, of)
}

// holds reports whether any day of a span is kept.
func holds(index figures.Index, span insights.Span) bool {
	for day := range index.Taken {
		if day >= span.From && day <= span.To {
			return true
		}
	}
	return false
}

func nameOf(folder string) string {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return folder
	}
	return filepath.Base(whole)
}

// asked makes the report of what the service says.
func (f *flags) asked(ctx context.Context, c *cobra.Command, of account) (*report.Report, error) {
	l := session.Loaded{Project: of.project, Schemas: session.Schemas()}
	s, err := session.Connect(ctx, of.env, l, true)
	if err != nil {
		return nil, err
	}
	defer s.End()
	now, err := s.Agent.Present(ctx)
	if err != nil {
		return nil, err
	}
	span, err := spanOf(f.span, now)
	if err != nil {
		return nil, console.Usage(c, err)
	}
	return of.asked(ctx, s, span, now)
}
