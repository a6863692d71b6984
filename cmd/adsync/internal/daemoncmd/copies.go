package daemoncmd

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/resultcopy"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/marked"
)

// copies is what the daemon of an account leaves for the people who edit its files: after
// each run a copy of every workbook that says what became of its rows.
type copies struct {
	env       *session.Env
	folder    string // as results in daemon.yaml says; "" for beside the files, or for git the state
	beside    bool   // the account is a folder, in which people look
	writeBack bool   // results go into their own files as well
	owes      bool   // results are proposed for their own files
	took      func(sum string)

	writing sync.Mutex // held by who writes into the files of people

	told map[resource.Address]bool // rows whose own cells say something that may be over; nil: nobody knows
	said map[string]bool           // notes that are said once
	owed []string                  // files that were open in an editor and could not be written into
}

// afterRun is what a run leaves behind.
type afterRun struct {
	name  string              // of its folder
	rows  []marked.RowOutcome // as the marks have them, for the files of people: without what is over by itself
	marks marked.Marks
	lists func(folder string) error // writes what stands beside the copies; nil where nothing was applied
}

// applied leaves copies of a run that applied something.
func (c *copies) applied(l *session.Loaded, r *reconcile.Report, d *runs.ReportDocument) error {
	all := runs.RowOutcomes(*l, r)
	rows := runs.InWords(*l, r, all, words.OnPage)
	failed := c.remember(l, rows)
	lists := func(folder string) error { return runs.WriteLists(folder, l.Reviewed(all), d) }
	marks := marked.Marks{Outcomes: l.InReview(rows), Problems: l.Desired.Problems, Unread: l.Desired.Unread}
	err := c.leave(l, afterRun{name: runs.RefWord(r.Run), rows: l.Judged(rows), marks: marks, lists: lists})
	folder := c.shelf(*l).Folder
	return errors.Join(failed, err, lists(folder),
		resultcopy.ShareAll(folder, slices.Collect(maps.Keys(runs.ResultsBegin))...))
}

// planned leaves copies of a run that applied nothing: what waits, what is not valid,
// what somebody changed outside. What the last apply did stands until a row changes.
func (c *copies) planned(l *session.Loaded, p *plan.Plan) error {
	if len(runs.Workbooks(*l)) == 0 {
		return nil
	}
	went := c.recall(l, wentName)
	rows := runs.PlannedRows(*l, p, words.OnPage)
	problems := session.OnceEach(l.Desired.Problems, p.Problems)
	marks := marked.Marks{Outcomes: stillStands(l.InReview(rows), went), Problems: problems, Unread: l.Desired.Unread}
	return c.leave(l, afterRun{name: "planned", rows: stillStands(l.Judged(rows), went), marks: marks})
}

// lasting are the rows of a plan for the files of people, with what applies did that the files do not say yet, and the
// ids that are known. What only waits is over before somebody merges it: nothing is said of it.
func (c *copies) lasting(l *session.Loaded, v *reconcile.View) []marked.RowOutcome {
	rows := stillStands(l.Judged(runs.PlannedRows(*l, v.Plan, words.OnPage)), c.recall(l, owedName))
	for i := range rows {
		row := &rows[i]
		if row.Result == string(runview.Held) {
			row.Result, row.Shown, row.Message = session.ResultNoChange, "", ""
		}
		if last := v.Last.Get(row.Address); last != nil {
			row.ID = cmp.Or(row.ID, last.ID)
		}
	}
	return rows
}

// stillStands returns rows of which nothing else is said what the last apply did.
func stillStands(rows []marked.RowOutcome, went map[string]wentRow) []marked.RowOutcome {
	for i := range rows {
		if did, is := went[rows[i].Address.String()]; is && rows[i].Result == session.ResultNoChange {
			rows[i].Result, rows[i].Message = did.Result, console.JoinLines(did.Message, rows[i].Message)
		}
	}
	return rows
}

// refused leaves copies of files that could not be planned.
func (c *copies) refused(l *session.Loaded, problems []diag.Problem) error {
	rows := marked.ProblemRows(problems)
	marks := marked.Marks{Outcomes: rows, Problems: problems, Unread: l.Desired.Unread}
	return c.leave(l, afterRun{name: "problems", rows: rows, marks: marks})
}

// shelf is where the copies of this account lie.
func (c *copies) shelf(l session.Loaded) resultcopy.Shelf {
	s := resultcopy.Shelf{Folder: c.folder}
	if s.Folder == "" {
		s.Folder = filepath.Join(l.Project.StateFolder(), "results")
		if c.beside {
			s.Beside = l.Project.Root
		}
	}
	s.Runs = filepath.Join(s.Folder, "runs")
	return s
}

// errAsBefore says that no copy says anything new.
var errAsBefore = errors.New("every copy says so already")

// leave writes into the user's own files where that was asked for, and then the copies.
func (c *copies) leave(l *session.Loaded, run afterRun) error {
	if run.lists == nil && len(runs.Workbooks(*l)) == 0 {
		return nil
	}
	formers := c.writeInto(l, run)
	shelf := c.shelf(*l)
	var failed error
	kept, err := shelf.Keep(c.env.Clock.OrSystem().Now(), run.name, func(folder string) error {
		made := run.lists != nil || len(formers) > 0
		if run.lists != nil {
			failed = run.lists(folder)
		}
		for _, file := range runs.Workbooks(*l) {
			one, err := c.leaveOne(*l, shelf, folder, file, run.marks)
			made, failed = made || one, errors.Join(failed, err)
		}
		if !made {
			return errAsBefore
		}
		return nil
	})
	if errors.Is(err, errAsBefore) {
		return failed
	}
	if err == nil { // else they stay where they are
		for _, former := range formers {
			failed = errors.Join(failed, moveFile(former, filepath.Join(kept, filepath.Base(former))))
		}
		err = resultcopy.ShareAll(kept)
	}
	return errors.Join(failed, err)
}

// leaveOne makes the copy of one workbook, unless there is one that says the same.
func (c *copies) leaveOne(l session.Loaded, shelf resultcopy.Shelf,
	folder, file string, m marked.Marks) (bool, error) {
	original, err := os.ReadFile(filepath.Join(l.Project.Root, filepath.FromSlash(file)))
	if err != nil || !isAsRead(l, file, original) {
		return false, nil // the run of what it is now is near
	}
	of := marksOf(file, original, m)
	if c.standsAlready(shelf, file, of, m) {
		return false, nil
	}
	m.Results, m.At = &of, runs.NowAt(c.env, l)
	var content bytes.Buffer
	if err := marked.WriteCopy(original, &content, file, m); err != nil {
		c.once("no copy: %s", diag.Printable(err.Error()))
		return false, nil
	}
	if err := c.put(shelf, file, content.Bytes()); err != nil {
		return false, err
	}
	name := filepath.Join(folder, filepath.FromSlash(resultcopy.NameOf(file)))
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		return false, err
	}
	return true, os.WriteFile(name, content.Bytes(), 0o640)
}

// put lays a copy down where people look, else where adsync may write.
func (c *copies) put(shelf resultcopy.Shelf, file string, content []byte) error {
	name, stays, err := shelf.Put(file, content)
	if shelf.Beside != "" && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		c.once("copies with results cannot be written beside the files (%v); they are in %s; "+
			"results: FOLDER in daemon.yaml puts them elsewhere", err, shelf.Folder)
		shelf.Beside = ""
		name, stays, err = shelf.Put(file, content)
	}
	if err != nil {
		return fmt.Errorf("copy of %s: %w", diag.Printable(file), err)
	}
	for _, stay := range stays {
		c.once("%s stays as it is: it is no copy adsync wrote, or somebody edited it; the results of %s are in %s",
			diag.Printable(stay), diag.Printable(file), diag.Printable(filepath.Base(name)))
	}
	if shelf.Beside != "" {
		c.keepFromGit(filepath.Dir(name))
	}
	return nil
}

// keepFromGit has git leave copies alone, where the folder is in a work tree.
func (c *copies) keepFromGit(folder string) {
	written, err := resultcopy.Exclude(folder)
	switch {
	case err != nil:
		c.once("git was not told to leave copies with results alone: %v; want the line %q in .gitignore",
			err, resultcopy.Ignored)
	case written != "":
		c.once("%s has git leave copies with results alone", written)
	}
}

// once notes what stays true, once.
func (c *copies) once(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	if c.said == nil {
		c.said = map[string]bool{}
	}
	if !c.said[text] {
		c.said[text] = true
		c.env.Note("%s", text)
	}
}

// isAsRead reports whether a workbook is what the run read: its rows are where they were.
func isAsRead(l session.Loaded, file string, content []byte) bool {
	sum := sha256.Sum256(content)
	i := slices.IndexFunc(l.Desired.Sources, func(s sources.Source) bool { return s.File == file })
	return i < 0 || l.Desired.Sources[i].Hash == "" || l.Desired.Sources[i].Hash == hex.EncodeToString(sum[:])
}

// marksOf is what a copy of a workbook will say of itself.
func marksOf(file string, original []byte, m marked.Marks) resultcopy.Copy {
	of := resultcopy.Copy{Of: file}
	marks, reviews := sha256.New(), sha256.New()
	for _, o := range m.Outcomes {
		if o.Position.File() == file {
			fmt.Fprintf(reviews, "%q\n", []string{o.Position.String(), o.Review, o.Serving})
			fmt.Fprintf(marks, "%q\n", []string{o.Position.String(), o.Result, o.Shown, o.Message, o.Cell.String()})
			of.Open = of.Open || !slices.Contains([]string{"created", "updated", "no change"}, o.Result)
		}
	}
	for _, p := range m.Problems {
		if p.Position.File() == file {
			fmt.Fprintf(marks, "%q\n", []string{string(p.Severity), p.Position.String(), p.Message, p.Hint})
			of.Open = of.Open || p.Severity == diag.Error
		}
	}
	of.Says = contentSum(original) + "." + hex.EncodeToString(reviews.Sum(nil)[:8]) +
		"-" + hex.EncodeToString(marks.Sum(nil)[:16])
	return of
}

func contentSum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// standsAlready reports whether the copy that lies there says the same, or says what was
// done of the same workbook, and there is nothing to say since.
func (c *copies) standsAlready(shelf resultcopy.Shelf, file string, of resultcopy.Copy, m marked.Marks) bool {
	current, is := shelf.Current(file)
	if !is || current.Says == "" {
		return false
	}
	if current.Says == of.Says {
		return true
	}
	news := slices.ContainsFunc(m.Outcomes, func(o marked.RowOutcome) bool {
		return o.Position.File() == file && o.Result != "no change"
	})
	before, _, _ := strings.Cut(current.Says, "-")
	now, _, _ := strings.Cut(of.Says, "-")
	return !news && !of.Open && !current.Open && before == now
}

// refusedCopies leaves copies where the service refused rows before anything was changed.
func (w *worker) refusedCopies(l *session.Loaded, failure error) error {
	if invalid, is := errors.AsType[*reconcile.InvalidError](failure); is {
		return w.copies.refused(l, session.OnceEach(l.Desired.Problems, invalid.Problems))
	}
	return nil
}

// withError says beside how a run ended what went wrong with what it leaves behind.
func withError(r daemon.Result, err error) daemon.Result {
	if err != nil {
		r.Message = strings.TrimPrefix(r.Message+"; "+console.OneLine(err), "; ")
	}
	return r
}
