package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/resultcopy"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/plan"
	"adsync/sources"
	"adsync/state"

	"github.com/spf13/cobra"
)

func markedFlag(c *cobra.Command, target *string) {
	c.Flags().StringVar(target, "marked", "", "folder, or file "+
		"for a single workbook, to write copies of the workbooks to, with what is said of each row in the row")
}

func approvedFlag(c *cobra.Command, file *string) {
	c.Flags().StringVar(file, "approved",
		"", "copy of plan --marked whose sheet Plan says yes to changes that are held: each is allowed as its row says")
}

// marking is where marked copies go.
type marking struct {
	to    string // a folder, or a file for one workbook; "" for none
	force bool
	done  bool // they say what was done: nobody approves in them, and nothing is forced
}

// copy is the copy of one workbook.
func (m marking) copy(name string) newFile {
	if m.done {
		if resultcopy.IsEdited(name) { // what somebody wrote stays
			if place, _, err := resultcopy.Place(name, ""); err == nil {
				name = place
			}
		}
		return newFile{flag: "--results", name: name, ours: isResultsCopy, never: true}
	}
	return markedFile("--marked", name, m.force)
}

// isResultsCopy reports whether a workbook is a copy that adsync wrote results into and
// nobody has edited since. Those of earlier versions are marked copies.
func isResultsCopy(content []byte) bool {
	c, is := resultcopy.ReadBytes(content)
	return is && !c.Edited || sources.IsMarkedCopy(content)
}

// readApproved adds what a copy of the plan approves to the allowances of the
// command line.
func (f *planFlags) readApproved() error {
	if f.approved == "" {
		return nil
	}
	content, err := os.ReadFile(f.approved)
	if err != nil {
		return configuration("--approved: %v", err)
	}
	allow, err := sources.ReadApprovals(content)
	if err != nil {
		return configuration("--approved: %s: %v", f.approved, err)
	}
	f.allow = append(f.allow, allow...)
	return nil
}

// workbooks are the workbooks that were read, and those that could not be.
func workbooks(l loaded) []string {
	var files []string
	add := func(file string) {
		if strings.EqualFold(filepath.Ext(file), ".xlsx") && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	for _, source := range l.desired.Sources {
		add(source.File)
	}
	for _, p := range l.desired.Problems {
		if p.Code != diag.ResultsCopy { // which is none of the workbooks
			add(p.Position.File())
		}
	}
	return files
}

// markProblems writes copies of the workbooks with problems, as far as they can
// be read: nobody needs an account to be told what to mend.
func (a *app) markProblems(l loaded, target marking) error {
	if target.to == "" {
		return nil
	}
	files := slices.DeleteFunc(workbooks(l), func(file string) bool {
		return !slices.ContainsFunc(l.desired.Problems, func(p diag.Problem) bool { return p.Position.File() == file })
	})
	if len(files) == 0 {
		a.note("no workbook has a problem: nothing is marked")
		return nil
	}
	return a.writeCopies(l, target, files, sources.Marks{Problems: l.desired.Problems, Unread: l.desired.Unread})
}

// markPlan writes copies of the workbooks with what a plan would do.
func (a *app) markPlan(l loaded, target marking, account state.Account, p *plan.Plan) error {
	if target.to == "" {
		return nil
	}
	return a.writeCopies(l, target, workbooks(l), planMarks(l, account, p))
}

// writeCopies writes a copy of each workbook. One that is damaged is named, and
// the others go on.
func (a *app) writeCopies(l loaded, target marking, files []string, m sources.Marks) error {
	copies, err := copiesOf(target, files)
	if err != nil {
		return err
	}
	for i, file := range files {
		if err := a.writeCopy(l, copies[i], file, m); err != nil {
			return err
		}
	}
	return nil
}

// copiesOf names the copies of workbooks. None is named where one of them would
// take the place of something.
func copiesOf(target marking, files []string) ([]newFile, error) {
	single := strings.EqualFold(filepath.Ext(target.to), ".xlsx")
	if single && len(files) != 1 {
		return nil, configuration("%s is one file, and there are %s; give a folder",
			target.to, plural(len(files), "workbook"))
	}
	var copies []newFile
	for _, file := range files {
		name := filepath.Join(target.to, filepath.FromSlash(file))
		if single {
			name = target.to
		}
		copies = append(copies, target.copy(name))
	}
	for _, one := range copies {
		if err := one.free(); err != nil {
			return nil, err
		}
	}
	return copies, nil
}

func (a *app) writeCopy(l loaded, to newFile, file string, m sources.Marks) error {
	original, err := os.ReadFile(filepath.Join(l.project.Root, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	if to.never {
		m.Results, m.At = &resultcopy.Copy{Of: file}, a.nowAt(l)
	}
	var failed error
	err = to.write(func(w io.Writer) error {
		failed = sources.WriteMarkedCopy(original, w, file, m)
		return failed
	})
	switch {
	case failed != nil:
		a.note("no copy: %s", diag.Printable(failed.Error()))
		return nil
	case err != nil:
		return err
	}
	a.note("marked copy of %s: %s", diag.Printable(file), to.name)
	return nil
}

// markedFile is a copy of a workbook. A copy of an earlier run is replaced, unless
// somebody wrote into the column Approve of its plan.
func markedFile(flag, name string, force bool) newFile {
	return newFile{flag: flag, name: name, force: force, ours: func(content []byte) bool {
		return sources.IsMarkedCopy(content) && !sources.HoldsApprovals(content)
	}}
}

// plannedRows say in each row what a plan would do with it, in the words of people.
func plannedRows(l loaded, p *plan.Plan, ask words.Ask) []sources.RowOutcome {
	goes := map[resource.Address]bool{}
	for c := range p.EachApplicable() {
		goes[c.Address] = true
	}
	names, byAddress := namesOf(l.schemas, p), map[resource.Address]*plan.Change{}
	for i := range p.Changes {
		byAddress[p.Changes[i].Address] = &p.Changes[i]
	}
	var rows []sources.RowOutcome
	for want := range l.desired.Whole().All() {
		row := sources.RowOutcome{Address: want.Address, Position: want.Position, Result: "no change", ID: want.ID}
		if c := byAddress[want.Address]; c != nil {
			row.Action = string(c.Action)
			plannedRow(&row, c, goes[want.Address], names.Holds(c.Holds(), ask))
			if row.Result == "to "+string(plan.Update) && row.Message == "" {
				row.Message = strings.Join(fieldLines(l.schemas, names, c), "\n")
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// namesOf are what people call what a plan changes.
func namesOf(schemas resource.Schemas, p *plan.Plan) *words.Names {
	changes := make([]plan.ChangeDocument, len(p.Changes))
	for i := range p.Changes {
		changes[i].Address, changes[i].Name = p.Changes[i].Address.String(), p.Changes[i].Name
	}
	return words.NamesOf(schemas, changes)
}

// fieldLines are what changes, one a line, by the headers of columns.
func fieldLines(schemas resource.Schemas, names *words.Names, c *plan.Change) []string {
	lines := planview.FieldLines(schemas, c.Document())
	for i := range lines {
		lines[i] = words.Upper(names.In(lines[i]))
	}
	return lines
}

// waitsFor says what a change that is held waits for: an approval, where one releases it.
func waitsFor(c *plan.Change) string {
	for _, h := range c.Holds() {
		if h.Allow != "" {
			return words.Waits
		}
	}
	return words.WaitsElse
}

// plannedRow says what becomes of the row of a change, and what holds it.
func plannedRow(row *sources.RowOutcome, c *plan.Change, goes bool, held string) {
	row.Result, row.Shown = "to "+string(c.Action), words.Will(c.Action)
	if held != "" {
		row.Cell, row.Message = heldCell(c), held
	}
	switch {
	case !goes && held != "":
		row.Result, row.Shown = string(runview.Held), waitsFor(c)
	case c.Action == plan.Record || c.Action == plan.Forget:
		row.Result = resultNoChange
	case held != "":
		row.Message = words.Upper(words.WaitsPart) + ": " + held
	}
}

// heldCell is the cell of the first field that is held.
func heldCell(c *plan.Change) diag.Position {
	if at := c.Held.Cell(); !at.IsZero() {
		return at
	}
	for _, f := range c.Fields {
		if f.Held != nil && !f.Desired.Position.IsZero() {
			return f.Desired.Position
		}
	}
	return diag.Position{}
}

func plannedChanges(schemas resource.Schemas, p *plan.Plan, currency string) []sources.PlannedChange {
	changes := make([]sources.PlannedChange, 0, len(p.Changes))
	names := namesOf(schemas, p)
	for i := range p.Changes {
		c := &p.Changes[i]
		planned := sources.PlannedChange{
			Address: c.Address, Action: words.Action(c.Action), Name: diag.Printable(c.Name), Position: c.Position,
			Fields: fieldLines(schemas, names, c), Spend: spendChange(c.Spend, currency),
		}
		for _, h := range c.Holds() {
			planned.Held = joinLines(planned.Held,
				diag.Printable(words.Hold(h.Hazard, h.Allow != "")+": "+names.In(h.Message)))
			if h.Allow != "" {
				planned.Allow = joinLines(planned.Allow, "--allow "+h.Allow)
			}
		}
		changes = append(changes, planned)
	}
	return changes
}

func joinLines(have, more string) string {
	if have == "" {
		return more
	}
	return have + "\n" + more
}

// spendChange is what a change does to possible spend, "" where it does nothing.
func spendChange(s plan.Spend, currency string) string {
	var parts []string
	for _, of := range []struct {
		by   int64
		what string
	}{{s.DailyAfter - s.DailyBefore, "a day"}, {s.LifetimeAfter - s.LifetimeBefore, "over its lifetime"}} {
		if of.by == 0 {
			continue
		}
		sign := "+"
		if of.by < 0 {
			sign = ""
		}
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s%s %s %s",
			sign, resource.FormatMoney(of.by), currency, of.what)))
	}
	return strings.Join(parts, ", ")
}
