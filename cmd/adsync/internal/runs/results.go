package runs

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/marked"
	"adsync/state"
)

// writeResults writes a copy of every workbook with a Result and a Message in
// each row, and the same outcomes as CSV and JSON. The user's own files are
// changed by WriteBack alone.
func writeResults(env *session.Env, l session.Loaded, dir string, r *reconcile.Report, d *ReportDocument) error {
	if dir == "" {
		dir = filepath.Join(l.Project.StateFolder(), "results")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return console.Configuration("--results: %v", err)
		}
	}
	rows := RowOutcomes(l, r)
	return errors.Join(
		writeCopies(env, l, Marking{To: dir, done: true}, Workbooks(l), marked.Marks{
			Outcomes: l.InReview(InWords(l, r, rows, words.ByAsk)),
			Problems: l.Desired.Problems, Unread: l.Desired.Unread,
		}),
		WriteLists(dir, l.Reviewed(rows), d),
	)
}

// NowAt is the time it is in the account's time zone.
func NowAt(env *session.Env, l session.Loaded) time.Time {
	zone, err := time.LoadLocation(l.Project.Account.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	return env.Clock.OrSystem().Now().In(zone)
}

// WriteLists writes what became of all rows as CSV and JSON.
func WriteLists(dir string, rows []marked.RowOutcome, d *ReportDocument) error {
	return errors.Join(
		resultFile(dir, "results.csv").Write(func(w io.Writer) error { return marked.WriteResultsCSV(w, rows) }),
		resultFile(dir, "results.json").Write(func(w io.Writer) error { return ReportForms["json"](w, d) }),
	)
}

// ResultsBegin says how the files begin that stand beside the result copies.
var ResultsBegin = map[string]string{"results.csv": "\ufeffresult,", "results.json": "{\n  \"format_version\": "}

// resultFile is a file of results. One of an earlier run is replaced.
func resultFile(dir, name string) console.NewFile {
	begins := []byte(ResultsBegin[name])
	return console.NewFile{Flag: "--results", Name: filepath.Join(dir, name),
		Never: true, Ours: func(content []byte) bool {
			return bytes.HasPrefix(content, begins)
		}}
}

// RoomForResults refuses a folder for results in which one would take the place of
// a file of the user's: before anything is applied.
func RoomForResults(l session.Loaded, dir string) error {
	if dir == "" {
		return nil
	}
	_, err := copiesOf(Marking{To: dir, done: true}, Workbooks(l))
	for name := range ResultsBegin {
		err = cmp.Or(err, resultFile(dir, name).Free())
	}
	return err
}

// RowOutcomes returns the outcome of every resource of the files, and then of the
// changes no row asks for. A resource that is in no change has nothing to tell.
func RowOutcomes(l session.Loaded, r *reconcile.Report) []marked.RowOutcome {
	byAddress := make(map[resource.Address]reconcile.Outcome, len(r.Outcomes))
	for _, o := range r.Outcomes {
		byAddress[o.Address] = o
	}
	var rows []marked.RowOutcome
	for want := range l.Desired.Whole().All() {
		row := marked.RowOutcome{
			Address: want.Address, Name: l.Schemas.Of(want.Address.Kind).NameOf(want),
			Position: want.Position, Result: session.ResultNoChange, ID: want.ID,
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

func rowOutcome(o reconcile.Outcome) marked.RowOutcome {
	row := marked.RowOutcome{
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

// InWords returns the rows of a run with what workbooks say of them, to people who have no
// command line.
func InWords(l session.Loaded, r *reconcile.Report, rows []marked.RowOutcome, ask words.Ask) []marked.RowOutcome {
	names, said := namesOf(l.Schemas, r.Plan), map[resource.Address]string{}
	for i, o := range r.Outcomes {
		c := r.Plan.Changes[i]
		held := names.Holds(c.Holds(), ask)
		switch {
		case o.Outcome == runview.Held:
			said[o.Address] = held
		case o.Outcome == state.OutcomeApplied && len(o.Held) > 0:
			said[o.Address] = words.Upper(words.WaitsPart.Words()) + ": " + held
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
		return words.WaitsElse.Words()
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
