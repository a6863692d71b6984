package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/plan"
	"adsync/sources"
)

// formatVersion stands in every JSON output.
const formatVersion = 1

// loaded is a project and what its files say.
type loaded struct {
	project sources.Project
	schemas resource.Schemas
	desired sources.Desired
	strict  bool           // one row that is not valid stops all
	failure error          // why nothing was read; of a commit that could not be had
	reviews *review.Record // what is known of the reviews; nil where no files were read
}

// envBounds raises or lowers the sizes beyond which a file is refused.
const envBounds = "ADSYNC_BOUNDS"

// checkBounds holds the operator's bounds before any command runs.
func (a *app) checkBounds() error {
	if text := a.env(envBounds); text != "" {
		if err := new(sources.Project).Bound(text); err != nil {
			return configuration("%s: %v", envBounds, err)
		}
	}
	return nil
}

// readProject reads a project under the operator's bounds.
func (a *app) readProject(dir string) (sources.Project, []diag.Problem) {
	if a.git != nil && a.git.checkout != nil {
		return a.git.checkout.Project, a.git.checkout.Problems
	}
	project, problems := sources.ReadProject(dir)
	if text := a.env(envBounds); text != "" {
		_ = project.Bound(text) // checkBounds has held it before the command ran
	}
	o, wrong := a.operator(project)
	if diag.HasErrors(wrong) {
		problems = append(problems, wrong...) // which may have kept it from saying where the state is
	}
	problems = append(problems, project.KeepState(o)...)
	return project, append(problems, project.StateOfCommit()...)
}

// load reads the project and its files. Problems are part of what it gives.
func (a *app) load(ctx context.Context, dir string) loaded {
	if a.git != nil && a.git.failure != nil {
		return loaded{
			schemas: kinds.All(), desired: sources.Desired{Snapshot: &resource.Snapshot{}}, failure: a.git.failure,
		}
	}
	project, problems := a.readProject(dir)
	return a.loadRead(ctx, project, problems)
}

// loadRead loads the files of a project that was read with its problems, which
// may leave nothing to load.
func (a *app) loadRead(ctx context.Context, project sources.Project, problems []diag.Problem) loaded {
	l := loaded{project: project, schemas: kinds.All(), reviews: a.knownReviews(project)}
	g := a.govern(project, l.schemas, time.Now())
	problems = onceEach(problems, g.problems)
	l.project.Bulk, l.strict = g.bulk, g.stops
	if diag.HasErrors(problems) {
		l.desired = sources.Desired{Snapshot: &resource.Snapshot{}, Problems: problems}
		return l
	}
	return a.loadProject(ctx, l, problems)
}

// onceEach joins problems that may be the same, in order.
func onceEach(some, others []diag.Problem) []diag.Problem {
	var all diag.List
	all.AddAll(some)
	all.AddAll(others)
	return all.Sorted()
}

// loadProject reads the files of a project that was read with its problems.
func (a *app) loadProject(ctx context.Context, l loaded, problems []diag.Problem) loaded {
	l.project.Former = a.former(ctx, l.project, l.schemas)
	l.project.Unused = a.unused(ctx, l.project)
	l.desired = sources.Load(ctx, l.project, l.schemas)
	l.desired.Problems = onceEach(problems, l.desired.Problems)
	return l
}

// from names what was read, as a command that reads it again has it.
func (a *app) from(dir string) string {
	switch {
	case a.git != nil:
		return a.git.words()
	case dir == ".":
		return ""
	}
	return " " + quoted(filepath.Clean(dir))
}

// invalid gives the error of files that cannot be planned, nil where they can.
// The problems are printed for people; output for programs carries them itself.
func (a *app) invalid(l loaded, problems []diag.Problem) error {
	if l.failure != nil {
		return l.failure
	}
	if a.flags.output != "json" && a.flags.output != "ndjson" {
		a.showProblems(l.project, problems)
	}
	if !diag.HasErrors(problems) {
		return nil
	}
	return exitWith(exitInvalid, counted(problems)+"; nothing was changed")
}

// unready gives the error of files of which nothing can be planned, nil where rows that
// are not valid wait and the others go.
func (a *app) unready(l loaded, strict bool) error {
	err := a.invalid(l, l.desired.Problems)
	if l.failure == nil && !l.stops(strict) {
		return nil
	}
	if known := new(exit); l.desired.TooMany != "" && errors.As(err, &known) {
		known.message = l.desired.TooMany + "; " + known.message
	}
	return err
}

// unreadyPlan gives the error of a plan that cannot be carried out, and says what its
// rows wait for.
func (a *app) unreadyPlan(l loaded, p *plan.Plan) error {
	if len(p.Waits) > 0 && a.flags.output != "json" && a.flags.output != "ndjson" {
		a.showProblems(l.project, p.Waits)
	}
	return a.invalid(l, p.Problems)
}

// stops reports whether what is wrong with the files stops every row of them.
func (l *loaded) stops(strict bool) bool {
	return l.desired.Stops() || (strict || l.strict) && diag.HasErrors(l.desired.Problems)
}

// invalidRows are the rows that wait, as a plan wants them: those that stand beneath
// another are found there.
func (l *loaded) invalidRows() []plan.InvalidRow {
	var rows []plan.InvalidRow
	for _, w := range l.desired.Waiting {
		if len(w.Problems) == 0 && !w.Adrift {
			continue
		}
		row := plan.InvalidRow{
			Address: w.Resource.Address, Lowers: w.Lowers, Stops: w.Stops, Adrift: w.Adrift,
			Message: "waits with the row above it, which is not valid",
		}
		if len(w.Problems) > 0 {
			first := w.Problems[0]
			row.Message = first.String()
			if at := w.Resource.Position; first.Position.File() == at.File() && first.Position.Sheet() == at.Sheet() {
				row.Cell = first.Position
			}
		}
		if more := len(w.Problems) - 1; more > 0 {
			row.Message += fmt.Sprintf("; and %d more", more)
		}
		rows = append(rows, row)
	}
	return rows
}

func (a *app) showProblems(project sources.Project, problems []diag.Problem) {
	if err := diag.Render(a.err, problems, sources.SourceLine(project)); err != nil {
		a.note("problems could not be printed: %v", err)
	}
}

func counted(problems []diag.Problem) string {
	number := map[diag.Severity]int{}
	for _, p := range problems {
		number[p.Severity]++
	}
	var parts []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning, diag.Note} {
		if n := number[s]; n > 0 {
			parts = append(parts, plural(n, string(s)))
		}
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return strings.Join(parts, "")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func pluralAre(n int, noun string) string {
	if n == 1 {
		return plural(n, noun) + " is"
	}
	return plural(n, noun) + " are"
}

// printJSON writes one document, indented, for people who read it and programs
// alike.
func (c *console) printJSON(document any) error { return writeJSON(c.out, document) }

// writeJSON prints a document with what a terminal would not show escaped.
func writeJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(&visibleLines{to: w})
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document)
}

// visibleLines escapes what a terminal would not show. Lines of plain characters
// pass as they are.
type visibleLines struct {
	to   io.Writer
	line []byte // the last one, while its end has not come
}

func (v *visibleLines) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if !ended {
			v.line = append(v.line, rest...)
			break
		}
		line, rest = rest[:len(line)+1], after
		if len(v.line) > 0 {
			line = append(v.line, line...)
			v.line = line[:0]
		}
		if err := v.pass(line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (v *visibleLines) pass(line []byte) (err error) {
	if bytes.ContainsFunc(line, func(r rune) bool { return (r < ' ' || r > '~') && r != '\n' }) {
		line = []byte(planview.Visible(string(line)))
	}
	_, err = v.to.Write(line)
	return err
}

func listed(problems []diag.Problem) []diag.Problem {
	if problems == nil {
		return []diag.Problem{}
	}
	return problems
}
