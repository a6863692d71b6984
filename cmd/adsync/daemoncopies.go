package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/resultcopy"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources"
)

// copies is what the daemon of an account leaves for the people who edit its files: after
// each run a copy of every workbook that says what became of its rows.
type copies struct {
	app       *app
	folder    string // as results in daemon.yaml says; "" for beside the files, or for git the state
	beside    bool   // the account is a folder, in which people look
	writeBack bool   // results go into their own files as well
	took      func(sum string)

	went map[resource.Address]sources.RowOutcome // what the last apply did
	told map[resource.Address]bool               // rows whose own cells say something that may be over
	said map[string]bool                         // notes that are said once
	owed []string                                // files that were open in an editor and could not be written into
}

// afterRun is what a run leaves behind.
type afterRun struct {
	name  string // of its folder
	marks sources.Marks
	lists func(folder string) error // writes what stands beside the copies; nil where nothing was applied
}

// applied leaves copies of a run that applied something.
func (c *copies) applied(l *loaded, r *reconcile.Report, d *reportDocument) error {
	rows := rowOutcomes(*l, r)
	c.went = map[resource.Address]sources.RowOutcome{}
	for _, row := range rows {
		if row.Result == "created" || row.Result == "updated" {
			c.went[row.Address] = row
		}
	}
	lists := func(folder string) error { return writeLists(folder, rows, d) }
	marks := sources.Marks{Outcomes: rows, Problems: l.desired.Problems, Unread: l.desired.Unread}
	err := c.leave(l, afterRun{name: refWord(r.Run), marks: marks, lists: lists})
	folder := c.shelf(*l).Folder
	return errors.Join(err, lists(folder), resultcopy.ShareAll(folder, slices.Collect(maps.Keys(resultsBegin))...))
}

// planned leaves copies of a run that applied nothing: what waits, what is not valid,
// what somebody changed outside. What the last apply did stands until a row changes.
func (c *copies) planned(l *loaded, p *plan.Plan) error {
	rows := plannedRows(*l, p)
	for i := range rows {
		if did, is := c.went[rows[i].Address]; is && rows[i].Result == "no change" {
			rows[i].Result, rows[i].Message = did.Result, did.Message
		}
	}
	problems := onceEach(l.desired.Problems, p.Problems)
	return c.leave(l, afterRun{name: "planned", marks: sources.Marks{Outcomes: rows, Problems: problems, Unread: l.desired.Unread}})
}

// refused leaves copies of files that could not be planned.
func (c *copies) refused(l *loaded, problems []diag.Problem) error {
	marks := sources.Marks{Outcomes: sources.ProblemRows(problems), Problems: problems, Unread: l.desired.Unread}
	return c.leave(l, afterRun{name: "problems", marks: marks})
}

// shelf is where the copies of this account lie.
func (c *copies) shelf(l loaded) resultcopy.Shelf {
	s := resultcopy.Shelf{Folder: c.folder}
	if s.Folder == "" {
		s.Folder = filepath.Join(l.project.StateFolder(), "results")
		if c.beside {
			s.Beside = l.project.Root
		}
	}
	s.Runs = filepath.Join(s.Folder, "runs")
	return s
}

// errAsBefore says that no copy says anything new.
var errAsBefore = errors.New("every copy says so already")

// leave writes into the user's own files where that was asked for, and then the copies.
func (c *copies) leave(l *loaded, run afterRun) error {
	if run.lists == nil && len(workbooks(*l)) == 0 {
		return nil
	}
	wrote := c.writeInto(l, run)
	shelf := c.shelf(*l)
	var failed error
	err := shelf.Keep(c.app.clock.orSystem().now(), run.name, func(folder string) error {
		made := run.lists != nil || len(wrote) > 0
		if run.lists != nil {
			failed = run.lists(folder)
		}
		for _, former := range wrote {
			failed = errors.Join(failed, moveFile(former, filepath.Join(folder, filepath.Base(former))))
		}
		for _, file := range workbooks(*l) {
			one, err := c.leaveOne(*l, shelf, folder, file, run.marks)
			made, failed = made || one, errors.Join(failed, err)
		}
		if !made {
			return errAsBefore
		}
		return errors.Join(failed, resultcopy.ShareAll(folder))
	})
	if errors.Is(err, errAsBefore) {
		return failed
	}
	return err
}

// leaveOne makes the copy of one workbook, unless there is one that says the same.
func (c *copies) leaveOne(l loaded, shelf resultcopy.Shelf, folder, file string, m sources.Marks) (made bool, err error) {
	original, err := os.ReadFile(filepath.Join(l.project.Root, filepath.FromSlash(file)))
	if err != nil || !isAsRead(l, file, original) {
		return false, nil // the run of what it is now is near
	}
	of := marksOf(file, original, m)
	if c.standsAlready(shelf, file, of, m) {
		return false, nil
	}
	m.Results = &of
	var content bytes.Buffer
	if err := sources.WriteMarkedCopy(original, &content, file, m); err != nil {
		c.once("no copy: " + diag.Printable(err.Error()))
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
		c.once(fmt.Sprintf("copies with results cannot be written beside the files (%v); they are in %s; results: FOLDER in daemon.yaml puts them elsewhere", err, shelf.Folder))
		shelf.Beside = ""
		name, stays, err = shelf.Put(file, content)
	}
	if err != nil {
		return fmt.Errorf("copy of %s: %w", diag.Printable(file), err)
	}
	for _, stay := range stays {
		c.once(fmt.Sprintf("%s stays as it is: it is no copy adsync wrote, or somebody edited it; the results of %s are in %s",
			diag.Printable(stay), diag.Printable(file), diag.Printable(filepath.Base(name))))
	}
	if shelf.Beside != "" {
		if written, err := resultcopy.Exclude(filepath.Dir(name)); err != nil {
			c.once(fmt.Sprintf("git was not told to leave copies with results alone: %v; want the line %q in .gitignore", err, resultcopy.Ignored))
		} else if written != "" {
			c.once(fmt.Sprintf("%s has git leave copies with results alone; adsync init writes the line into .gitignore", written))
		}
	}
	return nil
}

// once notes what stays true, once.
func (c *copies) once(text string) {
	if c.said == nil {
		c.said = map[string]bool{}
	}
	if !c.said[text] {
		c.said[text] = true
		c.app.note("%s", text)
	}
}

// isAsRead reports whether a workbook is what the run read: its rows are where they were.
func isAsRead(l loaded, file string, content []byte) bool {
	sum := sha256.Sum256(content)
	i := slices.IndexFunc(l.desired.Sources, func(s sources.Source) bool { return s.File == file })
	return i < 0 || l.desired.Sources[i].Hash == "" || l.desired.Sources[i].Hash == hex.EncodeToString(sum[:])
}

// marksOf is what a copy of a workbook will say of itself.
func marksOf(file string, original []byte, m sources.Marks) resultcopy.Copy {
	of := resultcopy.Copy{Of: file}
	marks := sha256.New()
	for _, o := range m.Outcomes {
		if o.Position.File() == file {
			fmt.Fprintf(marks, "%q\n", []string{o.Position.String(), o.Result, o.Message, o.Cell.String()})
			of.Open = of.Open || !slices.Contains([]string{"created", "updated", "no change"}, o.Result)
		}
	}
	for _, p := range m.Problems {
		if p.Position.File() == file {
			fmt.Fprintf(marks, "%q\n", []string{string(p.Severity), p.Position.String(), p.Message, p.Hint})
			of.Open = of.Open || p.Severity == diag.Error
		}
	}
	of.Says = contentSum(original) + "-" + hex.EncodeToString(marks.Sum(nil)[:16])
	return of
}

func contentSum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// standsAlready reports whether the copy that lies there says the same, or says what was
// done of the same workbook, and there is nothing to say since.
func (c *copies) standsAlready(shelf resultcopy.Shelf, file string, of resultcopy.Copy, m sources.Marks) bool {
	current, is := shelf.Current(file)
	if !is || current.Says == "" {
		return false
	}
	if current.Says == of.Says {
		return true
	}
	quiet := !of.Open && !slices.ContainsFunc(m.Outcomes, func(o sources.RowOutcome) bool {
		return o.Position.File() == file && o.Result != "no change"
	})
	before, _, _ := bytes.Cut([]byte(current.Says), []byte("-"))
	now, _, _ := bytes.Cut([]byte(of.Says), []byte("-"))
	return quiet && !current.Open && bytes.Equal(before, now)
}

// writeInto writes what became of rows into the user's own files, and returns the names
// of the former ones. The sum of the files is then what the run has taken.
func (c *copies) writeInto(l *loaded, run afterRun) (formers []string) {
	if !c.writeBack {
		return nil
	}
	rows := c.toTell(run.marks.Outcomes)
	c.owed = nil
	now := map[string]string{}
	results := sources.Results{Rows: rows, At: c.app.clock.orSystem().now(), Again: func(d sources.Desired) []sources.RowOutcome { return unedited(*l, d, rows) }}
	for i := range l.desired.Sources {
		source := &l.desired.Sources[i]
		if !sources.TakesResults(source.File) || source.Hash == "" {
			continue
		}
		read := source.Hash
		results.Wrote = func(former, written string) {
			if former == read { // else somebody saved it meanwhile, and another run is near
				now[source.File] = written
			}
		}
		kept, err := sources.WriteBack(context.Background(), l.project, l.schemas, *source, results)
		if err != nil {
			if name := filepath.Join(l.project.Root, filepath.FromSlash(source.File)); sources.LockFile(name) != "" {
				c.owed = append(c.owed, name)
			}
			c.once(fmt.Sprintf("%s: results were not written back: %s; they are in the copy, and are written once that is over", diag.Printable(source.File), diag.Printable(err.Error())))
		}
		if kept != "" {
			formers = append(formers, filepath.Join(l.project.Root, filepath.FromSlash(kept)))
		}
	}
	c.take(l, now)
	return formers
}

// take has the daemon know the files as adsync has written them.
func (c *copies) take(l *loaded, now map[string]string) {
	if len(now) == 0 {
		return
	}
	l.desired.Hash = l.desired.HashWith(now)
	for i := range l.desired.Sources {
		if written := now[l.desired.Sources[i].File]; written != "" {
			l.desired.Sources[i].Hash = written
		}
	}
	if c.took != nil {
		c.took(l.desired.Hash)
	}
}

// toTell are the rows whose own cells are written: those that have something to tell, and
// those that had.
func (c *copies) toTell(all []sources.RowOutcome) []sources.RowOutcome {
	told := map[resource.Address]bool{}
	var rows []sources.RowOutcome
	for _, row := range all {
		if row.Result == "no change" && !c.told[row.Address] {
			continue
		}
		rows = append(rows, row)
		told[row.Address] = row.Result != "no change"
	}
	c.told = told
	return rows
}

// due reports whether a file is closed by now that results are to be written into.
func (c *copies) due() bool {
	return slices.ContainsFunc(c.owed, func(name string) bool { return sources.LockFile(name) == "" })
}

// moveFile gives a file another place, also on another file system.
func moveFile(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, content, 0o640); err != nil {
		return err
	}
	return os.Remove(from)
}
