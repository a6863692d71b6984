package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/state"

	"github.com/google/renameio/v2"
)

// writeResults writes a copy of every workbook with a Result and a Message in
// each row, and the same outcomes as CSV and JSON. The user's own files are
// changed by writeBack alone.
func (a *app) writeResults(l loaded, dir string, r *reconcile.Report, d *reportDocument) error {
	if dir == "" {
		dir = filepath.Join(l.project.StateFolder(), "results")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return configuration("--results: %v", err)
		}
	}
	rows := rowOutcomes(l, r)
	return errors.Join(
		a.writeCopies(l, marking{to: dir, done: true}, workbooks(l), sources.Marks{
			Outcomes: l.inReview(inWords(l, r, rows, words.ByAsk)),
			Problems: l.desired.Problems, Unread: l.desired.Unread,
		}),
		writeLists(dir, rows, d),
	)
}

// nowAt is the time it is in the account's time zone.
func (a *app) nowAt(l loaded) time.Time {
	zone, err := time.LoadLocation(l.project.Account.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	return a.clock.orSystem().now().In(zone)
}

// writeLists writes what became of all rows as CSV and JSON.
func writeLists(dir string, rows []sources.RowOutcome, d *reportDocument) error {
	return errors.Join(
		resultFile(dir, "results.csv").write(func(w io.Writer) error { return sources.WriteResultsCSV(w, rows) }),
		resultFile(dir, "results.json").write(func(w io.Writer) error { return reportForms["json"](w, d) }),
	)
}

// resultsBegin says how the files begin that stand beside the result copies.
var resultsBegin = map[string]string{"results.csv": "\ufeffresult,", "results.json": "{\n  \"format_version\": "}

// resultFile is a file of results. One of an earlier run is replaced.
func resultFile(dir, name string) newFile {
	begins := []byte(resultsBegin[name])
	return newFile{flag: "--results", name: filepath.Join(dir, name), never: true, ours: func(content []byte) bool {
		return bytes.HasPrefix(content, begins)
	}}
}

// roomForResults refuses a folder for results in which one would take the place of
// a file of the user's: before anything is applied.
func roomForResults(l loaded, dir string) error {
	if dir == "" {
		return nil
	}
	_, err := copiesOf(marking{to: dir, done: true}, workbooks(l))
	for name := range resultsBegin {
		err = cmp.Or(err, resultFile(dir, name).free())
	}
	return err
}

// writeFile replaces a file as a whole, or not at all. Who may read it follows
// from the user's umask.
func writeFile(name string, write func(io.Writer) error) error {
	return putFile(name, write, (*renameio.PendingFile).CloseAtomicallyReplace)
}

// createFile is writeFile for a name that nothing has: one that is taken is
// fs.ErrExist, also where it is taken while the file is written.
func createFile(name string, write func(io.Writer) error) error {
	return putFile(name, write, func(file *renameio.PendingFile) error {
		if err := file.Sync(); err != nil {
			return err
		}
		err := os.Link(file.Name(), name)
		if err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		if _, err := os.Lstat(name); err == nil { // a file system without links
			return fs.ErrExist
		}
		return file.CloseAtomicallyReplace()
	})
}

func putFile(name string, write func(io.Writer) error, place func(*renameio.PendingFile) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	file, err := renameio.NewPendingFile(name, renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer file.Cleanup() // where it was not put in place
	out := bufio.NewWriterSize(file, 1<<16)
	if err := cmp.Or(write(out), out.Flush()); err != nil {
		return err
	}
	return place(file)
}

// rowOutcomes gives every resource of the files its outcome, and then the
// changes no row asks for. A resource that is in no change has nothing to tell.
func rowOutcomes(l loaded, r *reconcile.Report) []sources.RowOutcome {
	byAddress := make(map[resource.Address]reconcile.Outcome, len(r.Outcomes))
	for _, o := range r.Outcomes {
		byAddress[o.Address] = o
	}
	var rows []sources.RowOutcome
	for want := range l.desired.Whole().All() {
		row := sources.RowOutcome{
			Address: want.Address, Name: l.schemas.Of(want.Address.Kind).NameOf(want),
			Position: want.Position, Result: resultNoChange, ID: want.ID,
		}
		if o, changed := byAddress[want.Address]; changed {
			row = rowOutcome(o)
			row.Position = want.Position
			delete(byAddress, want.Address)
		}
		rows = append(rows, row)
	}
	for _, o := range r.Outcomes {
		if _, left := byAddress[o.Address]; left {
			rows = append(rows, rowOutcome(o))
		}
	}
	return rows
}

func rowOutcome(o reconcile.Outcome) sources.RowOutcome {
	row := sources.RowOutcome{
		Address: o.Address, Name: diag.Printable(o.Name), Action: string(o.Action), Position: o.Position,
		Result: resultWord(o), Shown: shownResult(o), Message: diag.Printable(withFix(o)), Code: o.Code, ID: o.ID,
	}
	if o.Outcome != state.OutcomeApplied || len(o.Held) > 0 {
		row.Cell = o.Cell
	}
	return row
}

// withFix is the words of an outcome with what to do about it. What holds a change
// says so itself.
func withFix(o reconcile.Outcome) string {
	fix := runview.Do(o.Outcome, o.Code, o.Address)
	if o.Outcome == runview.Held {
		fix = ""
	}
	return withAdvice(codedMessage(o), fix)
}

func withAdvice(message, fix string) string {
	switch {
	case fix == "":
		return message
	case message == "":
		return fix
	}
	return strings.TrimRight(message, ".") + ". " + fix
}

// inWords gives the rows of a run with what workbooks say of them, to people who have no
// command line.
func inWords(l loaded, r *reconcile.Report, rows []sources.RowOutcome, ask words.Ask) []sources.RowOutcome {
	names, said := namesOf(l.schemas, r.Plan), map[resource.Address]string{}
	for i, o := range r.Outcomes {
		c := r.Plan.Changes[i]
		held := names.Holds(c.Holds(), ask)
		switch {
		case o.Outcome == runview.Held:
			said[o.Address] = held
		case o.Outcome == state.OutcomeApplied && len(o.Held) > 0:
			said[o.Address] = words.Upper(words.WaitsPart) + ": " + held
		default:
			said[o.Address] = diag.Printable(withAdvice(names.In(codedMessage(o)), words.Do(string(o.Outcome), o.Code)))
		}
	}
	rows = slices.Clone(rows)
	for i := range rows {
		if text, changed := said[rows[i].Address]; changed {
			rows[i].Message = text
		}
	}
	return rows
}

// shownResult is what a workbook says in the place of a result that is an engineer's word.
func shownResult(o reconcile.Outcome) string {
	switch {
	case o.Outcome == runview.Held:
		return words.WaitsElse
	case o.Outcome == state.OutcomeApplied && o.Action == plan.Adopt:
		return words.Done(o.Action)
	}
	return ""
}

// resultWord is the Result of formats.md section 3.
func resultWord(o reconcile.Outcome) string {
	switch {
	case o.Outcome != state.OutcomeApplied:
		return string(o.Outcome)
	case o.Action == plan.Create || o.Action == plan.Replace:
		return "created"
	case o.Action == plan.Record || o.Action == plan.Forget:
		return "no change"
	}
	return "updated"
}
